"""A simulation of an evening: people move, read, and watch, and requests wait for processes, processors, and the disk.

Discrete events on a heap. A request takes a web process, then a processor of the database; a write then waits for the
next flush of the log, which takes everyone along who waits for it. An event is sent to its readers by a process for
streams, after which they read the table again. Service times are exponential with the measured means, arrivals are
Poisson. Seeded: the same arguments give the same result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random

from tools.scaling.capacity import demand
from tools.scaling.figures import Assumptions, Costs

Then = Callable[[], None]
WARM = 0.2
"""The share of the time at the beginning that is not counted."""


class Clock:
    """The time in seconds, and what happens later."""

    def __init__(self) -> None:
        self.now = 0.0
        self._later: list[tuple[float, int, Then]] = []
        self._numbers = count()

    def after(self, seconds: float, then: Then) -> None:
        heappush(self._later, (self.now + seconds, next(self._numbers), then))

    def run(self, until: float) -> None:
        while self._later and self._later[0][0] <= until:
            self.now, _, then = heappop(self._later)
            then()


class Station:
    """A number of equal servers with one queue, first come, first served."""

    def __init__(self, clock: Clock, servers: int) -> None:
        self._clock, self._free = clock, servers
        self._queue: deque[tuple[float, Then]] = deque()
        self.busy = 0.0
        """Seconds of service so far, of all servers together."""

    def enter(self, service: float, then: Then) -> None:
        if self._free:
            self._free -= 1
            self._serve(service, then)
        else:
            self._queue.append((service, then))

    def _serve(self, service: float, then: Then) -> None:
        self.busy += service
        self._clock.after(service, lambda: self._leave(then))

    def _leave(self, then: Then) -> None:
        if self._queue:
            self._serve(*self._queue.popleft())
        else:
            self._free += 1
        then()


class Log:
    """Group commit: one flush at a time, which takes along all who were waiting when it began."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._waiting: list[Then] = []
        self._flushing = False
        self.flushes = 0

    def enter(self, then: Then) -> None:
        self._waiting.append(then)
        if not self._flushing:
            self._flush()

    def _flush(self) -> None:
        self._flushing, carried = True, self._waiting
        self._waiting = []
        self.flushes += 1
        self._clock.after(self._seconds, lambda: self._flushed(carried))

    def _flushed(self, carried: list[Then]) -> None:
        self._flushing = False
        if self._waiting:
            self._flush()
        for then in carried:
            then()


@dataclass(frozen=True, slots=True)
class Hosts:
    """What one installation runs on: numbers of processes, processors of the database, and seconds of a flush."""

    web: int
    streams: int
    database: int
    flush: float


@dataclass(frozen=True, slots=True)
class Result:
    """What was simulated. Milliseconds of moves, shares of the busy time, and rates a second."""

    p50_ms: float
    p99_ms: float
    moves: float
    requests: float
    flushes: float
    web: float
    database: float
    streams: float


def simulate(
    costs: Costs, given: Assumptions, hosts: Hosts, *, share: float, seconds: float, seed: int
) -> Result:
    """Simulate one installation for some seconds. `share`: of the whole demand at the peak, which comes to it."""
    return Evening(costs, given, hosts, share, Random(seed)).run(seconds)  # noqa: S311


class Evening:
    def __init__(self, costs: Costs, given: Assumptions, hosts: Hosts, share: float, chance: Random) -> None:
        self._costs, self._hosts, self._chance = costs, hosts, chance
        self._clock = Clock()
        self._web = Station(self._clock, hosts.web)
        self._database = Station(self._clock, hosts.database)
        self._streams = Station(self._clock, hosts.streams)
        self._log = Log(self._clock, hosts.flush)
        self._took: list[float] = []
        self._requests = 0
        self._from = 0.0
        self._begin(given, share)

    def run(self, seconds: float) -> Result:
        self._from = WARM * seconds
        self._clock.run(self._from)
        before = (self._web.busy, self._database.busy, self._streams.busy, self._requests, self._log.flushes)
        self._took.clear()
        self._clock.run(seconds)
        span = seconds - self._from
        took, hosts = sorted(self._took), self._hosts
        return Result(
            p50_ms=_percentile(took, 0.5),
            p99_ms=_percentile(took, 0.99),
            moves=len(took) / span,
            requests=(self._requests - before[3]) / span,
            flushes=(self._log.flushes - before[4]) / span,
            web=(self._web.busy - before[0]) / span / hosts.web,
            database=(self._database.busy - before[1]) / span / hosts.database,
            streams=(self._streams.busy - before[2]) / span / hosts.streams,
        )

    def _begin(self, given: Assumptions, share: float) -> None:
        site = given.site
        asked = demand(given)
        for game in given.games.values():
            made = site.people * site.playing * game.share * game.moves_a_second * share
            self._repeat(made, self._move(game.readers, game.people + game.watchers, game.others))
        self._repeat((asked.reads - _reads_of_events(given)) * share, self._read)
        self._repeat((asked.bets + 2 * asked.staked) * share, self._write)

    def _repeat(self, rate: float, happens: Then) -> None:
        """Let something happen as a Poisson process with so many a second."""
        if rate <= 0:
            return

        def arrive() -> None:
            self._clock.after(self._chance.expovariate(rate), arrive)
            happens()

        self._clock.after(self._chance.expovariate(rate), arrive)

    def _move(self, readers: float, audience: float, others: float) -> Then:
        def happens() -> None:
            began = self._clock.now

            def answered() -> None:
                self._took.append(self._clock.now - began)
                self._event(readers, audience)
                for _ in range(self._number(others)):
                    self._database.enter(
                        self._drawn(self._costs.database_ms),
                        lambda: self._log.enter(lambda: self._event(readers, audience)),
                    )

            self._request(lambda: self._log.enter(answered))

        return happens

    def _event(self, readers: float, audience: float) -> None:
        """Send an event to its audience. Those who did not cause it read the table."""

        def sent() -> None:
            for _ in range(self._number(readers)):
                self._clock.after(self._chance.uniform(0, 0.1), self._read)

        self._database.enter(
            self._drawn(self._costs.database_ms * audience),
            lambda: self._streams.enter(self._drawn(self._costs.delivery_ms * audience), sent),
        )

    def _request(self, then: Then) -> None:
        self._requests += 1
        self._web.enter(
            self._drawn(self._costs.web_ms),
            lambda: self._database.enter(self._drawn(self._costs.database_ms), then),
        )

    def _read(self) -> None:
        self._request(_nothing)

    def _write(self) -> None:
        self._request(lambda: self._log.enter(_nothing))

    def _drawn(self, mean_ms: float) -> float:
        return self._chance.expovariate(1000 / mean_ms) if mean_ms else 0.0

    def _number(self, mean: float) -> int:
        """Return a whole number with this mean: the one below it or above it."""
        whole = int(mean)
        return whole + (self._chance.random() < mean - whole)


def _nothing() -> None:
    pass


def _reads_of_events(given: Assumptions) -> float:
    """Return the reads a second that follow from events, which the simulation makes by itself."""
    site = given.site
    return sum(
        site.people * site.playing * game.share * game.moves_a_second * (1 + game.others) * game.readers
        for game in given.games.values()
    )


def _percentile(ordered: list[float], share: float) -> float:
    """Return a percentile in milliseconds; 0 of nothing."""
    return 1000 * ordered[round(share * (len(ordered) - 1))] if ordered else 0.0
