"""The strong bot of Vegas Solitaire: its memory, the end of its games, and its strength."""

import random
from collections import Counter

import pytest

from games import bots
from games.bots.comparison import Comparison, Deal, of_one_seat
from games.bots.simulation import play, simulate
from games.rules import get
from games.rules.bundles.verification import verify
from games.rules.vegas_solitaire.actions import MOVES, legal_actions
from games.rules.vegas_solitaire.bots.playout import (
    BORROWS,
    END,
    USES,
    after,
    candidates,
    cards_put_up,
    preferred,
)
from games.rules.vegas_solitaire.bots.strong import BLANK, Strong, knowledge, second_moves
from tests.games.bots.test_vegas_steady import what_is_left
from tests.games.bots.worlds import chance, courses, dealt

pytestmark = pytest.mark.slow

VEGAS = get("vegas-solitaire")
QUICK = Strong(playouts=8)
DRAWS = pytest.mark.parametrize("draw", [1, 3])


def positions(draw, bot="steady", deals=3, moves=120):
    for number in range(deals):
        rng = chance(draw, bot, number)
        start = dealt(VEGAS, {"draw": draw, "stake": 0}, 1, number)
        for _, game in courses(start, bots.get("vegas-solitaire", bot), moves, rng):
            yield game


def piles(layout):
    return (layout.stock, layout.waste, *layout.columns)


# --- knowledge ------------------------------------------------------------------------------------


@DRAWS
@pytest.mark.parametrize("bot", ["steady", "random"])
def test_what_it_remembers_is_true(draw, bot):
    """Undone moves are included: the random bot undoes often."""
    for game in positions(draw, bot):
        known, truth = knowledge(game.observation(0)), game.state
        assert known.state.layout._replace(stock=(), waste=(), columns=()) == truth.layout._replace(
            stock=(), waste=(), columns=()
        )
        hidden = []
        for remembered, real in zip(piles(known.state.layout), piles(truth.layout), strict=True):
            assert len(remembered) == len(real)
            for card, true_card in zip(remembered, real, strict=True):
                assert card in (true_card, card if card >= BLANK else None)
                if card >= BLANK:
                    hidden.append(true_card)
        assert sorted(hidden) == sorted(known.unseen)


@DRAWS
def test_it_remembers_every_card_that_was_visible(draw):
    """After a full pass all cards of the stock are known; only face-down cards in the columns are not."""
    known = [knowledge(game.observation(0)) for game in positions(draw)]
    later = [found for found in known if found.state.layout.passes_left < draw]
    assert bool(later) == (draw == 3)
    for found in known:
        layout = found.state.layout
        assert not any(card >= BLANK for card in layout.waste)
        assert len(found.blanks) == sum(layout.down) + sum(card >= BLANK for card in layout.stock)
    assert not any(card >= BLANK for found in later for card in found.state.layout.stock)


def test_a_draw_that_was_undone_is_remembered():
    game = dealt(VEGAS, {"draw": 1, "stake": 0}, 1, 5).moved(0, {"type": "draw"})
    (drawn,) = game.state.layout.waste
    game = game.moved(0, {"type": "undo"})
    assert knowledge(game.observation(0)).state.layout.stock[-1] == drawn


@DRAWS
def test_every_sampled_world_gives_the_real_observation(draw):
    rng = random.Random(1)
    for game in positions(draw, deals=3):
        observation = game.observation(0)
        known = knowledge(observation)
        for _ in range(2):
            world = known.world(rng)
            assert VEGAS.view(world, 0) == observation.view
            assert VEGAS.legal_moves(world, 0) == observation.legal_moves
            assert sorted(card for pile in piles(world.layout) for card in pile) == sorted(
                card for pile in piles(game.state.layout) for card in pile
            )


# --- choices --------------------------------------------------------------------------------------


@DRAWS
def test_every_preferred_move_makes_progress(draw):
    """Its games therefore end: the numbers are bounded non-negative integers."""
    counted = Counter()
    for game in positions(draw, deals=15):
        for how, _, plan in candidates(game.state.layout):
            state = game.state
            for action in plan:
                assert action in legal_actions(state, state.layout)
                state = after(state, (action,))
            assert what_is_left(state) < what_is_left(game.state), plan
            counted[how, len(plan)] += 1
    assert {(USES, 2), (BORROWS, 2)} <= set(counted)


@DRAWS
def test_a_move_of_two_steps_is_completed(draw):
    begun = 0
    for game in positions(draw, deals=15):
        for _, _, plan in candidates(game.state.layout):
            if len(plan) == 2:
                begun += 1
                half = game.moved(0, MOVES[plan[0]])
                seconds = second_moves(half.state.layout, MOVES[plan[0]])
                assert plan[1:] in seconds
                assert QUICK.choose(half.observation(0), chance("second")) in [
                    MOVES[action] for (action,) in seconds
                ]
    assert begun > 5


@DRAWS
def test_its_games_end_and_verify(draw):
    config = VEGAS.parse_config({"draw": draw})
    for number in range(3):
        played = simulate(VEGAS, config, seats=1, bots=[QUICK], seed="strong", number=number)
        assert played.table.moves < 400
        assert set(verify(played.bundle).checks.values()) == {"passed"}


def test_the_same_observation_and_random_numbers_give_the_same_move():
    for game in list(positions(3, deals=2))[::9]:
        chosen = [Strong(playouts=40).choose(game.observation(0), chance("again")) for _ in range(2)]
        assert chosen[0] == chosen[1]


def test_it_collects_only_without_a_preferred_move():
    for game in positions(3, deals=3):
        chosen = QUICK.choose(game.observation(0), chance("collect"))
        half_done = second_moves(game.state.layout, game.facts[-1].data.get("move", {}))
        assert (chosen["type"] == "collect") == (not candidates(game.state.layout) and not half_done)


def test_a_simulated_game_of_its_search_ends_like_a_real_one():
    for game in list(positions(1, deals=2))[::7]:
        expected = cards_put_up(game.state, random.Random(4))
        rng, state = random.Random(4), game.state
        while (plan := preferred(candidates(state.layout), rng)) is not END:
            state = after(state, plan)
        assert expected == sum(state.layout.foundations)


# --- strength -------------------------------------------------------------------------------------


@DRAWS
def test_strong_beats_steady_beats_random(draw):
    """On the deals of this seed. docs/bots.md has larger samples."""
    config = VEGAS.parse_config({"draw": draw, "stake": 0})
    players = [QUICK, bots.get("vegas-solitaire", "steady"), bots.get("vegas-solitaire", "random")]
    cards = of_one_seat(VEGAS, config, players, seed="winter", deals=range(1, 6))
    strong, steady, by_chance = (Comparison([Deal(of[i], 0) for of in cards]).first for i in range(3))
    assert strong > steady + 1
    assert steady > by_chance + 4


def test_a_comparison_plays_the_games_that_a_simulation_plays():
    config = VEGAS.parse_config({"draw": 3, "stake": 0})
    (cards,) = of_one_seat(VEGAS, config, [QUICK], seed="same", deals=[7])
    assert cards == [play(VEGAS, config, seats=1, bots=[QUICK], seed="same", number=7).outcome["cards"]]
