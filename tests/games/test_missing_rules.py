"""A database with games of a plug-in that was removed stops the start."""

from __future__ import annotations

import pytest

from accounts.models import Player
from games.apps import check_rules
from games.rules import registry
from tests.games.staked import NOON
from tests.games.tables import dealt

pytestmark = pytest.mark.django_db


def test_missing_games_are_named(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt("idle-aces", [player], now=NOON)
    assert check_rules(None, databases=["default"]) == []
    known = registry.manifests()
    left = {slug: about for slug, about in known.items() if slug not in ("idle-aces", "ace-race")}
    monkeypatch.setattr(registry, "manifests", lambda: left)
    found = check_rules(None, databases=["default"])
    assert [str(error.msg).split()[2] for error in found] == ["ace-race", "idle-aces"]
    assert check_rules(None) == []
