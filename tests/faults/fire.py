"""An event under fire: its processes and servers are killed at points of its progress that a seed has chosen."""

from __future__ import annotations

import os
import random
import signal
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.conftest import Place
from tests.installation import ROOT, until
from tools.services import Postgres, Valkey

EVENTS = ROOT / "tests" / "faults" / "stage_events.py"
LONGEST = 3000.0
"""Seconds that a whole event may take."""


@dataclass
class Toll:
    """How often each was killed, and the seconds from each return until the event continued."""

    kills: Counter[str] = field(default_factory=Counter)
    stood_still: list[tuple[str, float]] = field(default_factory=list)

    def __iadd__(self, other: Toll) -> Toll:
        self.kills.update(other.kills)
        self.stood_still += other.stood_still
        return self

    @property
    def longest(self) -> tuple[str, float]:
        return max(self.stood_still, key=lambda one: one[1], default=("", 0.0))


class Fire:
    """`servers`, where there are any, are the place's own: they are killed too."""

    def __init__(self, place: Place, servers: tuple[Postgres, Valkey] | None = None) -> None:
        self.place = place
        self.worker = place.start_worker()
        self.ticker = place.start_ticker()
        self.web = place.start_web() if servers else None
        self.toll = Toll()
        self.killers: dict[str, Callable[[], None]] = {
            "worker": self.kill_worker,
            "pool": self.kill_pool,
            "ticker": self.kill_ticker,
        }
        if servers:
            self.postgres, self.valkey = servers
            self.killers |= {
                "web": self.kill_web,
                "broker": self.kill_broker,
                "database": self.kill_database,
            }

    # --- who is killed, and comes back ---

    def kill_worker(self) -> None:
        self.worker.kill()
        self.start_worker()

    def kill_pool(self) -> None:
        """All processes of the pool; their worker makes new ones. Without a pool there is the worker alone."""
        pool = self.worker.descendants()
        if not pool:
            return self.kill_worker()
        for pid in pool:
            os.kill(pid, signal.SIGKILL)
        return None

    def start_worker(self) -> None:
        said = len(self.worker.said())
        self.worker = self.place.start_worker()
        until(lambda: " ready." in self.worker.said()[said:], "the worker is ready")

    def tend(self) -> None:
        """Restart processes that ended because their servers were gone, as the supervisor does."""
        if not self.worker.is_alive():
            self.worker = self.place.start_worker()
        if not self.ticker.is_alive():
            self.ticker = self.place.start_ticker()

    def kill_ticker(self) -> None:
        self.ticker.kill()
        said = len(self.ticker.said())
        self.ticker = self.place.start_ticker()
        until(lambda: "ticking" in self.ticker.said()[said:], "the ticker ticks")

    def kill_web(self) -> None:
        assert self.web is not None
        self.web.kill()
        self.web = self.place.start_web()
        until(self._is_served, "the web process answers")

    def _is_served(self) -> bool:
        """The public list of tournaments, from the database."""
        try:
            with urllib.request.urlopen(f"{self.place.address}/api/v1/tournaments/", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill_broker(self) -> None:
        self.valkey.kill()
        self.valkey.start()

    def kill_database(self) -> None:
        self.postgres.kill()
        self.postgres.start()

    # --- the event ---

    def stored(self) -> int:
        """Events of all games so far; 0 while the database does not answer."""
        try:
            event = self.place.sql(
                "SELECT coalesce(sum(version), 0) FROM eventstore_stream WHERE kind = 'game'"
            )
        except psycopg.Error:
            return 0
        return int(event[0][0])

    def is_over(self) -> bool:
        self.tend()
        return self.place.tournament_status() != "running"

    def rage(self, *, kills: int, events: int, seed: int) -> Toll:
        """Let the event that is under way come to its end, with so many kills before game event number `events`."""
        rng = random.Random(seed)
        points = sorted(rng.randrange(events) for _ in range(kills))
        for point in points:
            victim = rng.choice(sorted(self.killers))
            until(lambda point=point: self.stored() >= point or self.is_over(), f"event {point}", LONGEST)  # type: ignore[misc]
            if self.is_over():
                break
            time.sleep(rng.uniform(0, 0.05))
            self.killers[victim]()
            self.toll.kills[victim] += 1
            self._await_progress(victim)
        until(self.is_over, f"the end: {self.place.state_of_affairs()[-4000:]}", LONGEST)
        for process in (self.worker, self.ticker):
            assert process.is_alive(), process.said()[-4000:]
        return self.toll

    def _await_progress(self, victim: str) -> None:
        """Waiting for a scheduled time is not counted; counting starts when a job is due."""
        back, before = time.monotonic(), self._done()

        def has_continued() -> bool:
            nonlocal back
            if self._done() != before or self.is_over():
                return True
            if not self._is_due():
                back = time.monotonic()
            return False

        until(has_continued, f"something happens after the {victim}'s return")
        self.toll.stood_still.append((victim, time.monotonic() - back))

    def _is_due(self) -> bool:
        due = "SELECT count(*) FROM jobs_job WHERE done IS NULL AND due <= %s"
        return bool(self.place.sql(due, self._now())[0][0])

    def _now(self) -> datetime | str:
        """As the database keeps times: SQLite, in text."""
        now = datetime.now(UTC)
        return now if self.place.database else f"{now:%Y-%m-%d %H:%M:%S.%f}"

    def _done(self) -> tuple[int, ...]:
        """All that a step of the event changes."""
        jobs = "SELECT count(*) FROM jobs_job WHERE done IS NOT NULL"
        seated = "SELECT count(seated_at), count(dealt_at), count(ended_at) FROM tournaments_tablegame"
        return (self.stored(), *self.place.sql(jobs)[0], *self.place.sql(seated)[0])


def undisturbed(place: Place, folder: Path, **event: Any) -> Any:
    """The same event in an embedded installation without kills."""
    environment = {
        key: value for key, value in place.environment.items() if key not in ("DATABASE_URL", "REDIS_URL")
    }
    environment["RACECARD_DATA"] = str(folder)
    return place.staged(EVENTS, "undisturbed", environment, **event)


def survive(
    place: Place, *, kills: int, seed: int, servers: tuple[Postgres, Valkey] | None = None, **event: Any
) -> Toll:
    """Hold an event under fire and compare all that it was with the same event undisturbed."""
    event = {"seed": f"fire {seed}", **event}
    expected = undisturbed(place, place.folder / "undisturbed", **event)
    id = place.staged(EVENTS, "begin", place.environment, **event)
    fire = Fire(place, servers)
    toll = fire.rage(kills=kills, events=expected["stored"], seed=seed)
    found = place.staged(EVENTS, "examine", place.environment, id=id)
    for part in ("events", "money", "games"):
        assert found[part] == expected[part], f"{part} went another way than undisturbed"
    return toll
