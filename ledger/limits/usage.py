"""What a player has staked, lost, and deposited, computed from transfers and their daily sums.

A stake goes from a player's account into an escrow of a game, market, or tournament. A return for a reason in REFUNDS
undoes it. A loss is the sum paid into escrows and banks less the sum received from them. A deposit comes from outside
and counts unless it is reversed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet, Sum

from ledger.limits import terms
from ledger.limits.terms import DEPOSIT, LOSS, STAKE, Figures, Move, not_refunded, seconds_played
from ledger.models import Account, OwnerKind, PlaySession, Purpose, Transfer
from ledger.reports.account_days import REFUNDS, Window, sums

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
    purses = _purses(player, currency)
    if not starts or not purses:
        return dict.fromkeys(starts, 0)
    windows = [Window(purses, start, until) for start in starts.values()]
    found: dict[tuple[str, str], int] = {}
    for each, window, of in zip(starts, windows, sums(windows), strict=True):
        kind, _ = each
        found[each] = {STAKE: of.staked, LOSS: of.paid - of.received, DEPOSIT: of.deposited}[kind]
        if kind == STAKE and of.refunded:
            found[each] -= _undone(books_of(player, currency), window).amount
    return {each: max(0, amount) for each, amount in found.items()}


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


def rows(books: Books, side: str, start: datetime, until: datetime | None = None) -> QuerySet[Transfer]:
    """Return the transfers from (`debit`) or to (`credit`) the player's accounts after `start`."""
    found = Transfer.objects.filter(**{f"{side}__in": books.purses}, at__gt=start)
    return found if until is None else found.filter(at__lte=until)


# --- parts -------------------------------------------------------------------------------------------


def _purses(player: UUID, currency: str, purpose: str | None = None) -> list[int]:
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player), currency=currency)
    return list((owned if purpose is None else owned.filter(purpose=purpose)).values_list("pk", flat=True))


def _moves(found: QuerySet[Transfer]) -> list[Move]:
    return [Move(at, amount) for at, amount in found.values_list("at", "amount")]


class Undone(NamedTuple):
    stakes: int
    amount: int


def _undone(books: Books, window: Window) -> Undone:
    """Return what refunds in a window have undone of the stakes in it."""
    touched = _touched(books, rows(books, "credit", window.start, window.until))
    made = [move for moved in _stakes(books, touched).values() for move in moved]

    def within(moves: list[Move]) -> list[int]:
        return [
            move.amount
            for move in moves
            if window.start < move.at and (window.until is None or move.at <= window.until)
        ]

    before, left = within(made), within(_standing(books, touched))
    return Undone(len(before) - len(left), sum(before) - sum(left))


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
        for move in not_refunded(stakes, refunded.get(escrow, 0))
    ]


@dataclass(frozen=True, slots=True)
class Period:
    """A period of play from `since` to `until`, inclusive, of all the player's accounts or of one purpose."""

    since: datetime
    until: datetime
    purpose: str | None = None


def figures(player: UUID, currency: str, periods: Sequence[Period]) -> list[Figures]:
    """Return the figures of play in each period.

    A cancelled stake counts neither as a stake nor as a return.
    """
    earliest, latest = min(each.since for each in periods), max(each.until for each in periods)
    overlapping = PlaySession.objects.filter(
        Q(closed_at=None) | Q(closed_at__gt=earliest), player=player, currency=currency, opened_at__lt=latest
    )
    sessions = list(overlapping.values_list("opened_at", "closed_at"))
    windows = [
        Window(_purses(player, currency, each.purpose), each.since - timedelta.resolution, each.until)
        for each in periods
    ]
    found = []
    for each, window, of in zip(periods, windows, sums(windows), strict=True):
        books = books_of(player, currency, each.purpose) if of.refunded else None
        undone = Undone(0, 0) if books is None else _undone(books, window)
        found.append(
            Figures(
                each.since,
                each.until,
                seconds_played(sessions, since=each.since, until=each.until),
                of.stakes - undone.stakes,
                of.staked - undone.amount,
                of.received - of.refunded - of.taken_back,
            )
        )
    return found


def of_session(session: PlaySession, *, now: datetime) -> Figures:
    """Return the figures of a session's own money from cash-in to cash-out, or until now."""
    [found] = figures(session.player, session.currency, [_of_session(session, now)])
    return found


def _of_session(session: PlaySession, now: datetime) -> Period:
    return Period(session.opened_at, session.closed_at or now, Purpose.SESSION)


def of_range(*, player: UUID, since: datetime | None, until: datetime | None, now: datetime) -> Figures:
    """Return the figures of a statement's range; without a beginning, of the day before its end."""
    end = now if until is None else until
    begin = end - terms.LENGTHS[terms.DAY] if since is None else since
    [found] = figures(player, settings.RACECARD_CURRENCY, [Period(min(begin, end), end)])
    return found


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
    periods = {name: Period(now - terms.LENGTHS[name], now) for name in (terms.DAY, terms.WEEK, terms.MONTH)}
    if open_one is not None:
        periods["session"] = _of_session(open_one, now)
    if since is not None:
        periods["since"] = Period(since, now)
    found = dict(zip(periods, figures(player, settings.RACECARD_CURRENCY, [*periods.values()]), strict=True))
    return Reality(found.get("session"), found["day"], found["week"], found["month"], found.get("since"))
