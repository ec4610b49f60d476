"""Properties of Ace Race in positions reached by random moves."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.ace_race.actions import ACTIONS, PLAYS
from games.rules.ace_race.position import GIVEAWAY, PLAYING
from tests.games.rules.ace_race import (
    DRAW,
    GAME,
    PACK,
    SEATS,
    after,
    all_cards,
    canonical,
    dealt,
    decided,
    evolved,
    play,
    position,
    refused,
    universe,
    wandered,
)


@st.composite
def positions(draw):
    seats = draw(st.sampled_from(SEATS))
    previous = draw(st.sampled_from([None, *range(seats)]))
    keys = {"continuation": draw(st.sampled_from(["strict", "chained"])), "previous_winner": previous}
    return wandered(seats, draw(st.integers(0, 2**40)), draw(st.integers(0, 200)), **keys)


def written(move):
    return repr(sorted(move.items()))


@settings(max_examples=20, deadline=None)
@given(positions())
def test_exactly_the_listed_moves_are_accepted(state):
    """Each move is listed once in its canonical form; other forms are accepted too."""
    listed = [written(move) for move in GAME.legal_moves(state, state.to_act)]
    assert len(listed) == len(set(listed))
    if GAME.is_over(state):
        assert listed == []
        return
    accepted = {written(canonical(state, move)) for move in universe(state) if refused(state, move) is None}
    assert accepted == set(listed)


@settings(max_examples=20, deadline=None)
@given(positions())
def test_no_card_is_lost_or_doubled(state):
    assert all_cards(state) == PACK
    for move in GAME.legal_moves(state, state.to_act)[::7]:
        assert all_cards(after(state, move)) == PACK


@settings(max_examples=20, deadline=None)
@given(positions())
def test_actions_are_equivalent_to_moves(state):
    """There is one action for each move, in order. That of an Ace gives another order of the same draw pile."""
    actions, moves = GAME.legal_actions(state, state.to_act), GAME.legal_moves(state, state.to_act)
    assert [GAME.move_of(state, action) for action in actions] == moves
    assert len(set(actions)) == len(actions)
    assert all(0 <= action < ACTIONS for action in actions)
    for action, move in list(zip(actions, moves, strict=True))[::5]:
        by_action = GAME.apply_action(state, state.to_act, action, random.Random(1))
        by_move = after(state, move)
        assert sorted(by_action.draw_pile) == sorted(by_move.draw_pile)
        if move["type"] != "play" or "rule" not in move:
            assert by_action == by_move
        assert by_action._replace(draw_pile=by_move.draw_pile) == by_move


@pytest.mark.compiled
@settings(max_examples=20, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_folding_the_events_gives_the_live_state(state, number):
    rng = random.Random(number)
    folded = state
    for _ in range(20):
        if GAME.is_over(state):
            break
        move = rng.choice(GAME.legal_moves(state, state.to_act))
        facts = decided(state, move)
        state = after(state, move)
        folded = evolved(folded, facts)
        assert folded == state


@settings(max_examples=20, deadline=None)
@given(positions())
def test_only_the_seat_to_act_has_moves(state):
    for seat in (None, *range(state.seats)):
        assert bool(GAME.legal_moves(state, seat)) == (seat == state.to_act)
    assert GAME.to_act(state) == ([] if GAME.is_over(state) else [state.to_act])


@settings(max_examples=20, deadline=None)
@given(positions())
def test_every_state_is_consistent(state):
    """A giveaway has a hand; cards are drawn only in a turn; the game is over when a hand is empty."""
    assert GAME.is_over(state) == (GAME.outcome(state) is not None)
    assert GAME.is_over(state) or all(state.hands)
    assert state.drawn < 0 or (state.phase == PLAYING and state.hands[state.to_act][-1] == state.drawn)
    assert state.phase != GIVEAWAY or state.hands[state.to_act]
    assert 0 <= state.idle <= state.seats


@settings(max_examples=12, deadline=None)
@given(positions())
def test_an_ace_requires_a_source_of_randomness(state):
    for action, move in zip(
        GAME.legal_actions(state, state.to_act), GAME.legal_moves(state, state.to_act), strict=True
    ):
        if "rule" in move and move["type"] == "play" and len(state.hands[state.to_act]) > 1:
            with pytest.raises(ValueError, match="an Ace shuffles"):
                GAME.apply_action(state, state.to_act, action)
            with pytest.raises(ValueError, match="an Ace shuffles"):
                GAME.decide(state, state.to_act, move)


def test_the_shuffle_of_an_action_follows_from_its_random_numbers():
    state = position("AD 3C", "4C", rule="low", pile="5C 6C 7C 8C 9C", discards="TC JC QC")
    (action,) = [
        action
        for action in GAME.legal_actions(state, 0)
        if GAME.move_of(state, action) == play("AD", rule="high")
    ]
    one, again, other = (GAME.apply_action(state, 0, action, random.Random(seed)) for seed in (1, 1, 2))
    assert one == again
    assert one.draw_pile != other.draw_pile


def test_every_possible_play_has_one_action():
    plays = list(PLAYS.values())
    assert len(set(plays)) == len(plays) == 11 + 48 * 9 + 12 * 11 + 10 * 64 * 2


KNOWN_TOTALS = {
    2: [1, 8, 46, 759, 11435],
    3: [1, 8, 46, 348, 3423],
    4: [1, 8, 46, 396, 8596],
    6: [1, 8, 46, 315, 2113],
}
"""By seats: how many sequences of 0, 1, 2 … moves there are from a fixed deal."""


@pytest.mark.parametrize("seats", SEATS)
def test_known_totals_from_a_fixed_deal(seats):
    assert [sequences(dealt(seats, 54), length) for length in range(5)] == KNOWN_TOTALS[seats]


def sequences(state, depth):
    if depth == 0:
        return 1
    actions = GAME.legal_actions(state, state.to_act)
    if depth == 1:
        return len(actions)
    return sum(
        sequences(GAME.apply_action(state, state.to_act, action, random.Random(0)), depth - 1)
        for action in actions
    )


RICH = "7C 7D 7H 7S 8C 9D TH AC AD AH AS X1 X2"
POSITIONS = {
    "multiples": (position(RICH, "2C 3C", rule="multiples", pile="4C"), 1 + 11 + 14 + 11),
    "multiples continued": (
        position(RICH, "2C 3C", rule="multiples", pile="4C", follow=7),
        1 + 11 + 14 + 11 + 4,
    ),
    "series": (position(RICH, "2C 3C", rule="series", pile="4C"), 1 + 11 + 14 + 10),
    "series continued": (position(RICH, "2C 3C", rule="series", pile="4C", follow=8), 1 + 11 + 14 + 10 + 5),
    "high": (position(RICH, "2C 3C", rule="high", pile="4C"), 1 + 11 + 14 + 1),
    "suits": (position(RICH, "2C 3C", rule="suits:C", pile="4C"), 1 + 11 + 14 + 2),
    "prime": (position(RICH, "2C 3C", rule="prime", pile="4C"), 1 + 11 + 14 + 4),
    "above-below, first": (position(RICH, "2C 3C", rule="above-below", pile="4C"), 1 + 11 + 2 * 14 + 2 * 7),
    "above-below": (position(RICH, "2C 3C", rule="above-below", follow=8, way="higher"), 1 + 11 + 14 + 2),
    "drawn": (after(position(RICH, "2C 3C", rule="medium", pile="6C 6D"), DRAW), 1 + 1 + 2),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_known_numbers_of_moves(name):
    """Moves are a draw or pass, each Ace with each of its rules, each joker with each card, and plays by the rule."""
    state, count = POSITIONS[name]
    assert len(GAME.legal_moves(state, 0)) == count
