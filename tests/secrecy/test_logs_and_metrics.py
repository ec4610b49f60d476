"""Test that logs and metrics contain no cards or seeds, because more people read them and they are stored longer."""

from __future__ import annotations

import logging
import random
import re

import pytest
from prometheus_client import REGISTRY, generate_latest

from tests.secrecy.visits import GAMES, Visit, courses, received
from tests.security.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]

CARD = re.compile(r"""(?<=['" \[(,])(?:[A2-9TJQK][CDHS]|X[12])(?:\.(?:[ab]|1?\d))?(?=['" \]),])""")
KEYWORDS = {"AS"}
"""Of SQL, which is no card there."""
ANONYMOUS_LABELS = frozenset(
    {"method", "route", "status", "code", "kind", "rules", "currency", "purpose", "le"}
)


def test_logs_contain_no_cards_or_seeds(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    world, of = World(), courses(random.Random(7), most=8)
    caplog.set_level(logging.DEBUG)

    def ask(visit: Visit) -> None:
        for rules, game in GAMES.items():
            assert visit.courses[rules].steps, "nothing was played"
            for tail in ("", "events/", "replay/?all=true", "bundle/", "verification/", "hint/"):
                visit.undone("player", "get", f"/api/v1/games/{game}/{tail}")
            visit.undone("player", "post", f"/api/v1/games/{game}/moves/", {"move": {"type": "fly"}})

    received(world, of, ask, roles=("player",))
    out, err = capfd.readouterr()
    logged = "\n".join([caplog.text, out, err])
    assert "request_finished" in logged, "the log was looked at"
    for course in of.values():
        assert course.seed.hex() not in logged
        assert repr(course.seed) not in logged
    assert set(CARD.findall(logged)) <= KEYWORDS


def test_metrics_have_no_game_or_player_labels() -> None:
    """A series for each game would reveal hidden games."""
    named = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}")
    assert not named.search(generate_latest(REGISTRY))
