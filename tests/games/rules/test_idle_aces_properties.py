"""Properties of Idle Aces in positions reached by random moves."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import bots
from games.bots.simulation import simulate
from games.rules.bundles.verification import verify
from games.rules.idle_aces.position import COMPLETE, KINGS, TWOS, VALUE
from tests.games.rules.idle_aces import (
    DRAW,
    EVERY_CARD,
    GAME,
    UNIVERSE,
    after,
    all_cards,
    by_chance,
    dealt,
    evolved,
    play,
    plays,
    refused,
)


@st.composite
def positions(draw):
    """Return positions from the deal to after the end of the stock, some with every play from the waste made."""
    state = dealt(draw(st.integers(0, 2**40)), redeals=draw(st.integers(0, 2)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    eager = draw(st.booleans())
    for _ in range(draw(st.integers(0, 350))):
        if GAME.is_over(state):
            break
        offered = [play("waste", target) for source, target in plays(state) if source == "waste"]
        state = after(state, rng.choice(offered)) if eager and offered else by_chance(state, rng, 1)
    return state


@given(positions())
def test_exactly_the_listed_moves_are_accepted(state):
    listed = GAME.legal_moves(state, 0)
    assert [move for move in UNIVERSE if refused(state, move) is None] == sorted(listed, key=UNIVERSE.index)
    assert len({str(move) for move in listed}) == len(listed)
    assert GAME.legal_moves(state, None) == GAME.legal_moves(state, 1) == []


@given(positions())
def test_actions_are_equivalent_to_moves(state):
    actions = GAME.legal_actions(state, 0)
    assert [GAME.move_of(state, action) for action in actions] == GAME.legal_moves(state, 0)
    for action, move in zip(actions, GAME.legal_moves(state, 0), strict=True):
        assert GAME.apply_action(state, 0, action) == after(state, move)
    assert GAME.is_over(state) == (not actions) == (GAME.outcome(state) is not None)


@given(positions())
def test_no_card_is_lost_or_doubled(state):
    assert all_cards(state) == EVERY_CARD
    for move in GAME.legal_moves(state, 0):
        assert all_cards(after(state, move)) == EVERY_CARD


@given(positions())
def test_every_pile_is_a_run_on_its_base(state):
    for pile in TWOS:
        assert [VALUE[card] for card in state.piles[pile]] == list(range(2, 2 + len(state.piles[pile])))
    for pile in KINGS:
        assert [VALUE[card] for card in state.piles[pile]] == list(range(13, 13 - len(state.piles[pile]), -1))
    assert all(len(cards) <= most for cards, most in zip(state.piles, COMPLETE, strict=True))
    assert [VALUE[card] for card in state.aces] == [1] * len(state.aces)
    assert len(state.aces) <= 4


@given(positions())
def test_a_move_ends_the_game_exactly_if_its_events_do(state):
    for move in GAME.legal_moves(state, 0):
        event, *rest = GAME.decide(state, 0, move)
        outcome = GAME.outcome(evolved(state, event))
        assert [fact.data for fact in rest] == ([] if outcome is None else [{"outcome": outcome}])


@given(positions(), st.randoms(use_true_random=False))
def test_the_order_of_the_stock_changes_nothing_that_a_seat_receives(state, rng):
    """Two games that differ only in unseen cards have the same views, legal moves, and refusals."""
    other = state._replace(stock=tuple(rng.sample(state.stock, len(state.stock))))
    assert GAME.view(state, 0) == GAME.view(other, 0)
    assert GAME.view(state, None) == GAME.view(other, None)
    assert GAME.legal_moves(state, 0) == GAME.legal_moves(other, 0)
    for move in UNIVERSE:
        assert str(refused(state, move)) == str(refused(other, move))


@given(positions())
def test_a_view_shows_each_card_once(state):
    view = GAME.view(state, 0)
    shown = [card for pile in (*view["twos"], *view["kings"]) for card in pile] + view["aces"]
    shown += [view["waste"]] if view["waste"] else []
    assert max(Counter(shown).values()) == 1
    assert len(shown) == 104 - view["stock"] - max(0, view["waste_count"] - 1)


@pytest.mark.compiled
@settings(max_examples=10)
@given(st.integers(0, 2**40), st.integers(0, 2))
def test_folding_the_events_gives_the_live_state(number, redeals):
    state = folded = dealt(number, redeals=redeals)
    rng = random.Random(number)
    while not GAME.is_over(state):
        action = rng.choice(GAME.legal_actions(state, 0)[:-1])
        event, *_ = GAME.decide(state, 0, GAME.move_of(state, action))
        state = GAME.apply_action(state, 0, action)
        folded = GAME.evolve(folded, *event)
        assert folded == state


def verified(number, bot):
    played = simulate(
        GAME, GAME.parse_config({"redeals": number % 3}), seats=1, bots=[bot], seed="v", number=number
    )
    report = verify(played.bundle)
    assert set(report.checks.values()) == {"passed"}, report.faults


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["steady", "random"])
def test_simulated_games_verify(name):
    for number in range(25):
        verified(number, bots.get("idle-aces", name))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["steady", "random"])
def test_hundreds_of_simulated_games_verify(name):
    """Each bundle of 300 games proves its outcome."""
    for number in range(300):
        verified(number, bots.get("idle-aces", name))


def test_draws_alone_go_through_the_stock_once_in_each_pass():
    state, draws = dealt(9, redeals=2), 0
    while not GAME.is_over(state):
        moves = GAME.legal_moves(state, 0)
        if moves[0] == DRAW:
            draws += 1
        state = after(state, moves[0])
        if draws == 3 * 96:
            break
    assert draws == 3 * 96
