"""The export of the whole ledger in another program's format, as a stream of text.

The same ledger gives the same bytes. Pages of transfers are read in one snapshot, so that the final balances follow
from the transactions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from babel.numbers import get_currency_precision
from django.db.models import Exists, Max, Min, OuterRef

from core.transactions import one_snapshot
from ledger.models import Account, Transfer
from ledger.reports.journals import Beancount, Entry, Hledger, Journal, JournalLeg, account_name

FORMATS: dict[str, type[Journal]] = {"hledger": Hledger, "beancount": Beancount}

AT_ONCE = 500
"""Rows that are fetched at once."""

LETTERS_AT_ONCE = 1 << 15
"""Characters of a piece of text before it is sent."""

EPOCH = date(1970, 1, 1)
"""The date used for a ledger without transfers."""


def export(format: str) -> Iterator[str]:
    """Yield the ledger as pieces of text of whole lines. `format` is one of FORMATS."""
    with one_snapshot():
        journal = _journal(FORMATS[format])
        yield journal.head()
        yield from _gathered(journal.opened(name_of(account)) for account in _named_once())
        yield from _gathered(journal.entry(entry) for entry in _entries())
        yield "\n"
        yield from _gathered(
            journal.balance(name_of(account), account.currency, account.debits - account.credits)
            for account in Account.objects.order_by("pk").iterator(chunk_size=AT_ONCE)
        )


def name_of(account: Account) -> str:
    return account_name(account.kind, account.key, account.purpose)


def _journal(format: type[Journal]) -> Journal:
    ends = Transfer.objects.aggregate(first=Min("at"), last=Max("at"))
    first, last = (EPOCH if at is None else at.astimezone(UTC).date() for at in ends.values())
    currencies = Account.objects.values_list("currency", flat=True).distinct()
    return format({each: get_currency_precision(each) for each in sorted(currencies)}, first, last)


def _named_once() -> Iterator[Account]:
    """Name accounts once that differ only in currency."""
    named = Account.objects.filter(
        kind=OuterRef("kind"), key=OuterRef("key"), purpose=OuterRef("purpose"), pk__lt=OuterRef("pk")
    )
    return Account.objects.filter(~Exists(named)).order_by("pk").iterator(chunk_size=AT_ONCE)


_COLUMNS = (
    "posting",
    "key",
    "subject",
    "event",
    "actor",
    "at",
    "currency",
    "uuid",
    "amount",
    "reason",
    "reverses__uuid",
    *(f"{side}__{part}" for side in ("debit", "credit") for part in ("kind", "key", "purpose")),
)
_OF_POSTING = 7


def _entries() -> Iterator[Entry]:
    """Yield one entry per posting; its transfers are adjacent in the log."""
    # Rows, because four model objects for each transfer would take most of the time.
    stored = Transfer.objects.order_by("epoch", "xact", "position").values_list(*_COLUMNS)
    rows: Iterator[tuple[Any, ...]] = stored.iterator(chunk_size=AT_ONCE)
    for of_posting, legs in groupby(rows, key=itemgetter(slice(_OF_POSTING))):
        posting, key, subject, event, actor, at, currency = of_posting
        entry_legs = [_leg(*leg[_OF_POSTING:]) for leg in legs]
        yield Entry(posting, key, subject, event, actor, at, currency, entry_legs)


def _leg(transfer: UUID, amount: int, reason: str, reverses: UUID | None, *accounts: str) -> JournalLeg:
    return JournalLeg(
        transfer, account_name(*accounts[:3]), account_name(*accounts[3:]), amount, reason, reverses
    )


def _gathered(pieces: Iterator[str]) -> Iterator[str]:
    """Join the text into fewer pieces."""
    held: list[str] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= LETTERS_AT_ONCE:
            yield "".join(held)
            held.clear()
            length = 0
    if held:
        yield "".join(held)
