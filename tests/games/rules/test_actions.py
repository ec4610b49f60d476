"""Actions (moves as small integers) are equivalent to moves, in every game, in complete random playouts."""

import random

import pytest

from games.rules import GameKey, get

CONFIGS = [
    ("vegas-solitaire", {"draw": 1}, 1),
    ("vegas-solitaire", {"draw": 3}, 1),
    ("idle-aces", {"redeals": 2}, 1),
    ("ace-race", {}, 3),
    ("racing-demons", {}, 3),
    ("racing-demons", {"pace": "turns", "turn": 1}, 2),
    ("racing-aces", {}, 0),
    ("racing-aces", {"finish_line": 12, "cards_per_draw": 4, "burn": 20}, 0),
]
ENDS = ("collect", "resign")
"""Moves that end a game at once; taken only where there is no other."""


def dealt(slug, config, seats, number):
    game, key = get(slug), GameKey(number.to_bytes(32, "big"), [""] * seats)
    parsed = game.parse_config(config)
    fact = game.deal(parsed, seats, key)
    return game, game.evolve(game.initial(parsed, seats), *fact), key


def after(game, state, seat, move, key):
    for fact in game.decide(state, seat, move, key):
        state = game.evolve(state, *fact)
    return state


def shuffles(move):
    """Return whether the move is an Ace of Ace Race. It shuffles by the key as a move, and by `rng` as an action."""
    return move["type"] == "play" and "rule" in move


@pytest.mark.parametrize(("slug", "config", "seats"), CONFIGS)
def test_actions_are_the_legal_moves_in_order_with_the_same_effects(slug, config, seats):
    rng = random.Random(11)
    for number in range(6):
        game, state, key = dealt(slug, config, seats, number)
        for _ in range(120):
            assert game.is_over(state) == (game.outcome(state) is not None)
            if game.is_over(state):
                break
            seat = rng.choice(game.to_act(state) or [None])
            actions, moves = list(game.legal_actions(state, seat)), game.legal_moves(state, seat)
            assert [game.move_of(state, action) for action in actions] == moves
            assert len(set(actions)) == len(actions)
            if not actions:
                continue
            for action, move in rng.sample(list(zip(actions, moves, strict=True)), min(6, len(actions))):
                if not shuffles(move):
                    assert game.apply_action(state, seat, action) == after(game, state, seat, move, key)
            state = game.apply_action(state, seat, rng.choice(lasting(actions, moves)), rng)


def lasting(actions, moves):
    """Return the actions that do not end the game at once, if there are any."""
    return [
        action for action, move in zip(actions, moves, strict=True) if move["type"] not in ENDS
    ] or actions


@pytest.mark.parametrize(("slug", "config", "seats"), CONFIGS)
def test_a_player_who_may_not_move_has_no_actions(slug, config, seats):
    game, state, _ = dealt(slug, config, seats, 1)
    acting = game.to_act(state) or [None]
    assert any(game.legal_actions(state, seat) for seat in acting)
    for seat in (None, *range(seats + 1)):
        if seat not in acting:
            assert not game.legal_actions(state, seat)
    undealt = game.initial(game.parse_config(config), seats)
    assert not any(game.legal_actions(undealt, seat) for seat in (None, *range(seats)))
    assert not game.is_over(undealt)


def test_a_move_returned_for_an_action_can_be_modified():
    game, state, _ = dealt("vegas-solitaire", {"draw": 1}, 1, 1)
    game.move_of(state, 0)["type"] = "collect"
    game.legal_moves(state, 0)[0]["type"] = "collect"
    assert game.move_of(state, 0) == {"type": "draw"}
    assert game.legal_moves(state, 0)[0] == {"type": "draw"}
