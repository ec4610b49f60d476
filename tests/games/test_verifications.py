"""Reports on long games: made by a job, stored, and renewed; their age is shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from core import triggers
from eventstore import store
from eventstore.models import Event
from games import services, state
from games.evidence import verification
from games.models import GameRecord, StoredVerification
from jobs.models import Job
from tests.conftest import NOW
from tests.due_jobs import run_due
from tests.long_games import lengthen, long_race

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Api = Callable[[Player | None], Any]


@pytest.fixture(autouse=True)
def games_are_long_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "AT_ONCE", 20)


@pytest.fixture
def game(player: Player, rival: Player) -> GameRecord:
    return long_race([player, rival], events=30, now=NOW)


def over(game: GameRecord) -> GameRecord:
    services.void_game(game_id=game.pk, reason="test", by=None, now=NOW)
    return GameRecord.objects.get(pk=game.pk)


def report(game: GameRecord, now: datetime) -> dict[str, Any] | None:
    return verification.report(game, now=now)[0]


def test_a_short_game_is_verified_at_once(game: GameRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "AT_ONCE", 30)
    found = report(game, NOW)
    assert found is not None
    assert (found["ok"], found["events"]) == (True, 30)
    assert not Job.objects.filter(kind=verification.VERIFY).exists()


def test_a_job_is_scheduled_and_charged_once(game: GameRecord) -> None:
    costs = [verification.report(game, now=NOW)[1] for _ in range(3)]
    assert costs == [30 * verification.SECONDS_PER_EVENT, 0, 0]
    assert Job.objects.filter(kind=verification.VERIFY).count() == 1
    run_due(NOW)
    found = report(game, NOW)
    assert found is not None
    assert (found["ok"], found["verified_at"]) == (True, "2026-03-01T12:00:00.000000Z")


def test_the_report_of_a_running_game_is_renewed_once_a_minute(game: GameRecord) -> None:
    report(game, NOW)
    run_due(NOW)
    lengthen(game, events=40, now=NOW)
    soon, later = NOW + timedelta(seconds=59), NOW + timedelta(seconds=61)
    assert (report(game, soon) or {})["events"] == 30
    assert not Job.objects.open().filter(kind=verification.VERIFY).exists(), "one a minute at most"
    assert (report(game, later) or {})["events"] == 30
    verification.run(game.pk, now=later)
    assert (report(game, later) or {})["events"] == 40


def test_a_new_report_is_made_a_minute_after_the_last(game: GameRecord) -> None:
    """The minute is counted from the last report, not by the clock."""
    verification.run(game.pk, now=NOW + timedelta(seconds=50))
    lengthen(game, events=40, now=NOW)
    for seconds, jobs in ((70, 0), (109, 0), (110, 1)):
        report(game, NOW + timedelta(seconds=seconds))
        assert Job.objects.filter(kind=verification.VERIFY).count() == jobs


def test_the_report_of_a_running_game_is_not_that_of_one_that_is_over(game: GameRecord) -> None:
    """Checks that need the seed are not made before the end."""
    verification.run(game.pk, now=NOW)
    assert (report(game, NOW) or {})["checks"]["deal"] == "not-run"
    ended = over(game)
    assert report(ended, NOW) is None
    verification.run(game.pk, now=NOW)
    assert (report(ended, NOW) or {})["checks"]["deal"] == "passed"


def test_an_old_report_is_made_again(game: GameRecord) -> None:
    ended = over(game)
    verification.run(game.pk, now=NOW)
    with triggers.removed("eventstore_event"):
        Event.objects.filter(stream=game.pk, version=17).update(type="conjured")
    state.cache.clear()
    later = NOW + verification.RENEWED_AFTER
    assert (report(ended, later) or {})["ok"] is True, "it says of when it is"
    assert Job.objects.open().filter(kind=verification.VERIFY).exists()
    verification.run(game.pk, now=later)
    found = report(ended, later) or {}
    assert (found["ok"], found["version"]) == (False, 17)


def test_a_report_of_another_history_is_not_shown(game: GameRecord) -> None:
    ended = over(game)
    verification.run(game.pk, now=NOW)
    StoredVerification.objects.update(hash="f" * 64)
    assert report(ended, NOW) is None


def test_the_evidence_has_the_verdicts_of_the_report(game: GameRecord, api: Api, player: Player) -> None:
    over(game)
    address = f"/api/v1/games/{game.pk}/evidence/"
    with triggers.removed("eventstore_event"):
        Event.objects.filter(stream=game.pk, version=17).update(seal="f" * 64)
    state.cache.clear()
    verification.run(game.pk, now=NOW)
    length = store.head(game.pk).version
    page = api(player).get(address).json()
    assert page["divergence"]["version"] == 17
    verdicts = [(line["chain"], line["rules"]) for line in page["results"]]
    assert verdicts == [("passed", "passed")] * 16 + [("failed", "not-run")] + [("not-run", "not-run")] * (
        length - 17
    )
    again = [api(player).get(f"{address}{version}/").json() for version in (16, 17, 18)]
    expected = [("passed", "passed", None), ("failed", "not-run", "chain"), ("not-run", "not-run", None)]
    assert [(one["chain"], one["rules"], one["check"]) for one in again] == expected


def test_long_and_short_games_have_the_same_evidence(
    game: GameRecord, api: Api, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    over(game)
    verification.run(game.pk, now=NOW)
    client, base = api(player), f"/api/v1/games/{game.pk}/evidence/"
    addresses = [base, f"{base}?after=10&limit=5", *(f"{base}{version}/" for version in (1, 5, 20, 31))]
    long = [client.get(address).json() for address in addresses]
    monkeypatch.setattr(verification, "AT_ONCE", 1_000)
    short = [client.get(address).json() for address in addresses]
    for one in (*long, *short):
        one.pop("verified_at", None)
    assert long == short
