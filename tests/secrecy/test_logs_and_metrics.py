"""Logs and metrics carry no card and no seed: they are kept longer, and read by more people, than a game is secret."""

from __future__ import annotations

import logging
import random
import re

import pytest
from prometheus_client import REGISTRY, generate_latest

from tests.secrecy.house import GAMES, Visit, courses, received
from tests.security.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]

CARD = re.compile(r"""(?<=['" \[(,])(?:[A2-9TJQK][CDHS]|X[12])(?:\.(?:[ab]|1?\d))?(?=['" \]),])""")
KEYWORDS = {"AS"}
"""Of SQL, which is no card there."""
NAMES_NOBODY = frozenset({"method", "route", "status", "code", "kind", "rules", "currency", "purpose", "le"})


def test_what_a_log_says_of_games_in_play_is_no_card_and_no_seed(
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
    told = "\n".join([caplog.text, out, err])
    assert "request_finished" in told, "the log was looked at"
    for course in of.values():
        assert course.seed.hex() not in told
        assert repr(course.seed) not in told
    assert set(CARD.findall(told)) <= KEYWORDS


def test_no_metric_has_a_label_for_a_game_or_a_person() -> None:
    """Labels are of few values: a series for each game would tell of the games that nobody may see."""
    named = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}")
    assert not named.search(generate_latest(REGISTRY))
