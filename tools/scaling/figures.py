"""The figures of the scaling model: assumptions, and what `bench load` measured. Both are TOML files next to this."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ASSUMPTIONS = HERE / "assumptions.toml"
MEASURED = HERE / "measured.toml"


@dataclass(frozen=True, slots=True)
class Site:
    accounts: int
    online: float
    guests: float
    playing: float
    reads_a_minute: float
    reconnects_a_minute: float
    days_a_year: int
    peak_hours_a_day: float

    @property
    def people(self) -> float:
        """People online at the peak, guests included."""
        return self.accounts * self.online * (1 + self.guests)


@dataclass(frozen=True, slots=True)
class Game:
    """A kind of game: its share of the people who play, their times of thinking, and the size of a game."""

    share: float
    think: float
    """The median of the seconds before a move."""
    spread: float
    """The standard deviation of the logarithm of these seconds."""
    people: int
    """Seats with people at a table."""
    turns: bool
    """Whether the seats of a table move by turns. Otherwise all move at the same time."""
    moves: float
    """Moves of a person in a game."""
    watchers: float
    """People who watch a table."""
    others: float
    """Events that the server adds for each move of a person."""

    @property
    def moves_a_second(self) -> float:
        """Moves of one person who plays."""
        seconds = self.think * exp(self.spread**2 / 2)
        return 1 / (seconds * self.people if self.turns else seconds)

    @property
    def readers(self) -> float:
        """Those who read the table again after an event: everyone there except who caused it."""
        return self.people - 1 + self.watchers


@dataclass(frozen=True, slots=True)
class Money:
    staked: float
    bets_a_watcher: float


@dataclass(frozen=True, slots=True)
class Tournaments:
    players: float
    entrants: int
    rounds: int
    round_minutes: float


@dataclass(frozen=True, slots=True)
class Evening:
    start: float
    """The hour of the first share."""
    shares: Sequence[float]
    """The share of the peak at each half hour."""


@dataclass(frozen=True, slots=True)
class Engine:
    busiest: float
    scaling: float
    committing: int
    connections: int
    connections_a_process: int
    late_ms: float
    margin: float

    def cores(self, number: int) -> float:
        """Return the cores' worth of work that may be done on a host with that many."""
        return float(self.busiest * number**self.scaling)


@dataclass(frozen=True, slots=True)
class Hardware:
    title: str
    cores: int
    memory_gib: int
    flush_ms: float
    log_mb: float
    disk_gb: float
    price: Sequence[int]
    """The lowest and the highest price in EUR a month."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    date: str
    site: Site
    games: Mapping[str, Game]
    money: Money
    tournaments: Tournaments
    evening: Evening
    engine: Engine
    hardware: Mapping[str, Hardware]

    def with_accounts(self, accounts: int) -> Assumptions:
        return replace(self, site=replace(self.site, accounts=accounts))


def assumptions(path: Path = ASSUMPTIONS) -> Assumptions:
    """Read the assumptions. Raises KeyError or TypeError if one is missing or unknown."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    return Assumptions(
        date=read["date"],
        site=Site(**read["site"]),
        games={name: Game(**table) for name, table in read["games"].items()},
        money=Money(**read["money"]),
        tournaments=Tournaments(**read["tournaments"]),
        evening=Evening(read["evening"]["from"], read["evening"]["shares"]),
        engine=Engine(**read["engine"]),
        hardware={name: Hardware(**table) for name, table in read["hardware"].items()},
    )


@dataclass(frozen=True, slots=True)
class Costs:
    """What requests, events, and deliveries cost, measured at the knee of `bench load`. Milliseconds of a processor."""

    web_ms: float
    """Of a request of any kind."""
    database_ms: float
    """Of a request, or of an event that is sent to one reader, in PostgreSQL: both ask it."""
    broker_ms: float
    """Of a request, in Redis."""
    delivery_ms: float
    """Of an event that is sent to one reader."""
    worker_ms: float
    """Of a move, in worker and ticker: the jobs that follow from it."""
    requests_a_move: float
    events_a_move: float
    deliveries_a_move: float
    statements_a_move: float
    transactions_a_move: float
    flushes_a_transaction: float
    log_bytes: float
    """Of the write-ahead log, for an event and all that is written with it."""
    stored_bytes: float
    """Of the database, for an event and all that is stored with it, indexes included."""


def measured(path: Path = MEASURED) -> dict[str, Any]:
    """Read what was measured."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def costs(path: Path = MEASURED) -> Costs:
    return Costs(**measured(path)["costs"])
