"""A game whose tampered events cannot be folded is reported by a clear error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from core import triggers
from eventstore.models import Event
from games import services, state
from tests.games.conftest import NOON as NOW

pytestmark = pytest.mark.both_databases

PATHS = [
    "",
    "legal-moves/",
    "events/",
    "replay/?at=3",
    "recording/",
    "hint/",
    "verification/",
    "bundle/",
    "evidence/",
    "evidence/5/",
    "evidence/received/?seat=0&at=5",
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
                print(path, caller.username, answer.status_code, answer.content[:200])
                assert answer.status_code < 500
