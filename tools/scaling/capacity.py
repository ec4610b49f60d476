"""What one primary carries, and what ends first: arithmetic on measured costs, assumptions, and figures of a host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from tools.scaling.figures import Assumptions, Costs, Hardware

SECONDS_AN_HOUR = 3600
READS_A_PAGE = 3
"""The requests of a page, as in `bench load`."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What people ask of an installation at the peak, each a second."""

    moves: float
    events: float
    reads: float
    deliveries: float
    """Events that are sent to a reader."""
    streams: float
    """Open event streams (a number, not a rate)."""
    bets: float
    staked: float
    """Games for money that begin."""

    @property
    def requests(self) -> float:
        return self.moves + self.reads + self.bets

    @property
    def queries(self) -> float:
        """What asks the database: requests, and events that are sent to a reader."""
        return self.requests + self.deliveries


def demand(given: Assumptions) -> Demand:
    """Return what the people online at the peak ask for."""
    site = given.site
    players = site.people * site.playing
    moves = events = again = delivered = begun = bets = 0.0
    for rules, game in given.games.items():
        made = players * game.share * game.moves_a_second
        moves += made
        events += made * (1 + game.others)
        again += made * (1 + game.others) * game.readers
        delivered += made * (1 + game.others) * (game.people + game.watchers)
        games = made / (game.moves * game.people)
        begun += games
        if rules == "racing-aces":
            bets += games * game.watchers * given.money.bets_a_watcher
    pages = site.people * site.reads_a_minute / 60 * READS_A_PAGE
    opening = begun * 4  # open, take a seat, start, read
    staked = begun * given.money.staked / (1 + site.guests)
    return Demand(moves, events, again + pages + opening, delivered, 2 * site.people, bets, staked)


@dataclass(frozen=True, slots=True)
class Limits:
    """The moves a second at which each resource of a primary ends."""

    processor: float
    flushes: float
    log: float
    connections: float

    def first(self) -> tuple[str, float]:
        """Return what ends first, and at how many moves a second."""
        found = {name: float(getattr(self, name)) for name in self.__slots__}
        name = min(found, key=lambda each: found[each])
        return name, found[name]


def limits(costs: Costs, hardware: Hardware, given: Assumptions, *, alone: bool = True) -> Limits:
    """Return the limits of a primary that has a host for itself, or of a whole installation on one host.

    What people ask for besides moves is that of the assumed evening; its cost is what was measured.
    """
    asked = demand(given)
    requests, events = asked.requests / asked.moves, asked.events / asked.moves
    measured = costs.requests_a_move + costs.deliveries_a_move
    transactions = costs.transactions_a_move / measured * asked.queries / asked.moves
    processes = given.engine.connections / given.engine.connections_a_process
    return Limits(
        processor=1000 * given.engine.cores(hardware.cores) / processor_ms(costs, asked, alone=alone),
        flushes=given.engine.committing * 1000 / hardware.flush_ms / transactions,
        log=hardware.log_mb * 1e6 / (costs.log_bytes * events),
        connections=processes * 1000 * given.engine.busiest / (costs.web_ms * requests),
    )


def processor_ms(costs: Costs, asked: Demand, *, alone: bool) -> float:
    """Return the processor time of a move with what goes with it: of the database alone, or of all processes."""
    in_database = costs.database_ms * asked.queries
    if alone:
        return in_database / asked.moves
    elsewhere = (costs.web_ms + costs.broker_ms) * asked.requests + costs.delivery_ms * asked.deliveries
    return (in_database + elsewhere) / asked.moves + costs.worker_ms


def writes_of_a_row(costs: Costs, hardware: Hardware) -> float:
    """Return the writes a second to one row, which wait for each other's flush: a table, an escrow, a bank."""
    return 1000 / (hardware.flush_ms + costs.database_ms)


def people_of(moves: float, given: Assumptions) -> float:
    """Return the people online who make that many moves a second."""
    return given.site.people * moves / demand(given).moves


def stored_a_year(costs: Costs, given: Assumptions) -> float:
    """Return the bytes by which the database grows in a year, before the archive takes anything away."""
    hours = given.site.peak_hours_a_day * given.site.days_a_year
    return demand(given).events * costs.stored_bytes * SECONDS_AN_HOUR * hours


@dataclass(frozen=True, slots=True)
class Fleet:
    """The processes that a demand needs, and the cores' worth of work of the database."""

    web: int
    streams: int
    workers: int
    database_cores: float


def fleet(costs: Costs, given: Assumptions, sites: int = 1, least: int = 2) -> Fleet:
    """Return what each of so many equal installations needs at the peak, with the margin.

    `least` is the smallest number of processes of a kind: 2 where one may end without being missed.
    """
    asked, margin = demand(given), given.engine.margin / (1000 * given.engine.busiest * sites)
    return Fleet(
        web=max(least, ceil(asked.requests * costs.web_ms * margin)),
        streams=max(least, ceil(asked.deliveries * costs.delivery_ms * margin)),
        workers=max(least, ceil(asked.moves * costs.worker_ms * margin)),
        database_cores=asked.queries * costs.database_ms / 1000 / sites,
    )


def tornado(costs: Costs, given: Assumptions) -> Mapping[str, tuple[float, float]]:
    """Return the database cores that the peak needs with each assumption halved and doubled, the others as they are."""
    from tools.scaling.changes import CHANGES

    return {
        name: (
            fleet(costs, change(given, 0.5)).database_cores,
            fleet(costs, change(given, 2.0)).database_cores,
        )
        for name, change in CHANGES.items()
    }


@dataclass(frozen=True, slots=True)
class Size:
    """What a number of accounts needs at the peak."""

    asked: Demand
    sites: int
    primary: str
    """The key of its hardware."""
    is_one_host: bool
    fleet: Fleet
    hosts: int
    """Hosts of a site besides the primary and its standbys, of the kind HOST."""
    standbys: int

    def price(self, given: Assumptions) -> tuple[int, int]:
        """Return the lowest and the highest price in EUR a month, of all sites."""
        each, other = given.hardware[self.primary].price, given.hardware[HOST].price
        low, high = (
            self.sites * ((1 + self.standbys) * each[end] + self.hosts * other[end]) for end in (0, 1)
        )
        return low, high


HOST = "medium"
"""The kind of host on which web, stream, and worker processes run where the primary has a host for itself."""
AT_HOME = 500
"""The accounts up to which a host may be one that is not always on, the first of the assumptions."""
HELPERS = 1
"""Hosts of a site for Redis, HAProxy, and tickers."""


def size_for(costs: Costs, given: Assumptions, largest: str) -> Size:
    """Return the smallest size for the accounts: one host, a primary with hosts around it, or several sites.

    `largest` is the key of the largest hardware to use.
    """
    asked = demand(given)
    kinds = list(given.hardware)
    kinds = kinds[given.site.accounts > AT_HOME : kinds.index(largest) + 1]
    for kind in kinds:
        if limits(costs, given.hardware[kind], given, alone=False).processor >= asked.moves:
            return Size(asked, 1, kind, True, fleet(costs, given, least=1), 0, 0)
    carried = {kind: limits(costs, given.hardware[kind], given).processor for kind in kinds}
    primary = next((kind for kind in kinds if carried[kind] >= asked.moves), largest)
    sites = ceil(asked.moves / carried[primary])
    each = fleet(costs, given, sites)
    processes = each.web + each.streams + each.workers
    hosts = ceil(processes / given.hardware[HOST].cores) + HELPERS
    return Size(asked, sites, primary, False, each, hosts, 2)
