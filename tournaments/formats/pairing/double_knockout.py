"""Double knockout: everybody may lose once. A double bracket at tables of two, two lives at larger ones.

Who wins a table is told by the measures in their order, and where all are equal by the seeding: somebody has to go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing import double_bracket, two_lives
from tournaments.formats.pairing.past import Past
from tournaments.formats.pairing.told import Told, go_on, standing
from tournaments.formats.pairing.two_lives import LIVES
from tournaments.formats.protocol import Pairing, Part, Snapshot, Table

NAME = "double-knockout@1"


def rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """The most rounds it can take. Raises CannotBeSeated if so many cannot come to one table."""
    if preferred == 2:
        return double_bracket.rounds(entrants)
    return two_lives.rounds(entrants, sizes=sizes, preferred=preferred, through=through)


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """The tables of a round. Whoever is still in and has nobody to meet sits out; who has left is passed over."""
    course = Course(snapshot)
    field = course.field(round)
    if snapshot.preferred == 2:
        met = (standing(two, set(field)) for two in double_bracket.meetings(snapshot, course.told, round))
        tables = [two for two in met if len(two) == 2]
        byes = tuple(sorted(set(field).difference(*tables)))
        numbered = _numbered(tables)
        return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))
    laid, byes, past = two_lives.lay_out(snapshot, field, round)
    numbered = _numbered(laid)
    return Pairing(round, numbered, byes, past.relaxed(numbered, byes, snapshot.preferred))


def _numbered(tables: Sequence[Sequence[int]]) -> tuple[Table, ...]:
    return tuple(Table(number, tuple(seats)) for number, seats in enumerate(tables, start=1))


def is_over(snapshot: Snapshot) -> bool:
    """Whether one is left, or one table has decided, or those who are left fill none."""
    course = Course(snapshot)
    left = len(course.coming)
    if left < 2 or course.is_decided:
        return True
    plan = table_sizes.plan_or_sit_out(left, sizes=snapshot.sizes, preferred=snapshot.preferred)
    return not plan.tables


class Course:
    """How far everybody has come in the rounds that are closed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.told = Told(snapshot)
        self._snapshot = snapshot
        self._seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
        self._closed = [played for played in snapshot.played if self.told.is_closed(played)]
        self.next = self._closed[-1].round + 1 if self._closed else 1
        self.last: dict[int, tuple[int, int]] = {entrant.entry: (0, 0) for entrant in snapshot.entrants}
        """The last round that an entrant was in, and the place at the table there; 1 for who sat out."""
        self.lost: dict[int, list[Part]] = {entrant.entry: [] for entrant in snapshot.entrants}
        for played in self._closed:
            self._follow(played)

    def _follow(self, played: Pairing) -> None:
        self.last |= dict.fromkeys(played.byes, (played.round, 1))
        for table in played.tables:
            order = self.told.order(table, played.round)
            unharmed = go_on(len(order), self._snapshot.through)
            for place, entry in enumerate(order, start=1):
                self.last[entry] = played.round, place
                if place > unharmed:
                    ahead = tuple(sorted(order[: place - 1]))
                    self.lost[entry].append(Part("lost", -1, played.round, ahead))

    def lives(self, entry: int) -> int:
        return LIVES - len(self.lost[entry])

    def field(self, round: int) -> list[int]:
        """Who is still in and plays a round: by lives, by place at the last table, by seeding."""
        in_it = [entry for entry in self.told.present(round) if self.lives(entry) > 0]
        return sorted(
            in_it, key=lambda entry: (-self.lives(entry), self.last[entry][1], self._seeding[entry])
        )

    @cached_property
    def coming(self) -> frozenset[int]:
        """Who would play the next round."""
        return frozenset(self.field(self.next))

    @cached_property
    def is_decided(self) -> bool:
        """Whether the last round was the one table that decides. A bracket is decided by lives alone."""
        if self._snapshot.preferred == 2 or not self._closed:
            return False
        last = self._closed[-1]
        return len(last.tables) == 1 and not last.byes

    def reckon(self, entry: int) -> tuple[int, int, tuple[Part, ...]]:
        """The round that was reached, the place there, what the lives that are left come to."""
        parts = (Part("at the start", LIVES), *self.lost[entry])
        round, place = self.last[entry]
        lives = self.lives(entry)
        if lives > 0 and self.is_decided:
            return round, place, parts
        if entry in self.coming:
            # Who alone is left has won where they are.
            return (round if len(self.coming) == 1 else self.next), 1, parts
        if lives > 0:
            parts = (*parts, Part("left", -lives, round))
        return round, place, parts
