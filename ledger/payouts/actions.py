"""Staff actions on payouts, their batches, and freezes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.utils import timezone

from core.errors import refusal_of
from core.transactions import dry_run
from ledger.core.selectors import newest_position, posted_since
from ledger.errors import BadPosting, BatchChanged, EmptyBatch, PayoutFrozen, PayoutInBatch
from ledger.models import Transfer
from ledger.money import money
from ledger.payouts import batches, decisions, freezes, selectors
from ledger.payouts import models as states
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind, PayoutState
from ledger.payouts.requests import check_step
from ledger.staff.actions import LedgerAction, movement
from staff.actions import ActionForm, Done, FormData, Movement, Preview, ReasonForm, change_page

APPROVE, PAY, FREEZE = "ledger.approve_payout", "ledger.pay_payout", "ledger.freeze_money"


class Decision(LedgerAction[Payout]):
    """A decision about a payout, which brings it into the state `becomes`."""

    permission = APPROVE
    becomes: ClassVar[str]
    service: ClassVar[Callable[..., Payout]]
    message: ClassVar[str]

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Payout:
        return selectors.payout(pk)

    @property
    def amount(self) -> str:
        return money(self.row.amount, self.row.currency)

    @property
    def title(self) -> str:
        return f"{self.label}: {self.amount}, {self.row}"

    @property
    def button(self) -> str:
        return f"{self.label}: {self.amount}"

    def fits(self) -> bool:
        """Return whether the payout is in a state for the decision."""
        return states.may_become(self.row.state, self.becomes)

    def unavailable(self) -> str:
        refusal = refusal_of(self.check)
        return "" if refusal is None else f"{self.label} unavailable: {refusal.detail}"

    def check(self) -> None:
        """Raise what the decision would raise, as far as that can be known in advance."""
        check_step(self.row, self.becomes, self.by)

    def preview(self, data: FormData) -> Preview:
        self.check()
        payout = self.row
        movements, notes = self.effects()
        if self.becomes in (states.HELD, states.REJECTED) and payout.batch_id is not None:
            notes.append("It is removed from its batch. If the file was sent to the bank, inform the bank.")
        facts = [
            ("Amount", self.amount),
            ("To", payout.destination or "the player's cash"),
            ("Player", payout.payee),
        ]
        if payout.two_persons:
            facts.append(("Second approver", _second_approver(payout)))
        for purpose, had in selectors.balances(payout).items():
            facts.append((f"The player's {purpose}", money(had["available"], payout.currency)))
        return Preview(movements, facts, notes)

    def effects(self) -> tuple[list[Movement], list[str]]:
        """Return the transfers of the decision, and notes."""
        return [], []

    def movement(self, to: str, note: str) -> Movement:
        return Movement(self.row.account.text, to, self.amount, note)

    def carry_out(self, data: FormData, key: str, now: datetime) -> Payout:
        given = {name: data[name] for name in ("reason", "amount") if name in data}
        return type(self).service(payout=self.row.pk, actor=self.by, at=now, **given)

    def done(self, made: Payout) -> Done:
        first = made.state == states.CHECKED
        message = (
            "You have approved the payout. A second person must approve it too." if first else self.message
        )
        return Done(message, f"payout:{made.pk}", self.back, links=_posted(made))


class Approve(Decision):
    name, label, page = "approve-payout", "Approve", "ledger_payout_approve"
    route = "<uuid:pk>/decide/approve/"
    operations = ("payout_approve",)
    becomes = states.APPROVED
    service = staticmethod(decisions.approve_payout)
    message = "The payout is approved."

    def check(self) -> None:
        super().check()
        decisions.check_approver(self.row, self.by)

    def effects(self) -> tuple[list[Movement], list[str]]:
        paid_at_once = (
            self.row.kind == PayoutKind.PRIZE and decisions.approved_to(self.row) == states.APPROVED
        )
        return [self.movement(decisions.goes_to(self.row).text, str(self.row))] if paid_at_once else [], []


class Pay(Decision):
    name, label, page = "pay-payout", "Mark as paid", "ledger_payout_pay"
    route = "<uuid:pk>/decide/pay/"
    operations = ("payout_pay",)
    permission = PAY
    becomes = states.PAID
    service = staticmethod(decisions.pay_payout)
    message = "The payout is recorded as paid."

    def check(self) -> None:
        super().check()
        if self.row.batch_id is not None:
            raise PayoutInBatch()

    def effects(self) -> tuple[list[Movement], list[str]]:
        return [self.movement(decisions.goes_to(self.row).text, str(self.row))], []


class Hold(Decision):
    name, label, page = "hold-payout", "Put on hold", "ledger_payout_hold"
    route = "<uuid:pk>/decide/hold/"
    operations = ("payout_hold",)
    becomes = states.HELD
    service = staticmethod(decisions.hold_payout)
    message = "The payout is on hold."


class Release(Decision):
    name, label, page = "release-payout", "Release", "ledger_payout_release"
    route = "<uuid:pk>/decide/release/"
    operations = ("payout_release",)
    becomes = states.REQUESTED
    service = staticmethod(decisions.release_payout)
    message = "The payout waits for approval again."

    def check(self) -> None:
        super().check()
        if freezes.is_needed(self.row):
            raise PayoutFrozen()


class Reject(Decision):
    name, label, page = "reject-payout", "Reject", "ledger_payout_reject"
    route = "<uuid:pk>/decide/reject/"
    operations = ("payout_reject",)
    becomes = states.REJECTED
    service = staticmethod(decisions.reject_payout)
    message = "The payout is rejected."

    def effects(self) -> tuple[list[Movement], list[str]]:
        if self.row.kind == PayoutKind.PRIZE:
            return [self.movement("house/payable", f"{self.row} rejected")], []
        return [], [f"{self.amount} becomes available on the player's cash account."]


class Reinstate(Decision):
    """Pays a rejected prize again by a new payout; the rejected one stays as it is."""

    name, label, page = "reinstate-payout", "Reinstate", "ledger_payout_reinstate"
    route = "<uuid:pk>/decide/reinstate/"
    operations = ("payout_reinstate",)
    becomes = states.REQUESTED
    service = staticmethod(decisions.reinstate_prize)
    lead = "The money returns from the site to a new payout, which another person must approve."

    def fits(self) -> bool:
        is_rejected = self.row.kind == PayoutKind.PRIZE and self.row.state == states.REJECTED
        return is_rejected and not Payout.objects.filter(origin=self.row).exists()

    def check(self) -> None:
        decisions.check_reinstatable(self.row, self.by)

    def preview(self, data: FormData) -> Preview:
        before = newest_position()

        def shown() -> Preview:
            made = self.carry_out(data, "", timezone.now())
            moved = [movement(one) for one in posted_since(before, f"payout:{self.row.pk}")]
            return Preview(moved, [("Amount", self.amount), ("Player", made.payee)])

        return dry_run(shown)

    def done(self, made: Payout) -> Done:
        message = "The prize is reinstated and waits for approval by another person."
        return Done(message, f"payout:{self.row.pk}", change_page(made), result=f"payout:{made.pk}")


DECISIONS = (Approve, Pay, Hold, Release, Reject, Reinstate)


def _posted(payout: Payout) -> list[tuple[str, str]]:
    """Return the transfer of the payout's last step, if any."""
    posted = Transfer.objects.filter(subject=f"payout:{payout.pk}").order_by("-position").first()
    if posted is None:
        return []
    return [("Its transfer", change_page(posted))]


def _second_approver(payout: Payout) -> str:
    if decisions.approved_to(payout) == states.CHECKED:
        return "A payout of this size needs a second approver before it is paid."
    return "This is the second approval. It must come from another person than the first."


# --- batches -----------------------------------------------------------------------------------------


class PayForm(ActionForm):
    """A form without a reason, because each payout was approved with its own."""

    checksum = forms.CharField(
        min_length=64,
        max_length=64,
        help_text="The checksum of the file that the bank has executed, shown on the page of the batch.",
    )


def _batch_done(message: str, batch: PayoutBatch) -> Done:
    back = change_page(batch)
    return Done(message, f"batch:{batch.pk}", back)


class MakeBatch(LedgerAction[None]):
    name, label, page = "make-batch", "Create payout batch", "ledger_payoutbatch_make"
    route = "make/"
    operations = ("payout_batches_create",)
    permission = PAY
    form = ActionForm
    lead = f"Collects the oldest approved withdrawals, at most {batches.MOST}."
    title = "Create a payout batch"
    button = "Create batch"

    def preview(self, data: FormData) -> Preview:
        currency = settings.RACECARD_CURRENCY
        waiting = list(
            Payout.objects.filter(
                kind=PayoutKind.WITHDRAWAL, state=PayoutState.APPROVED, batch=None, currency=currency
            ).order_by("requested_at", "pk")[: batches.MOST]
        )
        if not waiting:
            raise EmptyBatch()
        total = money(sum(payout.amount for payout in waiting), currency)
        return Preview(facts=[("Withdrawals", str(len(waiting))), ("Total", total)])

    def carry_out(self, data: FormData, key: str, now: datetime) -> PayoutBatch:
        given = {name: data[name] for name in ("payouts", "up_to") if name in data}
        currency = data.get("currency", settings.RACECARD_CURRENCY)
        return batches.make_batch(currency=currency, key=key, actor=self.by, at=now, **given)

    def done(self, made: PayoutBatch) -> Done:
        return _batch_done("The batch is created. Send its file to the bank.", made)


class PayBatch(LedgerAction[PayoutBatch]):
    name, label, page = "pay-batch", "Mark as paid", "ledger_payoutbatch_pay"
    route = "<uuid:pk>/pay/"
    operations = ("payout_batch_pay",)
    permission = PAY
    form = PayForm

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> PayoutBatch:
        return selectors.batch(pk)

    @property
    def title(self) -> str:
        return f"Pay the batch of {self.row}"

    def preview(self, data: FormData) -> Preview:
        payouts = list(self.row.payouts.all())
        if not payouts:
            raise EmptyBatch()
        if data["checksum"] != batches.file_checksum(self.row):
            raise BatchChanged()
        total = money(sum(payout.amount for payout in payouts), self.row.currency)
        note = f"{len(payouts)} withdrawals, in one posting"
        return Preview([Movement("players' cash", "house/external", total, note)])

    def carry_out(self, data: FormData, key: str, now: datetime) -> PayoutBatch:
        return batches.pay_batch(batch=self.row.pk, checksum=data["checksum"], actor=self.by, at=now)

    def done(self, made: PayoutBatch) -> Done:
        return _batch_done("The batch is paid.", made)


# --- freezes -----------------------------------------------------------------------------------------


class FreezeForm(ReasonForm):
    subject = forms.CharField(
        min_length=3, max_length=80, help_text="The subject that paid the money, such as game:…"
    )
    player = forms.UUIDField(
        required=False, help_text="Freeze only the money of this player; empty: of all players."
    )
    field_order = ["subject", "player", "reason"]


def _freeze_done(message: str, freeze: Freeze) -> Done:
    back = change_page(freeze)
    return Done(message, freeze.subject, back, result=f"freeze:{freeze.pk}")


class FreezeMoney(LedgerAction[None]):
    name, label, page = "freeze-money", "Freeze payments of a subject", "ledger_freeze_make"
    route = "make/"
    operations = ("freezes_create",)
    permission = FREEZE
    form = FreezeForm
    button = "Freeze"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"subject": query.get("subject", "")}

    def preview(self, data: FormData) -> Preview:
        facts = [
            (owner, money(amount, currency))
            for (owner, currency), amount in freezes.everybody_paid(data["subject"], data["player"]).items()
        ]
        if not facts:
            raise BadPosting("This subject has made no payments.")
        return Preview(facts=[("Paid, and held at most", ""), *facts])

    def carry_out(self, data: FormData, key: str, now: datetime) -> Freeze:
        return freezes.freeze(
            subject=data["subject"],
            player=data.get("player"),
            claim=key,
            reason=data["reason"],
            actor=self.by,
            at=now,
        )

    def done(self, made: Freeze) -> Done:
        return _freeze_done("The money is held.", made)


class ReleaseFreeze(LedgerAction[Freeze]):
    name, label, page = "release-freeze", "Release", "ledger_freeze_release"
    route = "<uuid:pk>/release/"
    operations = ("freeze_release",)
    permission = FREEZE

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Freeze:
        return selectors.freeze(pk)

    @property
    def title(self) -> str:
        return f"Release the {self.row}"

    def preview(self, data: FormData) -> Preview:
        facts = [
            (one.hold.account.text, money(one.hold.amount, one.hold.account.currency))
            for one in self.row.money.select_related("hold__account")
        ]
        return Preview(facts=facts or [("Held", "nothing")])

    def carry_out(self, data: FormData, key: str, now: datetime) -> Freeze:
        return freezes.release_freeze(freeze=self.row.pk, actor=self.by, reason=data["reason"], at=now)

    def done(self, made: Freeze) -> Done:
        return _freeze_done("The money is released.", made)
