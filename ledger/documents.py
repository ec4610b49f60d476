"""Output documents of transfers and figures of play, which several endpoints share."""

from __future__ import annotations

from typing import Annotated, TypedDict

from ledger.core.postings import Posting
from ledger.limits.terms import Figures
from ledger.models import Transfer
from rest.documents import Moment, Uuid, moment


class TransferOutput(TypedDict):
    id: Uuid
    posting: Uuid
    leg: Annotated[int, "the place in its posting, from 0"]
    debit: str
    credit: str
    currency: str
    amount: int
    reason: str
    subject: str
    event: int | None
    actor: str
    at: Moment
    reverses: Uuid | None


def transfer_document(transfer: Transfer) -> TransferOutput:
    return {
        "id": str(transfer.uuid),
        "posting": str(transfer.posting),
        "leg": transfer.leg,
        "debit": transfer.debit.text,
        "credit": transfer.credit.text,
        "currency": transfer.currency,
        "amount": transfer.amount,
        "reason": transfer.reason,
        "subject": transfer.subject,
        "event": transfer.event,
        "actor": transfer.actor,
        "at": moment(transfer.at),
        "reverses": None if transfer.reverses is None else str(transfer.reverses.uuid),
    }


class PostingOutput(TypedDict):
    posting: Uuid
    transfers: list[TransferOutput]


def posting_document(posting: Posting) -> PostingOutput:
    return {
        "posting": str(posting.id),
        "transfers": [transfer_document(transfer) for transfer in posting.transfers],
    }


class FiguresOutput(TypedDict):
    since: Moment
    until: Moment
    seconds: Annotated[int, "time between cash-in and cash-out"]
    stakes: Annotated[int, "games, bets, and entries that were not cancelled"]
    staked: int
    returned: int
    net: Annotated[int, "open stakes count as lost until they are settled"]


def figures_document(figures: Figures) -> FiguresOutput:
    return {
        "since": moment(figures.since),
        "until": moment(figures.until),
        "seconds": figures.seconds,
        "stakes": figures.stakes,
        "staked": figures.staked,
        "returned": figures.returned,
        "net": figures.net,
    }
