"""Workers killed while they open, play, score, close and settle a tournament and its bets: it all happens, and once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest

from tests.faults.conftest import Place
from tests.installation import PATIENCE

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

STEPS = (
    "tournaments.open_round",
    "tournaments.game_ended",
    "tournaments.close_round",
    "tournaments.finish",
    "ledger.settle_market",
)


def jobs_done(place: Place, kind: str) -> int:
    return int(place.sql("SELECT count(*) FROM jobs_job WHERE kind = %s AND done IS NOT NULL", kind)[0][0])


MANY = 510
"""Enough bets that a separate job pays them."""


class Log:
    """What the workers have said since the last look."""

    def __init__(self, place: Place) -> None:
        self.file = (place.folder / "worker.log").open()

    def received(self) -> list[str]:
        """The steps of which a task has just reached a worker."""
        said = self.file.read()
        return [step for step in STEPS if f"Task {step}[" in said]


def rounds_closed(place: Place) -> int:
    return int(place.sql("SELECT count(*) FROM tournaments_round WHERE state = 'closed'")[0][0])


def under_way(place: Place) -> bool:
    unsettled = place.sql("SELECT count(*) FROM ledger_market WHERE ended_at IS NULL")
    return place.tournament_status() == "running" or bool(unsettled[0][0])


def play_under_kills(
    place: Place, *, bots: int, rounds: int, each: int, seed: int, bets: int
) -> Counter[str]:
    """Kill the worker, or its pool only, when it has been handed a step: each step of a round so many times.

    A job is given up that loses its worker in each of its 8 attempts: so a round must see fewer kills than that. Says
    how many kills met which step.
    """
    rng = random.Random(seed)
    id = place.stage("tournament", bots=bots, absent=2, rounds=rounds, round_seconds=3, bets=bets)
    worker, ticker = place.start_worker(), place.start_ticker()
    log = Log(place)
    kills: Counter[tuple[str, int]] = Counter()
    interrupted = 0
    deadline = time.monotonic() + PATIENCE + 60 * rounds * each
    while under_way(place):
        assert time.monotonic() < deadline, place.state_of_affairs()
        met = [(step, rounds_closed(place)) for step in log.received()]
        if victim := next((one for one in met if kills[one] < each), None):
            before = jobs_done(place, victim[0])
            if interrupted:
                time.sleep(rng.uniform(0, 0.03))
            pool = worker.descendants()
            if pool and rng.random() < 0.5:
                for pid in pool:
                    os.kill(pid, signal.SIGKILL)
            else:
                worker.kill()
                worker = place.start_worker()
            kills[victim] += 1
            interrupted += jobs_done(place, victim[0]) == before
            place.end_leases()
        assert worker.is_alive(), worker.said()
        assert ticker.is_alive(), ticker.said()
        time.sleep(0.002)
    assert interrupted, "every kill came too late: this run has shown nothing"
    place.stage("examine_tournament", id=id)
    place.stage("examine_bets", bets=bets)
    return sum((Counter({step: count}) for (step, _), count in kills.items()), Counter())


@pytest.mark.long
@pytest.mark.timeout(400)
def test_a_tournament_survives_a_kill_in_each_of_its_steps(place: Place) -> None:
    assert len(play_under_kills(place, bots=2, rounds=2, each=1, seed=4, bets=9)) >= 3


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_long_tournament_survives_dozens_of_kills(place: Place) -> None:
    """Every step of 7 rounds is killed twice, and a separate job pays the bets."""
    assert play_under_kills(place, bots=15, rounds=7, each=2, seed=5, bets=MANY).total() >= 35
