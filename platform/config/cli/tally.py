"""What games add up to: over all of them, and for each seat's bot. Sums are whole numbers, so parts add up exactly."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table as Grid

from games.rules.table import Table

SCORES = {"scores": "score", "hands": "cards left"}
"""Lists of an outcome with a number for each seat, and what the number is."""
NAMES = ("ender",)
"""Numbers of an outcome that name a seat: to be counted, not averaged."""


class Figure:
    """Mean, spread and range of whole numbers that are not kept."""

    def __init__(self) -> None:
        self.count = self._sum = self._squares = 0
        self.low: int | None = None
        self.high: int | None = None

    def add(self, value: int) -> None:
        self.count += 1
        self._sum += value
        self._squares += value * value
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    def merge(self, other: Figure) -> None:
        self.count += other.count
        self._sum += other._sum
        self._squares += other._squares
        self.low = min((each for each in (self.low, other.low) if each is not None), default=None)
        self.high = max((each for each in (self.high, other.high) if each is not None), default=None)

    @property
    def mean(self) -> float:
        return self._sum / self.count if self.count else 0.0

    @property
    def deviation(self) -> float:
        if self.count < 2:
            return 0.0
        return math.sqrt((self.count * self._squares - self._sum**2) / (self.count * (self.count - 1)))

    def document(self) -> dict[str, Any]:
        return {"mean": self.mean, "deviation": self.deviation, "least": self.low, "most": self.high}


class Tally:
    """A figure for every number of an outcome, a count for everything else in it, and both for each place at the table.

    `players` names the bot of each seat.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self.players = tuple(players)
        self.games = 0
        self.figures: dict[str, Figure] = {}
        self.counts: dict[str, Counter[str]] = {}
        self.seats: dict[int, Standing] = {}

    def add(self, table: Table) -> None:
        self.games += 1
        self._figure("events", table.version)
        self._figure("moves", table.moves)
        outcome = table.outcome or {}
        for name, value in _leaves(outcome, ""):
            if type(value) is int and name not in NAMES:
                self._figure(name, value)
            else:
                self.counts.setdefault(name, Counter())[json.dumps(value).strip('"')] += 1
        if "places" in outcome:
            self._places(outcome)

    def merge(self, other: Tally) -> None:
        self.games += other.games
        for name, figure in other.figures.items():
            self.figures.setdefault(name, Figure()).merge(figure)
        for name, counter in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counter)
        for seat, standing in other.seats.items():
            self.seats.setdefault(seat, Standing()).merge(standing)

    def _figure(self, name: str, value: int) -> None:
        self.figures.setdefault(name, Figure()).add(value)

    def _places(self, outcome: dict[str, Any]) -> None:
        before = 0
        for sharing in outcome["places"]:
            for seat in sharing:
                standing = self.seats.setdefault(seat, Standing())
                standing.add(before + 1, alone=len(sharing) == 1)
                for key, name in SCORES.items():
                    if key in outcome:
                        standing.figures.setdefault(name, Figure()).add(outcome[key][seat])
            before += len(sharing)

    def by_bot(self) -> dict[str, Standing]:
        """What each bot did in all the seats that it had."""
        found: dict[str, Standing] = {}
        for seat, standing in sorted(self.seats.items()):
            found.setdefault(self.players[seat], Standing()).merge(standing)
        return found

    def grids(self, title: str) -> Iterator[Grid]:
        yield self._games_grid(title)
        if self.seats:
            rows = {f"{seat} {self.players[seat]}": self.seats[seat] for seat in sorted(self.seats)}
            by_bot = self.by_bot()
            if 1 < len(by_bot) < len(rows):
                rows |= {f"all {name}": standing for name, standing in by_bot.items()}
            yield _seats_grid(rows)

    def _games_grid(self, title: str) -> Grid:
        grid = Grid("what", "mean", "deviation", "least", "most", title=title)
        for name, figure in self.figures.items():
            grid.add_row(
                name, f"{figure.mean:.3f}", f"{figure.deviation:.3f}", f"{figure.low}", f"{figure.high}"
            )
        for name, counter in self.counts.items():
            for value, count in sorted(counter.items()):
                grid.add_row(f"{name} = {value}", f"{count / self.games:.2%}", "", "", f"{count}")
        return grid

    def document(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "figures": {name: figure.document() for name, figure in self.figures.items()},
            "counts": {name: dict(sorted(counter.items())) for name, counter in self.counts.items()},
            "seats": [
                {"seat": seat, "bot": self.players[seat], **self.seats[seat].document()}
                for seat in sorted(self.seats)
            ],
            "bots": {name: standing.document() for name, standing in self.by_bot().items()},
        }


class Standing:
    """How somebody came out of the games they sat in."""

    def __init__(self) -> None:
        self.games = self.firsts = self.shared = 0
        self.place = Figure()
        self.figures: dict[str, Figure] = {}

    def add(self, place: int, *, alone: bool) -> None:
        self.games += 1
        self.firsts += place == 1
        self.shared += place == 1 and not alone
        self.place.add(place)

    def merge(self, other: Standing) -> None:
        self.games += other.games
        self.firsts += other.firsts
        self.shared += other.shared
        self.place.merge(other.place)
        for name, figure in other.figures.items():
            self.figures.setdefault(name, Figure()).merge(figure)

    def document(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "first": self.firsts,
            "first_shared": self.shared,
            "place": self.place.document(),
            **{name.replace(" ", "_"): figure.document() for name, figure in self.figures.items()},
        }


def _seats_grid(rows: dict[str, Standing]) -> Grid:
    names = list(next(iter(rows.values())).figures)
    columns = [each for name in names for each in (f"{name}, mean", "deviation")]
    grid = Grid("seat", "first", "shared", "place, mean", *columns)
    for who, standing in rows.items():
        scores = [
            text
            for name in names
            for text in (f"{standing.figures[name].mean:.3f}", f"{standing.figures[name].deviation:.3f}")
        ]
        grid.add_row(
            who,
            f"{standing.firsts / standing.games:.2%}",
            f"{standing.shared}",
            f"{standing.place.mean:.3f}",
            *scores,
        )
    return grid


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    """The plain values of an outcome, by dotted name; lists are left out: what is a seat's is told by seat."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    elif not isinstance(value, list):
        yield name, value
