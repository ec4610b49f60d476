"""A knockout at tables of more than two as it is drawn: the tables that were laid out, and those that are to come.

Who goes on is seated anew for each round, the best of each table apart from each other. So of a table to come it is
known at which place of a table before its players will have been, and only of the last one at which table that was.
With two lives the number of tables to come hangs on who loses them: those that are laid out are all that is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tournaments.formats.bracket_shapes import Match, Slot, Source
from tournaments.formats.pairing import knockout
from tournaments.formats.pairing.told import Told, go_on
from tournaments.formats.pairing.two_lives import LIVES
from tournaments.formats.points import outings
from tournaments.formats.protocol import Pairing, Snapshot, Table


def drawn(double: bool, snapshot: Snapshot) -> tuple[Match, ...]:
    """Round by round, the tables before the byes."""
    drawing = _Drawing(double, snapshot)
    for played in snapshot.played:
        drawing.follow(played)
    if not double and not drawing.is_last:
        drawing.foresee()
    return tuple(drawing.matches)


@dataclass(frozen=True, slots=True)
class _Coming:
    """Somebody of the field of a round to come: who, if that is known, and from where."""

    entry: int | None
    source: Source | None


class _Drawing:
    def __init__(self, double: bool, snapshot: Snapshot) -> None:
        self.matches: list[Match] = []
        self.is_last = False
        """The round drawn last is the table that decides."""
        self._double, self._snapshot = double, snapshot
        self._told = Told(snapshot)
        self._scores = {
            (entry, outing.round): outing.measures[0]
            for entry, rounds in outings(snapshot).items()
            for outing in rounds
            if outing.kind in ("played", "forfeit")
        }
        self._from: dict[int, Source] = {}
        """Where an entrant was last."""
        self._lost: dict[int, int] = {}
        """Of two lives."""

    # --- what was laid out -----------------------------------------------------------------------------

    def follow(self, played: Pairing) -> None:
        closed = self._told.is_closed(played)
        self.is_last = knockout.decides(played, self._snapshot)
        before = len(self.matches)
        for table in played.tables:
            self.matches.append(self._laid(played, table, closed=closed))
        for entry in played.byes:
            self.matches.append(self._sat_out(played.round, entry))
        for match in self.matches[before:]:
            self._go_on_from(match)

    def _laid(self, played: Pairing, table: Table, *, closed: bool) -> Match:
        order = self._told.order(table, played.round) if closed else []
        through = 1 if self.is_last else go_on(len(table.seats), self._snapshot.through)
        # A table that is closed is told in the order of its places, for whoever reads who goes on.
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
            goes_on=tuple(order[:through]),
        )

    def _sat_out(self, round: int, entry: int) -> Match:
        return Match(
            self._number, round, "winners", (self._slot(entry),), "bye", winner=entry, goes_on=(entry,)
        )

    @property
    def _number(self) -> int:
        """Of the match that is drawn next."""
        return len(self.matches) + 1

    def _slot(self, entry: int) -> Slot:
        lives = LIVES - self._lost.get(entry, 0) if self._double else None
        return Slot(entry, self._from.get(entry), lives=lives)

    def _go_on_from(self, match: Match) -> None:
        for slot in match.slots:
            if slot.entry is None:
                continue
            won = match.state != "decided" or slot.entry in match.goes_on
            self._from[slot.entry] = Source(match.number, won=won, round=match.round, place=slot.place)
            if not won:
                self._lost[slot.entry] = self._lost.get(slot.entry, 0) + 1

    # --- what is to come -------------------------------------------------------------------------------

    def foresee(self) -> None:
        """The tables to come if nobody leaves; those of the next round with their players where they are known."""
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
            field, round = list(_going_on(self.matches[before:])), round + 1

    def _field(self, round: int) -> list[_Coming]:
        """Who comes to a round, the best first."""
        last = self._snapshot.played[-1] if self._snapshot.played else None
        if last is None or self._told.is_closed(last):
            known = knockout.still_in(self._snapshot, self._told, round)
            return [_Coming(entry, self._from.get(entry)) for entry in known]
        return list(_going_on([match for match in self.matches if match.round == last.round]))

    def _to_come(self, round: int, seated: Sequence[_Coming], *, is_last: bool) -> Match:
        """Everybody comes to the last table, so that there is no question from where."""
        slots = tuple(
            Slot(
                one.entry,
                one.source if is_last or one.entry or not one.source else replace(one.source, match=None),
            )
            for one in seated
        )
        through = 1 if is_last or len(seated) == 1 else go_on(len(seated), self._snapshot.through)
        return Match(self._number, round, "winners", slots, "waiting", through=through)


def _going_on(laid: Sequence[Match]) -> Iterator[_Coming]:
    """Who goes on from a round, the best first: byes, then by the place at the table."""
    byes = [match for match in laid if len(match.slots) == 1]
    tables = [match for match in laid if len(match.slots) > 1]
    for match in byes:
        yield _Coming(match.slots[0].entry, Source(match.number, won=True, round=match.round))
    for place in range(1, max((match.through for match in tables), default=0) + 1):
        for match in tables:
            if match.through >= place:
                yield _Coming(None, Source(match.number, won=True, round=match.round, place=place))
