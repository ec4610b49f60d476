"""Workers killed while they open, play, score, close and settle a tournament: it all happens, and once."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from tests.faults.conftest import Place
from tests.installation import PATIENCE

STEPS = ("tournaments.open_round", "tournaments.game_ended", "tournaments.close_round", "tournaments.finish")


def carried_out(place: Place, kind: str) -> int:
    return int(place.sql("SELECT count(*) FROM jobs_job WHERE kind = %s AND done IS NOT NULL", kind)[0][0])


class Log:
    """What the workers have said since the last look."""

    def __init__(self, place: Place) -> None:
        self.file = (place.folder / "worker.log").open()

    def received(self, kinds: list[str]) -> str | None:
        """A kind of which a task has just reached a worker."""
        said = self.file.read()
        return next((kind for kind in kinds if f"Task {kind}[" in said), None)


def play_under_kills(place: Place, *, bots: int, rounds: int, kills: int, seed: int) -> None:
    """Kill the worker, or its pool only, each time it has been handed a step of the tournament."""
    rng = random.Random(seed)
    id = place.stage("tournament", bots=bots, absent=1, rounds=rounds, round_seconds=3)
    worker, ticker = place.start_worker(), place.start_ticker()
    log = Log(place)
    steps = [STEPS[number % len(STEPS)] for number in range(kills)]
    killed = interrupted = 0
    deadline = time.monotonic() + PATIENCE + 10 * kills
    while place.tournament_status() == "running":
        assert time.monotonic() < deadline, place.state_of_affairs()
        if step := log.received(steps):
            steps.remove(step)
            before = carried_out(place, step)
            if interrupted:
                time.sleep(rng.uniform(0, 0.03))
            pool = worker.descendants()
            if pool and rng.random() < 0.5:
                for pid in pool:
                    os.kill(pid, signal.SIGKILL)
            else:
                worker.kill()
                worker = place.start_worker()
            killed += 1
            interrupted += carried_out(place, step) == before
            place.end_leases()
            if not steps and not interrupted:
                steps = list(STEPS)  # every kill came too late: go on until one did not
        assert worker.is_alive(), worker.said()
        assert ticker.is_alive(), ticker.said()
        time.sleep(0.002)
    assert killed, "no step was met at work"
    assert interrupted, "every kill came too late: this run has shown nothing"
    place.stage("examine_tournament", id=id)


@pytest.mark.timeout(400)
def test_a_tournament_survives_a_kill_in_each_of_its_steps(place: Place) -> None:
    play_under_kills(place, bots=3, rounds=2, kills=4, seed=4)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_long_tournament_survives_a_hundred_kills(place: Place) -> None:
    play_under_kills(place, bots=15, rounds=10, kills=100, seed=5)
