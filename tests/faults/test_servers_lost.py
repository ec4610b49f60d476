"""The database killed and the broker emptied during a tournament: all processes wait and then continue."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Place
from tests.installation import installation, until
from tools.services import Postgres, Valkey, throw_away


def games_dealt(place: Place) -> int:
    return int(place.sql("SELECT count(*) FROM tournaments_tablegame WHERE dealt_at IS NOT NULL")[0][0])


def finish(place: Place) -> None:
    until(lambda: place.tournament_status() != "running", "it continues by itself", 300)


@pytest.fixture
def servers() -> Iterator[tuple[Postgres, Valkey]]:
    with throw_away() as servers:
        yield servers


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.processes
@pytest.mark.timeout(500)
def test_the_database_and_redis_are_killed_and_come_back(
    servers: tuple[Postgres, Valkey], tmp_path: Path
) -> None:
    postgres, valkey = servers
    with installation(Place(tmp_path, DATABASE_URL=postgres.url, REDIS_URL=valkey.url)) as place:
        place.migrate()
        id = place.stage("tournament", bots=4, absent=1, rounds=2, round_seconds=4)
        worker, ticker = place.start_worker(), place.start_ticker()
        until(lambda: games_dealt(place), "the first round is on")

        postgres.kill()
        until(lambda: "the database does not answer" in ticker.said(), "the ticker misses the database")
        postgres.start()
        said = len(worker.said())
        valkey.kill()
        until(lambda: "Connection to broker lost" in worker.said()[said:], "the worker misses its broker")
        valkey.start()

        finish(place)
        assert worker.is_alive(), "the worker was to wait for its servers"
        assert ticker.is_alive(), "the ticker was to wait for its servers"
        place.stage("examine_tournament", id=id)


@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.processes
@pytest.mark.timeout(500)
def test_the_brokers_folder_is_emptied(place: Place) -> None:
    id = place.stage("tournament", bots=4, absent=1, rounds=2, round_seconds=4)
    ticker = place.start_ticker()
    queue = place.folder / "data" / "broker" / "queue"
    until(lambda: any(queue.iterdir()), "a task is in the queue")
    shutil.rmtree(queue)
    queue.mkdir()
    worker = place.start_worker()
    finish(place)
    assert worker.is_alive()
    assert ticker.is_alive()
    place.stage("examine_tournament", id=id)
