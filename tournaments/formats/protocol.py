"""What a format is asked and what it answers. Snapshots in, results out: no clock, no chance, no database.

An entrant is named by the number of its entry, counted from 1 in entry order; that order is the last thing anything is
sorted by, so the same snapshot gives the same answer, byte for byte, in every process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from tournaments.formats.corrected import Superseded
from tournaments.formats.stage import Stage
from tournaments.formats.wishes import Wish

Ended = Literal["finished", "expired", "void", "forfeit"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a score; a tournament's measures in order are its published tie order."""

    name: str
    best: Literal["most", "fewest"]
    meaning: str

    def document(self) -> dict[str, Any]:
        return {"name": self.name, "best": self.best, "meaning": self.meaning}


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays, from round `first` to round `last` (None: to the end).

    `seeding` is the order of strength, from 1, or of a recorded lot where there is none; no two have the same.
    """

    entry: int
    seeding: int
    rating: int = 0
    first: int = 1
    last: int | None = None
    disqualified: bool = False
    """Ranked behind everybody else; the games that were played stand."""

    def plays(self, round: int) -> bool:
        return self.first <= round and (self.last is None or round <= self.last)


def by_entry_order(numbers: Iterable[int]) -> tuple[Entrant, ...]:
    """A field in which the first to enter counts as the strongest."""
    return tuple(Entrant(number, seeding) for seeding, number in enumerate(numbers, start=1))


@dataclass(frozen=True, slots=True)
class Result:
    """What one entrant got out of one game: a number for each measure of the tournament."""

    round: int
    table: int
    deal: int
    entry: int
    ended: Ended
    score: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a round, numbered from 1, and who sits at it from seat 0."""

    number: int
    seats: tuple[int, ...]


Count = Literal["total", "matchpoints"]
TOTAL: Count = "total"
MATCHPOINTS: Count = "matchpoints"


RELAXATIONS = ("rematch", "short-again", "bye-again", "apart")
"""What gives way when a round cannot be laid out otherwise, in this order, and each as seldom as can be.

That two meet again; that somebody sits at a short table, or sits out, for a second time; that two meet whom the
organizer wants apart. So there is always a way, and the record shows what it cost.
"""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """`what` is one of `RELAXATIONS`, `entries` whom it concerns, in rising order."""

    what: str
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A round as it was laid out. `relaxed` tells what could not be kept (see `RELAXATIONS`).

    `by_hand` is true where the organizer has laid it out, so that no engine has to come to the same.
    `going_on` is who plays the stage that begins with this round, the strongest first; empty in all other rounds.
    """

    round: int
    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()
    relaxed: tuple[Relaxed, ...] = ()
    by_hand: bool = False
    going_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a format may know.

    `entrants` in entry order, those who have left included as long as they have a place in the standings; `played` the
    rounds laid out so far; `sizes` what seats a table may have, `preferred` how many it should have; `through` how
    many of a knockout's table go on; `count` what the results of a shared deal come to; `columns` the tie-breaks in
    their order; `apart` the pairs of entries, the smaller first, that the organizer wants at different tables,
    `together` those that must meet in the round to come; `lot` the key that lots are drawn from; `wishes` all that was
    ever said of pairs, of which `apart` and `together` are what holds for the round to come; `stages` the two of a
    tournament of stages; `bank` what everybody has to bet with at the start, in pence; `superseded` what results were
    before they were corrected, in the order of the corrections.
    """

    entrants: tuple[Entrant, ...]
    rounds: int
    games: int
    measures: tuple[Measure, ...]
    results: tuple[Result, ...] = ()
    played: tuple[Pairing, ...] = ()
    sizes: tuple[int, ...] = (1,)
    preferred: int = 1
    through: int = 1
    count: Count = TOTAL
    columns: tuple[str, ...] = ()
    bank: int = 0
    apart: frozenset[tuple[int, int]] = frozenset()
    together: frozenset[tuple[int, int]] = frozenset()
    lot: str = ""
    wishes: tuple[Wish, ...] = ()
    stages: tuple[Stage, ...] = ()
    superseded: tuple[Superseded, ...] = ()

    def present(self, round: int) -> tuple[Entrant, ...]:
        return tuple(entrant for entrant in self.entrants if entrant.plays(round))

    def fingerprint(self) -> str:
        """SHA-256, in hex, of the canonical text of all that a format was told: it stands beside what came of it."""
        told = asdict(self)
        told["apart"], told["together"] = sorted(self.apart), sorted(self.together)
        # Fingerprints from before anybody could be disqualified, a round be laid out by hand, or there was another way
        # to count, or stages, stay as they were. What was said of other rounds, and what was known before a correction,
        # no format was told.
        told["entrants"] = [
            {name: value for name, value in entrant.items() if name != "disqualified" or value}
            for entrant in told["entrants"]
        ]
        told["played"] = [
            {name: value for name, value in pairing.items() if name not in ("by_hand", "going_on") or value}
            for pairing in told["played"]
        ]
        if self.count == TOTAL:
            del told["count"]
        del told["wishes"], told["superseded"]
        if not self.stages:
            del told["stages"]
        if not self.bank:
            del told["bank"]
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Standing:
    """A place, shared by all who are equal in everything that counts.

    `totals` stand in the order of the columns: the measures, or the tie-breaks of a format that counts points.
    """

    place: int
    entry: int
    totals: tuple[int, ...]
    games: int
    disqualified: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "entry": self.entry,
            "totals": list(self.totals),
            "games": self.games,
            "disqualified": self.disqualified,
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One summand: of which round (None: of none in particular), against whom, how much."""

    what: str
    amount: int
    round: int | None = None
    opponents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A value, and the parts it is made of."""

    value: int
    parts: tuple[Part, ...] = ()


def added(parts: Iterable[Part]) -> Reckoning:
    told = tuple(parts)
    return Reckoning(sum(part.amount for part in told), told)


class Format(Protocol):
    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def fewest_entrants(self) -> int: ...

    @property
    def fewest_rounds(self) -> int:
        """0 where the format itself can tell how many it needs."""

    @property
    def counts_points(self) -> bool:
        """Whether its standings are made of tie-breaks that the organizer puts in order."""

    @property
    def knocks_out(self) -> bool: ...

    @property
    def on_bets(self) -> bool:
        """Whether the entrants bet on a game in which nobody sits: all of them stand at its one table."""

    @property
    def counts(self) -> Sequence[Count]:
        """What the results may come to, for the organizer to choose from."""

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        """Whether its next round keeps to what is said of who is to meet and who not (`apart`, `together`)."""

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        """Whether its next round may be one that somebody has laid out by hand."""

    def suits(self, seats: Sequence[int]) -> bool:
        """Whether a game that is played by these numbers of seats can be played in this format."""

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """How many rounds such a field plays; `asked` is what the organizer wants, 0 for what the format needs.

        Raises CannotBeSeated.
        """

    def is_over(self, snapshot: Snapshot) -> bool:
        """Whether the rounds that are closed have decided, though there could be more of them."""

    def algorithm(self, snapshot: Snapshot) -> str:
        """`name@version` of what pairs the rounds: another version may pair them otherwise."""

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Who meets whom in a round, and who sits out. Raises CannotBeSeated."""

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """The number `d` of the deal that a table's game is played with (RULEBOOK 1, Fairness)."""

    def sharers(self, *, deal: int, table: int) -> str:
        """A text that is equal for all games of a round which share that deal."""

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """What the totals of the standings are, in their order."""

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]: ...

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        """By entry and column, the value in the standings and the parts it is made of."""


def ranked(
    totals: Sequence[tuple[int, tuple[int, ...], int]], measures: Sequence[Measure]
) -> tuple[Standing, ...]:
    """Places for (entry, totals, games): best first by each measure in turn, equals share a place in entry order."""

    def merit(row: tuple[int, tuple[int, ...], int]) -> tuple[int, ...]:
        return tuple(
            -total if measure.best == "most" else total
            for total, measure in zip(row[1], measures, strict=True)
        )

    standings: list[Standing] = []
    last: tuple[int, ...] | None = None
    for position, row in enumerate(sorted(totals, key=lambda row: (merit(row), row[0])), start=1):
        place = standings[-1].place if standings and merit(row) == last else position
        standings.append(Standing(place=place, entry=row[0], totals=row[1], games=row[2]))
        last = merit(row)
    return tuple(standings)
