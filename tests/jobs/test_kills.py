"""Real workers and a real ticker, killed: every job takes effect exactly once.

On PostgreSQL and Redis: only there a worker has a pool.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installation import ROOT, Installation, Process, installation, is_running, until

pytestmark = [pytest.mark.postgres, pytest.mark.processes]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path, ROOT / "tests" / "jobs" / "manage_effects.py")) as place:
        place.environment["EFFECTS_LOG"] = str(tmp_path / "attempts")
        (tmp_path / "attempts").touch()
        place.migrate()
        yield place


class Attempts:
    def __init__(self, place: Installation) -> None:
        self.path = Path(place.environment["EFFECTS_LOG"])

    def begun(self) -> list[int]:
        return [int(number) for number in self.path.read_text().split()]

    def count(self) -> int:
        return len(self.begun())


def start_worker(place: Installation) -> Process:
    return place.start_worker("--include", "tests.jobs.effects")


def kill_one(rng: random.Random, worker: Process, ticker: Process) -> None:
    """The worker with its pool left to itself, one process of its pool, or the ticker."""
    what = rng.choice(["worker", "worker", "pool", "pool", "ticker"])
    if what == "ticker":
        ticker.kill()
    elif what == "worker" or not (pool := worker.descendants()):
        worker.kill()
    else:
        os.kill(rng.choice(pool), signal.SIGKILL)


def open_jobs(place: Installation) -> int:
    (row,) = place.sql("SELECT count(*) FROM jobs_job WHERE kind = 'test.effect' AND done IS NULL")
    return int(row[0])


def carry_out_under_kills(place: Installation, jobs: int, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    attempts = Attempts(place)
    place.manage("shell", "-c", f"from tests.jobs.effects import prepare; prepare({jobs}, {seed})")
    worker, ticker = start_worker(place), place.start_ticker()
    until(lambda: 0 in attempts.begun(), "the job that takes its time is begun")
    worker.kill()
    worker = start_worker(place)
    for _ in range(kills - 1):
        seen = attempts.count()
        until(lambda seen=seen: attempts.count() > seen or not open_jobs(place), "a job is begun")
        if not open_jobs(place):
            break
        time.sleep(rng.uniform(0, 0.3))
        kill_one(rng, worker, ticker)
        if not worker.is_alive():
            worker = start_worker(place)
        if not ticker.is_alive():
            ticker = place.start_ticker()
    while left := open_jobs(place):
        until(lambda left=left: open_jobs(place) < left, f"one more of {left} jobs is done")
    worker.stop()
    ticker.stop()
    effects = sorted(number for (number,) in place.sql("SELECT number FROM effects"))
    assert effects == list(range(jobs))
    assert attempts.count() > jobs, "no kill met a job at work: this run has shown nothing"
    assert place.sql("SELECT count(*) FROM jobs_job WHERE failed IS NOT NULL") == [(0,)]


@pytest.mark.long
def test_kills_of_a_worker_a_ticker_and_a_stuck_job(place: Installation) -> None:
    """Jobs take effect exactly once, no pool outlives its worker, and no job its lease."""
    attempts = Attempts(place)
    place.manage("shell", "-c", "from tests.jobs.effects import prepare; prepare(4, 20)")
    worker, ticker = start_worker(place), place.start_ticker()
    until(lambda: 0 in attempts.begun(), "the job that takes its time is begun")
    pool = worker.descendants()
    assert len(pool) >= 2
    worker.kill()
    ticker.kill()
    until(lambda: not any(is_running(pid) for pid in pool), "the pool has ended")
    worker = start_worker(place)
    place.start_ticker()
    until(lambda: not open_jobs(place), "all jobs are done")
    assert sorted(place.sql("SELECT number FROM effects")) == [(0,), (1,), (2,), (3,)]
    assert attempts.begun().count(0) > 1, "the kill met no job at work"
    assert place.sql("SELECT count(*) FROM jobs_job WHERE failed IS NOT NULL") == [(0,)]
    place.manage("shell", "-c", "from tests.jobs.effects import get_stuck; get_stuck()")
    until(lambda: "Hard time limit (1s) exceeded" in worker.said(), "the pool process is killed")


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_60_jobs_take_effect_exactly_once_under_40_kills(place: Installation) -> None:
    """Kills of the worker, of its pool and of the ticker at random moments, where the short test has one of each."""
    carry_out_under_kills(place, jobs=60, kills=40, seed=21)
