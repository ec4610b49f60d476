"""Admin pages of payout batches and freezes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.money import money
from ledger.payouts import selectors
from ledger.payouts.actions import PAY, FreezeMoney, MakeBatch, PayBatch, ReleaseFreeze
from ledger.payouts.api import bank_file_response
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, PayoutBatch
from ledger.staff.actions import html_table
from staff.actions import ActionLink
from staff.admin import ActionAdmin


@admin.register(PayoutBatch)
class PayoutBatchAdmin(ActionAdmin):
    list_actions = [MakeBatch]
    staff_actions = [PayBatch]
    list_display = ["made_at", "currency", "count", "amount", "made_by", "paid_at", "paid_by"]
    list_filter = [("paid_at", admin.EmptyFieldListFilter)]
    ordering = ["-made_at"]
    fields = [
        "id", "currency", "count", "amount", "made_by", "made_at", "paid_by", "paid_at", "posting", "file",
        "payout_table",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> Any:
        return selectors.batches()

    @admin.display(description="payouts")
    def count(self, batch: Any) -> int:
        return int(batch.count)

    @admin.display(description="amount")
    def amount(self, batch: Any) -> str:
        return money(batch.amount, batch.currency)

    @admin.display(description="file's checksum")
    def file(self, batch: PayoutBatch) -> SafeString:
        return format_html("<code>{}</code>", file_checksum(batch))

    @admin.display(description="payouts")
    def payout_table(self, batch: PayoutBatch) -> SafeString:
        rows = (
            (
                format_html(
                    '<a href="{}">{}</a>', reverse("admin:ledger_payout_change", args=[one.pk]), one.reference
                ),
                one.payee,
                one.destination,
                money(one.amount, one.currency),
                one.state,
            )
            for one in batch.payouts.order_by("requested_at", "pk")
        )
        return html_table(["reference", "player", "destination", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.csv_view)
        return [path("<uuid:batch_id>/csv/", view, name="ledger_payoutbatch_csv"), *super().get_urls()]

    def row_links(self, request: HttpRequest, row: PayoutBatch) -> list[ActionLink]:
        if not request.user.has_perm(PAY):
            return []
        file = ActionLink("Bank file (CSV)", reverse("admin:ledger_payoutbatch_csv", args=[row.pk]))
        return [file, *([] if row.paid_at else super().row_links(request, row))]

    def csv_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        if not request.user.has_perm(PAY):
            raise PermissionDenied
        return bank_file_response(get_object_or_404(PayoutBatch, pk=batch_id))


@admin.register(Freeze)
class FreezeAdmin(ActionAdmin):
    list_actions = [FreezeMoney]
    staff_actions = [ReleaseFreeze]
    list_display = ["at", "subject", "player", "reason", "actor", "released_at", "released_by"]
    list_filter = [("released_at", admin.EmptyFieldListFilter)]
    search_fields = ["=subject", "=player"]
    ordering = ["-at"]
    fields = [
        "id", "subject", "player", "reason", "actor", "at", "money_table", "payout_table", "released_at", "released_by",
        "released_reason",
    ]  # fmt: skip

    @admin.display(description="money held")
    def money_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (one.hold.account.text, money(one.hold.amount, one.hold.account.currency), one.hold.state)
            for one in freeze.money.select_related("hold__account")
        )
        return html_table(["account", "amount", "state"], rows)

    @admin.display(description="payouts put on hold")
    def payout_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (step.payout.reference, step.payout.payee, money(step.amount, step.currency), step.payout.state)
            for step in freeze.steps.select_related("payout")
        )
        return html_table(["reference", "player", "amount", "state"], rows)

    def row_links(self, request: HttpRequest, row: Freeze) -> list[ActionLink]:
        return [] if row.released_at else super().row_links(request, row)
