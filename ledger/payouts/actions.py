"""Staff actions on payouts, their batches, and freezes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.errors import refusal_of
from core.transactions import dry_run
from ledger.core.selectors import BalanceOutput, newest_position, posted_since, usernames
from ledger.errors import BadPosting, BatchChanged, EmptyBatch, PayoutFrozen, PayoutInBatch
from ledger.models import Purpose, Transfer
from ledger.money import money
from ledger.payouts import batches, decisions, freezes, selectors
from ledger.payouts import models as states
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind, PayoutState
from ledger.payouts.requests import check_step
from ledger.staff import wording
from ledger.staff.actions import LedgerAction, PlayerField, previewed
from staff import subjects
from staff.actions import ActionForm, Change, Done, FormData, Movement, Preview, ReasonForm, change_page

APPROVE, PAY, FREEZE = "ledger.approve_payout", "ledger.pay_payout", "ledger.freeze_money"


class Decision(LedgerAction[Payout]):
    """A decision about a payout, which brings it into the state `becomes`."""

    permission = APPROVE
    is_one_step = True
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
    def who(self) -> str:
        """The name of the player who is paid."""
        return subjects.link(self.row.payee).text

    @property
    def title(self) -> str:
        return f"{self.label}: {self.amount} to {self.who}"

    @property
    def button(self) -> str:
        return f"{self.label} {self.amount}"

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
        payout, who, before = self.row, self.who, selectors.balances(self.row)

        def decided() -> tuple[Payout, list[Transfer], Mapping[str, BalanceOutput]]:
            last = newest_position()
            made = self.carry_out(data, "", timezone.now())
            return made, list(posted_since(last, payout.ledger_subject)), selectors.balances(made)

        made, moved, after = dry_run(decided)
        facts = [
            ("Player", who),
            ("To", payout.destination or "the player's wallet"),
            ("Reference", payout.reference),
        ]
        if payout.two_persons and payout.state in (states.REQUESTED, states.CHECKED):
            facts.append(("Second approver", _second_approver(payout)))
        changes = [
            Change("Payout", payout.get_state_display(), made.get_state_display()),
            *_balances(who, payout.currency, before, after),
        ]
        return Preview(wording.movements(moved), facts, self.warnings(), changes=changes)

    def warnings(self) -> list[str]:
        if self.becomes in (states.HELD, states.REJECTED) and self.row.batch_id is not None:
            return ["It is removed from its batch. If the file was sent to the bank, inform the bank."]
        return []

    def carry_out(self, data: FormData, key: str, now: datetime) -> Payout:
        given = {name: data[name] for name in ("reason", "amount") if name in data}
        return type(self).service(payout=self.row.pk, actor=self.by, at=now, **given)

    def done(self, made: Payout) -> Done:
        first = made.state == states.CHECKED
        message = (
            "You have approved the payout. A second person must approve it too." if first else self.message
        )
        return Done(message, f"payout:{made.pk}", self.back, links=_posted(made))


def _balances(
    who: str, currency: str, before: Mapping[str, BalanceOutput], after: Mapping[str, BalanceOutput]
) -> Iterator[Change]:
    """Yield the parts of the player's balances that change, and what is available in any case."""
    for purpose, had in before.items():
        has, account = after[purpose], wording.OF_PEOPLE[Purpose(purpose)]
        parts = (("available", had["available"], has["available"]), ("held", had["held"], has["held"]))
        for part, was, becomes in parts:
            if was != becomes or (purpose, part) == (Purpose.CASH, "available"):
                yield wording.balance_change(f"{who}: {account}, {part}", was, becomes, currency)


class Approve(Decision):
    name, label, page = "approve-payout", "Approve", "ledger_payout_approve"
    route = "<uuid:pk>/decide/approve/"
    operations = ("payout_approve",)
    becomes = states.APPROVED
    service = staticmethod(decisions.approve_payout)
    message = "The payout is approved."

    @property
    def button(self) -> str:
        return f"Approve payout of {self.amount}"

    def check(self) -> None:
        super().check()
        decisions.check_approver(self.row, self.by)


class Pay(Decision):
    name, label, page = "pay-payout", "Mark as paid", "ledger_payout_pay"
    route = "<uuid:pk>/decide/pay/"
    operations = ("payout_pay",)
    permission = PAY
    becomes = states.PAID
    service = staticmethod(decisions.pay_payout)
    message = "The payout is recorded as paid."

    @property
    def button(self) -> str:
        return f"Mark {self.amount} as paid"

    def check(self) -> None:
        super().check()
        if self.row.batch_id is not None:
            raise PayoutInBatch()


class Hold(Decision):
    name, label, page = "hold-payout", "Put on hold", "ledger_payout_hold"
    route = "<uuid:pk>/decide/hold/"
    operations = ("payout_hold",)
    becomes = states.HELD
    service = staticmethod(decisions.hold_payout)
    message = "The payout is on hold."

    @property
    def button(self) -> str:
        return f"Put {self.amount} on hold"


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


class Reinstate(Decision):
    """Pays a rejected prize again by a new payout; the rejected one stays as it is."""

    name, label, page = "reinstate-payout", "Reinstate", "ledger_payout_reinstate"
    shows_result = True
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

        def command() -> Iterable[Transfer]:
            self.carry_out(data, "", timezone.now())
            return posted_since(before, self.row.ledger_subject)

        return previewed(command, facts=[("Player", self.who)])

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


def _payees(payouts: Sequence[Payout]) -> list[tuple[str, str]]:
    """Return who is paid what, and where it is sent."""
    names = usernames(payout.player for payout in payouts)
    return [
        (
            f"To {names.get(payout.player, 'an erased player')}",
            f"{money(payout.amount, payout.currency)}, {payout.destination}",
        )
        for payout in payouts
    ]


def _batch_done(message: str, batch: PayoutBatch) -> Done:
    back = change_page(batch)
    return Done(message, f"batch:{batch.pk}", back)


class MakeBatch(LedgerAction[None]):
    name, label, page = "make-batch", "Create payout batch", "ledger_payoutbatch_make"
    shows_result = True
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
        return Preview(facts=[("Withdrawals", str(len(waiting))), ("Total", total), *_payees(waiting)])

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
        count = "1 withdrawal" if len(payouts) == 1 else f"{len(payouts)} withdrawals, in one posting"
        outside = wording.OF_SITE[Purpose.EXTERNAL]
        return Preview(
            [Movement("Wallets of the players", outside, total, count)],
            _payees(payouts),
            changes=[Change("Batch", "to be paid", "paid")],
        )

    def carry_out(self, data: FormData, key: str, now: datetime) -> PayoutBatch:
        return batches.pay_batch(batch=self.row.pk, checksum=data["checksum"], actor=self.by, at=now)

    def done(self, made: PayoutBatch) -> Done:
        return _batch_done("The batch is paid.", made)


# --- freezes -----------------------------------------------------------------------------------------


class SubjectInput(forms.TextInput):
    """Shows a subject by its title, read-only, and anything else as it was typed."""

    SUBJECT = re.compile(r"\w+:[0-9a-f]{8}-[0-9a-f-]{27}")

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        if not self.SUBJECT.fullmatch(str(value or "")):
            return super().render(name, value, attrs, renderer)
        title = subjects.link(value).text
        shown = super().render(f"{name}-title", title, {**(attrs or {}), "readonly": True}, renderer)
        return format_html('{}<input type="hidden" name="{}" value="{}">', shown, name, value)


class SubjectField(forms.CharField):
    """What paid money: a subject such as `game:…`, or the address of its page."""

    widget = SubjectInput

    ADDRESS = re.compile(r"/(game|market|tournament)s?/(?:\w+/)?([0-9a-f]{8}-[0-9a-f-]{27})\b")

    def clean(self, value: Any) -> Any:
        found = self.ADDRESS.search(str(value or ""))
        return super().clean(f"{found[1]}:{found[2]}" if found else value)


class FreezeForm(ReasonForm):
    subject = SubjectField(
        min_length=3,
        max_length=80,
        label="Paid by",
        help_text="The address of the page of a game, market, or tournament.",
    )
    player = PlayerField(
        required=False, help_text="Freeze only the money of this player (username); empty: of all players."
    )
    field_order = ["subject", "player", "reason"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        given = (self.data if self.is_bound else self.initial).get("subject")
        if SubjectInput.SUBJECT.fullmatch(str(given or "")):
            self.fields["subject"].help_text = ""


def _freeze_done(message: str, freeze: Freeze) -> Done:
    back = change_page(freeze)
    return Done(message, freeze.subject, back, result=f"freeze:{freeze.pk}")


class FreezeMoney(LedgerAction[None]):
    name, label, page = "freeze-money", "Freeze payments", "ledger_freeze_make"
    shows_result = True
    route = "make/"
    operations = ("freezes_create",)
    permission = FREEZE
    form = FreezeForm
    button = "Freeze"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"subject": query.get("subject", "")}

    def preview(self, data: FormData) -> Preview:
        paid = [
            (owner, currency, amount)
            for (owner, currency), amount in freezes.everybody_paid(data["subject"], data["player"]).items()
        ]
        if not paid:
            raise BadPosting("This subject has made no payments.")
        links = subjects.links([data["subject"], *(owner for owner, _, _ in paid)])
        return Preview(
            facts=[
                ("Paid by", links[data["subject"]].text),
            ],
            changes=[
                Change(f"{links[owner].text}: held", money(0, currency), f"at most {money(amount, currency)}")
                for owner, currency, amount in paid
            ],
        )

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
        return f"Release the payments of {subjects.link(self.row.subject).text}"

    def preview(self, data: FormData) -> Preview:
        held = [one.hold for one in self.row.money.select_related("hold__account")]
        names = wording.names(hold.account for hold in held)
        changes = [
            wording.balance_change(f"Held of {names[hold.account_id]}", hold.amount, 0, hold.account.currency)
            for hold in held
        ]
        facts = [("Paid by", subjects.link(self.row.subject).text)]
        if not held:
            facts.append(("Held", "nothing"))
        return Preview(facts=facts, changes=changes)

    def carry_out(self, data: FormData, key: str, now: datetime) -> Freeze:
        return freezes.release_freeze(freeze=self.row.pk, actor=self.by, reason=data["reason"], at=now)

    def done(self, made: Freeze) -> Done:
        return _freeze_done("The money is released.", made)
