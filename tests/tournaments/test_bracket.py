"""The bracket over REST: drawn when entries close, with names for signed-in users and the games of each match."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from tests.conftest import known
from tests.databases import shared
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import begin, enter, entrants, games_of, rich
from tests.tournaments.test_api import Api
from tournaments import services
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@shared
def knockout() -> Tournament:
    """A knockout at its first round, of cora, dan, and eve."""
    terms: dict[str, Any] = {"format": "knockout", "rules": "ace-race", "config": {}, "rounds": 0, "seats": 2}
    publishing = partial(publish, known("olga", Role.ORGANIZER))
    return begin(publishing, "cora", "dan", "eve", **terms, sizes=(2,), prizes=(10_000,), fewest=2)


def bracket(api: Api, tournament: Tournament, viewer: Player | None = None) -> dict[str, Any]:
    answer = api(viewer).get(f"/api/v1/tournaments/{tournament.pk}/bracket/")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def test_the_bracket_shows_byes_tables_and_open_slots(api: Api, knockout: Tournament) -> None:
    result = bracket(api, knockout, entrants(knockout)[0])
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

    anonymous = bracket(api, knockout)["matches"]
    assert {slot["name"] for match in anonymous for slot in match["slots"]} == {None}


def test_an_entrant_who_has_left_is_marked(api: Api, knockout: Tournament) -> None:
    services.withdraw(tournament_id=knockout.pk, player=entrants(knockout)[0], now=timezone.now())
    final = bracket(api, knockout)["matches"][2]
    assert final["slots"][0]["has_left"]
    assert final["state"] == "waiting"


def test_without_a_seeding_or_an_elimination_there_are_no_matches(
    api: Api, published: Publish, pair: Tournament
) -> None:
    unseeded = published(format="knockout", rules="ace-race", config={}, rounds=0)
    enter(unseeded, rich("eve"))
    assert bracket(api, unseeded)["matches"] == bracket(api, pair)["matches"] == []
