"""The strong bot of Idle Aces: its knowledge, what it must not know, and its strength."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import bots
from games.bots import Observation
from games.bots.simulation import simulate
from games.rules.idle_aces.bots.playout import (
    Position,
    after_building,
    can_be_built,
    cards_left,
    cards_left_with_care,
    neighbours,
)
from games.rules.idle_aces.bots.steady import on_the_table
from games.rules.idle_aces.bots.strong import Strong, what_was_seen
from games.rules.idle_aces.ending import never_playable
from games.rules.idle_aces.position import TEXT, VALUE
from tests.games.rules.idle_aces import DRAW, GAME, REDEAL, after, by_chance, dealt, position, run

pytestmark = pytest.mark.slow

STEADY, STRONG = bots.get("idle-aces", "steady"), bots.get("idle-aces", "strong")


def observation(state, events=()):
    return Observation(
        view=GAME.view(state, 0), legal_moves=GAME.legal_moves(state, 0), history=lambda: list(events)
    )


def steadily(number, moves, redeals=1):
    """Return the state after a number of moves of the steady bot, and its events as a seat receives them."""
    state, events = dealt(number, redeals=redeals), []
    for _ in range(moves):
        if GAME.is_over(state):
            break
        event, *_ = GAME.decide(state, 0, STEADY.choose(observation(state), random.Random(0)))
        events.append({"type": event.type, "seat": event.seat, "data": event.data, "private": None})
        state = GAME.evolve(state, *event)
    return state, events


# --- the game as numbers -----------------------------------------------------------------------------


@given(st.integers(0, 2**40), st.integers(0, 400), st.integers(0, 2**32))
def test_the_numbers_represent_the_piles(number, moves, chance):
    state = by_chance(dealt(number), random.Random(chance), moves)
    table = on_the_table(GAME.view(state, 0))
    twos = [VALUE[pile[-1]] for pile in state.piles[:4]]
    kings = [VALUE[pile[-1]] - 1 for pile in state.piles[4:]]
    assert table.neighbours == sum(min(twos.count(top), kings.count(top)) for top in range(2, 13))
    for value in range(1, 14):
        assert can_be_built(table, value) == (not never_playable(value, state.piles, state.aces))


@given(st.integers(0, 2**40), st.integers(0, 250))
def test_building_changes_numbers_and_piles_alike(number, moves):
    state, _ = steadily(number, moves)
    offered = [move for move in GAME.legal_moves(state, 0) if move.get("from") == "waste"]
    for move in offered:
        expected = after_building(on_the_table(GAME.view(state, 0)))
        found = on_the_table(GAME.view(after(state, move), 0))
        assert found[:2] == expected[:2]
        assert found.neighbours == neighbours(found.built)


@settings(max_examples=15)
@given(st.integers(0, 2**40), st.integers(0, 200), st.integers(0, 2))
def test_a_playout_in_numbers_ends_like_the_game_of_the_steady_bot(number, moves, redeals):
    state, _ = steadily(number, moves, redeals)
    expected = 104 - cards_left(whole_truth(state))
    while not GAME.is_over(state):
        state = after(state, STEADY.choose(observation(state), random.Random(0)))
    assert GAME.outcome(state)["cards"] == expected


def whole_truth(state):
    table = on_the_table(GAME.view(state, 0))
    return table._replace(
        waste=[VALUE[card] for card in state.waste], stock=[VALUE[card] for card in state.stock]
    )


def test_searching_both_moves_is_never_worse_than_the_heuristic():
    better = 0
    for number in range(25):
        known = whole_truth(dealt(number))
        habit, care = cards_left(known), cards_left_with_care(known)
        assert care <= habit
        better += care < habit
    assert better > 15


# --- knowledge ----------------------------------------------------------------------------------------


def test_it_remembers_the_waste_and_after_a_redeal_the_stock():
    for number in range(6):
        for moves in (0, 30, 90, 130, 190, 230):
            state, events = steadily(number, moves)
            seen = what_was_seen(events)
            assert seen.waste == [VALUE[card] for card in state.waste]
            if state.redeals_left:
                assert seen.stock is None
            else:
                assert seen.stock == [VALUE[card] for card in state.stock]


@settings(max_examples=15)
@given(st.integers(0, 2**40), st.integers(0, 130), st.randoms(use_true_random=False))
def test_the_order_of_unseen_cards_does_not_change_the_choice(number, moves, rng):
    state, events = steadily(number, moves)
    other = state if not state.redeals_left else shuffled(state, rng)
    bot = Strong(playouts=20)
    one, two = (
        bot.choose(observation(world, [dealt_event(world), *events]), random.Random(1))
        for world in (state, other)
    )
    assert one == two


def shuffled(state, rng):
    return state._replace(stock=tuple(rng.sample(state.stock, len(state.stock))))


def dealt_event(world):
    """Return the event as a seat receives it. Its seal differs between worlds."""
    return {"type": "dealt", "seat": None, "data": {}, "private": None, "seal": str(hash(world.stock))}


@settings(max_examples=10)
@given(st.integers(0, 2**40), st.integers(0, 130))
def test_it_chooses_the_same_move_again(number, moves):
    state, events = steadily(number, moves)
    if GAME.is_over(state):
        return
    bot = Strong(playouts=20)
    assert len({str(bot.choose(observation(state, events), random.Random(n))) for n in range(4)}) == 1


def test_without_the_events_it_plays_steadily():
    state, _ = steadily(3, 60)
    assert STRONG.choose(observation(state), random.Random(0)) == STEADY.choose(
        observation(state), random.Random(0)
    )


def test_hints_come_from_it():
    assert bots.hint("idle-aces") is STRONG


# --- choices ------------------------------------------------------------------------------------------


def history_of(state, *moves):
    events = []
    for move in moves:
        event, *_ = GAME.decide(state, 0, move)
        events.append({"type": event.type, "seat": 0, "data": event.data})
        state = GAME.evolve(state, *event)
    return state, events


def test_with_known_cards_it_holds_a_card_that_the_heuristic_builds():
    """On the last pass; some deals hold more such cards than others."""
    kept = 0
    for number in range(6):
        state, events = steadily(number, 400)
        redealt = next(at for at, event in enumerate(events) if event["type"] == "redeal")
        for at in range(redealt + 1, len(events), 3):
            if events[at]["type"] == "play":
                before, _ = steadily(number, at)
                kept += STRONG.choose(observation(before, events[:at]), random.Random(0)) == DRAW
    assert GAME.is_over(state)
    assert kept > 5


def test_the_last_card_is_built_and_not_drawn_over():
    start = position(stock="9H.b 3H.b", redeals_left=0)
    state, events = history_of(start, DRAW)
    assert STRONG.choose(observation(state, events), random.Random(0))["from"] == "waste"


def test_it_redeals_when_the_stock_is_empty_and_nothing_fits():
    state, events = history_of(position(stock="9H.b", twos=[run("3", "5")]), DRAW)
    assert STRONG.choose(observation(state, events), random.Random(0)) == REDEAL


def test_strong_builds_more_than_steady_and_steady_more_than_random():
    """On the same deals, a small sample of the tournament in docs/games/idle-aces.md."""
    deals = range(5)

    def cards(name):
        bot = Strong(playouts=16) if name == "strong" else bots.get("idle-aces", name)
        config = GAME.parse_config({})
        return [
            simulate(GAME, config, seats=1, bots=[bot], seed="order", number=number).table.outcome["cards"]
            for number in deals
        ]

    strong, steady, chance = cards("strong"), cards("steady"), cards("random")
    assert sum(strong) > sum(steady) + len(deals)
    assert sum(steady) > 3 * sum(chance)
    assert sum(one > other for one, other in zip(strong, steady, strict=True)) > len(deals) / 2


@pytest.mark.parametrize("built", [[0, 0, 4, *[0] * 10, 4, 0], [0, 8, *[8] * 12, 0]])
def test_there_are_no_neighbours_at_the_deal_or_when_all_is_built(built):
    assert neighbours(built) == 0
    assert Position(built, 0, [], [], 0).neighbours == 0
    assert len(TEXT) == 104
