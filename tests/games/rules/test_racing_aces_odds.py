"""Ruling (4) of Racing Aces: prices are computed exactly from the unseen cards."""

import itertools
import math
import random
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import get
from games.rules.manifest import Odds
from games.rules.racing_aces.game import STOCK, State
from games.rules.racing_aces.odds import chances, first_to_give, odds

RACE = get("racing-aces")


def position(line, rows, stock, *, cards_per_draw=1, unseen_order=None):
    """Return a race in which each row has its lowest cards. `unseen_order` ends with the top of the stock."""
    burn = len(STOCK) - sum(row - 1 for row in rows) - stock
    config = RACE.parse_config({"finish_line": line, "cards_per_draw": cards_per_draw, "burn": burn})
    placed = tuple(tuple(range(13 * suit, 13 * suit + row)) for suit, row in enumerate(rows))
    unseen = unseen_order or unseen_cards(rows)
    return State(config, placed, tuple(unseen[len(unseen) - stock :]), draws=0, winner=None)


def unseen_cards(rows):
    return [13 * suit + rank for suit, row in enumerate(rows) for rank in range(row, 13)]


def winner(state):
    while not RACE.is_over(state):
        state = RACE.apply_action(state, None, 0)
    return state.winner


def by_counting(line, rows, stock, cards_per_draw):
    """Compute the chances by playing out every order of the unseen cards."""
    won = [0] * 5
    for order in itertools.permutations(unseen_cards(rows)):
        state = position(line, rows, stock, cards_per_draw=cards_per_draw, unseen_order=order)
        suit = winner(state)
        won[4 if suit is None else suit] += 1
    return [Fraction(count, sum(won)) for count in won]


@pytest.mark.parametrize("cards_per_draw", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("line", "rows", "stock"),
    [
        (13, (12, 11, 12, 11), 6),
        (13, (12, 11, 12, 11), 1),
        (13, (11, 12, 12, 11), 3),
        (13, (10, 12, 12, 12), 5),
        (13, (12, 12, 12, 12), 0),
    ],
)
def test_the_chances_agree_with_playing_out_every_order(line, rows, stock, cards_per_draw):
    found = odds(position(line, rows, stock, cards_per_draw=cards_per_draw))
    assert [*found.suits, found.no_winner] == by_counting(line, rows, stock, cards_per_draw)


def by_multisets(needed, unseen, stock):
    """Compute the chances from every order of the suits in a small pack."""
    pack = [suit for suit, cards in enumerate(unseen) for _ in range(cards)]
    won = [0] * (len(unseen) + 1)
    for order in itertools.permutations(pack):
        given = [0] * len(unseen)
        for suit in order[:stock]:
            given[suit] += 1
            if given[suit] == needed[suit]:
                won[suit] += 1
                break
        else:
            won[-1] += 1
    return [Fraction(count, sum(won)) for count in won]


@st.composite
def small_packs(draw):
    unseen = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(lambda left: sum(left) <= 7))
    needed = [draw(st.integers(1, 4)) for _ in unseen]
    return needed, tuple(unseen), draw(st.integers(0, sum(unseen)))


@settings(max_examples=24, deadline=None)
@given(small_packs())
def test_small_packs_agree_with_counting(pack):
    needed, unseen, stock = pack
    found = first_to_give(tuple(needed), unseen, stock)
    assert [*found.suits, found.no_winner] == by_multisets(needed, unseen, stock)


@st.composite
def positions(draw):
    """Return line, rows, and stock of any running race."""
    line = draw(st.integers(2, 13))
    rows = tuple(draw(st.integers(1, line - 1)) for _ in range(4))
    return line, rows, draw(st.integers(0, 52 - sum(rows)))


@settings(max_examples=80, deadline=None)
@given(positions())
def test_the_chances_add_up_to_exactly_one(position):
    line, rows, stock = position
    found = chances(finish_line=line, rows=rows, stock=stock)
    assert sum(found.suits) + found.no_winner == 1
    assert all(0 <= chance <= 1 for chance in (*found.suits, found.no_winner))


@settings(max_examples=80, deadline=None)
@given(positions())
def test_a_chance_is_the_mean_of_the_chances_after_the_next_card(position):
    """The chance now equals the chances after the next card, weighted by its suit."""
    line, rows, stock = position
    if not stock:
        return
    now = chances(finish_line=line, rows=rows, stock=stock)
    unseen = 52 - sum(rows)
    expected = [Fraction(0)] * 5
    for suit, row in enumerate(rows):
        if row == 13:
            continue
        if row + 1 == line:
            then = Odds(tuple(Fraction(other == suit) for other in range(4)), Fraction(0))
        else:
            longer = (*rows[:suit], row + 1, *rows[suit + 1 :])
            then = chances(finish_line=line, rows=longer, stock=stock - 1)
        for which, chance in enumerate((*then.suits, then.no_winner)):
            expected[which] += Fraction(13 - row, unseen) * chance
    assert [*now.suits, now.no_winner] == expected


@settings(max_examples=24, deadline=None)
@given(positions(), st.permutations(range(4)))
def test_equal_suits_have_equal_chances(position, order):
    line, rows, stock = position
    found = chances(finish_line=line, rows=rows, stock=stock)
    turned = chances(finish_line=line, rows=[rows[suit] for suit in order], stock=stock)
    assert turned == Odds(tuple(found.suits[suit] for suit in order), found.no_winner)


@pytest.mark.parametrize("line", range(2, 14))
def test_a_suit_always_wins_without_burned_cards(line):
    found = odds(position(line, (1, 1, 1, 1), 48))
    assert found == Odds((Fraction(1, 4),) * 4, Fraction(0))


def test_the_chances_before_the_deal_are_those_right_after_it():
    config = RACE.parse_config({"burn": 20})
    undealt = RACE.initial(config, 0)
    assert odds(undealt) == odds(position(10, (1, 1, 1, 1), 28))


@pytest.mark.parametrize(
    ("cards_per_draw", "line", "rows", "stock"),
    [(1, 10, (1, 1, 1, 1), 28), (4, 10, (3, 5, 2, 4), 20), (3, 6, (1, 3, 2, 2), 44)],
)
def test_simulated_races_agree(cards_per_draw, line, rows, stock):
    """In 4,000 races, a deviation of more than five standard deviations occurs once in two million."""
    found = odds(position(line, rows, stock, cards_per_draw=cards_per_draw))
    rng, unseen, races = random.Random(3), unseen_cards(rows), 4_000
    won = [0] * 5
    for _ in range(races):
        rng.shuffle(unseen)
        suit = winner(position(line, rows, stock, cards_per_draw=cards_per_draw, unseen_order=unseen))
        won[4 if suit is None else suit] += 1
    for count, chance in zip(won, (*found.suits, found.no_winner), strict=True):
        assert abs(count - races * chance) <= 5 * math.sqrt(races * chance * (1 - chance))


def test_a_race_that_is_over_has_one_chance_left():
    state = position(10, (9, 1, 9, 1), 4, cards_per_draw=4, unseen_order=[0, 9, 35, 10])
    assert odds(RACE.apply_action(state, None, 0)) == Odds((Fraction(1), *[Fraction(0)] * 3), Fraction(0))
    empty = RACE.apply_action(position(10, (9, 9, 8, 8), 1), None, 0)
    assert odds(empty) == Odds((Fraction(0),) * 4, Fraction(1))


def test_fair_returns_with_both_terms_for_no_winner():
    found = chances(finish_line=10, rows=(1, 1, 1, 1), stock=18)
    chance, unknown = found.suits[0], found.no_winner
    assert unknown == 1 - 4 * chance
    assert found.fair_return(0, on_draw="lose") == 1 / chance
    assert found.fair_return(0, on_draw="refund") == 4
    # The expected gain is zero over a loss, a refund, and a win.
    assert chance * found.fair_return(0, on_draw="refund") + unknown == 1
    beaten = chances(finish_line=13, rows=(12, 1, 1, 1), stock=5)
    assert beaten.fair_return(1, on_draw="lose") is None
    assert beaten.fair_return(1, on_draw="refund") is None


def test_known_prices():
    """The prices of docs/games/racing-aces.md."""
    found = chances(finish_line=10, rows=(7, 5, 6, 4), stock=30)
    assert found.suits[0] == Fraction(119139217, 252065970)
    assert found.fair_return(0, on_draw="lose") == found.fair_return(0, on_draw="refund")
    at_the_off = {
        burn: chances(finish_line=10, rows=(1, 1, 1, 1), stock=48 - burn) for burn in (15, 16, 20, 25, 30)
    }
    assert at_the_off[15].no_winner == 0
    assert [f"{float(found.no_winner):.2%}" for found in at_the_off.values()] == (
        ["0.00%", "2.66%", "42.88%", "87.08%", "98.75%"]
    )
    assert [f"{float(found.fair_return(0, on_draw='lose')):.2f}" for found in at_the_off.values()] == (
        ["4.00", "4.11", "7.00", "30.97", "320.46"]
    )
    assert {found.fair_return(0, on_draw="refund") for found in at_the_off.values()} == {4}


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": (1, 1, 1)},
        {"rows": (0, 1, 1, 1)},
        {"rows": (10, 1, 1, 1)},
        {"stock": 49},
        {"stock": -1},
        {"finish_line": 14},
    ],
)
def test_an_impossible_position_is_refused(wrong):
    with pytest.raises(ValueError, match=r"row|line|stock"):
        chances(**{"finish_line": 10, "rows": (1, 1, 1, 1), "stock": 48, **wrong})


def test_prices_are_computed_fast_enough_for_bets_in_running():
    first_to_give.cache_clear()
    began = time.process_time()
    for row in range(1, 11):
        chances(finish_line=13, rows=(row, 1, 1, 1), stock=30)
    assert (time.process_time() - began) / 10 < 0.05
