"""Turning the stock, flipping the waste over, and the fan (RULEBOOK 6)."""

import pytest

from games.rules.racing_demons.position import texts
from tests.games.rules.racing_demons import GAME, HOPELESS, TURN, facts, hand, move, play, position, refusal


def shown(state):
    return GAME.view(state, 0)["you"]["waste"]


@pytest.mark.parametrize(("turn", "cards"), [(3, ["9H.0", "8H.0", "7H.0"]), (1, ["9H.0"])])
def test_a_turn_brings_cards_one_by_one_to_the_waste(turn, cards):
    state = position(hand(stock="2D 3D AC 7H 8H 9H"), hand(), turn=turn)
    assert facts(state, 0, TURN)["cards"] == cards
    after = play(state, 0, TURN)
    assert shown(after) == cards
    assert texts(after.sides[0].stock) == texts(state.sides[0].stock)[: 6 - turn]


def test_a_short_stock_is_turned_completely_and_only_its_cards_are_fanned():
    state = position(hand(stock="AC 9H", waste="2C 3C 4C"), HOPELESS)
    assert facts(state, 0, TURN) == {"cards": ["9H.0", "AC.0"], "settled": [{"marked": 1}]}
    assert shown(play(state, 0, TURN)) == ["9H.0", "AC.0"]


def test_with_an_empty_stock_the_waste_is_flipped_first_and_keeps_its_order():
    state = position(hand(stock="", waste="AC 3C 4C 5C 6C"), hand())
    made = facts(state, 0, TURN)
    assert made["cards"] == ["AC.0", "3C.0", "4C.0"]
    assert made["flipped"] is True
    after = play(state, 0, TURN)
    assert texts(after.sides[0].stock) == ["6C.0", "5C.0"]
    assert "flipped" not in facts(after, 0, TURN)
    assert shown(play(after, 0, TURN)) == ["5C.0", "6C.0"]


def test_without_stock_and_waste_there_is_nothing_to_turn():
    found = refusal(position(hand(stock="", demon="AC 9S"), hand()), 0, TURN)
    assert (found.code, found.fact) == ("pile-empty", "stock and waste are empty")


def test_the_fan_is_the_rest_of_the_turn_then_one_card_at_a_time():
    """As in Vegas Solitaire: when the cards of the turn have been played, the card beneath is shown."""
    state = position(hand(stock="2S 3S 4S", waste="TS JS"), hand())
    state = play(state, 0, TURN)
    assert shown(state) == ["4S.0", "3S.0", "2S.0"]
    put_up = position(
        hand(waste="TS JS 4H 3H 2H", work=("KC", "KD", "KH", "9S")), hand(), foundations=("AH.1",)
    )
    seen = [shown(put_up)]
    for _ in range(3):
        put_up = play(put_up, 0, move("waste", "foundation:0"))
        seen.append(shown(put_up))
    assert seen == [["4H.0", "3H.0", "2H.0"], ["4H.0", "3H.0"], ["4H.0"], ["JS.0"]]


def test_an_emptied_waste_shows_nothing():
    state = play(position(hand(waste="AC", demon="2C 9S"), hand()), 0, move("waste", "foundation:new"))
    assert shown(state) == []
    assert GAME.view(state, 0)["you"]["waste_count"] == 0


def test_the_flip_removes_no_card_from_the_waste_in_the_sense_of_ruling_7():
    state = position(hand(stock="", waste="AC 3C"), hand(), marked=(1,), burns=1)
    after = play(state, 0, TURN)
    assert (after.marks, after.burns) == (0b10, 1)
