"""RULEBOOK 5 (3), (4), (12): Aces, winning, turn order."""

import pytest

from games.rules.ace_race.rules import RULES
from games.rules.cards import cards, texts
from tests.games.rules.ace_race import (
    DRAW,
    GAME,
    KEY,
    PASS,
    after,
    bid,
    code,
    decided,
    evolved,
    hand,
    named,
    play,
    position,
    rule,
    view,
)

ACES = ("AC", "AD", "AH", "AS")
OF_AN_ACE = {
    "AH": ["multiples", "series"],
    "AD": ["high", "medium", "low"],
    "AC": ["suits:C", "suits:D", "suits:H", "suits:S", "prime"],
    "AS": ["above-below"],
}


@pytest.mark.parametrize("ace", ACES)
def test_ruling_3_an_ace_names_a_rule_of_its_suit(ace):
    state = position(f"{ace} 7C", "2C", rule="low")
    for document in (made.document() for made in RULES):
        move = {"type": "play", "cards": [ace], "rule": document}
        expected = None if document in [named(text) for text in OF_AN_ACE[ace]] else "rule-forbids"
        assert code(state, move) == expected
    listed = [move["rule"] for move in GAME.legal_moves(state, 0) if "rule" in move]
    assert listed == [named(text) for text in OF_AN_ACE[ace]]


@pytest.mark.parametrize("in_force", ["multiples", "series", "high", "suits:S", "prime", "above-below"])
def test_ruling_3_an_ace_may_be_played_under_any_rule(in_force):
    state = position("AD 7C", "2C", rule=in_force)
    assert view(after(state, play("AD", rule="low")))["rule"] == {"name": "low"}


def test_ruling_3_the_ace_stays_as_the_foot_and_the_rest_is_shuffled_into_the_draw_pile():
    state = position("AD 7C", "2C", rule="low", pile="3C 4C", discards="5C 6C X1 8C")
    (event,) = decided(state, play("AD", rule="high"))
    order = KEY.shuffle(["3C", "4C", "5C", "6C", "X1", "8C"], "reshuffle|1")
    assert event.data["facts"] == {"draw_pile": 6}
    assert event.private["facts"] == {"draw_pile": 6, "order": order}
    played = evolved(state, [event])
    assert played.draw_pile == cards(order)
    assert view(played)["discards"] == ["AD"]
    assert view(after(played, DRAW), 0)["drawn"] == order[-1]


def test_ruling_3_the_previous_ace_is_shuffled_in_with_the_cards_on_it():
    state = position("AD 7C", "2C", rule="low", discards="AH 2D")
    assert sorted(decided(state, play("AD", rule="high"))[0].private["facts"]["order"]) == ["2D", "AH"]


def test_ruling_3_reshuffles_are_counted_from_1_for_every_ace_even_without_cards():
    state = position("AD AH 7C", "2C", rule="low", pile="3C 4C 5C 6C 8C 9C TC JC")
    for number, move in enumerate((play("AD", rule="high"), play("AH", rule="series")), start=1):
        under = state.draw_pile + state.discards
        (event,) = decided(state, move)
        assert event.private["facts"]["order"] == texts(KEY.shuffle(under, f"reshuffle|{number}"))
        state = evolved(state, [event])


def test_ruling_3_an_ace_is_sealed_even_with_an_empty_order():
    state = position("AD 7C", "2C", rule="low")
    (event,) = decided(state, play("AD", rule="high"))
    assert event.data["facts"] == {"draw_pile": 0}
    assert event.private == {"move": play("AD", rule="high"), "facts": {"draw_pile": 0, "order": []}}


@pytest.mark.parametrize("next_move", [play("KC"), play("AH", rule="series"), play("3C", "X1"), DRAW])
def test_ruling_3_after_an_ace_the_same_seat_takes_a_turn(next_move):
    state = position("AD AH KC 3C X1", "2C", "2D", rule="low", pile="4C", to_act=0)
    state = after(state, play("AD", rule="high"))
    assert (view(state)["to_act"], view(state)["rule_maker"]) == (0, 0)
    assert code(state, next_move) is None
    assert code(state, play("3C")) == "wrong-rank"


def test_ruling_3_a_drawn_ace_may_be_played_and_a_full_turn_follows():
    state = after(position("7C", "2C", rule="low", pile="3C AD"), DRAW, play("AD", rule="high"))
    assert (view(state)["to_act"], view(state)["drawn"]) == (0, None)
    assert code(state, DRAW) is None


def test_ruling_3_an_ace_is_played_alone():
    state = position("AD AH 7C", "2C", rule="low")
    assert code(state, play("AD AH", rule="high")) == "rule-forbids"
    assert code(state, play("AD 7C", rule="high")) == "rule-forbids"


@pytest.mark.parametrize("ace", ACES)
def test_ruling_4_a_winning_ace_shuffles_nothing_and_the_rule_in_force_stays(ace):
    state = position(ace, "2C 3C", rule="low", pile="4C", discards="5C")
    event, finished = decided(state, play(ace, rule=OF_AN_ACE[ace][0]))
    assert (event.data["facts"], event.private) == ({}, None)
    assert finished.data["outcome"]["winners"] == [0]
    over = evolved(state, [event])
    assert (view(over)["phase"], view(over)["to_act"]) == ("over", None)
    assert (view(over)["rule"], view(over)["discards"], view(over)["draw_pile"]) == (
        {"name": "low"},
        ["5C", ace],
        1,
    )


def test_ruling_4_a_winning_ace_still_names_its_rule():
    state = position("AD", "2C 3C", rule="low")
    assert code(state, {"type": "play", "cards": ["AD"]}) == "malformed-move"
    assert code(state, play("AD", rule="prime")) == "rule-forbids"


def test_ruling_4_a_winning_ace_does_not_change_the_direction():
    state = position("AS", "2C 3C", rule="above-below", follow=7, way="lower")
    assert view(after(state, play("AS", rule="above-below")))["direction"] == "lower"


@pytest.mark.parametrize(
    ("hand_of_0", "keys", "move"),
    [
        ("KC", {"rule": "high"}, play("KC")),
        ("7C 7D 7H 7S", {"rule": "multiples"}, play("7C 7D 7H 7S")),
        ("5C 6C 7C", {"rule": "series", "series": 5, "follow": 5}, play("5C 6C 7C")),
        ("3C X2", {"rule": "high"}, play("3C", "X2")),
        ("7C", {"rule": "medium", "discards": "7D 7H 7S"}, play("7C")),
    ],
)
def test_ruling_4_a_play_that_empties_the_hand_wins_before_any_giveaway(hand_of_0, keys, move):
    state = position(hand_of_0, "2C 3C", "8H 8C 9H", **keys)
    event, finished = decided(state, move)
    assert event.data["facts"] == {}
    assert finished.data["outcome"] == {
        "result": "won",
        "winners": [0],
        "places": [[0], [1], [2]],
        "hands": [0, 2, 3],
    }


def test_places_are_by_remaining_cards_and_equal_seats_share():
    state = position("KC", "2C 3C 4C", "8H", "5C 6C 7C", rule="high")
    assert decided(state, play("KC"))[1].data["outcome"]["places"] == [[0], [2], [1, 3]]


def test_after_the_end_no_move_is_accepted():
    over = after(position("KC", "2C", rule="high"), play("KC"))
    assert GAME.to_act(over) == []
    for seat in (0, 1, None):
        assert GAME.legal_moves(over, seat) == []
        assert code(over, DRAW, seat) == "game-over"


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_ruling_12_turns_go_clockwise(seats):
    state = position(*["KC 2D"] * seats, rule="high", pile="3C " * 12)
    order = []
    for _ in range(2 * seats):
        order.append(state.to_act)
        state = after(state, DRAW, PASS)
    assert order == [*range(seats)] * 2


def test_ruling_12_after_the_turn_of_an_ace_play_continues_from_its_seat():
    state = position("3C 3D", "AD KC 5H", "QD 6H", rule="high", to_act=1)
    assert view(after(state, play("AD", rule="high"), play("KC")))["to_act"] == 2


def test_ruling_2_the_bid_winner_plays_first_or_draws():
    state = position("KC 3D", "QC 2D", rule=None, phase="bidding", to_act=1, pile="4C 5C 6C")
    state = after(state, bid(1), PASS, rule("high"))
    assert view(state)["to_act"] == 1
    assert hand(state, 1) == "QC 2D 6C"
    assert [code(state, move) for move in (play("QC"), play("2D"), DRAW)] == [None, "wrong-rank", None]
