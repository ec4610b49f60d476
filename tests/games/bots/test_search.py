"""Choosing by playouts: the budget, equal worlds for all actions, and the lead that changes a habit."""

import random

import pytest

from games.bots.search import best_action


def searched(actions, value, *, playouts=120, doubt=1.0, worlds=None):
    rng = random.Random(7)
    return best_action(actions, world=worlds or rng.random, value=value, playouts=playouts, doubt=doubt)


def test_a_single_action_is_not_searched():
    assert searched(["only"], value=None) == "only"


@pytest.mark.parametrize("best", [0, 1, 4, 6])
def test_the_best_of_many_is_found_at_any_position(best):
    assert searched(range(7), lambda world, action: world + (action == best)) == best


def test_a_lucky_world_does_not_mislead():
    """Worlds differ by a thousand, actions by one. The difference is visible only in the same worlds."""
    assert searched("ab", lambda world, action: 1000 * world + (action == "b")) == "b"


def test_the_habitual_action_is_replaced_only_after_a_clear_lead():
    rng = random.Random(3)
    scores = {"habit": 0.0, "other": 0.1}
    noisy = lambda world, action: scores[action] + rng.gauss(0, 1)  # noqa: E731
    assert searched(["habit", "other"], noisy, playouts=60, doubt=4.0) == "habit"
    assert searched(["habit", "other"], noisy, playouts=60_000, doubt=4.0) == "other"


@pytest.mark.parametrize("actions", [2, 3, 5, 12, 40])
def test_no_more_games_are_played_out_than_the_budget_allows(actions):
    made = []
    searched(range(actions), lambda world, action: made.append(action) or 0.0, playouts=200)
    assert 100 <= len(made) <= 200


def test_every_action_is_tried_even_where_the_budget_is_too_small():
    made = []
    searched(range(9), lambda world, action: made.append(action) or 0.0, playouts=1)
    assert set(made) == set(range(9))


def test_remaining_actions_are_tried_in_the_same_worlds():
    met = {}
    searched(range(6), lambda world, action: met.setdefault(action, []).append(world) or -action)
    longest = max(met.values(), key=len)
    assert all(worlds == longest[: len(worlds)] for worlds in met.values())
