"""Stake tables in the back office: the terms in force, and their history."""

from __future__ import annotations

from django.contrib import admin

from ledger import selectors
from ledger.formats import money
from ledger.models import Purpose
from ledger.office.commands import ReadOnly
from ledger.stakes.models import StakeTable


@admin.register(StakeTable)
class StakeTableAdmin(ReadOnly):
    list_display = ["slug", "rules", "mode", "currency", "bank"]

    @admin.display(description="bank (available / held)")
    def bank(self, table: StakeTable) -> str:
        has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
        return f"{money(has.available, table.currency)} / {money(has.held, table.currency)}"
