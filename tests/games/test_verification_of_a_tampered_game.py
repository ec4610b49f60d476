"""Faults of a tampered game are reported with check, version, and reason, and cause no server error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from core import triggers
from eventstore.models import Event
from games import selectors, services, state
from games.models import GameRecord
from tests.games.conftest import NOON as NOW
from tests.games.staked import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Vegas = Callable[..., GameRecord]


@pytest.fixture
def game(vegas: Vegas, player: Player) -> GameRecord:
    """Return a running game with a move as its fourth event."""
    made = vegas(player)
    services.play(game_id=made.pk, player=player, move={"type": "draw"}, now=NOON)
    return made


def tampered(game: GameRecord, version: int, **columns: Any) -> dict[str, Any]:
    with triggers.removed("eventstore_event"):
        Event.objects.filter(stream=game.pk, version=version).update(**columns)
    state.cache.clear()
    return selectors.verification(game)


def test_an_intact_running_game_passes_all_checks_that_apply(game: GameRecord) -> None:
    report = selectors.verification(game)
    assert (report["ok"], report["why"], report["faults"]) == (True, None, [])
    assert {report["checks"][check] for check in ("chain", "head", "record")} == {"passed"}
    assert {report["checks"][check] for check in ("events", "moves", "deal")} == {"not-run"}


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"type": "conjured", "data": b"{}"}, "`conjured` is no event of vegas-solitaire"),
        (
            {"type": "seated", "data": b"{}"},
            "it lacks what its kind needs, or names what is not at the table",
        ),
    ],
)
def test_the_first_unreadable_event_is_named(game: GameRecord, columns: dict[str, Any], why: str) -> None:
    report = tampered(game, 4, **columns)
    assert report["ok"] is False
    chain, *rest = report["faults"]
    assert (chain["check"], chain["version"]) == ("chain", 4)
    assert rest == [{"check": "events", "version": 4, "why": why}]
    expected = {"chain": "failed", "events": "failed", "head": "passed"}
    assert {check: result for check, result in report["checks"].items() if result != "not-run"} == expected


def test_an_inconsistent_event_is_reported_without_its_content(game: GameRecord) -> None:
    report = tampered(game, 3, data=b'["KH"]', private=b'"KH"')
    result = {fault["check"]: fault for fault in report["faults"]}
    assert result["events"] == {
        "check": "events",
        "version": 3,
        "why": "what it says does not fit the table as it was before it",
    }
    assert "KH" not in str(report)


def test_a_game_without_events_is_reported(game: GameRecord) -> None:
    with triggers.removed("eventstore_event"):
        Event.objects.filter(stream=game.pk).delete()
    report = selectors.verification(game)
    assert {"check": "events", "version": None, "why": "the game has no events"} in report["faults"]


PATHS = [
    *("", "legal-moves/", "events/", "replay/?at=3", "recording/", "hint/", "verification/", "bundle/"),
    *("evidence/", "evidence/5/", "evidence/received/?seat=0&at=5"),
]


@pytest.fixture
def damaged(player: Player, vegas: Callable[..., Any]) -> str:
    record = vegas(player)
    for _ in range(3):
        services.play(game_id=record.pk, player=player, move={"type": "draw"}, now=NOW)
    with triggers.removed("eventstore_event"):
        assert Event.objects.filter(stream=record.pk, version=5).update(data=b"{}")
    state.cache.clear()
    return str(record.pk)


@pytest.mark.django_db
def test_damage_is_reported_without_a_server_error(
    api: Callable[[Player], Client],
    player: Player,
    auditor: Player,
    administrator: Player,
    damaged: str,
    subtests: pytest.Subtests,
) -> None:
    for path in PATHS:
        with subtests.test(path=path):
            for caller in (player, auditor, administrator):
                client = api(caller)
                client.raise_request_exception = False
                answer = client.get(f"/api/v1/games/{damaged}/{path}")
                assert answer.status_code < 500
