"""Tournaments of a plug-in's game, and in a plug-in's format."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Player
from tests.tournaments.over_rest import LIST, Api, Desk
from tests.tournaments.playing import FEE

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
GAME = {"rules": "three-tricks", "config": {}, "round_seconds": 3600, "seats": 2}


def first(legal: list[dict[str, Any]]) -> dict[str, Any]:
    return legal[0]


@pytest.mark.parametrize(
    "terms", [{"format": "swiss", "rounds": 2}, {"format": "knockout"}], ids=["swiss", "knockout"]
)
def test_its_game_in_our_formats(
    api: Api, organizer: Player, player: Player, rival: Player, terms: dict[str, Any]
):
    client = Desk(api, organizer, [player, rival], **GAME, **terms, fill_to=4)
    client.run(first)
    rows = client.get("standings")["standings"]
    assert rows[0]["place"] == 1
    assert sum(row["prize"] for row in rows) == 4 * FEE


@pytest.mark.both_databases
def test_its_format(api: Api, organizer: Player, player: Player, rival: Player):
    terms = {**GAME, "format": "king-of-the-hill", "rounds": 3}
    client = Desk(api, organizer, [player, rival], **terms, fill_to=5)
    assert client.run(first)["round"] == 3
    rounds = [client.get("rounds", number) for number in (1, 2, 3)]
    assert {one["algorithm"] for one in rounds} == {"king-of-the-hill@1"}
    assert len({bye for one in rounds for bye in one["byes"]}) == 3, "no one sits out twice"


def test_its_format_asks_for_opponents(api: Api, organizer: Player):
    terms = {"name": "No", "format": "king-of-the-hill", "rules": "idle-aces", "config": {}, "rounds": 1}
    answer = api(organizer).post(LIST, {**terms, "round_seconds": 60})
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid-terms"
    assert "Idle Aces cannot be played" in answer.json()["detail"]
