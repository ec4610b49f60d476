"""What was moved for subjects, from the transfers, some hundreds of subjects at a time."""

# ruff: noqa: S608 (what is put into these statements are names of our own tables and columns)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from ledger.reconciliation.books import account_name
from ledger.rows import among

AT_ONCE = 10_000
"""Values in one statement."""

MOST_NAMES = 20_000
"""Accounts whose names are remembered from one page of subjects to the next: the house and the players come again."""

Pair = tuple[str, str, str]
"""Debited account, credited account (`owner/purpose`) and currency."""


@dataclass(slots=True)
class Sum:
    amount: int = 0
    events: list[int | None] = field(default_factory=list)


@dataclass(slots=True)
class Moved:
    """What was moved for a subject; transfers of reversals apart, which nothing but a person's ruling explains."""

    sums: dict[Pair, Sum] = field(default_factory=dict)
    transfers: int = 0
    ruled: int = 0


NOTHING = Moved()


def each_among(select: str, column: str, values: Sequence[Any]) -> Iterator[Any]:
    """The rows of a statement that ends in WHERE, for any number of values."""
    for start in range(0, len(values), AT_ONCE):
        condition, parameters = among(column, values[start : start + AT_ONCE])
        with connection.cursor() as cursor:
            cursor.execute(f"{select} {condition}", parameters)
            yield from cursor.fetchall()


class Moves:
    """Answers page after page what was moved for subjects."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def of(self, subjects: Sequence[str]) -> Mapping[str, Moved]:
        moved: dict[str, Moved] = {}
        if not subjects:
            return moved
        rows = list(each_among(_TRANSFERS, "subject", subjects))
        ruled = _ruled([position for position, _, reverses, *_ in rows if reverses is not None])
        names = self._named({row[3] for row in rows} | {row[4] for row in rows})
        for position, subject, _, debit, credit, currency, amount, event in rows:
            of_subject = moved.get(subject)
            if of_subject is None:
                of_subject = moved[subject] = Moved()
            of_subject.transfers += 1
            if position in ruled:
                of_subject.ruled += 1
                continue
            pair = (names[debit], names[credit], currency)
            sum_ = of_subject.sums.get(pair)
            if sum_ is None:
                sum_ = of_subject.sums[pair] = Sum()
            sum_.amount += amount
            sum_.events.append(event)
        return moved

    def _named(self, accounts: Iterable[int]) -> Mapping[int, str]:
        """Joined here and not by the database, which may choose to read all accounts for every page."""
        if len(self._names) > MOST_NAMES:
            self._names.clear()
        names = self._names
        if missing := [each for each in accounts if each not in names]:
            names.update((each, f"no account {each}") for each in missing)
            names.update(each_among(_ACCOUNTS, "id", missing))
        return names


def _ruled(reversals: Sequence[int]) -> set[int]:
    """The transfers of the postings that these are in: what was lent for a reversal comes with it."""
    return {position for (position,) in each_among(_POSTINGS, "r.position", reversals)}


_TRANSFERS = (
    "SELECT position, subject, reverses_id, debit_id, credit_id, currency, amount, event "
    "FROM ledger_transfer WHERE"
)
_ACCOUNTS = f"SELECT id, {account_name('a')} FROM ledger_account a WHERE"
_POSTINGS = (
    "SELECT o.position FROM ledger_transfer r "
    "JOIN ledger_transfer o ON o.key = r.key AND o.posting = r.posting WHERE"
)
