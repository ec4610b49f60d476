"""RULEBOOK 4 (5): the exact test of a lost game, compared with an exhaustive search."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.idle_aces.ending import never_playable
from games.rules.idle_aces.position import VALUE
from tests.games.rules.idle_aces import (
    DRAW,
    GAME,
    REDEAL,
    after,
    by_chance,
    dealt,
    position,
    run,
)

VALUES = range(1, 14)


def ever_playable(twos, kings, aces):
    """Return the ranks that fit in any position reachable by plays between the piles, by a search with the rules alone.

    `twos` and `kings` are the ranks on top of the piles, `aces` the number of Aces in the cells.
    """
    start = tuple(sorted(twos)), tuple(sorted(kings)), aces
    seen, frontier, fitting = {start}, [start], set()
    while frontier:
        twos, kings, aces = frontier.pop()
        fitting |= {top + 1 for top in twos if top < 13} | {top - 1 for top in kings if top > 1}
        fitting |= {1} if aces < 4 else set()
        for following in neighbours_of(twos, kings, aces):
            if following not in seen:
                seen.add(following)
                frontier.append(following)
    return fitting


def neighbours_of(twos, kings, aces):
    """Return the positions after one play between the piles."""
    for source, card in enumerate(twos):
        if card == 2:
            continue  # the base
        left = replaced(twos, source, card - 1)
        for target, top in enumerate(twos):
            if target != source and top == card - 1:
                yield tuple(sorted(replaced(left, target, card))), kings, aces
        for target, top in enumerate(kings):
            if top == card + 1:
                yield tuple(sorted(left)), tuple(sorted(replaced(kings, target, card))), aces
    for source, card in enumerate(kings):
        if card == 13:
            continue
        left = replaced(kings, source, card + 1)
        for target, top in enumerate(kings):
            if target != source and top == card + 1:
                yield twos, tuple(sorted(replaced(left, target, card))), aces
        for target, top in enumerate(twos):
            if top == card - 1:
                yield tuple(sorted(replaced(twos, target, card))), tuple(sorted(left)), aces
        if card == 1 and aces < 4:
            yield twos, tuple(sorted(left)), aces + 1


def replaced(tops, pile, top):
    return (*tops[:pile], top, *tops[pile + 1 :])


def piles_showing(twos, kings):
    """Return piles of these heights. Their suits do not matter."""
    return tuple([tuple(range(top - 1)) for top in twos] + [tuple(range(14 - top)) for top in kings])


def still_playable(twos, kings, aces):
    piles = piles_showing(twos, kings)
    return {value for value in VALUES if not never_playable(value, piles, (0,) * aces)}


shown_twos = st.tuples(*[st.integers(2, 13)] * 4)
shown_kings = st.tuples(*[st.integers(1, 13)] * 4)


@given(shown_twos, shown_kings, st.integers(0, 4))
def test_ruling_5_the_test_agrees_with_a_search_for_any_piles(twos, kings, aces):
    assert still_playable(twos, kings, aces) == ever_playable(twos, kings, aces)


def exhaustively(every, start=0):
    """Compare every `every`-th position in which two piles of each kind are built on."""
    pairs = [
        ((*twos, 2, 2), (*kings, 13, 13), aces)
        for twos in [(one, other) for one in range(2, 14) for other in range(2, one + 1)]
        for kings in [(one, other) for one in range(1, 14) for other in range(1, one + 1)]
        for aces in (0, 3, 4)
    ]
    for twos, kings, aces in pairs[start::every]:
        assert still_playable(twos, kings, aces) == ever_playable(twos, kings, aces), (twos, kings, aces)


def test_ruling_5_the_test_agrees_with_a_search_for_two_piles_of_each_kind():
    exhaustively(every=40, start=7)


@pytest.mark.soak
def test_ruling_5_the_test_agrees_with_a_search_for_all_positions_of_two_piles_of_each_kind():
    """The short test takes one of 40 positions."""
    exhaustively(every=1)


@pytest.mark.soak
def test_ruling_5_the_test_agrees_with_a_search_for_many_piles():
    """Random positions of four piles of each kind against an exhaustive search."""
    rng = random.Random(5)
    for _ in range(10_000):
        twos = [rng.randint(2, 13) for _ in range(4)]
        kings = [rng.randint(1, 13) for _ in range(4)]
        aces = rng.choice((0, 3, 4))
        assert still_playable(twos, kings, aces) == ever_playable(twos, kings, aces), (twos, kings, aces)


def can_ever_be_played(state, most):
    """Search all positions by the moves of the game itself. Return None if there are more than `most`."""
    state = state._replace(redeals_left=1, result=None)  # so that no position of the search ends the game
    seen, frontier = {(state.piles, state.aces)}, [state]
    while frontier:
        if len(seen) > most:
            return None
        found = []
        for before in frontier:
            for move in GAME.legal_moves(before, 0):
                if move["type"] != "play":
                    continue
                if move["from"] == "waste":
                    return True
                following = after(before, move)
                if (following.piles, following.aces) not in seen:
                    seen.add((following.piles, following.aces))
                    found.append(following)
        frontier = found
    return False


def test_ruling_5_the_test_agrees_with_a_search_late_in_random_games():
    """Positions at the end of the stock, with any card of the waste on top."""
    verdicts = []
    for number in range(30):
        rng = random.Random(number)
        state = by_chance(dealt(number, redeals=0), rng, 2000)
        while state.stock:
            state = by_chance(state, rng, 1)
        for top in range(1, len(state.waste) + 1, 5):
            bared = state._replace(waste=state.waste[:top])
            found = can_ever_be_played(bared, most=600)
            if found is None:
                continue
            assert never_playable(VALUE[bared.waste[-1]], bared.piles, bared.aces) == (not found)
            verdicts.append(found)
    assert verdicts.count(True) > 50
    assert verdicts.count(False) > 50


def test_ruling_5_a_game_that_is_not_lost_can_continue():
    """If the server does not end the game, plays between the piles lead to a play from the waste."""
    alive = 0
    for number in range(90):
        rng = random.Random(number)
        state = by_chance(dealt(number), rng, 400)
        while not GAME.is_over(state):
            if not state.stock and not state.redeals_left:
                assert can_ever_be_played(state, most=100_000)
                alive += 1
                break
            state = by_chance(state, rng, 1)
    assert alive > 20


def test_ruling_5_plays_between_piles_never_lose_a_game():
    """Each can be reversed except that of an Ace to a cell, which uncovers a 2 for the Ace of the waste."""
    tried = 0
    for number in range(60):
        rng = random.Random(number)
        state = by_chance(dealt(number), rng, 2000 if number % 2 else 300)
        while not GAME.is_over(state) and (state.stock or state.redeals_left):
            state = by_chance(state, rng, 1)
        for move in GAME.legal_moves(state, 0):
            if move["type"] == "play" and move["from"] != "waste":
                tried += 1
                assert not GAME.is_over(after(state, move))
    assert tried > 20


def test_the_test_takes_no_longer_for_any_position():
    """It reads eight piles once, because it runs at each event after the stock is empty."""
    worst = position(
        twos=[run("3", top) for top in "5678"],
        kings=[run("Q", top) for top in "A234"],
        aces="AC.a AD.a AH.a AS.a",
    )
    started = time.process_time()
    for _ in range(10_000):
        never_playable(1, worst.piles, worst.aces)
    assert time.process_time() - started < 2.0  # seconds; it takes about 0.02


@pytest.mark.parametrize(
    ("last", "result"), [(1, None), (3, None), (12, None), (2, "lost"), (9, "lost"), (13, "lost")]
)
def test_a_game_of_draws_alone_ends_with_the_last_if_its_card_does_not_fit(last, result):
    deal = next(deal for deal in map(dealt, range(500)) if VALUE[deal.stock[0]] == last)
    state = after(deal, *[DRAW] * 96, REDEAL, *[DRAW] * 95)
    assert not GAME.is_over(state)
    assert after(state, DRAW).result == result
