"""What a player has staked, lost, and deposited, computed from transfers.

A stake goes from a player's account into an escrow of a game, market, or tournament. A return for a reason in REFUNDS
undoes it. A loss is the sum paid into escrows and banks less the sum received from them. A deposit comes from outside
and counts unless it is reversed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum

from ledger.limits import terms
from ledger.limits.terms import DEPOSIT, LOSS, STAKE, Figures, Move, seconds_played, standing
from ledger.models import Account, OwnerKind, PlaySession, Purpose, Transfer

REFUNDS = (
    *("refund", "bet cancelled", "bet refunded", "withdrawal", "cancelled"),
    *("buy-in given back", "buy-in refunded"),
)
"""Reasons of transfers from an escrow that undo a stake. Any other reason is a return."""

_PROBES = (1_000, 8_000, 64_000)
_OUT_OF_ORDER = timedelta(hours=1)
"""The largest deviation between the order of times and the order of positions of an account's transfers."""

Starts = Mapping[tuple[str, str], datetime]
"""The beginnings of windows by kind of limit and name of window."""


@dataclass(frozen=True, slots=True)
class Books:
    """Conditions on transfers from or to a player's accounts."""

    purses: list[int]
    own: list[int]
    house: list[int]
    banks: list[int]
    outside: list[int]

    @property
    def staked(self) -> Q:
        # Reversals of winnings also go into an escrow.
        return Q(reverses=None) & self._elsewhere("credit", [*self.own, *self.house])

    @property
    def undone(self) -> Q:
        return Q(reverses=None, reason__in=REFUNDS) & self._elsewhere("debit", [*self.own, *self.house])

    def at_risk(self, other: str) -> Q:
        """Transfers whose `other` side is an escrow or a bank."""
        return self._elsewhere(other, [*self.own, *(set(self.house) - set(self.banks))])

    @property
    def deposited(self) -> Q:
        return Q(reverses=None, reversed_by=None, debit__in=self.outside)

    @staticmethod
    def _elsewhere(side: str, accounts: Collection[int]) -> Q:
        return ~Q(**{f"{side}__in": accounts})


@dataclass(frozen=True, slots=True)
class Turnover:
    """Stakes and returns in pence, and the number of stakes; undone stakes count in neither."""

    stakes: int
    staked: int
    returned: int


def books_of(player: UUID, currency: str, purpose: str | None = None) -> Books:
    """Return the conditions for all accounts of a player, or for those of one purpose."""
    own, house = Q(kind=OwnerKind.PLAYER, key=str(player)), Q(kind=OwnerKind.HOUSE)
    known = list(Account.objects.filter(own | house, currency=currency).values_list("pk", "kind", "purpose"))
    purses = [(id, of) for id, kind, of in known if kind == OwnerKind.PLAYER]
    return Books(
        purses=[id for id, of in purses if purpose in (None, of)],
        own=[id for id, _ in purses],
        house=[id for id, kind, _ in known if kind == OwnerKind.HOUSE],
        banks=[id for id, _, purpose in known if purpose == Purpose.BANK],
        outside=[id for id, _, purpose in known if purpose == Purpose.EXTERNAL],
    )


def used(
    *, player: UUID, currency: str, starts: Starts, until: datetime | None = None
) -> dict[tuple[str, str], int]:
    """Return the pence used after each start, and until `until` if given, at least 0.

    Open stakes count as lost until they are settled.
    """
    sums: dict[tuple[str, str], int] = dict.fromkeys(starts, 0)
    books = books_of(player, currency)
    if not starts or not books.purses:
        return sums
    earliest = min(starts.values())
    paid, received = rows(books, "debit", earliest, until), rows(books, "credit", earliest, until)
    if {STAKE, LOSS} & {kind for kind, _ in starts}:
        _add(sums, _sums(paid, {STAKE: books.staked, LOSS: books.at_risk("credit")}, starts), 1)
        back = _sums(
            received, {LOSS: books.at_risk("debit")}, starts, refunds=Count("pk", filter=books.undone)
        )
        refunds = back.pop("refunds")
        _add(sums, back, -1)
        if refunds:
            _undo(sums, books, received, starts)
    if DEPOSIT in {kind for kind, _ in starts}:
        _add(sums, _sums(received.filter(books.deposited), {DEPOSIT: Q()}, starts), 1)
    return {each: max(0, amount) for each, amount in sums.items()}


def moves(*, player: UUID, currency: str, kind: str, start: datetime) -> list[Move]:
    """Return all movements that count for a limit of this kind after `start`."""
    books = books_of(player, currency)
    if not books.purses:
        return []
    paid, received = rows(books, "debit", start), rows(books, "credit", start)
    if kind == DEPOSIT:
        return _moves(received.filter(books.deposited))
    if kind == LOSS:
        back = _moves(received.filter(books.at_risk("debit")))
        return [
            *_moves(paid.filter(books.at_risk("credit"))),
            *(Move(each.at, -each.amount) for each in back),
        ]
    touched = _touched(books, received)
    return [
        *_moves(paid.filter(books.staked).exclude(credit__in=touched)),
        *(stake for stake in _standing(books, touched) if stake.at > start),
    ]


def turnover(
    *, player: UUID, currency: str, start: datetime, until: datetime, purpose: str | None = None
) -> Turnover:
    """Return the turnover after `start` and until `until`, of all the player's accounts or of one purpose."""
    books = books_of(player, currency, purpose)
    if not books.purses:
        return Turnover(0, 0, 0)
    paid, received = rows(books, "debit", start, until), rows(books, "credit", start, until)
    out = paid.aggregate(
        stakes=Count("pk", filter=books.staked),
        staked=Sum("amount", filter=books.staked, default=0),
        taken_back=Sum("amount", filter=books.at_risk("credit") & Q(reverses__isnull=False), default=0),
    )
    back = received.aggregate(
        returned=Sum("amount", filter=books.at_risk("debit"), default=0),
        undone=Sum("amount", filter=books.undone, default=0),
    )
    stakes, staked = out["stakes"], out["staked"]
    if back["undone"]:
        touched = _touched(books, received)
        made = [move for moved in _stakes(books, touched).values() for move in moved]
        for sign, moved in ((-1, made), (1, _standing(books, touched))):
            within = [move.amount for move in moved if start < move.at <= until]
            stakes += sign * len(within)
            staked += sign * sum(within)
    return Turnover(stakes, staked, back["returned"] - back["undone"] - out["taken_back"])


def rows(books: Books, side: str, start: datetime, until: datetime | None = None) -> QuerySet[Transfer]:
    """Return the transfers from (`debit`) or to (`credit`) the player's accounts after `start`."""
    of_purses = (Q(**{side: purse, "position__gt": _before(purse, side, start)}) for purse in books.purses)
    found = Transfer.objects.filter(reduce(or_, of_purses), at__gt=start)
    return found if until is None else found.filter(at__lte=until)


# --- parts -------------------------------------------------------------------------------------------


def _before(purse: int, side: str, start: datetime) -> int:
    """Return a position before which all transfers of the account are older than `start`, to skip a long history.

    It is found by probing back in growing steps; 0 for a short history.
    """
    along = Transfer.objects.filter(**{side: purse}).order_by("-position")
    for leap in _PROBES:
        # Only the index is scanned; one row is read at its end.
        far = along.values("position")[leap : leap + 1]
        found = Transfer.objects.filter(position__in=far).values_list("position", "at").first()
        if found is None:
            return 0
        if found[1] <= start - _OUT_OF_ORDER:
            return int(found[0])
    return 0


def _sums(
    found: QuerySet[Transfer], conditions: Mapping[str, Q], starts: Starts, **others: Any
) -> dict[Any, int]:
    named = {f"sum_{number}": each for number, each in enumerate(starts) if each[0] in conditions}
    sums = {
        name: Sum("amount", filter=conditions[each[0]] & Q(at__gt=starts[each]), default=0)
        for name, each in named.items()
    }
    return {named.get(name, name): total for name, total in found.aggregate(**sums, **others).items()}


def _add(sums: dict[tuple[str, str], int], more: Mapping[tuple[str, str], int], sign: int) -> None:
    for each, amount in more.items():
        sums[each] += sign * amount


def _moves(found: QuerySet[Transfer]) -> list[Move]:
    return [Move(at, amount) for at, amount in found.values_list("at", "amount")]


def _undo(
    sums: dict[tuple[str, str], int], books: Books, received: QuerySet[Transfer], starts: Starts
) -> None:
    """Subtract refunds from the stakes, each at the time of the stake."""
    touched = _touched(books, received)
    staked, left = _stakes(books, touched), _standing(books, touched)
    for each, start in starts.items():
        if each[0] == STAKE:
            before = sum(move.amount for moves in staked.values() for move in moves if move.at > start)
            sums[each] += sum(move.amount for move in left if move.at > start) - before


def _touched(books: Books, received: QuerySet[Transfer]) -> set[int]:
    """Return the escrows with a refund that was not reversed."""
    back = received.filter(books.undone).values_list("debit", "position")
    reversed_later = set(
        Transfer.objects.filter(reverses__in=[position for _, position in back]).values_list(
            "reverses", flat=True
        )
    )
    return {escrow for escrow, position in back if position not in reversed_later}


def _stakes(books: Books, escrows: Collection[int]) -> dict[int, list[Move]]:
    """Return all stakes of the player in these escrows, by escrow."""
    found: dict[int, list[Move]] = defaultdict(list)
    staked = Transfer.objects.filter(books.staked, debit__in=books.purses, credit__in=escrows)
    for escrow, at, amount in staked.values_list("credit", "at", "amount"):
        found[escrow].append(Move(at, amount))
    return found


def _standing(books: Books, escrows: Collection[int]) -> list[Move]:
    """Return what remains of those stakes."""
    back = Transfer.objects.filter(books.undone, reversed_by=None, credit__in=books.purses, debit__in=escrows)
    refunded = dict(back.values_list("debit").annotate(Sum("amount")))
    return [
        move
        for escrow, stakes in _stakes(books, escrows).items()
        for move in standing(stakes, refunded.get(escrow, 0))
    ]


def figures(
    *, player: UUID, since: datetime, until: datetime, currency: str | None = None, purpose: str | None = None
) -> Figures:
    """Return the figures of play from `since` to `until`, of all the player's accounts or of one purpose.

    A cancelled stake counts neither as a stake nor as a return.
    """
    currency = currency or settings.RACECARD_CURRENCY
    start = since - timedelta.resolution
    sums = turnover(player=player, currency=currency, start=start, until=until, purpose=purpose)
    overlapping = PlaySession.objects.filter(
        Q(closed_at=None) | Q(closed_at__gt=since), player=player, currency=currency, opened_at__lt=until
    )
    played = seconds_played(overlapping.values_list("opened_at", "closed_at"), since=since, until=until)
    return Figures(since, until, played, sums.stakes, sums.staked, sums.returned)


def of_session(session: PlaySession, *, now: datetime) -> Figures:
    """Return the figures of a session's own money from cash-in to cash-out, or until now."""
    until = session.closed_at or now
    return figures(
        player=session.player,
        since=session.opened_at,
        until=until,
        currency=session.currency,
        purpose=Purpose.SESSION,
    )


def of_range(*, player: UUID, since: datetime | None, until: datetime | None, now: datetime) -> Figures:
    """Return the figures of a statement's range; without a beginning, of the day before its end."""
    end = now if until is None else until
    begin = end - terms.LENGTHS[terms.DAY] if since is None else since
    return figures(player=player, since=min(begin, end), until=end)


class Reality(NamedTuple):
    """The figures of a player's play in several periods; None without an open session, or without `since`."""

    session: Figures | None
    day: Figures
    week: Figures
    month: Figures
    since: Figures | None


def of_player(*, player: UUID, now: datetime, since: datetime | None = None) -> Reality:
    """Return the figures of the open session, the last day, week, and month, and since a time if given."""
    open_one = PlaySession.objects.filter(
        player=player, currency=settings.RACECARD_CURRENCY, closed_at=None
    ).first()
    day, week, month = (
        figures(player=player, since=now - terms.LENGTHS[period], until=now)
        for period in (terms.DAY, terms.WEEK, terms.MONTH)
    )
    return Reality(
        session=None if open_one is None else of_session(open_one, now=now),
        day=day,
        week=week,
        month=month,
        since=None if since is None else figures(player=player, since=since, until=now),
    )
