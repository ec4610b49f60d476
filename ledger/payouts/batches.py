"""Batches: approved withdrawals that go to the bank in one file and are paid in one posting.

The payer names the checksum of the file that the bank has executed. If a payout was put on hold after the export, the
batch has changed and nothing is paid until the difference is resolved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from babel.numbers import get_currency_precision
from django.db import transaction

from core.errors import first_or_raise
from jobs.services import schedule
from ledger.core.keys import once
from ledger.core.postings import Leg, fingerprint, insert, lock
from ledger.core.selectors import usernames
from ledger.deposits import world
from ledger.errors import (
    BatchChanged,
    BatchPaid,
    EmptyBatch,
    OwnPayout,
    PayoutInBatch,
    PayoutUnexpectedState,
    UnknownPayout,
    UnknownPayoutBatch,
)
from ledger.models import Account, Hold, HoldState
from ledger.payouts import models as states
from ledger.payouts.models import Payout, PayoutBatch, PayoutKind, PayoutStep
from ledger.payouts.requests import step_fields
from ledger.reports.journals import decimal
from ledger.reports.spreadsheets import table

MOST = 500
"""Payouts of one batch, which are paid in a single transaction."""

COVERING_CHECKPOINT = "eventstore.checkpoint_covering"
"""The job that signs a checkpoint which covers a posting."""


def make_batch(
    *,
    currency: str,
    key: str,
    actor: str,
    at: datetime,
    payouts: Sequence[UUID] | None = None,
    up_to: int | None = None,
) -> PayoutBatch:
    """Collect approved withdrawals without a batch: those named, or the oldest `MOST` of at most `up_to` pence.

    Raises UnknownPayout, PayoutUnexpectedState, PayoutInBatch, EmptyBatch, KeyReused.
    """
    named = sorted({str(one) for one in payouts}) if payouts is not None else None
    print_ = fingerprint("payout batch", currency, named, up_to, actor)

    def make() -> PayoutBatch:
        batch = PayoutBatch.objects.create(
            key=key, fingerprint=print_, currency=currency, made_by=actor, made_at=at
        )
        chosen = _named(payouts, currency) if payouts is not None else _oldest(currency, up_to)
        if not chosen:
            raise EmptyBatch()
        Payout.objects.filter(pk__in=[payout.pk for payout in chosen]).update(batch=batch)
        return batch

    return once(PayoutBatch, key, print_, make)


def _named(ids: Sequence[UUID], currency: str) -> list[Payout]:
    found = list(
        Payout.objects.select_for_update(of=("self",))
        .filter(pk__in=ids, kind=PayoutKind.WITHDRAWAL, currency=currency)
        .order_by("pk")
    )
    if missing := set(ids) - {payout.pk for payout in found}:
        raise UnknownPayout(f"There is no withdrawal {min(map(str, missing))} in {currency}.")
    for payout in found:
        if payout.state != states.APPROVED:
            raise PayoutUnexpectedState(f"{payout.reference} is {payout.state}.", state=payout.state)
        if payout.batch_id is not None:
            raise PayoutInBatch(f"{payout.reference} is already in a batch.", batch=str(payout.batch_id))
    return found


def _oldest(currency: str, up_to: int | None) -> list[Payout]:
    waiting = Payout.objects.filter(
        kind=PayoutKind.WITHDRAWAL, currency=currency, state=states.APPROVED, batch=None
    )
    if up_to is not None:
        waiting = waiting.filter(amount__lte=up_to)
    ids = list(waiting.order_by("requested_at", "pk").values_list("pk", flat=True)[:MOST])
    # Locked in order of their keys; payouts that changed meanwhile are skipped.
    return list(
        Payout.objects.select_for_update(of=("self",))
        .filter(pk__in=ids, state=states.APPROVED, batch=None)
        .order_by("pk")
    )


def pay_batch(*, batch: UUID, checksum: str, actor: str, at: datetime) -> PayoutBatch:
    """Record that the bank has executed the file of this checksum: capture every payout of the batch in one posting.

    A signed checkpoint is made soon after. Raises UnknownPayoutBatch, BatchPaid, EmptyBatch, BatchChanged, OwnPayout.
    """
    with transaction.atomic():
        found = first_or_raise(
            PayoutBatch.objects.select_for_update(no_key=True).filter(pk=batch), UnknownPayoutBatch
        )
        if found.paid_at is not None:
            raise BatchPaid()
        payouts = list(
            Payout.objects.select_for_update(of=("self",))
            .filter(batch=found, state=states.APPROVED)
            .order_by("pk")
        )
        if not payouts:
            raise EmptyBatch()
        present = file_checksum(found)
        if checksum != present:
            raise BatchChanged(checksum=present)
        if any(payout.payee == actor for payout in payouts):
            raise OwnPayout("The batch contains a payout to you; another person must record its payment.")
        found.posting = _pay_all(found, payouts, actor, at)
        found.paid_at, found.paid_by, found.checksum = at, actor, checksum
        found.save(update_fields=["paid_at", "paid_by", "posting", "checksum"])
        schedule(
            kind=COVERING_CHECKPOINT,
            key=f"checkpoint:{found.pk}",
            payload={"posting": str(found.posting)},
            due=at,
        )
        return found


def _pay_all(batch: PayoutBatch, payouts: Sequence[Payout], actor: str, at: datetime) -> UUID:
    posting, outside = uuid4(), world(batch.currency)
    holds = [payout.hold_id for payout in payouts]
    list(Hold.objects.select_for_update().filter(pk__in=holds).order_by("pk"))
    accounts = Account.objects.in_bulk([payout.account_id for payout in payouts])
    lock([outside, *accounts.values()])
    Hold.objects.filter(pk__in=holds, state=HoldState.HELD).update(
        state=HoldState.CAPTURED, resolved_at=at, resolved_by=actor, posting=posting
    )
    insert(
        key=batch.subject,
        fingerprint=fingerprint("pay batch", str(batch.pk), actor),
        legs=[
            Leg(accounts[payout.account_id], outside, payout.amount, f"{payout.kind} {payout.reference}")
            for payout in payouts
        ],
        subject=batch.subject,
        event=None,
        actor=actor,
        at=at,
        posting=posting,
    )
    newest = PayoutStep.objects.filter(payout__in=payouts, becomes=states.APPROVED).order_by("number")
    approvers = dict(newest.values_list("payout", "actor"))
    PayoutStep.objects.bulk_create(
        PayoutStep(**step_fields(payout, states.PAID, actor, at, "", previous=approvers[payout.pk]))
        for payout in payouts
    )
    return posting


# --- the file ----------------------------------------------------------------------------------------


HEAD = ("reference", "amount", "currency", "destination", "player", "username")


def file_of(batch: PayoutBatch) -> str:
    """Return the CSV of the batch's current payouts, in order of request; the last line has their number and sum."""
    payouts = list(batch.payouts.order_by("requested_at", "pk"))
    names = usernames(payout.player for payout in payouts)
    digits = get_currency_precision(batch.currency)
    rows = [
        (
            payout.reference,
            decimal(payout.amount, digits),
            batch.currency,
            payout.destination,
            str(payout.player),
            names.get(payout.player, ""),
        )
        for payout in payouts
    ]
    total = decimal(sum(payout.amount for payout in payouts), digits)
    return "".join(table(HEAD, [*rows, ("TOTAL", total, batch.currency, str(len(rows)), "", "")]))


def file_checksum(batch: PayoutBatch) -> str:
    """Return the checksum of the file that was paid, or of the current file."""
    return batch.checksum or checksum_of(file_of(batch))


def checksum_of(file: str) -> str:
    """Return the SHA-256 of the file's bytes, in hex."""
    return hashlib.sha256(file.encode()).hexdigest()
