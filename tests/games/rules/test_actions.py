"""Moves as small integers say the same as moves: for each game that has them, along whole playouts by chance."""

import random

import pytest

from games.rules import GameKey, get
from games.rules.vegas_solitaire import State

CONFIGS = [
    ("vegas-solitaire", {"draw": 1}, 0),
    ("vegas-solitaire", {"draw": 3}, 0),
    ("racing-aces", {}, None),
    ("racing-aces", {"finish_line": 12, "cards_per_draw": 4, "burn": 20}, None),
]


def dealt(slug, config, number):
    game = get(slug)
    parsed, seats = game.parse_config(config), max(1, min(game.seats))
    fact = game.deal(parsed, seats, GameKey(number.to_bytes(32, "big"), [""]))
    return game, game.evolve(game.initial(parsed, seats), fact.type, fact.seat, fact.data, fact.private)


def after(game, state, seat, move):
    for fact in game.decide(state, seat, move):
        state = game.evolve(state, *fact)
    return state


@pytest.mark.parametrize(("slug", "config", "seat"), CONFIGS)
def test_actions_are_the_legal_moves_in_their_order_and_do_what_they_do(slug, config, seat):
    rng = random.Random(11)
    for number in range(12):
        game, state = dealt(slug, config, number)
        for _ in range(150):
            actions = game.legal_actions(state, seat)
            moves = game.legal_moves(state, seat)
            assert [game.move_of(state, action) for action in actions] == moves
            assert len(set(actions)) == len(actions)
            assert game.is_over(state) == (not actions)
            if not actions:
                assert game.outcome(state) is not None
                break
            for action, move in zip(actions, moves, strict=True):
                assert game.apply_action(state, seat, action) == after(game, state, seat, move)
            state = game.apply_action(state, seat, rng.choice(lasting(actions, moves)))


def lasting(actions, moves):
    """The actions that do not end the game at once, where there are others."""
    return [
        action for action, move in zip(actions, moves, strict=True) if move["type"] != "collect"
    ] or actions


@pytest.mark.parametrize(("slug", "config", "seat"), CONFIGS)
def test_a_seat_that_may_not_move_has_no_actions(slug, config, seat):
    game, state = dealt(slug, config, 1)
    assert game.legal_actions(state, seat)
    assert not game.legal_actions(state, 0 if seat is None else None)
    undealt = game.initial(game.parse_config(config), 1)
    assert not game.legal_actions(undealt, seat)
    assert not game.is_over(undealt)


def test_a_move_got_from_an_action_is_the_callers_own():
    game, state = dealt("vegas-solitaire", {"draw": 1}, 1)
    assert isinstance(state, State)
    game.move_of(state, 0)["type"] = "collect"
    game.legal_moves(state, 0)[0]["type"] = "collect"
    assert game.move_of(state, 0) == {"type": "draw"}
    assert game.legal_moves(state, 0)[0] == {"type": "draw"}
