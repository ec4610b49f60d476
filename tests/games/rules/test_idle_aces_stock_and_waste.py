"""RULEBOOK 4: drawing, redeals, and (4) drawing while a play exists."""

import pytest

from tests.games.rules.idle_aces import DRAW, GAME, REDEAL, after, dealt, play, plays, position, refusal


def test_a_draw_turns_one_card_onto_the_waste():
    state = position(stock="4C.b 9D.b", waste="5C.a")
    (event,) = GAME.decide(state, 0, DRAW)
    assert event.data == {"move": DRAW, "facts": {"card": "9D.b"}}
    view = GAME.view(after(state, DRAW), 0)
    assert (view["stock"], view["waste"], view["waste_count"]) == (1, "9D.b", 2)


def test_ruling_4_drawing_while_a_play_exists_is_legal():
    state = position(stock="4C.b 9D.b", waste="3C.b")
    assert ("waste", "twos:0") in plays(state)
    assert DRAW in GAME.legal_moves(state, 0)
    assert GAME.view(after(state, DRAW), 0)["waste"] == "9D.b"


def test_when_the_top_card_is_played_the_card_beneath_is_available():
    state = after(position(waste="4C.b 3C.b"), play("waste", "twos:0"))
    assert GAME.view(state, 0)["waste"] == "4C.b"
    assert ("waste", "twos:0") in plays(state)


@pytest.mark.parametrize("redeals_left", [0, 1])
def test_no_card_can_be_drawn_from_an_empty_stock(redeals_left):
    state = position(stock="", waste="3C.b", redeals_left=redeals_left)
    refused = refusal(state, DRAW)
    assert (refused.code, refused.fact) == ("pile-empty", "the stock is empty")


def test_a_redeal_turns_the_waste_over_and_keeps_the_order():
    state = after(dealt(3), *[DRAW] * 96)
    assert GAME.legal_moves(state, 0)[0] == REDEAL
    (event,) = GAME.decide(state, 0, REDEAL)
    assert event.data == {"move": REDEAL, "facts": {}}
    again = after(state, REDEAL)
    view = GAME.view(again, 0)
    assert (view["stock"], view["waste"], view["waste_count"], view["redeals_left"]) == (96, None, 0, 0)
    assert again.stock == dealt(3).stock


def test_played_cards_are_not_in_the_redeal():
    state = after(
        position(stock="9H.b 3D.b 8H.b", waste="7C.a"), DRAW, DRAW, play("waste", "twos:0"), DRAW, REDEAL
    )
    drawn = [GAME.view(state := after(state, DRAW), 0)["waste"] for _ in range(2)]
    assert drawn == ["7C.a", "8H.b"]


def test_a_redeal_requires_an_empty_stock():
    refused = refusal(position(stock="9H.b 3D.b", waste="7C.a"), REDEAL)
    assert (refused.code, refused.fact) == ("rule-forbids", "2 cards are left in the stock")


def test_there_are_no_more_redeals_than_the_config_allows():
    refused = refusal(position(stock="", waste="3C.b", redeals_left=0), REDEAL)
    assert (refused.code, refused.fact) == ("no-passes-left", "no redeal is left")
    assert refused.rule == "There are as many redeals as the config says, one by default."


@pytest.mark.parametrize("redeals", [0, 1, 2])
def test_each_redeal_gives_one_more_pass_through_the_stock(redeals):
    state, passes = dealt(5, redeals=redeals), 0
    while not GAME.is_over(state):
        state = after(state, *[DRAW] * len(state.stock))
        passes += 1
        if REDEAL in GAME.legal_moves(state, 0):
            state = after(state, REDEAL)
        else:
            break
    assert passes == redeals + 1


def test_no_card_can_be_played_from_an_empty_waste():
    refused = refusal(position(), play("waste", "twos:0"))
    assert (refused.code, refused.fact) == ("pile-empty", "the waste is empty")
