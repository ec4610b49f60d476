"""Double knockout: a double bracket at tables of two, and two lives at larger tables.

In a double bracket, an entrant drops into the losers' bracket after one loss and is eliminated after the second. A
field of 2^k slots plays 2k rounds, and one more if the winner of the losers' bracket wins the final. The winners'
bracket plays in round 1 and in every even round. The losers' bracket plays among itself in even rounds, and against
the entrants who have just dropped in odd ones.

With two lives, an entrant who is not among the best of a table loses a life. All remaining entrants play every
round, until one table seats them all and decides.

Tables are decided by the measures in their order, and by the seeding if all are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from sys import maxsize
from typing import Generic

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.advancement import (
    Advancement,
    Couple,
    Place,
    TableOrders,
    advancing_from,
    couples,
    standing,
)
from tournaments.formats.pairing.knockout import first_slots, snaked
from tournaments.formats.pairing.past import Past, pair
from tournaments.formats.protocol import Pairing, Part, Snapshot, Table
from tournaments.formats.sizes import CannotBeSeated, Sizes


def bracket_rounds(entrants: int) -> int:
    """Return the number of rounds. The last is only played if the final does not decide."""
    return 2 * max(1, (entrants - 1).bit_length()) + 1


def meetings(snapshot: Snapshot, advancing: TableOrders, round: int) -> list[Couple]:
    """Return the slots that meet in a round, the winners' bracket first."""
    bracket = Bracket(first_slots(snapshot))
    for number in range(1, round):
        bracket.advance(number, advancing)
    upper, lower = bracket.meetings(round)
    return upper + lower


class Bracket(Generic[Place]):
    """The slots of both brackets. `dropped` waits for the winners of the losers' bracket."""

    def __init__(self, slots: list[Place]) -> None:
        self.depth = len(slots).bit_length() - 1
        self.winners = slots
        self.losers: list[Place] = []
        self.dropped: list[Place] = []
        self._crossings = [0]

    def meetings(self, round: int) -> tuple[list[tuple[Place, Place]], list[tuple[Place, Place]]]:
        """Return the meetings of the winners' and of the losers' bracket."""
        if round == 1:
            return couples(self.winners), []
        if round >= 2 * self.depth:
            final = (self.winners[0], self.losers[0])
            return [final if round == 2 * self.depth else final[::-1]], []
        if round % 2:
            return [], list(zip(self.losers, self.dropped, strict=True))
        return couples(self.winners), couples(self.losers)

    def advance(self, round: int, advancing: Advancement[Place]) -> None:
        """Apply the results of a round. The final and the round after it leave the slots unchanged."""
        if 1 < round >= 2 * self.depth:
            return
        upper, lower = self.meetings(round)
        fallen = [advancing.loser(round, couple) for couple in upper]
        if round == 1:
            self.losers = fallen
        else:
            self.losers = [advancing.winner(round, couple) for couple in lower]
        if upper:
            self.winners = [advancing.winner(round, couple) for couple in upper]
        if upper and round > 1:
            self.dropped = self._crossed(fallen)

    def _crossed(self, fallen: Sequence[Place]) -> list[Place]:
        """Place each dropped entrant where they meet no one they may have met, as long as possible.

        `_crossings` has, for each earlier drop, the number by which its slots were crossed (`slot ^ number`), 0 for
        the first round. At each drop the slots are halved, and so are the numbers.
        """
        self._crossings = [number >> 1 for number in self._crossings]
        number = _crossing(self._crossings, len(fallen))
        self._crossings.append(number)
        return [fallen[slot ^ number] for slot in range(len(fallen))]


def _crossing(earlier: Sequence[int], slots: int) -> int:
    """Return the number that differs from all earlier ones in the highest possible bit.

    The higher the bit, the later those entrants can meet again. If no number differs from all, it differs from the
    latest.
    """

    def merit(number: int) -> tuple[int, list[int], int]:
        distances = [(number ^ other).bit_length() for other in earlier]
        return min(distances), distances[::-1], number

    return max(range(slots), key=merit)


# --- two lives, at larger tables ---------------------------------------------------------------------


LIVES = 2


def is_last(plan: Sizes) -> bool:
    """Return whether one table seats all remaining entrants."""
    return len(plan.tables) == 1 and not plan.byes


def lives_rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """Return the most rounds that the field can need. Raises CannotBeSeated if one table can never seat the rest.

    The number of entrants determines the lives that a round costs; only how many have one or two lives left is
    unknown. Only the next few numbers of tables can cost least, since one more table of the preferred size always
    costs more.
    """
    advancing = (
        _lost(left, sizes=sizes, preferred=preferred, through=through) for left in range(2, entrants + 1)
    )
    lost = [0, maxsize, *advancing]
    if lost[entrants] == 0:
        raise CannotBeSeated(f"{entrants} do not fill a table of {' or '.join(map(str, sorted(sizes)))}")
    most, near = [0], preferred * (max(sizes) + 1)
    for lives in range(1, LIVES * entrants + 1):
        fewest = -(-lives // LIVES)
        least = max(fewest, min(sizes))
        cost = min(lost[least : min(lives + 1, least + near)], default=maxsize)
        most.append(max(most[-1], 1 + most[max(0, lives - cost)]))
    return most[-1]


def _lost(left: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """Return the lives that a round costs: 0 if the entrants fill no table, more than there are in the last round."""
    try:
        plan = table_sizes.plan(left, sizes=sizes, preferred=preferred)
    except CannotBeSeated:
        return 0
    if is_last(plan):
        return maxsize
    going_on = (plan.tables.count(size) * advancing_from(size, through) for size in set(plan.tables))
    unharmed = plan.byes + sum(going_on)
    if unharmed < min(sizes):
        raise CannotBeSeated(f"of {left} entrants {unharmed} may be left, who fill no table")
    return left - unharmed


def lay_out(
    snapshot: Snapshot, field: Sequence[int], round: int
) -> tuple[list[list[int]], tuple[int, ...], Past]:
    """Return the tables, the byes, and the past of the remaining entrants, the best first. Byes rotate."""
    past = Past.of(snapshot, round)
    plan = table_sizes.plan_or_sit_out(len(field), sizes=snapshot.sizes, preferred=snapshot.preferred)
    order = {entry: number for number, entry in enumerate(field)}
    byes = sorted(field, key=lambda entry: (past.byes[entry], order[entry]))[: plan.byes]
    seated = [entry for entry in field if entry not in byes]
    return _parted(snaked(seated, plan.tables), past), tuple(sorted(byes)), past


def _parted(tables: list[list[int]], past: Past) -> list[list[int]]:
    """Exchange each entrant in a rematch with the nearest of the same row who improves it."""
    seats = [(number, row) for number, table in enumerate(tables) for row in range(len(table))]
    moved = True
    while moved:
        moved = False
        for number, row in seats:
            if _again(past, tables[number], row):
                moved |= _exchange(tables, number, row, past)
    return tables


def _again(past: Past, table: Sequence[int], row: int) -> int:
    """Return how many rematches and separated pairs the entrant has at the table."""
    one = table[row]
    known = (pair(one, other) for other in table if other != one)
    return sum(past.met[two] + (two in past.apart) for two in known)


def _exchange(tables: list[list[int]], number: int, row: int, past: Past) -> bool:
    """Make one exchange that improves the table, and return whether there was one."""
    here = tables[number]
    for distance in range(1, len(tables)):
        for other in (number - distance, number + distance):
            if not 0 <= other < len(tables) or row >= len(tables[other]):
                continue
            there = tables[other]
            before = _again(past, here, row) + _again(past, there, row)
            here[row], there[row] = there[row], here[row]
            if _again(past, here, row) + _again(past, there, row) < before:
                return True
            here[row], there[row] = there[row], here[row]
    return False


# --- both --------------------------------------------------------------------------------------------


NAME = "double-knockout@1"


def rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """Return the most rounds that the field can need. Raises CannotBeSeated if one table can never seat the rest."""
    if preferred == 2:
        return bracket_rounds(entrants)
    return lives_rounds(entrants, sizes=sizes, preferred=preferred, through=through)


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """Return the tables of a round. An entrant without an opponent has a bye; entrants who have left are skipped."""
    course = Course(snapshot)
    field = course.field(round)
    if snapshot.preferred == 2:
        met = (standing(two, set(field)) for two in meetings(snapshot, course.advancing, round))
        tables = [two for two in met if len(two) == 2]
        byes = tuple(sorted(set(field).difference(*tables)))
        numbered = _numbered(tables)
        return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))
    laid, byes, past = lay_out(snapshot, field, round)
    numbered = _numbered(laid)
    return Pairing(round, numbered, byes, past.relaxed(numbered, byes, snapshot.preferred))


def _numbered(tables: Sequence[Sequence[int]]) -> tuple[Table, ...]:
    return tuple(Table(number, tuple(seats)) for number, seats in enumerate(tables, start=1))


def is_over(snapshot: Snapshot) -> bool:
    """Return whether one entrant is left, one table has decided, or the rest fill no table."""
    course = Course(snapshot)
    left = len(course.coming)
    if left < 2 or course.is_decided:
        return True
    plan = table_sizes.plan_or_sit_out(left, sizes=snapshot.sizes, preferred=snapshot.preferred)
    return not plan.tables


class Course:
    """The progress of each entrant in the closed rounds."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.advancing = TableOrders(snapshot)
        self._snapshot = snapshot
        self._seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
        self._closed = [played for played in snapshot.played if self.advancing.is_closed(played)]
        self.next = self._closed[-1].round + 1 if self._closed else 1
        self.last: dict[int, tuple[int, int]] = {entrant.entry: (0, 0) for entrant in snapshot.entrants}
        """Each entrant's last round and their place at its table; 1 for a bye."""
        self.lost: dict[int, list[Part]] = {entrant.entry: [] for entrant in snapshot.entrants}
        for played in self._closed:
            self._follow(played)

    def _follow(self, played: Pairing) -> None:
        self.last |= dict.fromkeys(played.byes, (played.round, 1))
        for table in played.tables:
            order = self.advancing.order(table, played.round)
            unharmed = advancing_from(len(order), self._snapshot.through)
            for place, entry in enumerate(order, start=1):
                self.last[entry] = played.round, place
                if place > unharmed:
                    ahead = tuple(sorted(order[: place - 1]))
                    self.lost[entry].append(Part("lost", -1, played.round, ahead))

    def lives(self, entry: int) -> int:
        return LIVES - len(self.lost[entry])

    def field(self, round: int) -> list[int]:
        """Return the entrants of a round by lives, place at the last table, and seeding."""
        in_it = [entry for entry in self.advancing.present(round) if self.lives(entry) > 0]
        return sorted(
            in_it, key=lambda entry: (-self.lives(entry), self.last[entry][1], self._seeding[entry])
        )

    @cached_property
    def coming(self) -> frozenset[int]:
        """Return the entrants of the next round."""
        return frozenset(self.field(self.next))

    @cached_property
    def is_decided(self) -> bool:
        """Return whether the last round was the deciding table. A bracket is decided by lives alone."""
        if self._snapshot.preferred == 2 or not self._closed:
            return False
        last = self._closed[-1]
        return len(last.tables) == 1 and not last.byes

    def reckon(self, entry: int) -> tuple[int, int, tuple[Part, ...]]:
        """Return the round reached, the place there, and the lives left, with their parts."""
        parts = (Part("at the start", LIVES), *self.lost[entry])
        round, place = self.last[entry]
        lives = self.lives(entry)
        if lives > 0 and self.is_decided:
            return round, place, parts
        if entry in self.coming:
            # The only remaining entrant has won.
            return (round if len(self.coming) == 1 else self.next), 1, parts
        if lives > 0:
            parts = (*parts, Part("left", -lives, round))
        return round, place, parts
