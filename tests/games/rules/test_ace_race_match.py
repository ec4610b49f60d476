"""Matches: the config of the next deal from the last outcome, and the standings."""

import pytest

from games import bots
from games.bots.simulation import simulate
from games.rules.ace_race import Standing, next_config, standings
from tests.games.rules.ace_race import GAME, SEATS


def outcome(winners, hands):
    return {"result": "won", "winners": winners, "places": [], "hands": hands}


@pytest.mark.parametrize("seats", SEATS)
def test_the_deal_goes_to_the_next_seat_clockwise(seats):
    config, dealers = GAME.config_json(GAME.parse_config({})), []
    for _ in range(seats + 1):
        dealers.append(config["dealer"])
        config = next_config(config, outcome([1], [1, 0, *[2] * (seats - 2)]))
    assert dealers == [*range(seats), 0]


def test_the_one_winner_is_the_previous_winner_of_the_next_deal():
    assert next_config({"dealer": 0}, outcome([2], [1, 1, 0]))["previous_winner"] == 2


def test_after_a_shared_win_there_is_no_previous_winner():
    assert (
        next_config({"dealer": 0, "previous_winner": 1}, outcome([0, 2], [1, 3, 1]))["previous_winner"]
        is None
    )


def test_the_rest_of_the_config_does_not_change():
    config = {"dealer": 0, "previous_winner": None, "continuation": "chained"}
    assert next_config(config, outcome([0], [0, 4])) == {
        "dealer": 1,
        "previous_winner": 0,
        "continuation": "chained",
    }
    assert config == {"dealer": 0, "previous_winner": None, "continuation": "chained"}


def test_standings_are_by_wins_then_by_fewer_cards_and_equal_seats_share():
    outcomes = [outcome([0], [0, 5, 2, 2]), outcome([1], [9, 0, 2, 2]), outcome([0, 1], [1, 1, 4, 4])]
    assert standings(outcomes, 4) == [
        Standing(seat=1, place=1, wins=2, cards=6),
        Standing(seat=0, place=2, wins=2, cards=10),
        Standing(seat=2, place=3, wins=0, cards=8),
        Standing(seat=3, place=3, wins=0, cards=8),
    ]


def test_before_the_first_deal_all_share_the_first_place():
    assert [standing.place for standing in standings([], 3)] == [1, 1, 1]


@pytest.mark.parametrize("seats", SEATS)
def test_a_match_between_bots(seats):
    config, outcomes, steady = GAME.config_json(GAME.parse_config({})), [], bots.get("ace-race")
    for number in range(4):
        played = simulate(
            GAME, GAME.parse_config(config), seats=seats, bots=[steady], seed="match", number=number
        )
        opening = next(
            event["data"]["seat"] for event in played.bundle["events"] if event["type"] == "seated"
        )
        first_bid = next(event for event in played.bundle["events"] if event["type"] in ("bid", "pass"))
        assert (opening, first_bid["seat"]) == (0, (config["dealer"] + 1) % seats)
        gave = [event["seat"] for event in played.bundle["events"] if event["type"] in ("give", "decline")]
        assert config["previous_winner"] is None or gave[0] == config["previous_winner"]
        outcomes.append(played.table.outcome)
        config = next_config(config, outcomes[-1])
    assert sum(standing.wins for standing in standings(outcomes, seats)) >= 4
