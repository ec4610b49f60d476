"""The bracket of a knockout: where the players of each match come from, and how it ended.

The drawing takes the same steps as the pairing (`pairing.knockout`, `pairing.double_knockout`), but moves origins
from slot to slot. Paired rounds show their
players as known at that time; later rounds follow from the current results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tournaments.formats import checker, staged
from tournaments.formats.pairing import double_knockout, knockout, stages
from tournaments.formats.pairing.advancement import (
    Advancement,
    Place,
    TableOrders,
    advancing_from,
    couples,
    standing,
)
from tournaments.formats.pairing.double_knockout import LIVES
from tournaments.formats.pairing.knockout import first_slots
from tournaments.formats.protocol import Pairing, Snapshot, Table
from tournaments.formats.scoring.points import outings

Side = Literal["winners", "losers", "third-place", "final", "decider"]
"""`final` is where the brackets of a double knockout meet; `decider` repeats it when both players have one loss.

A knockout has neither: its last round is the last of the winners' bracket.
"""

State = Literal["waiting", "playing", "decided", "bye", "empty", "not-needed"]
"""A `bye` is won by the only player; an `empty` match has no players, since those due have left."""


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a player: the winner or loser of a match.

    At larger tables it is a place; `match` is None while every table of that round is possible.
    """

    match: int | None
    won: bool
    round: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of a match. `entry` is None until the player is known; without a `source`, it stays empty."""

    entry: int | None
    source: Source | None
    score: int | None = None
    """The total of the first measure at the table; None before it is closed, and without a table."""
    place: int | None = None
    """Set at a closed larger table."""
    lives: int | None = None
    """The lives at the start of the table, in a double knockout at larger tables."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match. `number` counts from 1 through the bracket, `round` is the tournament's, `table` the round's.

    `winner_to` and `loser_to` are numbers of matches; None if the player goes nowhere or several advance.
    """

    number: int
    round: int
    side: Side
    slots: tuple[Slot, ...]
    state: State
    table: int | None = None
    winner: int | None = None
    winner_to: int | None = None
    loser_to: int | None = None
    through: int = 1
    """How many of a table advance, or keep their lives."""
    advancing: tuple[int, ...] = ()
    """The entries that advance, once known; only the winner at the deciding table."""


def drawn(format: str, snapshot: Snapshot) -> tuple[Match, ...]:
    """Return the bracket of a tournament with a known field, round by round.

    Empty for formats without a knockout, and until the first of two stages is over.
    """
    if format in ("knockout", "double-knockout"):
        return _of(format == "double-knockout", snapshot, lambda round: checker.before(snapshot, round))
    if format != "stages" or (part := staged.knockout(snapshot)) is None or len(part.entrants) < 2:
        return ()
    before = stages.first_rounds(snapshot)

    def known(round: int) -> Snapshot:
        then = staged.knockout(checker.before(snapshot, round + before))
        assert then is not None, "a round of the second stage was paired after the first was over"
        return then

    double = snapshot.stages[1].format == "double-knockout"
    return tuple(_later(match, before) for match in _of(double, part, known))


def _of(double: bool, snapshot: Snapshot, known: Callable[[int], Snapshot]) -> tuple[Match, ...]:
    if snapshot.preferred == 2:
        return _Drawing(double, snapshot, known).matches()
    return _drawn_at_tables(double, snapshot)


def _scores(snapshot: Snapshot) -> dict[tuple[int, int], int]:
    """Return the first measure of each entrant in each round that they played or forfeited."""
    return {
        (entry, outing.round): outing.measures[0]
        for entry, rounds in outings(snapshot).items()
        for outing in rounds
        if outing.kind in ("played", "forfeit")
    }


def _later(match: Match, rounds: int) -> Match:
    """Return the match with its round shifted by the rounds played before."""
    slots = tuple(
        replace(slot, source=replace(slot.source, round=slot.source.round + rounds))
        if slot.source and slot.source.round
        else slot
        for slot in match.slots
    )
    return replace(match, round=match.round + rounds, slots=slots)


# --- the course of a bracket ---------------------------------------------------------------------------

Meetings = list[tuple[Side, tuple[Place, Place]]]


def _course(double: bool, first: Sequence[Place], advancing: Advancement[Place]) -> Iterator[Meetings[Place]]:
    """Yield the meetings of each round. `advancing` is asked about a round only when the next one is requested."""
    return _two_brackets(list(first), advancing) if double else _one_bracket(list(first), advancing)


def _one_bracket(slots: list[Place], advancing: Advancement[Place]) -> Iterator[Meetings[Place]]:
    round, before = 1, list[tuple[Place, Place]]()
    while len(slots) > 1:
        two = couples(slots)
        meetings: Meetings[Place] = [("winners", couple) for couple in two]
        if len(two) == 1 and before:
            one, other = (advancing.loser(round - 1, couple) for couple in before)
            meetings.append(("third-place", (one, other)))
        yield meetings
        slots, before, round = [advancing.winner(round, couple) for couple in two], two, round + 1


def _two_brackets(first: list[Place], advancing: Advancement[Place]) -> Iterator[Meetings[Place]]:
    bracket = double_knockout.Bracket(first)
    last = 2 * bracket.depth + 1
    for round in range(1, last + 1):
        upper, lower = bracket.meetings(round)
        side: Side = "decider" if round == last else "final" if round == last - 1 else "winners"
        yield [*((side, couple) for couple in upper), *(("losers", couple) for couple in lower)]
        bracket.advance(round, advancing)


# --- where players come from ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seeded:
    entry: int


_Origin = _Seeded | Source | None
"""None means that no one comes."""


class _Origins:
    """The numbers and origins of matches. A match without possible players is left out."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, tuple[_Origin, _Origin]], int] = {}

    def number(self, round: int, couple: tuple[_Origin, _Origin]) -> int | None:
        if couple == (None, None):
            return None
        return self.numbers.setdefault((round, couple), len(self.numbers) + 1)

    def winner(self, round: int, couple: tuple[_Origin, _Origin], /) -> _Origin:
        number = self.number(round, couple)
        return None if number is None else Source(number, won=True)

    def loser(self, round: int, couple: tuple[_Origin, _Origin], /) -> _Origin:
        """Return the loser's origin; None if only one player can come."""
        number = self.number(round, couple)
        return None if number is None or None in couple else Source(number, won=False)


# --- what has become of it -----------------------------------------------------------------------------


class _Drawing:
    """One drawing. `known` is the snapshot from which a round was paired."""

    def __init__(self, double: bool, snapshot: Snapshot, known: Callable[[int], Snapshot]) -> None:
        self._double, self._snapshot, self._known = double, snapshot, known
        self._orders = TableOrders(snapshot)
        self._played = {played.round: played for played in snapshot.played}
        self._scores = _scores(snapshot)
        self._done: dict[int, Match] = {}

    def matches(self) -> tuple[Match, ...]:
        origins = _Origins()
        first: list[_Origin] = [
            None if entry is None else _Seeded(entry) for entry in first_slots(self._snapshot)
        ]
        for round, meetings in enumerate(_course(self._double, first, origins), start=1):
            seated = self._seated(round)
            for position, (side, couple) in enumerate(meetings):
                if (number := origins.number(round, couple)) is not None:
                    there = seated[position] if seated else None
                    self._done[number] = self._match(number, round, side, couple, there)
        return tuple(self._with_ways_on())

    def _seated(self, round: int) -> list[tuple[int | None, int | None]] | None:
        """Return the players of a round's matches when it was paired; None before that."""
        if round not in self._played:
            return None
        known = self._known(round)
        course = _course(self._double, first_slots(known), TableOrders(known))
        return [couple for _, couple in _nth(course, round)]

    def _match(
        self,
        number: int,
        round: int,
        side: Side,
        couple: tuple[_Origin, _Origin],
        seated: tuple[int | None, int | None] | None,
    ) -> Match:
        one, other = couple
        entries = seated or (self._come(one), self._come(other))
        slots = tuple(
            Slot(entry, origin if isinstance(origin, Source) else None)
            for entry, origin in zip(entries, couple, strict=True)
        )
        match = Match(number, round, side, slots, "waiting")
        if side == "decider" and self._is_needless(match):
            return replace(
                match,
                slots=(replace(slots[0], entry=None), replace(slots[1], entry=None)),
                state="not-needed",
            )
        if (played := self._played.get(round)) and (table := _table_of(played, entries)):
            return self._at_table(match, played, table)
        if seated is None and not (self._is_settled(one) and self._is_settled(other)):
            return match
        playing = self._orders.present(round)
        there = standing(entries, playing)
        if len(there) == 2:
            return match
        return replace(
            match, state="bye" if there else "empty", winner=there[0] if there else None, advancing=there
        )

    def _at_table(self, match: Match, played: Pairing, table: Table) -> Match:
        match = replace(match, table=table.number, state="playing")
        if not self._orders.is_closed(played):
            return match
        one, other = (
            replace(slot, score=self._scores.get((slot.entry, match.round)) if slot.entry else None)
            for slot in match.slots
        )
        winner = self._orders.order(table, match.round)[0]
        return replace(match, slots=(one, other), state="decided", winner=winner, advancing=(winner,))

    def _come(self, origin: _Origin) -> int | None:
        """Return the entry that has come from the origin so far."""
        if origin is None:
            return None
        if isinstance(origin, _Seeded):
            return origin.entry
        match = self._from(origin)
        if origin.won:
            return match.winner
        if match.state != "decided":
            return None
        return next(slot.entry for slot in match.slots if slot.entry != match.winner)

    def _from(self, origin: Source) -> Match:
        assert origin.match is not None, "at tables of two the match of origin is known"
        return self._done[origin.match]

    def _is_settled(self, origin: _Origin) -> bool:
        return not isinstance(origin, Source) or self._from(origin).state not in ("waiting", "playing")

    def _is_needless(self, decider: Match) -> bool:
        """Return whether the second final is not needed. It is played only if the winner of the losers' bracket
        wins the first.
        """
        final = next(match for match in self._done.values() if match.side == "final")
        if final.state in ("waiting", "playing") or decider.round in self._played:
            return False
        return final.state != "decided" or final.winner == final.slots[0].entry

    def _with_ways_on(self) -> Iterator[Match]:
        ways: dict[Source, int] = {}
        for match in self._done.values():
            for slot in match.slots:
                if slot.source is not None:
                    ways.setdefault(slot.source, match.number)
        for match in self._done.values():
            yield replace(
                match,
                winner_to=ways.get(Source(match.number, won=True)),
                loser_to=ways.get(Source(match.number, won=False)),
            )


def _nth(course: Iterator[Meetings[Place]], round: int) -> Meetings[Place]:
    for number, meetings in enumerate(course, start=1):
        if number == round:
            return meetings
    return []


def _table_of(played: Pairing, entries: tuple[int | None, int | None]) -> Table | None:
    return next((table for table in played.tables if set(table.seats) == set(entries)), None)


# --- tables of more than two -----------------------------------------------------------------------------
#
# The players who advance are seated again for each round, with the best of each table kept apart. So a future table
# shows only the places from which its players come; only the last table shows the tables as well. With two lives, the
# number of future tables depends on who loses, so only paired tables are drawn.


def _drawn_at_tables(double: bool, snapshot: Snapshot) -> tuple[Match, ...]:
    """Return the bracket round by round; tables come before byes."""
    drawing = _TablesDrawing(double, snapshot)
    for played in snapshot.played:
        drawing.follow(played)
    if not double and not drawing.is_last:
        drawing.future_tables()
    return tuple(drawing.matches)


@dataclass(frozen=True, slots=True)
class _Coming:
    """A player of a future round: the entry, if known, and the origin."""

    entry: int | None
    source: Source | None


class _TablesDrawing:
    def __init__(self, double: bool, snapshot: Snapshot) -> None:
        self.matches: list[Match] = []
        self.is_last = False
        """Whether the last round drawn is the deciding table."""
        self._double, self._snapshot = double, snapshot
        self._orders = TableOrders(snapshot)
        self._scores = _scores(snapshot)
        self._from: dict[int, Source] = {}
        """The origin of each entrant."""
        self._lost: dict[int, int] = {}
        """Losses so far, of two lives."""

    # --- paired rounds ---------------------------------------------------------------------------------

    def follow(self, played: Pairing) -> None:
        closed = self._orders.is_closed(played)
        self.is_last = knockout.decides(played, self._snapshot)
        before = len(self.matches)
        for table in played.tables:
            self.matches.append(self._laid(played, table, closed=closed))
        for entry in played.byes:
            self.matches.append(self._sat_out(played.round, entry))
        for match in self.matches[before:]:
            self._go_on_from(match)

    def _laid(self, played: Pairing, table: Table, *, closed: bool) -> Match:
        order = self._orders.order(table, played.round) if closed else []
        through = 1 if self.is_last else advancing_from(len(table.seats), self._snapshot.through)
        # A closed table lists its players by place.
        slots = tuple(
            replace(
                self._slot(entry),
                score=self._scores.get((entry, played.round)) if closed else None,
                place=order.index(entry) + 1 if closed else None,
            )
            for entry in (order or table.seats)
        )
        return Match(
            number=self._number,
            round=played.round,
            side="winners",
            slots=slots,
            state="decided" if closed else "playing",
            table=table.number,
            winner=order[0] if closed else None,
            through=through,
            advancing=tuple(order[:through]),
        )

    def _sat_out(self, round: int, entry: int) -> Match:
        return Match(
            self._number, round, "winners", (self._slot(entry),), "bye", winner=entry, advancing=(entry,)
        )

    @property
    def _number(self) -> int:
        """Return the number of the match that is drawn next."""
        return len(self.matches) + 1

    def _slot(self, entry: int) -> Slot:
        lives = LIVES - self._lost.get(entry, 0) if self._double else None
        return Slot(entry, self._from.get(entry), lives=lives)

    def _go_on_from(self, match: Match) -> None:
        for slot in match.slots:
            if slot.entry is None:
                continue
            won = match.state != "decided" or slot.entry in match.advancing
            self._from[slot.entry] = Source(match.number, won=won, round=match.round, place=slot.place)
            if not won:
                self._lost[slot.entry] = self._lost.get(slot.entry, 0) + 1

    # --- what is to come -------------------------------------------------------------------------------

    def future_tables(self) -> None:
        """Yield the future tables, assuming that no one leaves. The next round names its players where they are
        known.
        """
        round = len(self._snapshot.played) + 1
        field = self._field(round)
        while len(field) > 1:
            plan = knockout.planned(self._snapshot, len(field))
            if not plan.tables:
                return
            tables = knockout.snaked(field[plan.byes :], plan.tables)
            is_last = plan.byes == 0 and len(tables) == 1 and len(tables[0]) <= self._snapshot.preferred
            before = len(self.matches)
            for seated in [*tables, *([one] for one in field[: plan.byes])]:
                self.matches.append(self._to_come(round, seated, is_last=is_last))
            if is_last:
                return
            field, round = list(_advancing(self.matches[before:])), round + 1

    def _field(self, round: int) -> list[_Coming]:
        """Return the players of a round, the best first."""
        last = self._snapshot.played[-1] if self._snapshot.played else None
        if last is None or self._orders.is_closed(last):
            known = knockout.still_in(self._snapshot, self._orders, round)
            return [_Coming(entry, self._from.get(entry)) for entry in known]
        return list(_advancing([match for match in self.matches if match.round == last.round]))

    def _to_come(self, round: int, seated: Sequence[_Coming], *, is_last: bool) -> Match:
        """Return the players of a future round. All players come to the last table, so their origin needs no match."""
        slots = tuple(
            Slot(
                one.entry,
                one.source if is_last or one.entry or not one.source else replace(one.source, match=None),
            )
            for one in seated
        )
        through = 1 if is_last or len(seated) == 1 else advancing_from(len(seated), self._snapshot.through)
        return Match(self._number, round, "winners", slots, "waiting", through=through)


def _advancing(laid: Sequence[Match]) -> Iterator[_Coming]:
    """Return the players who advance from a round, the best first: byes, then places."""
    byes = [match for match in laid if len(match.slots) == 1]
    tables = [match for match in laid if len(match.slots) > 1]
    for match in byes:
        yield _Coming(match.slots[0].entry, Source(match.number, won=True, round=match.round))
    for place in range(1, max((match.through for match in tables), default=0) + 1):
        for match in tables:
            if match.through >= place:
                yield _Coming(None, Source(match.number, won=True, round=match.round, place=place))
