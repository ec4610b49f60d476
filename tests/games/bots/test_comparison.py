"""Comparing bots: the arithmetic of a manually computed sample, and the assignment of seats."""

import pytest

from games import bots
from games.bots.comparison import Comparison, Deal, of_a_table
from games.rules import get

HAND_MADE = Comparison([Deal(12, 4), Deal(7, 9), Deal(5, 5), Deal(52, 10), Deal(9, 7)])
"""Leads 8, -2, 0, 42, 2: mean 10; squares 4 + 144 + 100 + 1024 + 64 = 1336, by 4."""


def test_the_lead_is_computed_from_pairs():
    assert HAND_MADE.first == 17
    assert HAND_MADE.second == 7
    assert HAND_MADE.lead == 10
    assert HAND_MADE.reach == pytest.approx(1.959964 * (1336 / 4) ** 0.5 / 5**0.5, abs=1e-5)


def test_a_tied_deal_does_not_count():
    assert (HAND_MADE.won, HAND_MADE.lost) == (3, 1)
    assert HAND_MADE.sign_test == pytest.approx(2 * 5 / 16)


@pytest.mark.parametrize(("leads", "chance"), [([1] * 10, 2 / 1024), ([1, -1], 1.0), ([0, 0], 1.0)])
def test_the_sign_test_is_two_sided(leads, chance):
    assert Comparison([Deal(lead, 0) for lead in leads]).sign_test == pytest.approx(chance)


@pytest.mark.parametrize(("slug", "seats"), [("ace-race", 2), ("ace-race", 4), ("racing-demons", 3)])
def test_the_first_bot_has_each_seat_of_a_deal_once(slug, seats):
    game, sat, deals = get(slug), [], []

    class Guest:
        name = "guest"

        def choose(self, observation, rng):
            sat.append(observation.seat)
            deals.append(observation.history()[1]["data"])
            return bots.get(slug).choose(observation, rng)

    found = of_a_table(game, game.parse_config({}), Guest(), bots.get(slug), seats=seats, seed="s", deals=[4])
    assert set(sat) == set(range(seats))
    assert len({str(deal) for deal in deals}) == 1
    ((first, second),) = found
    assert first + (seats - 1) * second == pytest.approx(1)


def test_equal_bots_have_no_leader():
    """With equal bots the games of a deal are equal, so the shares add up to one."""
    game, steady = get("ace-race"), bots.get("ace-race")
    for deal in of_a_table(
        game, game.parse_config({}), steady, steady, seats=2, seed="equals", deals=range(3)
    ):
        assert deal.lead == pytest.approx(0)
