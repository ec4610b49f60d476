"""RULEBOOK 5 (5), (6), (7): drawing, an empty draw pile, jokers."""

import pytest

from tests.games.rules.ace_race import DRAW, GAME, PASS, after, code, decided, hand, play, position, view


def drew(card, hand_of_0, rule="high", **keys):
    """Return a position in which seat 0 has drawn the card."""
    return after(position(hand_of_0, "2C 2D", rule=rule, pile=f"5S {card}", **keys), DRAW)


# --- (5) a turn ---------------------------------------------------------------------------------


def test_ruling_5_a_turn_begins_with_a_play_or_a_draw():
    state = position("KC 3D", "2C", rule="high", pile="4C")
    assert code(state, PASS) == "must-draw-first"
    assert [code(state, move) for move in (play("KC"), DRAW)] == [None, None]


def test_ruling_5_the_top_card_is_drawn_and_is_last_in_the_hand():
    state = drew("9H", "KC 3D")
    assert hand(state, 0) == "KC 3D 9H"
    assert (view(state, 0)["drawn"], view(state)["draw_pile"], view(state)["to_act"]) == ("9H", 1, 0)


def test_ruling_5_a_second_draw_is_illegal():
    assert code(drew("9H", "KC"), DRAW) == "rule-forbids"


def test_ruling_5_after_a_draw_a_pass_ends_the_turn():
    state = after(drew("9H", "KC"), PASS)
    assert (view(state)["to_act"], view(state, 0)["drawn"]) == (1, None)


def test_ruling_5_a_play_after_a_draw_includes_the_drawn_card():
    state = drew("QH", "KC 3D AS X1")
    assert code(state, play("QH")) is None
    for move in (play("KC"), play("AS", rule="above-below"), play("3D", "X1")):
        assert code(state, move) == "rule-forbids"


def test_ruling_5_the_drawn_card_must_be_legal_under_the_rule():
    assert code(drew("9H", "KC"), play("9H")) == "wrong-rank"


def test_ruling_5_under_multiples_the_drawn_card_may_be_played_with_cards_of_the_hand():
    state = drew("7H", "7C 7D 8C 8D", rule="multiples")
    plays = [sorted(move["cards"]) for move in GAME.legal_moves(state, 0) if move["type"] == "play"]
    assert sorted(plays) == [["7C", "7D", "7H"], ["7C", "7H"], ["7D", "7H"]]
    assert code(state, play("8C 8D")) == "rule-forbids"


def test_ruling_5_under_series_the_drawn_card_may_be_played_with_cards_of_the_hand():
    state = drew("7H", "6C 8D 7C 9S", rule="series")
    plays = [" ".join(move["cards"]) for move in GAME.legal_moves(state, 0) if move["type"] == "play"]
    assert sorted(plays) == ["6C 7H 8D", "7H 8D 9S", "8D 7H 6C", "9S 8D 7H"]
    assert code(state, play("6C 7C 8D")) == "rule-forbids"


def test_ruling_5_the_drawn_card_alone_may_continue_a_play():
    assert code(drew("7H", "KC", rule="multiples", follow=7), play("7H")) is None
    assert code(drew("7H", "KC", rule="series", follow=8), play("7H")) is None


def test_ruling_5_a_drawn_joker_is_played_with_a_card_of_the_hand():
    state = drew("X2", "KC 3D AS X1")
    assert [code(state, play(card, "X2")) for card in ("KC", "3D")] == [None, None]
    assert code(state, play("3D", "X1")) == "rule-forbids"


def test_ruling_5_a_drawn_card_is_played_with_a_joker_of_the_hand():
    assert code(drew("3H", "X1 KC"), play("3H", "X1")) is None


# --- (6) an empty draw pile ---------------------------------------------------------------------


def test_ruling_6_with_an_empty_draw_pile_a_pass_replaces_the_draw():
    state = position("3D", "2C", rule="high")
    assert code(state, DRAW) == "pile-empty"
    assert GAME.legal_moves(state, 0) == [PASS]
    assert view(after(state, PASS))["to_act"] == 1


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_ruling_6_as_many_passes_as_seats_block_the_game(seats):
    hands = ["3D", "4D 2D", "3C", "2H 2S", "5D 5C", "4C 4H"][:seats]
    state = after(position(*hands, rule="high"), *[PASS] * (seats - 1))
    event, finished = decided(state, PASS)
    assert event.data == {"move": PASS, "facts": {}}
    outcome = finished.data["outcome"]
    assert outcome["result"] == "blocked"
    assert outcome["winners"] == ([0, 2] if seats > 2 else [0])
    assert outcome["hands"] == [len(held.split()) for held in hands]


def test_ruling_6_a_play_between_passes_restarts_the_count():
    state = position("3D 4D", "2C KC 2D", "3C 4C", rule="high")
    state = after(state, PASS, play("KC"), PASS, PASS)
    assert view(state)["phase"] == "playing"
    assert view(after(state, PASS))["phase"] == "over"


def test_ruling_6_a_pass_after_a_draw_is_not_counted():
    state = position("3D 4D", "2C 2D", rule="high", pile="5C")
    state = after(state, DRAW, PASS, PASS)
    assert view(state)["phase"] == "playing"
    assert view(after(state, PASS))["phase"] == "over"


def test_ruling_6_an_ace_between_passes_fills_the_draw_pile():
    state = position("3D 4D", "AD 2C 2D", rule="high", discards="KC QC")
    state = after(state, PASS, play("AD", rule="high"))
    assert code(state, PASS) == "must-draw-first"


# --- (7) jokers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["multiples", "series", "high", "suits:H", "prime"])
@pytest.mark.parametrize("joker", ["X1", "X2"])
def test_ruling_7_a_joker_is_played_with_one_card_legal_or_not(rule, joker):
    state = position(f"KH 4C {joker} AS", "2C", rule=rule)
    for card in ("KH", "4C"):
        played = after(state, play(card, joker))
        assert view(played)["discards"] == [joker, card]
        assert view(played)["to_act"] == 1


@pytest.mark.parametrize(
    "move",
    [
        play("X1"),
        play("KH X1"),
        play("X2", "X1"),
        play("KH KC", "X1"),
        play("AS", "X1", rule="above-below"),
    ],
)
def test_ruling_7_a_joker_is_not_played_alone_with_two_cards_or_with_an_ace(move):
    assert code(position("KH KC X1 X2 AS", "2C", rule="multiples"), move) == "rule-forbids"


def test_ruling_7_the_rule_is_broken_for_one_turn_only():
    state = after(position("4C X1 5H", "4H KH", rule="high"), play("4C", "X1"))
    assert view(state)["rule"] == {"name": "high"}
    assert [code(state, play(card)) for card in ("4H", "KH")] == ["wrong-rank", None]


def test_ruling_7_a_joker_that_is_not_in_the_hand_is_refused():
    assert code(position("KH X1", "X2", rule="high"), play("KH", "X2")) == "no-such-card"
