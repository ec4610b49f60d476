"""The interface of formats: pure functions of snapshots, without clock, chance, or database.

An entrant is named by the number of its entry, counted from 1 in entry order. That order is the last sort key
everywhere, so the same snapshot gives the same bytes in every process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, Protocol, TypedDict

from games.rules.scoring import Measure as Measure
from tournaments.formats.constraints import Constraint
from tournaments.formats.corrected_results import Ended as Ended
from tournaments.formats.corrected_results import Key, Superseded, key
from tournaments.formats.corrected_results import Result as Result


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the two stages of a tournament of stages.

    The first stage has `rounds` rounds (0: one cycle of its largest group) in `groups` groups, from which `qualify`
    entrants in all advance. The second stage is a knockout and has only a format.
    """

    format: str
    rounds: int = 0
    groups: int = 1
    qualify: int = 0

    def document(self) -> dict[str, Any]:
        return asdict(self)


# --- protocol ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant who plays from round `first` to round `last` (None: to the end).

    `seeding` is the unique order of strength from 1, or of a recorded lot.
    """

    entry: int
    seeding: int
    rating: int = 0
    first: int = 1
    last: int | None = None
    disqualified: bool = False
    """Ranked behind all others; games that were played still count."""

    def plays(self, round: int) -> bool:
        return self.first <= round and (self.last is None or round <= self.last)


def by_entry_order(numbers: Iterable[int]) -> tuple[Entrant, ...]:
    """Return a field seeded in entry order."""
    return tuple(Entrant(number, seeding) for seeding, number in enumerate(numbers, start=1))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a round, numbered from 1, with its entries from seat 0."""

    number: int
    seats: tuple[int, ...]


Count = Literal["total", "matchpoints"]
TOTAL: Count = "total"
MATCHPOINTS: Count = "matchpoints"


RELAXATIONS = ("rematch", "short-again", "bye-again", "apart")
"""The relaxations that a round may need, in this order and each as rarely as possible.

A rematch; a second short table or bye; a meeting of two entrants who should be kept apart. With relaxations a
pairing always exists, and the record shows them.
"""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A relaxation: `what` is one of `RELAXATIONS`, `entries` are those concerned, in ascending order."""

    what: str
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A paired round. `relaxed` lists its relaxations (see `RELAXATIONS`).

    `by_hand` marks a manual pairing, which no engine has to reproduce. `going_on` lists the entrants of the stage
    that begins with this round, the strongest first; it is empty in other rounds.
    """

    round: int
    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()
    relaxed: tuple[Relaxed, ...] = ()
    by_hand: bool = False
    going_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a format may know.

    `entrants` are in entry order and include those who have left while they are in the standings. `played` are the
    rounds paired so far. `sizes` are the possible numbers of seats of a table, and `preferred` is the desired one.
    `through` is the number of entrants who advance from a table of a knockout. `count` is the scoring of a shared
    deal. `columns` are the tie-breaks in order. `apart` and `together` are the pairs under a constraint in the next
    round, the smaller entry first; `constraints` are all constraints so far. `lot` is the key of the lots. `stages` are
    the two stages, if any. `bank` is everyone's play money at the start, in pence. `superseded` are the results
    before their corrections, in the order of the corrections.
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
    constraints: tuple[Constraint, ...] = ()
    stages: tuple[Stage, ...] = ()
    superseded: tuple[Superseded, ...] = ()

    def present(self, round: int) -> tuple[Entrant, ...]:
        return tuple(entrant for entrant in self.entrants if entrant.plays(round))

    def results_before(self, round: int) -> tuple[Result, ...]:
        """Return the results from which a round was paired."""
        then: dict[Key, Result] = {}
        for one in self.superseded:
            if one.until >= round:
                # The first result that still counted then; the others are later.
                then.setdefault(one.key, one.result)
        return tuple(then.get(key(one), one) for one in self.results if one.round < round)

    def original_results(self) -> dict[Key, Result]:
        """Return, for every corrected result, the one with which its round was closed."""
        first: dict[Key, Result] = {}
        for one in self.superseded:
            first.setdefault(one.key, one.result)
        return first

    def correction_numbers(self) -> dict[tuple[int, int, int], int]:
        """Return the number of the last correction by game (round, table, and deal)."""
        return {one.key[:3]: one.number for one in self.superseded}

    def fingerprint(self) -> str:
        """Return the SHA-256, in hex, of the canonical text of the snapshot, which is recorded with the pairing."""
        members = asdict(self)
        members["apart"], members["together"] = sorted(self.apart), sorted(self.together)
        # Members that were added later are left out at their default values, so that earlier fingerprints stay the
        # same. Formats do not see the constraints of other rounds or the results before corrections.
        members["entrants"] = [
            {name: value for name, value in entrant.items() if name != "disqualified" or value}
            for entrant in members["entrants"]
        ]
        members["played"] = [
            {name: value for name, value in pairing.items() if name not in ("by_hand", "going_on") or value}
            for pairing in members["played"]
        ]
        if self.count == TOTAL:
            del members["count"]
        del members["constraints"], members["superseded"]
        if not self.stages:
            del members["stages"]
        if not self.bank:
            del members["bank"]
        text = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


class StandingLine(TypedDict):
    place: int
    entry: int
    totals: list[int]
    games: int
    disqualified: Annotated[bool, "ranked last, without a prize"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A place, shared by all entrants who are equal in every column.

    `totals` are in the order of the columns: the measures, or the tie-breaks of a format that counts points.
    """

    place: int
    entry: int
    totals: tuple[int, ...]
    games: int
    disqualified: bool = False

    def document(self) -> StandingLine:
        return {
            "place": self.place,
            "entry": self.entry,
            "totals": list(self.totals),
            "games": self.games,
            "disqualified": self.disqualified,
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One summand: its round (None: of none in particular), opponents, and amount."""

    what: str
    amount: int
    round: int | None = None
    opponents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A value and its summands."""

    value: int
    parts: tuple[Part, ...] = ()


def added(parts: Iterable[Part]) -> Reckoning:
    members = tuple(parts)
    return Reckoning(sum(part.amount for part in members), members)


class Format(Protocol):
    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def fewest_entrants(self) -> int: ...

    @property
    def fewest_rounds(self) -> int:
        """The fewest rounds that must be requested; 0 if the format computes the number itself."""

    @property
    def counts_points(self) -> bool:
        """Whether its standings consist of tie-breaks that the organizer puts in order."""

    @property
    def knocks_out(self) -> bool: ...

    @property
    def lives(self) -> int:
        """The number of losses that eliminate an entrant; 0: everyone plays or has a bye in every round."""

    @property
    def on_bets(self) -> bool:
        """Whether the entrants bet on a game without seats. All of them are at its one table."""

    @property
    def counts(self) -> Sequence[Count]:
        """The scorings of a shared deal that the organizer may choose."""

    def takes_constraints(self, snapshot: Snapshot) -> bool:
        """Return whether its next round respects pairing constraints (`apart`, `together`)."""

    def takes_manual_pairings(self, snapshot: Snapshot) -> bool:
        """Return whether its next round may be paired manually."""

    def suits(self, seats: Sequence[int]) -> bool:
        """Return whether games with these numbers of seats can be played in this format."""

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Return the number of rounds of a field. `asked` is the request, 0 for the format's own number.

        Raises CannotBeSeated.
        """

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether the closed rounds have decided the tournament early."""

    def algorithm(self, snapshot: Snapshot) -> str:
        """Return `name@version` of the engine. A different version may pair otherwise."""

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Return the pairing of a round. Raises CannotBeSeated."""

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """Return the number `d` of the deal of a table's game (RULEBOOK 1, Fairness)."""

    def sharers(self, *, deal: int, table: int) -> str:
        """Return a text that is equal for all games of a round which share the deal."""

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """Return the columns of the standings in order."""

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]: ...

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        """Return the value and its summands by entry and column."""


class BaseFormat:
    """The defaults of the formats."""

    fewest_entrants = 2
    fewest_rounds = 0
    counts_points = False
    knocks_out = False
    lives = 0
    on_bets = False
    counts: tuple[Count, ...] = (TOTAL,)

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        return asked

    def is_over(self, snapshot: Snapshot) -> bool:
        return False

    def takes_constraints(self, snapshot: Snapshot) -> bool:
        return False

    def takes_manual_pairings(self, snapshot: Snapshot) -> bool:
        return False

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """Return the number of the deal if every table has a separate one."""
        return tables * (game - 1) + table

    def sharers(self, *, deal: int, table: int) -> str:
        return str(deal)


def ranked(
    totals: Sequence[tuple[int, tuple[int, ...], int]], measures: Sequence[Measure]
) -> tuple[Standing, ...]:
    """Rank (entry, totals, games): best first by each measure in turn; equal ones share a place in entry order."""

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


RedealtDeals = Mapping[tuple[int, int, int], int]
"""The deal of a game that was dealt again, by round, table, and number of the game."""


def further_deal(
    form: Format, redealt: RedealtDeals, *, round: int, table: int, tables: int, games: int
) -> int:
    """Return the deal of the next replacement at a table with `games` games by the terms.

    A replacement counts as a further game of its table or, where all tables share their deals, of the round
    (RULEBOOK 1, Fairness).

    >>> from tournaments import formats
    >>> further_deal(formats.get("swiss"), {(1, 2, 1): 8}, round=1, table=2, tables=3, games=2)
    11
    """
    used = {deal for (played, _, _), deal in redealt.items() if played == round}
    game = games + 1
    while (deal := form.deal(tables=tables, game=game, table=table)) in used:
        game += 1
    return deal
