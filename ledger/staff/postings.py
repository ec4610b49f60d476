"""Staff actions that post transfers: deposits and reversals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.utils import timezone

from core.errors import first_or_raise, refusal_of
from ledger import services
from ledger.core.postings import Posting, check_correctable
from ledger.errors import UnknownTransfer
from ledger.models import Purpose, StakeTable, Transfer
from ledger.money import money
from ledger.staff.actions import LedgerAction, MoneyField, PlayerField, previewed
from staff import subjects
from staff.actions import FormData, Preview, ReasonForm


class DepositForm(ReasonForm):
    player = PlayerField(required=False, help_text="The username of the player who made the deposit; or …")
    stake_table = forms.ModelChoiceField(
        StakeTable.objects.all(), required=False, help_text="… or the stake table whose bank is funded."
    )
    amount = MoneyField()
    field_order = ["player", "stake_table", "amount", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors.keys() & {"player", "stake_table"} and (
            bool(given.get("player")) == bool(given.get("stake_table"))
        ):
            raise forms.ValidationError("Enter either a player or a stake table.")
        return given


class Deposit(LedgerAction[None]):
    name, label, page = "pay-in", "Deposit", "ledger_account_deposit"
    route = "deposit/"
    operations = ("deposits_create",)
    permission = "ledger.deposit"
    form = DepositForm
    lead = "Record money received from outside, for a player or for the bank of a stake table."
    title = "Record a deposit"
    button = "Record deposit"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"player": query.get("player", "")}

    def preview(self, data: FormData) -> Preview:
        shown = previewed(
            lambda: self.carry_out(data, f"rehearsal:{uuid4()}", timezone.now()).transfers,
            facts=[("For", _named(data))],
        )
        repaid = [f"{each.amount} of it repays a debt." for each in shown.movements[1:]]
        return replace(shown, warnings=repaid)

    def carry_out(self, data: FormData, key: str, now: datetime) -> Posting:
        order: FormData = {
            "amount": data["amount"],
            "key": key,
            "actor": self.by,
            "reason": data["reason"],
            "at": now,
        }
        if data.get("stake_table"):
            return services.fund_bank(stake_table=data["stake_table"], **order)
        return services.deposit(player=data["player"], currency=settings.RACECARD_CURRENCY, **order)


class Reverse(LedgerAction[Transfer]):
    name, label, page = "reverse-transfer", "Reverse", "ledger_transfer_reverse"
    route = "<int:pk>/reverse/"
    operations = ("reversals_create",)
    permission = "ledger.reverse"
    is_one_step = True
    lead = "A mirror transfer reverses it. The original remains, and each refers to the other."
    button = "Reverse transfer"

    @classmethod
    def find(cls, actor: Any, pk: Any) -> Transfer:
        """Return the transfer by its position, or by its UUID as over REST."""
        named = {"position": pk} if isinstance(pk, int) else {"uuid": pk}
        return first_or_raise(Transfer.objects.with_accounts().filter(**named), UnknownTransfer)

    @property
    def title(self) -> str:
        return f"Reverse {money(self.row.amount, self.row.currency)}: {self.row.reason}"

    def fits(self) -> bool:
        """Return whether this person may reverse this transfer."""
        return refusal_of(lambda: check_correctable(self.row, self.by)) is None

    def preview(self, data: FormData) -> Preview:
        transfer = self.row
        shown = previewed(
            lambda: self.carry_out(data, f"rehearsal:{uuid4()}", timezone.now()).transfers,
            facts=[("Transfer", f"{transfer.reason}, {transfer.at:%d %b %Y %H:%M} UTC")],
        )
        debt = f"/{Purpose.RECEIVABLE} → "
        who = subjects.link(transfer.credit.owner).text
        lent = [
            f"{who} will owe {each.amount}, which is no longer available."
            for each in shown.movements
            if debt in each.technical
        ]
        return replace(shown, warnings=lent)

    def carry_out(self, data: FormData, key: str, now: datetime) -> Posting:
        return services.reverse(transfer=self.row.uuid, key=key, actor=self.by, reason=data["reason"], at=now)


def _named(data: FormData) -> str:
    """Return for whom a deposit is: a player, or the bank of a stake table."""
    table: StakeTable | None = data["stake_table"]
    return str(PlayerField().prepare_value(data["player"])) if table is None else f"Bank of {table}"
