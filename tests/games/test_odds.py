"""The odds of a race, visible to all of its viewers and exact at every draw."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from accounts.models import Player
from games import services
from games.models import GameRecord
from tests.games.conftest import NOON

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Race = Callable[..., GameRecord]


def address(game: GameRecord) -> str:
    return f"/api/v1/games/{game.pk}/odds/"


def test_before_the_first_draw_all_suits_have_equal_odds(api: Api, organizer: Player, race: Race) -> None:
    answer = api(None).get(address(race(organizer)))
    assert answer.status_code == 200
    suit = {"probability": "1/4", "fair_return": {"lose": "4/1", "refund": "4/1"}}
    assert answer.json() == {"suits": dict.fromkeys("CDHS", suit), "no_winner": "0/1", "version": 2}
    assert answer["ETag"] == '"2"'


def test_an_open_table_has_odds(api: Api, organizer: Player) -> None:
    game = services.create_game(
        rules="racing-aces", config={"burn": 25}, seats=0, creator=organizer, now=NOON
    )
    odds = api(None).get(address(game)).json()
    assert odds["version"] == 1
    assert Fraction(odds["no_winner"]) + 4 * Fraction(odds["suits"]["H"]["probability"]) == 1
    assert Fraction(odds["suits"]["H"]["fair_return"]["refund"]) == 4
    assert Fraction(odds["suits"]["H"]["fair_return"]["lose"]) == 1 / Fraction(
        odds["suits"]["H"]["probability"]
    )


def test_odds_follow_the_race_to_its_end(api: Api, organizer: Player, race: Race) -> None:
    game = race(organizer, config={"finish_line": 4, "burn": 30})
    client = api(organizer)
    last = 2
    while True:
        odds = client.get(address(game)).json()
        chances = {suit: Fraction(result["probability"]) for suit, result in odds["suits"].items()}
        assert sum(chances.values()) + Fraction(odds["no_winner"]) == 1
        assert odds["version"] >= last
        last = odds["version"]
        shown = client.get(f"/api/v1/games/{game.pk}/").json()
        if shown["outcome"]:
            break
        drawn = client.post(f"/api/v1/games/{game.pk}/moves/", {"move": {"type": "draw"}})
        assert drawn.status_code == 201
    winner = shown["outcome"]["winner"]
    assert chances == {suit: int(suit == winner) for suit in "CDHS"}
    for suit, result in odds["suits"].items():
        sure = "1/1" if suit == winner else None
        assert result["fair_return"] == {"lose": sure, "refund": sure}


def test_odds_of_an_invisible_race_are_not_found(
    api: Api, player: Player, stranger: Player, race: Race
) -> None:
    game = race(player, private=True)
    assert api(stranger).get(address(game)).json()["code"] == "not-found"
    assert api(None).get(address(game)).status_code == 404
    assert api(stranger).get(address(game), {"invite": game.invite}).status_code == 200
    assert api(player).get(address(game)).status_code == 200


def test_other_games_have_no_odds(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    answer = api(player).get(address(vegas(player)))
    assert answer.status_code == 404
    assert answer.json()["code"] == "no-odds"


def test_a_void_race_has_no_odds(api: Api, organizer: Player, race: Race) -> None:
    game = race(organizer)
    services.void_game(game_id=game.pk, reason="a torn card", now=NOON)
    assert api(organizer).get(address(game)).json()["code"] == "no-odds"


def test_odds_do_not_depend_on_hidden_cards(api: Api, organizer: Player) -> None:
    """Two races dealt from different seeds have the same odds before a card is seen."""
    result = []
    for seed in (bytes(32), bytes(range(32))):
        game = services.create_game(
            rules="racing-aces", config={"burn": 10}, seats=0, creator=organizer, server_seed=seed, now=NOON
        )
        services.start_game(game=game, actor=organizer, now=NOON)
        result.append(api(None).get(address(game)).json())
    assert result[0] == result[1]
