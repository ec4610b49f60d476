"""The servers killed and the broker emptied: all processes wait and then continue, and streams stay open."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.test_streams import Client, StreamServer
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


@pytest.mark.nightly
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


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.processes
@pytest.mark.timeout(500)
def test_requests_are_refused_and_streams_stay_open_while_the_database_is_away(
    servers: tuple[Postgres, Valkey], tmp_path: Path
) -> None:
    postgres, valkey = servers
    with installation(StreamServer(tmp_path, DATABASE_URL=postgres.url, REDIS_URL=valkey.url)) as site:
        site.migrate()
        site.serve_web()
        ann = Client(site, "ann")
        game = ann.game()
        with ann.stream(f"games/{game}/events/?after=3") as read:
            ann.draw(game)
            assert read()["id"] == "4"

            postgres.kill()
            move = {"move": {"type": "draw"}}
            headers = {"Idempotency-Key": str(uuid.uuid4())}
            for answer in (
                ann.http.post(f"games/{game}/moves/", json=move, headers=headers),
                ann.http.get(f"games/{game}/"),
                ann.http.get("players/me/", headers={"Authorization": "", "Cookie": "sessionid=signed-in"}),
            ):
                assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
                assert answer.headers["Retry-After"] == "1"
            assert ann.http.get(f"{site.address}/readyz").status_code == 503
            assert ann.http.get(f"{site.address}/healthz").status_code == 200
            postgres.start()

            again = ann.http.post(f"games/{game}/moves/", json=move, headers=headers)
            assert (again.status_code, again.json()["version"]) == (201, 5)
            valkey.kill()
            valkey.start()
            until(lambda: ann.http.get(f"games/{game}/").is_success, "its counters are back")
            ann.draw(game)
            assert [read()["id"], read()["id"]] == ["5", "6"]
