"""How the money of payouts follows from what was decided about them, alone or in a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from ledger.models import HoldState
from ledger.payouts.models import Payout, PayoutBatch, PayoutKind, PayoutState, PayoutStep
from ledger.reconciliation.derivations import Derivation, Derived, Flow, register_derivation
from ledger.reconciliation.own import uuids
from ledger.reconciliation.report import Difference


def register() -> None:
    register_derivation(Derivation("the money of payouts", "payout", _payouts_after, _payouts))
    register_derivation(Derivation("the money of payout batches", "payout-batch", _batches_after, _batches))


def prizes_that_waited(subject: str) -> set[str]:
    """The keys of those prizes of a subject that were not paid to cash, but to `payable`."""
    return set(Payout.objects.filter(kind=PayoutKind.PRIZE, subject=subject).values_list("key", flat=True))


def _payouts_after(after: str, most: int) -> Sequence[str]:
    behind = Payout.objects.filter(pk__gt=UUID(after)) if after else Payout.objects.all()
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _payouts(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    asked = (
        Payout.objects.filter(pk__in=uuids(keys)).select_related("account", "hold").prefetch_related("steps")
    )
    for payout in asked:
        flows = [] if payout.batch_id is not None else list(_flows(payout))
        yield Derived(payout.ledger_subject, payout.currency, flows, [*_promised(payout), *_decided(payout)])


def _flows(payout: Payout) -> Iterator[Flow]:
    prize = payout.kind == PayoutKind.PRIZE
    if payout.state == PayoutState.PAID:
        yield Flow(payout.account.text, f"{payout.payee}/cash" if prize else "house/external", payout.amount)
    elif payout.state == PayoutState.REJECTED and prize:
        yield Flow(payout.account.text, "house/payable", payout.amount)


def _promised(payout: Payout) -> Iterator[Difference]:
    """A payout that has not ended has its money held."""
    held = payout.hold.amount if payout.hold.state == HoldState.HELD else 0
    due = payout.amount if payout.is_open else 0
    if held != due:
        yield Difference(
            payout.account.text,
            payout.currency,
            f"what is held for {payout}",
            held,
            due,
            payout.ledger_subject,
        )


def _decided(payout: Payout) -> Iterator[Difference]:
    """Its steps lead from the request to where it stands, one from another, each about the same money; and nobody has
    approved what they asked for, will be paid, or (of two persons) were the first to approve.
    """
    about = (payout.requested_by, payout.payee, payout.amount, payout.currency, payout.two_persons)
    steps, becomes, actor = list(payout.steps.all()), "", ""
    for number, step in enumerate(steps, start=1):
        told = (step.number, step.was, step.previous)
        said = (step.maker, step.payee, step.amount, step.currency, step.two_persons)
        if (told, said) != ((number, becomes, actor), about):
            yield _of_steps(payout, f"step {number}", (*told, *said), (number, becomes, actor, *about))
        if step.becomes in (PayoutState.CHECKED, PayoutState.APPROVED) and step.actor in _barred(step):
            yield _of_steps(payout, f"who approved by step {number}", step.actor, "somebody else")
        becomes, actor = step.becomes, step.actor
    stands = (payout.version, str(payout.state))
    if stands != (len(steps), becomes):
        yield _of_steps(payout, "where it stands", stands, (len(steps), becomes))


def _barred(step: PayoutStep) -> set[str]:
    twice = step.two_persons and step.becomes == PayoutState.APPROVED
    return {step.maker, step.payee, *([step.previous] if twice else [])}


def _of_steps(payout: Payout, what: str, found: object, due: object) -> Difference:
    return Difference(payout.payee, payout.currency, what, str(found), str(due), payout.ledger_subject)


def _batches_after(after: str, most: int) -> Sequence[str]:
    behind = PayoutBatch.objects.filter(pk__gt=UUID(after)) if after else PayoutBatch.objects.all()
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _batches(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for batch in PayoutBatch.objects.filter(pk__in=uuids(keys)).prefetch_related("payouts__account"):
        flows = [flow for payout in batch.payouts.all() for flow in _flows(payout)]
        yield Derived(batch.subject, batch.currency, flows)
