"""A bracket as it is drawn: who can come to which match from where, and what has become of each. At tables of two;
larger ones are `bracket_tables`.

The drawing goes through the same steps as the pairing (`pairing.knockout`, `pairing.double_bracket`), only that what
moves from slot to slot is where somebody will come from. Rounds that were laid out show who was seated, as it was known
then; those to come follow from the results as they are now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tournaments.formats import bracket_tables, checker, staged
from tournaments.formats.bracket_shapes import Match, Side, Slot, Source
from tournaments.formats.pairing import double_bracket, stages
from tournaments.formats.pairing.knockout import first_slots
from tournaments.formats.pairing.told import Place, Tells, Told, couples, standing
from tournaments.formats.points import outings
from tournaments.formats.protocol import Pairing, Snapshot, Table


def drawn(format: str, snapshot: Snapshot) -> tuple[Match, ...]:
    """The bracket of a tournament whose field is known, round by round; nothing where there is none.

    There is none in formats that knock nobody out, and while the first of two stages goes on.
    """
    if format in ("knockout", "double-knockout"):
        return _of(format == "double-knockout", snapshot, lambda round: checker.before(snapshot, round))
    if format != "stages" or (part := staged.knockout(snapshot)) is None or len(part.entrants) < 2:
        return ()
    before = stages.first_rounds(snapshot)

    def known(round: int) -> Snapshot:
        then = staged.knockout(checker.before(snapshot, round + before))
        assert then is not None, "a round of the second stage was laid out after the first was over"
        return then

    double = snapshot.stages[1].format == "double-knockout"
    return tuple(_later(match, before) for match in _of(double, part, known))


def _of(double: bool, snapshot: Snapshot, known: Callable[[int], Snapshot]) -> tuple[Match, ...]:
    if snapshot.preferred == 2:
        return _Drawing(double, snapshot, known).matches()
    return bracket_tables.drawn(double, snapshot)


def _later(match: Match, rounds: int) -> Match:
    """The same match in a tournament of which so many rounds were played before."""
    slots = tuple(
        replace(slot, source=replace(slot.source, round=slot.source.round + rounds))
        if slot.source and slot.source.round
        else slot
        for slot in match.slots
    )
    return replace(match, round=match.round + rounds, slots=slots)


# --- the course of a bracket ---------------------------------------------------------------------------

Meetings = list[tuple[Side, tuple[Place, Place]]]


def _course(double: bool, first: Sequence[Place], told: Tells[Place]) -> Iterator[Meetings[Place]]:
    """Who meets in each round. `told` is asked about a round only for the next one."""
    return _two_brackets(list(first), told) if double else _one_bracket(list(first), told)


def _one_bracket(slots: list[Place], told: Tells[Place]) -> Iterator[Meetings[Place]]:
    round, before = 1, list[tuple[Place, Place]]()
    while len(slots) > 1:
        two = couples(slots)
        meetings: Meetings[Place] = [("winners", couple) for couple in two]
        if len(two) == 1 and before:
            one, other = (told.loser(round - 1, couple) for couple in before)
            meetings.append(("third-place", (one, other)))
        yield meetings
        slots, before, round = [told.winner(round, couple) for couple in two], two, round + 1


def _two_brackets(first: list[Place], told: Tells[Place]) -> Iterator[Meetings[Place]]:
    bracket = double_bracket.Bracket(first)
    last = 2 * bracket.depth + 1
    for round in range(1, last + 1):
        upper, lower = bracket.meetings(round)
        side: Side = "decider" if round == last else "final" if round == last - 1 else "winners"
        yield [*((side, couple) for couple in upper), *(("losers", couple) for couple in lower)]
        bracket.advance(round, told)


# --- where somebody will come from ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seeded:
    entry: int


_Origin = _Seeded | Source | None
"""None: nobody."""


class _Origins:
    """Numbers the matches, and says of each who leaves it. Where nobody can come there is no match."""

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
        """Nobody loses where only one can come."""
        number = self.number(round, couple)
        return None if number is None or None in couple else Source(number, won=False)


# --- what has become of it -----------------------------------------------------------------------------


class _Drawing:
    """`known` is the snapshot from which a round was laid out."""

    def __init__(self, double: bool, snapshot: Snapshot, known: Callable[[int], Snapshot]) -> None:
        self._double, self._snapshot, self._known = double, snapshot, known
        self._told = Told(snapshot)
        self._played = {played.round: played for played in snapshot.played}
        self._scores = {
            (entry, outing.round): outing.measures[0]
            for entry, rounds in outings(snapshot).items()
            for outing in rounds
            if outing.kind in ("played", "forfeit")
        }
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
        """Who had come to the matches of a round when it was laid out; None before that."""
        if round not in self._played:
            return None
        known = self._known(round)
        course = _course(self._double, first_slots(known), Told(known))
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
        playing = self._told.present(round)
        there = standing(entries, playing)
        if len(there) == 2:
            return match
        return replace(
            match, state="bye" if there else "empty", winner=there[0] if there else None, goes_on=there
        )

    def _at_table(self, match: Match, played: Pairing, table: Table) -> Match:
        match = replace(match, table=table.number, state="playing")
        if not self._told.is_closed(played):
            return match
        one, other = (
            replace(slot, score=self._scores.get((slot.entry, match.round)) if slot.entry else None)
            for slot in match.slots
        )
        winner = self._told.order(table, match.round)[0]
        return replace(match, slots=(one, other), state="decided", winner=winner, goes_on=(winner,))

    def _come(self, origin: _Origin) -> int | None:
        """Who has come from there by now."""
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
        assert origin.match is not None, "at tables of two it is known from which match somebody comes"
        return self._done[origin.match]

    def _is_settled(self, origin: _Origin) -> bool:
        return not isinstance(origin, Source) or self._from(origin).state not in ("waiting", "playing")

    def _is_needless(self, decider: Match) -> bool:
        """The final is repeated only where who came from the losers' bracket has won it at a table."""
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
