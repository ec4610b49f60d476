"""Pool betting: the arithmetic of a pool."""

from __future__ import annotations

import doctest
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.betting import pools
from ledger.betting.pools import divide, rounded_dividend
from ledger.betting.terms import STEPS, Wager

RUNNERS = "CDHS"
wagers = st.lists(
    st.builds(
        Wager,
        runner=st.sampled_from(RUNNERS),
        stake=st.integers(1, 10**6),
        void=st.sampled_from([False] * 9 + [True]),
    ),
    max_size=40,
)
winners = st.sets(st.sampled_from(RUNNERS), max_size=4).map(sorted)
takeouts = st.integers(0, 9_999)
steps = st.sampled_from(STEPS)


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(pools).failed == 0


@given(wagers, winners, takeouts, steps, st.sampled_from(["refund", "lose"]))
def test_payouts_takeout_and_breakage_add_up_to_the_stakes(
    bets: list[Wager], won: list[str], takeout: int, step: int, on_draw: str
) -> None:
    found = divide(bets, won, takeout=takeout, step=step, on_draw=on_draw)
    assert found.paid + found.takeout + found.breakage == sum(bet.stake for bet in bets)
    assert min([found.takeout, found.breakage, *found.returns]) >= 0


@given(wagers, winners, takeouts, steps)
def test_winner_gets_at_least_the_stake_from_the_pool(
    bets: list[Wager], won: list[str], takeout: int, step: int
) -> None:
    found = divide(bets, won, takeout=takeout, step=step)
    for bet, returned in zip(bets, found.returns, strict=True):
        assert returned == 0 or returned >= bet.stake
        assert bet.runner not in won or returned >= bet.stake
    assert found.takeout <= sum(bet.stake for bet in bets) * takeout // 10_000


@given(wagers, winners, takeouts, st.randoms(use_true_random=False))
def test_order_of_bets_changes_only_odd_pence(
    bets: list[Wager], won: list[str], takeout: int, rng: random.Random
) -> None:
    order = list(range(len(bets)))
    rng.shuffle(order)
    first = divide(bets, won, takeout=takeout)
    second = divide([bets[place] for place in order], won, takeout=takeout)
    assert (first.takeout, first.paid) == (second.takeout, second.paid)
    for there, here in enumerate(order):
        assert abs(first.returns[here] - second.returns[there]) <= 1
        assert first.refunded[here] == second.refunded[there]


@given(wagers, winners, takeouts)
def test_a_share_differs_from_the_exact_one_by_less_than_a_penny(
    bets: list[Wager], won: list[str], takeout: int
) -> None:
    found = divide(bets, won, takeout=takeout)
    backed = sum(bet.stake for bet in bets if bet.runner in won and not bet.void)
    net = sum(bet.stake for bet in bets if not bet.void) - found.takeout
    for bet, returned, refunded in zip(bets, found.returns, found.refunded, strict=True):
        if bet.runner in won and not refunded:
            assert abs(returned - Fraction(net * bet.stake, backed)) < 1


def test_odd_pence_go_by_remainder_then_bet_order() -> None:
    bets = [Wager("H", 10), Wager("H", 10), Wager("H", 10), Wager("S", 70)]
    assert divide(bets, ["H"], takeout=0).returns == [34, 33, 33, 0]
    uneven = [Wager("H", 10), Wager("H", 20), Wager("S", 31)]
    assert divide(uneven, ["H"], takeout=0).returns == [20, 41, 0]


def test_the_takeout_is_reduced_before_a_winner_loses() -> None:
    bets = [Wager("H", 95), Wager("S", 5)]
    found = divide(bets, ["H"], takeout=2000)
    assert (found.returns, found.takeout) == ([95, 0], 5)


@pytest.mark.parametrize(
    ("bets", "won"),
    [
        ([Wager("H", 60), Wager("H", 40)], ["H"]),
        ([Wager("H", 60), Wager("H", 40)], ["S"]),
        ([Wager("H", 60), Wager("S", 40)], ["C"]),
        ([Wager("H", 60), Wager("S", 40, void=True)], ["H"]),
        ([Wager("H", 60), Wager("S", 40)], []),
        ([], ["H"]),
    ],
    ids=[
        "one runner backed",
        "and not the winner",
        "no backer",
        "void ones do not count",
        "no winner",
        "no bets",
    ],
)
def test_refunded_stakes_have_no_takeout(bets: list[Wager], won: list[str]) -> None:
    found = divide(bets, won, takeout=2000)
    assert found.returns == [bet.stake for bet in bets]
    assert all(found.refunded)
    assert (found.takeout, found.breakage) == (0, 0)


def test_pool_without_winner_goes_to_the_site_if_bets_lose() -> None:
    bets = [Wager("H", 60), Wager("S", 40), Wager("S", 7, void=True)]
    found = divide(bets, [], takeout=500, on_draw="lose")
    assert (found.returns, found.takeout) == ([0, 0, 7], 100)


def test_late_bets_are_refunded_outside_the_pool() -> None:
    bets = [Wager("H", 60), Wager("S", 40), Wager("H", 1000, void=True)]
    found = divide(bets, ["H"], takeout=1000)
    assert (found.returns, found.refunded) == ([90, 0, 1000], [False, False, True])


def test_tied_winners_divide_one_pool_by_their_stakes() -> None:
    bets = [Wager("H", 30), Wager("S", 10), Wager("D", 60)]
    assert divide(bets, ["H", "S"], takeout=0).returns == [75, 25, 0]


@pytest.mark.parametrize(
    ("step", "unit", "returns", "breakage"), [(1, 128, [896, 0], 4), (10, 120, [840, 0], 60)]
)
def test_a_dividend_is_rounded_down_to_its_step(
    step: int, unit: int, returns: list[int], breakage: int
) -> None:
    assert rounded_dividend(900, 700, step) == unit
    found = divide([Wager("H", 700), Wager("S", 300)], ["H"], takeout=1000, step=step)
    assert (found.returns, found.takeout, found.breakage) == (returns, 100, breakage)


@pytest.mark.parametrize("terms", [{"takeout": -1}, {"takeout": 10_001}, {"takeout": 0, "step": 5}])
def test_invalid_terms_are_refused(terms: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        divide([], [], **terms)
