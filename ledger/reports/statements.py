"""Statements: the transfers of an account as lines with a running balance.

A transfer belongs to the instant of its `at`. The balance of an instant is the sum of the transfers made until then,
those of that instant included. The clocks of several machines may differ, so `at` need not grow with the order of
posting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from uuid import UUID

from django.db.models import Q, TextChoices, prefetch_related_objects

from core.transactions import one_snapshot
from ledger.betting.models import Market
from ledger.core.models import Account, OwnerKind, Transfer
from ledger.core.selectors import sums, total_at

AT_ONCE = 1000
"""Rows that are fetched at a time."""

_INSTANT = timedelta(microseconds=1)
"""The smallest difference between two times."""


class LineKind(TextChoices):
    CORRECTION = "correction", "reversals"
    OUTSIDE = "outside", "deposits and withdrawals"
    GAME = "game", "stakes, buy-ins and winnings"
    BET = "bet", "bets and their returns"
    TOURNAMENT = "tournament", "fees and prizes"
    OWN = "own", "between accounts of one player"
    OTHER = "other"


_SUBJECTS = {LineKind.GAME: "game:", LineKind.BET: "market:", LineKind.TOURNAMENT: "tournament:"}


def kind_of(row: Transfer) -> LineKind:
    """Return the first kind that fits, in their order."""
    if row.reverses_id is not None:
        return LineKind.CORRECTION
    if "external" in (row.debit.purpose, row.credit.purpose):
        return LineKind.OUTSIDE
    for kind, prefix in _SUBJECTS.items():
        if row.subject.startswith(prefix):
            return kind
    if row.debit.kind == row.credit.kind == "player":
        return LineKind.OWN
    return LineKind.OTHER


def of_kind(kind: LineKind) -> Q:
    """Return the condition for the transfers of a kind, as `kind_of` decides."""
    before = Q()
    for other in LineKind:
        if other == kind:
            return before & _fits(kind)
        before &= ~_fits(other)
    raise ValueError(kind)


def _fits(kind: LineKind) -> Q:
    if kind == LineKind.CORRECTION:
        return Q(reverses__isnull=False)
    if kind == LineKind.OUTSIDE:
        return Q(debit__purpose="external") | Q(credit__purpose="external")
    if kind in _SUBJECTS:
        return Q(subject__startswith=_SUBJECTS[kind])
    if kind == LineKind.OWN:
        return Q(debit__kind="player", credit__kind="player")
    return Q()


@dataclass(frozen=True, slots=True)
class Line:
    """A transfer as a line of one account's statement: the change and the balance after it."""

    position: int
    transfer: UUID
    at: datetime
    reason: str
    subject: str
    counterparty: str
    change: int
    balance: int
    kind: LineKind
    about: str
    """For a market what was bet on, otherwise the subject."""
    reverses: UUID | None
    reversed_by: UUID | None


def statement(account: Account, *, before: int | None = None, limit: int = 50) -> list[Line]:
    """Return the newest lines of an account, or those before a position, newest first.

    Lines are in order of `at`, then of posting. Every report uses that time too, so the balance of an instant is the
    sum of the transfers made until then.
    """
    with one_snapshot():
        behind = Q()
        if before is not None:
            at = Transfer.objects.filter(pk=before).values_list("at", flat=True).first()
            if at is None:
                return []
            behind = Q(at=at, position__lt=before) | Q(at__lt=at)
        return lines(account, newest(account, behind, limit))


def newest(account: Account, behind: Q, most: int) -> list[Transfer]:
    """Return the newest transfers of an account that satisfy `behind`, at most `most`.

    Each side is read along its own index. An OR condition would fetch and sort the whole account, and so may a join
    with the accounts while PostgreSQL's statistics are out of date.
    """
    paid, received = (
        Transfer.objects.filter(behind, **{side: account}).order_by("-at", "-position")[:most]
        for side in ("debit", "credit")
    )
    rows = sorted([*paid, *received], key=lambda row: (row.at, row.position), reverse=True)[:most]
    prefetch_related_objects(rows, "debit", "credit", "reverses", "reversed_by")
    return rows


def lines(account: Account, page: Sequence[Transfer], *, consecutive: bool = True) -> list[Line]:
    """Return transfers of an account, newest first, as lines of its statement.

    If transfers between them are missing (not `consecutive`), what these moved is queried line by line.
    """
    if not page:
        return []
    running = total_at(account, page[0].at, page[0].position)
    about = about_of(page)
    made: list[Line] = []
    for newer, row in zip([None, *page], page, strict=False):
        if newer is not None:
            running -= made[-1].change if consecutive else _moved_between(account, row, newer)
        made.append(line(account, row, running, about=about.get(row.subject)))
    return made


def _moved_between(account: Account, older: Transfer, newer: Transfer) -> int:
    """Return what the transfers after the older one, up to and including the newer one, changed."""
    span = Transfer.objects.filter(
        Q(at__gt=older.at) | Q(position__gt=older.position),
        Q(at__lt=newer.at) | Q(position__lte=newer.position),
        at__range=(older.at, newer.at),
    )
    received, paid = sums(account, span)
    return received - paid


def about_of(page: Sequence[Transfer]) -> dict[str, str]:
    """Return what was bet on, by the subject of a market."""
    markets = {row.subject for row in page if row.subject.startswith(f"{OwnerKind.MARKET}:")}
    found = Market.objects.filter(pk__in=[UUID(subject.partition(":")[2]) for subject in markets])
    return {f"{OwnerKind.MARKET}:{market.pk}": market.subject for market in found} if markets else {}


def line(account: Account, row: Transfer, balance: int, *, about: str | None = None) -> Line:
    paid = row.debit_id == account.pk
    reversal: Transfer | None = getattr(row, "reversed_by", None)
    return Line(
        row.position,
        row.uuid,
        row.at,
        row.reason,
        row.subject,
        (row.credit if paid else row.debit).text,
        -row.amount if paid else row.amount,
        balance,
        kind_of(row),
        about or row.subject,
        None if row.reverses is None else row.reverses.uuid,
        None if reversal is None else reversal.uuid,
    )


@dataclass(frozen=True, slots=True)
class Range:
    """A range of instants, both inclusive; None: unbounded."""

    begins: datetime | None = None
    until: datetime | None = None

    @property
    def condition(self) -> Q:
        begins = Q() if self.begins is None else Q(at__gte=self.begins)
        return begins if self.until is None else begins & Q(at__lte=self.until)

    def opening(self, account: Account) -> int:
        """Return the balance before the range."""
        return 0 if self.begins is None else total_at(account, self.begins - _INSTANT)

    def closing(self, account: Account) -> int:
        """Return the balance at the end of the range."""
        if self.until is not None:
            return total_at(account, self.until)
        account.refresh_from_db(fields=["debits", "credits"])
        return account.total


def oldest_first(account: Account, range: Range, kind: LineKind | None = None) -> Iterator[Line]:
    """Yield the lines of a range, or those of a kind, with one page in memory at a time."""
    with one_snapshot():
        running = range.opening(account)
        paid, received = (
            Transfer.objects.with_accounts()
            .select_related("reverses", "reversed_by")
            .filter(range.condition, **{side: account})
            .order_by("at", "position")
            .iterator(chunk_size=AT_ONCE)
            for side in ("debit", "credit")
        )
        rows = merge(paid, received, key=lambda row: (row.at, row.position))
        while page := list(islice(rows, AT_ONCE)):
            about = about_of(page)
            for row in page:
                running += row.amount if row.credit_id == account.pk else -row.amount
                if kind is None or kind_of(row) == kind:
                    yield line(account, row, running, about=about.get(row.subject))
