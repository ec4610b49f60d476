"""Workers killed while they play for absent seats: every deal ends once, and no match continues without players."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from tests.faults.conftest import Place
from tests.installation import PATIENCE

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

GAME_LIMIT = 60


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("kills", "matches"), [(1, 3), pytest.param(10, 24, marks=pytest.mark.soak, id="ten kills")]
)
def test_limits_are_kept_once_under_kills(place: Place, kills: int, matches: int) -> None:
    killed = 0
    place.stage("matches_left_alone", number=matches, game_limit=GAME_LIMIT)
    rng = random.Random(1)
    worker, ticker = place.start_worker(), place.start_ticker()
    said = (place.folder / "worker.log").open()
    deadline = time.monotonic() + PATIENCE + 10 * kills

    def running() -> int:
        found = place.sql("SELECT count(*) FROM games_match WHERE status = 'running'")
        return int(found[0][0])

    while running():
        assert time.monotonic() < deadline, place.state_of_affairs()
        if killed < kills and "Task games.clock[" in said.read():
            time.sleep(rng.uniform(0, 0.2))
            pool = worker.descendants()
            if pool and rng.random() < 0.5:
                for pid in pool:
                    os.kill(pid, signal.SIGKILL)
            else:
                worker.kill()
                worker = place.start_worker()
            killed += 1
            place.end_leases()
        assert worker.is_alive(), worker.said()
        assert ticker.is_alive(), ticker.said()
        time.sleep(0.02)
    assert killed, "no limit was met at work"
    place.stage("examine_matches", number=matches, game_limit=GAME_LIMIT)
