"""The bracket over REST: drawn when entries close, with names for signed-in users and the games of each match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import enter, games_of, rich, start
from tournaments import services
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]


@pytest.fixture
def three() -> list[Player]:
    return [rich(name) for name in ("cora", "dan", "eve")]


@pytest.fixture
def knockout(published: Publish) -> Tournament:
    return published(
        format="knockout",
        rules="ace-race",
        config={},
        rounds=0,
        seats=2,
        sizes=(2,),
        prizes=(10_000,),
        fewest=2,
    )


def bracket(api: Api, tournament: Tournament, viewer: Player | None = None) -> dict[str, Any]:
    answer = api(viewer).get(f"/api/v1/tournaments/{tournament.pk}/bracket/")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def test_there_is_no_bracket_before_the_seeding(api: Api, knockout: Tournament, three: list[Player]) -> None:
    enter(knockout, *three)
    assert bracket(api, knockout)["matches"] == []


def test_the_bracket_shows_byes_tables_and_open_slots(
    api: Api, knockout: Tournament, three: list[Player]
) -> None:
    enter(knockout, *three)
    start(knockout)
    result = bracket(api, knockout, three[0])
    bye, match, final, third = result["matches"]
    assert result["measure"] == "won"
    assert (bye["state"], bye["winner"], bye["winner_to"], bye["table"]) == ("bye", 1, final["number"], None)
    assert [slot["name"] for slot in bye["slots"]] == ["cora", None]
    assert (match["state"], match["table"], [slot["name"] for slot in match["slots"]]) == (
        "playing",
        1,
        ["dan", "eve"],
    )
    assert [slot["seed"] for slot in match["slots"]] == [2, 3]
    [game] = games_of(knockout, 1)
    assert match["games"] == [{"number": 1, "game": str(game.game), "ended": None}]
    assert [slot["entry"] for slot in final["slots"]] == [1, None]
    assert final["slots"][1]["source"] == {
        "match": match["number"],
        "won": True,
        "round": None,
        "place": None,
    }
    assert match["loser_to"] == third["number"]


def test_only_signed_in_users_see_names(api: Api, knockout: Tournament, three: list[Player]) -> None:
    enter(knockout, *three)
    start(knockout)
    assert {slot["name"] for match in bracket(api, knockout)["matches"] for slot in match["slots"]} == {None}


def test_an_entrant_who_has_left_is_marked(api: Api, knockout: Tournament, three: list[Player]) -> None:
    enter(knockout, *three)
    start(knockout)
    services.withdraw(tournament_id=knockout.pk, player=three[0], now=timezone.now())
    final = bracket(api, knockout)["matches"][2]
    assert final["slots"][0]["has_left"]
    assert final["state"] == "waiting"


def test_a_format_without_a_bracket_has_no_matches(api: Api, published: Publish, three: list[Player]) -> None:
    duplicate = published()
    enter(duplicate, *three)
    start(duplicate)
    assert bracket(api, duplicate)["matches"] == []
