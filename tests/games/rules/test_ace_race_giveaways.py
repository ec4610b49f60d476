"""RULEBOOK 5 (2), (11): the three kinds of giveaway."""

import pytest

from tests.games.rules.ace_race import (
    DECLINE,
    DRAW,
    GAME,
    PASS,
    after,
    bid,
    code,
    dealt,
    decided,
    give,
    hand,
    play,
    position,
    rule,
    view,
)


def giving(*hands, to_act=0, **keys):
    """Return a position with a giveaway that a play has earned."""
    return position(*hands, phase="giveaway", discards="7C 7D 7H 7S", to_act=to_act, **keys)


# --- giveaway of the previous winner --------------------------------------------------------------


@pytest.mark.parametrize("previous", [0, 1, 2])
def test_ruling_2_the_previous_winner_gives_after_the_rule_and_before_the_first_card(previous):
    start = after(dealt(3, previous_winner=previous), PASS, PASS, bid(2))
    assert (view(start)["phase"], view(start)["to_act"]) == ("rule", 0)
    named = after(start, rule("high"))
    assert (view(named)["phase"], view(named)["to_act"], view(named)["discards"]) == (
        "giveaway",
        previous,
        [],
    )
    for move in (DECLINE, GAME.legal_moves(named, previous)[-1]):
        done = after(named, move)
        assert (view(done)["phase"], view(done)["to_act"]) == ("playing", 0)


def test_ruling_2_without_a_previous_winner_there_is_no_giveaway():
    assert view(after(dealt(2), bid(6), rule("low")))["phase"] == "playing"


# --- four of equal value ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lying", "move", "in_force"),
    [
        ("", play("7C 7D 7H 7S"), {"rule": "multiples"}),
        ("2C 7H 7S", play("7C 7D"), {"rule": "multiples"}),
        ("7H 7S 7D", play("7C"), {"rule": "multiples", "follow": 7}),
        ("KH KS KD", play("KC"), {"rule": "high"}),
        ("8H 8S 8D", play("8C"), {"rule": "medium"}),
        ("4H 4S 4D", play("4C"), {"rule": "low"}),
        ("5H 5S 5D", play("5C"), {"rule": "prime"}),
        ("7H 7D 7S", play("7C"), {"rule": "suits:C"}),
        ("X1 JH JS JD", play("JC"), {"rule": "prime"}),
    ],
)
def test_ruling_11_four_of_equal_value_on_top_earn_a_giveaway(lying, move, in_force):
    state = position(" ".join([*move["cards"], "2S"]), "2D 3D", discards=lying, **in_force)
    (event,) = decided(state, move)
    assert event.data == {"move": move, "facts": {"giveaway": True}}
    assert (view(after(state, move))["phase"], view(after(state, move))["to_act"]) == ("giveaway", 0)


@pytest.mark.parametrize(
    ("lying", "move"),
    [
        ("KH KS", play("KC")),
        ("KH QH KS KD", play("KC")),
        ("KH KS KD QC", play("KC")),
        ("KH KS X1 KD", play("KC")),
        ("KH KS KD", play("KC", "X1")),
        ("KH KS KD", play("QC")),
        ("AH", play("KC")),
    ],
)
def test_ruling_11_three_cards_or_four_with_another_or_a_joker_earn_none(lying, move):
    state = position(
        "KC QC 2S X1".replace(" X1", " X2" if "X1" in lying else " X1"), "2D", rule="high", discards=lying
    )
    (event,) = decided(state, move)
    assert event.data["facts"] == {"giveaway": False}
    assert view(after(state, move))["to_act"] == 1


def test_ruling_11_cards_under_an_ace_do_not_count():
    state = position("AD KC 2S", "2D", rule="high", discards="KH KS KD")
    assert decided(after(state, play("AD", rule="high")), play("KC"))[0].data["facts"] == {"giveaway": False}


# --- series on a series -------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["5D 6D 7D", "7D 6D 5D"])
@pytest.mark.parametrize("first", ["5C 6C 7C", "7C 6C 5C"])
def test_ruling_11_a_series_on_one_of_the_same_values_earns_a_giveaway(first, second):
    state = after(position("5C 6C 7C 2S", "5D 6D 7D 2D", rule="series"), play(first))
    assert decided(state, play(second))[0].data["facts"] == {"giveaway": True}
    assert view(after(state, play(second)))["phase"] == "giveaway"


def test_ruling_11_a_series_on_one_of_other_values_earns_none():
    state = after(position("5C 6C 7C 2S", "6D 7D 8D 2D", rule="series"), play("5C 6C 7C"))
    assert decided(state, play("6D 7D 8D"))[0].data["facts"] == {"giveaway": False}


def test_ruling_11_passes_between_two_series_do_not_matter():
    state = position("5C 6C 7C 2S", "2H", "5D 6D 7D 2D", rule="series", pile="9C")
    state = after(state, play("5C 6C 7C"), DRAW, PASS)
    assert decided(state, play("5D 6D 7D"))[0].data["facts"] == {"giveaway": True}


@pytest.mark.parametrize("continuation", ["strict", "chained"])
@pytest.mark.parametrize("between", [play("8H"), play("4H", "X1")])
def test_ruling_11_a_play_between_two_series_prevents_the_giveaway(between, continuation):
    state = position("5C 6C 7C 2S", "8H 4H X1", "5D 6D 7D 2D", rule="series", continuation=continuation)
    state = after(state, play("5C 6C 7C"), between)
    assert decided(state, play("5D 6D 7D"))[0].data["facts"] == {"giveaway": False}


def test_ruling_11_an_ace_between_two_series_prevents_the_giveaway():
    state = position("5C 6C 7C 2S", "AH 5D 6D 7D 2D", rule="series")
    state = after(state, play("5C 6C 7C"), play("AH", rule="series"))
    assert decided(state, play("5D 6D 7D"))[0].data["facts"] == {"giveaway": False}


def test_ruling_11_a_third_series_of_the_same_values_earns_one_too():
    state = position("5C 6C 7C 2S", "5D 6D 7D 2D", "5H 6H 7H 2H", rule="series")
    state = after(state, play("5C 6C 7C"), play("5D 6D 7D"), DECLINE)
    assert decided(state, play("7H 6H 5H"))[0].data["facts"] == {"giveaway": True}


# --- giving -------------------------------------------------------------------------------------


def test_ruling_11_up_to_two_cards_one_each_or_both_to_one():
    state = giving("2C 3C 4C", "5D", "6D")
    for move in (give(c2C=1), give(c2C=1, c3C=2), give(c2C=2, c4C=2), DECLINE):
        assert code(state, move) is None
    done = after(state, give(c4C=2, c2C=1))
    assert [hand(done, seat) for seat in range(3)] == ["3C", "5D 2C", "6D 4C"]


def test_ruling_11_gifts_arrive_in_the_order_given():
    state = giving("2C 3C 4C", "5D")
    assert hand(after(state, give(c4C=1, c2C=1)), 1) == "5D 4C 2C"
    assert hand(after(state, give(c2C=1, c4C=1)), 1) == "5D 2C 4C"


@pytest.mark.parametrize("card", ["AD", "X1", "2C"])
def test_ruling_11_any_card_can_be_given(card):
    assert code(giving(f"3C {card} 4C", "5D"), {"type": "give", "gifts": [{"card": card, "to": 1}]}) is None


def test_ruling_11_gifts_go_only_to_other_seats():
    state = giving("2C 3C 4C", "5D", "6D")
    assert code(state, give(c2C=0)) == "rule-forbids"
    assert code(state, give(c2C=1, c3C=0)) == "rule-forbids"


def test_ruling_11_gifts_are_cards_of_the_hand_and_each_once():
    state = giving("2C 3C 4C", "5D", "6D")
    assert code(state, give(c5D=2)) == "no-such-card"
    twice = {"type": "give", "gifts": [{"card": "2C", "to": 1}, {"card": "2C", "to": 2}]}
    assert code(state, twice) == "no-such-card"


def test_ruling_11_a_hand_of_one_gives_one():
    state = giving("2C", "5D 6D")
    assert GAME.legal_moves(state, 0) == [DECLINE, give(c2C=1)]


@pytest.mark.parametrize(("held", "move"), [("2C", give(c2C=1)), ("2C AS", give(c2C=1, cAS=2))])
def test_ruling_11_giving_away_the_last_card_wins(held, move):
    event, finished = decided(giving(held, "5D", "6D"), move)
    assert event.data["facts"] == {}
    assert finished.data["outcome"]["result"] == "won"
    assert finished.data["outcome"]["winners"] == [0]
    over = after(giving(held, "5D", "6D"), move)
    assert (view(over)["phase"], view(over)["to_act"]) == ("over", None)


@pytest.mark.parametrize("move", [DECLINE, give(c2C=1)])
def test_ruling_11_after_a_giveaway_the_next_seat_plays(move):
    done = after(giving("5D 6D", "7D", "2C 3C", to_act=2), move)
    assert (view(done)["phase"], view(done)["to_act"]) == ("playing", 0)


def test_ruling_11_without_a_giveaway_the_next_seat_continues_the_play():
    state = position("7C 7D 7H 2S", "7S 3D", rule="multiples")
    state = state._replace(discards=(), hands=(state.hands[0], state.hands[1]))
    state = after(state, play("7C 7D"))
    assert code(state, play("7S")) is None


@pytest.mark.parametrize("move", [play("2C"), DRAW, PASS])
def test_ruling_11_no_other_move_is_legal_in_a_giveaway(move):
    assert code(giving("2C 3C", "5D", rule="low", pile="9D"), move) == "rule-forbids"


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_every_giveaway_is_listed_once(seats, count):
    hands = ["2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"[: 3 * count - 1], *["5D 6D"] * (seats - 1)]
    listed = GAME.legal_moves(giving(*hands), 0)
    assert len(listed) == 1 + count * (seats - 1) + count * (count - 1) // 2 * (seats - 1) ** 2
    assert len({str(move) for move in listed}) == len(listed)
