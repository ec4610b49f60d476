"""Statements: the transfers of an account as lines with a running balance.

A transfer belongs to the instant of its `at`. The balance of an instant is the sum of the transfers made until then,
those of that instant included. The clocks of several machines may differ, so `at` need not grow with the order of
posting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, Sum, TextChoices, prefetch_related_objects

from core.transactions import one_snapshot
from ledger.core.models import Account, OwnerKind, Transfer, TransferQuerySet
from ledger.core.selectors import total_at
from ledger.hooks import SubjectName
from ledger.reports import account_days
from ledger.reports.descriptions import LinePurpose, about_of, names_of, purpose_of, reference_of

AT_ONCE = 1000
"""Rows that are fetched at a time."""

Accounts = Sequence[Account]
"""One account, or a player's play session and balance, whose statement leaves out the transfers between them."""

SIDES = {"debit": "credit", "credit": "debit"}
"""The side of an account that pays and the one that receives, with the other side."""

_INSTANT = timedelta(microseconds=1)
"""The smallest difference between two times."""

_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
"""Before any transfer."""


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
    """For a market what was bet on, for a prize its tournament, otherwise the subject."""
    purpose: LinePurpose
    reference: str | None
    """Of a payout."""
    name: SubjectName | None
    """Of what it is about, for the player of the account."""
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
        return lines([account], newest([account], behind, limit))


def newest(accounts: Accounts, behind: Q, most: int) -> list[Transfer]:
    """Return the newest transfers of the accounts that satisfy `behind`, at most `most`.

    Each side is read along its own index. An OR condition would fetch and sort the whole account, and so may a join
    with the accounts while PostgreSQL's statistics are out of date. A later account is read from the oldest line that
    the earlier ones have on the page, because it may have many transfers that are left out.
    """
    rows: list[Transfer] = []
    for account in accounts:
        for side in SIDES:
            found = _of(account, side, accounts).filter(behind)
            rows += found.order_by("-at", "-position")[:most]
        rows = sorted(rows, key=lambda row: (row.at, row.position), reverse=True)[:most]
        if len(rows) == most:
            behind &= Q(at__gte=rows[-1].at)
    prefetch_related_objects(rows, "debit", "credit", "reverses", "reversed_by")
    return rows


def _of(account: Account, side: str, accounts: Accounts) -> TransferQuerySet:
    """Return the transfers on a side of an account, without those between the accounts."""
    found = Transfer.objects.filter(**{side: account})
    return found.exclude(**{f"{SIDES[side]}__in": accounts}) if len(accounts) > 1 else found


def moved(accounts: Accounts, within: Q) -> tuple[int, int]:
    """Return what the accounts received by these transfers, and what they paid."""
    paid, received = (
        sum(
            _of(one, side, accounts).filter(within).aggregate(sum=Sum("amount"))["sum"] or 0
            for one in accounts
        )
        for side in SIDES
    )
    return received, paid


def lines(accounts: Accounts, page: Sequence[Transfer], *, consecutive: bool = True) -> list[Line]:
    """Return transfers of the accounts, newest first, as lines of their statement.

    If transfers between them are missing (not `consecutive`), what these moved is queried line by line.
    """
    if not page:
        return []
    running = sum(total_at(account, page[0].at, page[0].position) for account in accounts)
    names = Names.of(accounts, page)
    made: list[Line] = []
    for newer, row in zip([None, *page], page, strict=False):
        if newer is not None:
            running -= made[-1].change if consecutive else _moved_between(accounts, row, newer)
        made.append(line(accounts, row, running, names))
    return made


def _moved_between(accounts: Accounts, older: Transfer, newer: Transfer) -> int:
    """Return what the transfers after the older one, up to and including the newer one, changed."""
    span = Q(
        Q(at__gt=older.at) | Q(position__gt=older.position),
        Q(at__lt=newer.at) | Q(position__lte=newer.position),
        at__range=(older.at, newer.at),
    )
    received, paid = moved(accounts, span)
    return received - paid


class Names(NamedTuple):
    """What the transfers of a page are about, and its names, by subject."""

    about: Mapping[str, str]
    names: Mapping[str, SubjectName]

    @classmethod
    def of(cls, accounts: Accounts, page: Sequence[Transfer]) -> Names:
        subjects = {row.subject for row in page}
        about = about_of(subjects)
        owner = accounts[0]
        if owner.kind != OwnerKind.PLAYER:
            return cls(about, {})
        return cls(about, names_of(UUID(owner.key), {*subjects, *about.values()}))


def line(accounts: Accounts, row: Transfer, balance: int, named: Names) -> Line:
    paid = row.debit_id in {account.pk for account in accounts}
    about = named.about.get(row.subject, row.subject)
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
        about,
        purpose_of(row),
        reference_of(row),
        named.names.get(about),
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

    def opening(self, accounts: Accounts) -> int:
        """Return the balance before the range."""
        if self.begins is None:
            return 0
        return sum(total_at(account, self.begins - _INSTANT) for account in accounts)

    def closing(self, accounts: Accounts) -> int:
        """Return the balance at the end of the range."""
        if self.until is not None:
            return sum(total_at(account, self.until) for account in accounts)
        for account in accounts:
            account.refresh_from_db(fields=["debits", "credits"])
        return sum(account.total for account in accounts)

    def moved(self, accounts: Accounts) -> tuple[int, int]:
        """Return what the accounts received in the range, and what they paid. `closing` has been read."""
        if self != Range():
            return moved(accounts, self.condition)
        received, paid = sum(one.credits for one in accounts), sum(one.debits for one in accounts)
        if len(accounts) > 1:
            between = _between(accounts[0])
            return received - between, paid - between
        return received, paid


def _between(session: Account) -> int:
    """Return what was moved between a play session and the other accounts of its player, by the sums of days."""
    [outside] = account_days.sums([account_days.Window([session.pk], _BEGINNING)])
    return int(session.credits + session.debits - outside.received - outside.paid)


def oldest_first(accounts: Accounts, range: Range, kind: LineKind | None = None) -> Iterator[Line]:
    """Yield the lines of a range, or those of a kind, with one page in memory at a time."""
    with one_snapshot():
        running = range.opening(accounts)
        sides = (
            _of(account, side, accounts)
            .filter(range.condition)
            .select_related("debit", "credit", "reverses", "reversed_by")
            .order_by("at", "position")
            .iterator(chunk_size=AT_ONCE)
            for account in accounts
            for side in SIDES
        )
        rows = merge(*sides, key=lambda row: (row.at, row.position))
        while page := list(islice(rows, AT_ONCE)):
            names = Names.of(accounts, page)
            for row in page:
                listed = line(accounts, row, running, names)
                running += listed.change
                if kind in (None, listed.kind):
                    yield replace(listed, balance=running)
