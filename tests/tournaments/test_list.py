"""Filters of the tournament list: status, game, fee, name, and own entry."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Player
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import enter
from tests.tournaments.test_api import LIST, Api

pytestmark = pytest.mark.django_db


def named(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return sorted(one["name"] for one in answer.json()["results"])


@pytest.fixture(autouse=True)
def three(published: Publish) -> None:
    race: dict[str, Any] = {"rules": "ace-race", "format": "swiss", "config": {}, "seats": 2}
    published(name="Sunday duplicate")
    published(name="Race at Dawn", **race)
    published(name="Race for nothing", fee=0, prizes=(), **race)


def test_the_list_is_filtered(api: Api, subtests: pytest.Subtests) -> None:
    client = api(None)
    for requested, found in [
        ("?rules=ace-race", ["Race at Dawn", "Race for nothing"]),
        ("?free=true", ["Race for nothing"]),
        ("?free=false&rules=vegas-solitaire", ["Sunday duplicate"]),
        ("?search=dawn", ["Race at Dawn"]),
        ("?search=%25", []),
        ("?status=running", []),
        ("?status=published&search=sunday", ["Sunday duplicate"]),
    ]:
        with subtests.test(requested=requested, found=found):
            assert named(client.get(LIST + requested)) == found


def test_own_tournaments_are_those_that_the_player_has_entered(
    api: Api, player: Player, published: Publish
) -> None:
    enter(published(name="Entered", fee=0, prizes=()), player)
    assert named(api(player).get(f"{LIST}?mine=true")) == ["Entered"]
    assert named(api(None).get(f"{LIST}?mine=true")) == []


def test_an_unknown_filter_is_refused(api: Api) -> None:
    for requested, code in (
        ("?free=perhaps", "invalid-input"),
        ("?rules=poker", "unknown-rules"),
        ("?fee=0", "invalid-input"),
    ):
        answer = api(None).get(LIST + requested)
        assert answer.status_code in (400, 404)
        assert answer.json()["code"] == code
