"""RULEBOOK 5 (1), (8), (9), (10): legal plays under each of the eight rules."""

import pytest

from games.rules.cards import TEXT
from tests.games.rules.ace_race import DRAW, GAME, PASS, after, code, play, position, view

VALUED = [text for text in TEXT if text[0] not in "AX"]
SINGLE_CARD_RULES = {
    "high": "TJQK",
    "medium": "6789",
    "low": "2345",
    "prime": "2357JK",
}


def goes(state, card, **keys):
    return code(state, play(card, **keys)) is None


@pytest.mark.parametrize("rule", SINGLE_CARD_RULES)
def test_one_card_of_the_values_of_the_rule_is_legal(rule):
    for card in VALUED:
        state = position(f"{card} X1 AS", "2C", rule=rule)
        assert code(state, play(card)) == (None if card[0] in SINGLE_CARD_RULES[rule] else "wrong-rank")


@pytest.mark.parametrize("suit", "CDHS")
def test_one_card_of_the_announced_suit_is_legal(suit):
    for card in VALUED:
        state = position(f"{card} X1 AS", "2C", rule=f"suits:{suit}")
        assert code(state, play(card)) == (None if card[1] == suit else "wrong-suit")


@pytest.mark.parametrize("rule", [*SINGLE_CARD_RULES, "suits:H", "above-below"])
def test_two_cards_are_illegal_where_a_play_is_one_card(rule):
    state = position(
        "7H 7D JH JD 2H 2D", "2C", rule=rule, follow=5 if rule == "above-below" else 0, way="higher"
    )
    for pair in ("7H 7D", "JH JD", "2H 2D"):
        assert code(state, play(pair)) == "rule-forbids"


def test_ruling_1_the_ace_of_spades_names_above_below_and_nothing_else():
    state = position("AS 2C", "2D", rule="high")
    listed = [move["rule"] for move in GAME.legal_moves(state, 0) if "rule" in move]
    assert listed == [{"name": "above-below"}]


# --- (8) multiples ------------------------------------------------------------------------------


def test_ruling_8_a_multiple_is_two_to_four_cards_of_one_value():
    state = position("7C 7D 7H 7S 8C", "2C", rule="multiples")
    for cards in ("7C 7D", "7S 7C", "7C 7D 7H", "7C 7D 7H 7S"):
        assert goes(state, cards)
    assert code(state, play("7C 8C")) == "wrong-rank"
    assert code(state, play("7C")) == "rule-forbids"


def test_ruling_8_every_multiple_is_listed_once():
    state = position("7C 7D 7H 7S", "2C 3C", rule="multiples")
    assert len([move for move in GAME.legal_moves(state, 0) if move["type"] == "play"]) == 6 + 4 + 1


@pytest.mark.parametrize("continuation", ["strict", "chained"])
def test_ruling_8_a_multiple_is_continued_by_one_card_of_its_value(continuation):
    state = position("7C 7D 2C", "7H 8H 3H 2D", rule="multiples", continuation=continuation)
    played = after(state, play("7C 7D"))
    assert goes(played, "7H")
    assert code(played, play("8H")) == "wrong-rank"


@pytest.mark.parametrize(("continuation", "found"), [("strict", "rule-forbids"), ("chained", None)])
def test_ruling_8_the_config_says_whether_a_continuation_of_a_multiple_is_continued(continuation, found):
    state = position("7C 7D 7S 2C", "7H 8H 3H", rule="multiples", continuation=continuation)
    played = after(state, play("7C 7D"), play("7H"))
    assert code(played, play("7S")) == found


# --- (8) series ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cards", ["6C 5D 4H", "9C TD JH", "4H 5D 6C", "JS QS KS", "2C 3C 4C"])
def test_ruling_8_a_series_is_three_consecutive_values_up_or_down(cards):
    assert goes(position(f"{cards} 8S", "2C", rule="series"), cards)


@pytest.mark.parametrize("cards", ["6C 4H 5D", "5D 6C 4H", "9C TD QH", "6C 7C 7D", "7C 7D 7H"])
def test_ruling_8_a_series_has_no_other_order_gap_or_pair(cards):
    assert code(position(f"{cards} 8S", "2C", rule="series"), play(cards)) == "wrong-rank"


@pytest.mark.parametrize("cards", ["6C 5D", "6C 5D 4H 3H"])
def test_ruling_8_a_series_has_exactly_three_cards(cards):
    assert code(position(f"{cards} 8S", "2C", rule="series"), play(cards)) == "rule-forbids"


def test_ruling_8_a_series_does_not_wrap():
    state = position("QC KC 2C 3C 8S", "2D", rule="series")
    assert code(state, play("QC KC 2C")) == "wrong-rank"
    assert code(state, play("KC 2C 3C")) == "wrong-rank"


def test_ruling_8_a_series_has_no_ace():
    state = position("QC KC AC 2C 3C", "2D", rule="series")
    assert code(state, play("QC KC AC", rule="prime")) == "rule-forbids"
    assert code(state, play("AC 2C 3C", rule="prime")) == "rule-forbids"


@pytest.mark.parametrize(
    ("cards", "fitting"), [("6C 7C 8C", "79"), ("8C 7C 6C", "57"), ("JC QC KC", "Q"), ("4C 3C 2C", "3")]
)
@pytest.mark.parametrize("continuation", ["strict", "chained"])
def test_ruling_8_a_series_is_continued_by_a_card_next_to_its_last(cards, fitting, continuation):
    others = " ".join(f"{rank}S" for rank in "23456789TJQK")
    played = after(position(f"{cards} 2D", others, rule="series", continuation=continuation), play(cards))
    assert "".join(rank for rank in "23456789TJQK" if goes(played, f"{rank}S")) == fitting
    assert code(played, play("TS")) == "wrong-rank"


@pytest.mark.parametrize(("continuation", "found"), [("strict", "rule-forbids"), ("chained", None)])
def test_ruling_8_the_config_says_whether_a_continuation_of_a_series_is_continued(continuation, found):
    state = position("6C 7C 8C TD 2C", "9H 8H 3H", rule="series", continuation=continuation)
    played = after(state, play("6C 7C 8C"), play("9H"))
    assert code(played, play("TD")) == found
    assert code(played, play("2C")) == (found or "wrong-rank")


def test_ruling_8_both_orders_of_a_series_are_listed():
    state = position("6C 7C 8C 8D", "2D 3D", rule="series")
    listed = [" ".join(move["cards"]) for move in GAME.legal_moves(state, 0) if move["type"] == "play"]
    assert sorted(listed) == ["6C 7C 8C", "6C 7C 8D", "8C 7C 6C", "8D 7C 6C"]


# --- (9) the previous play ----------------------------------------------------------------------


@pytest.mark.parametrize("continuation", ["strict", "chained"])
def test_ruling_9_passes_between_plays_do_not_matter(continuation):
    state = position(
        "7C 7D 2C", "8H 3H", "7H 2D", rule="multiples", pile="4C 5C 6C", continuation=continuation
    )
    assert goes(after(state, play("7C 7D"), DRAW, PASS), "7H")


@pytest.mark.parametrize("continuation", ["strict", "chained"])
@pytest.mark.parametrize(("rule", "cards"), [("multiples", "7C 7D"), ("series", "5C 6C 7D")])
def test_ruling_9_a_joker_play_is_neither_a_multiple_nor_a_series(rule, cards, continuation):
    state = position(f"{cards} 2C", "7H 3H", "7S 6S 8S 2D", rule=rule, continuation=continuation)
    state = state._replace(hands=(state.hands[0], (*state.hands[1], 52), state.hands[2]))
    played = after(state, play(cards), play("7H", "X1"))
    assert [code(played, play(card)) for card in ("7S", "6S", "8S")] == ["rule-forbids"] * 3


@pytest.mark.parametrize(
    ("rule", "cards", "one"), [("multiples", "7C 7D", "7H"), ("series", "5C 6C 7D", "8H")]
)
def test_ruling_9_right_after_an_ace_there_is_no_previous_play(rule, cards, one):
    state = position(f"{cards} 2C", f"AH {one} 3H", rule=rule)
    again = after(state, play(cards), play("AH", rule=rule))
    assert code(again, play(one)) == "rule-forbids"


@pytest.mark.parametrize("rule", ["multiples", "series"])
def test_ruling_9_under_the_first_rule_there_is_no_previous_play(rule):
    state = position("7C 2C", "3H", rule=rule)
    assert code(state, play("7C")) == "rule-forbids"


# --- (10) above and below -----------------------------------------------------------------------


def first(*hands, **keys):
    return position(*hands, rule="above-below", **keys)


@pytest.mark.parametrize("way", ["higher", "lower"])
def test_ruling_10_the_first_play_is_any_card_and_names_the_direction(way):
    for card in VALUED:
        state = after(first(f"{card} AS", "2C"), play(card, way=way))
        assert view(state)["direction"] == way, card


def test_ruling_10_direction_is_required_on_the_first_play():
    state = first("7C 7D X1", "2C")
    assert code(state, play("7C")) == "malformed-move"
    assert code(state, play("7C", "X1")) == "malformed-move"
    assert code(state, play("7C 7D")) == "malformed-move"
    assert code(state, play("7C 7D", way="lower")) == "rule-forbids"


@pytest.mark.parametrize("way", ["higher", "lower"])
def test_ruling_10_later_plays_are_strictly_higher_or_lower(way):
    seven = "A23456789TJQK".index("7")
    for card in sorted({*VALUED} - {"7C"}):
        state = after(first("7C AS", f"{card} AD"), play("7C", way=way))
        value = "A23456789TJQK".index(card[0])
        fits = value > seven if way == "higher" else value < seven
        assert code(state, play(card)) == (None if fits else "wrong-rank"), card


def test_ruling_10_the_direction_turns_with_each_play():
    state = after(first("7C 3C 9C 2D", "9H 4H 2H"), play("7C", way="higher"), play("9H"))
    assert view(state)["direction"] == "lower"
    assert code(state, play("9C")) == "wrong-rank"
    state = after(state, play("3C"))
    assert view(state)["direction"] == "higher"
    assert code(state, play("2H")) == "wrong-rank"
    assert goes(state, "4H")


def test_ruling_10_passes_do_not_turn_the_direction():
    state = after(first("7C 3C", "2H 4H", pile="5C 5D"), play("7C", way="higher"), DRAW, PASS)
    assert view(state)["direction"] == "higher"


@pytest.mark.parametrize(("card", "way"), [("KC", "higher"), ("2C", "lower")])
def test_ruling_10_above_a_king_only_jokers_and_aces_are_legal(card, way):
    state = after(first(f"{card} 8C", "5H KH 2H X1 AD", pile="3C"), play(card, way=way))
    plays = [move for move in GAME.legal_moves(state, 1) if move["type"] == "play"]
    assert plays
    assert all("joker" in move or "rule" in move for move in plays)


def test_ruling_10_a_jokers_card_is_the_new_base_and_the_direction_turns():
    state = after(first("7C 3C", "2H X1 4H"), play("7C", way="higher"), play("2H", "X1"))
    assert view(state)["direction"] == "lower"
    assert code(state, play("3C")) == "wrong-rank"


def test_ruling_10_a_joker_play_may_be_the_first_and_names_the_direction():
    state = after(first("7C 3C X1", "2H 9H"), play("7C", "X1", way="lower"))
    assert view(state)["direction"] == "lower"
    assert goes(state, "2H")
    assert not goes(state, "9H")


@pytest.mark.parametrize("move", [play("9H", way="lower"), play("2H", "X1", way="lower")])
def test_ruling_10_direction_is_malformed_on_a_later_play(move):
    state = after(first("7C 3C", "2H X1 9H"), play("7C", way="higher"))
    assert code(state, move) == "malformed-move"


@pytest.mark.parametrize("rule", [*SINGLE_CARD_RULES, "suits:C", "multiples", "series"])
def test_ruling_10_direction_is_malformed_under_every_other_rule(rule):
    state = position("7C 3C KC X1", "2H", rule=rule)
    for card in ("7C", "3C", "KC"):
        assert code(state, play(card, way="higher")) == "malformed-move"
        assert code(state, play(card, "X1", way="higher")) == "malformed-move"


@pytest.mark.parametrize("phase", ["bidding", "rule", "giveaway"])
def test_ruling_10_direction_is_malformed_in_every_other_phase(phase):
    state = position("7C 3C", "2H", rule="above-below", phase=phase)
    assert code(state, play("7C", way="higher")) == "malformed-move"
    assert code(state, play("7C")) == "rule-forbids"


def test_ruling_10_if_the_rule_maker_passes_the_next_to_play_makes_the_first_play():
    state = after(first("7C 3C", "2H 9H", pile="4C 5D"), DRAW, PASS)
    assert code(state, play("9H")) == "malformed-move"
    assert goes(state, "9H", way="lower")


def test_ruling_10_an_ace_on_the_first_play_names_no_direction():
    state = first("AD 7C", "2H")
    assert code(state, play("AD", rule="high", way="higher")) == "malformed-move"
    assert goes(state, "AD", rule="high")


def test_ruling_10_a_new_ace_of_spades_requires_a_first_play_again():
    state = after(first("7C 3C", "AS 9H 2H"), play("7C", way="higher"), play("AS", rule="above-below"))
    assert view(state)["direction"] is None
    assert code(state, play("9H")) == "malformed-move"
    assert goes(state, "2H", way="higher")
