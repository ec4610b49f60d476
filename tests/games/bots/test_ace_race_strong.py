"""The strong bot of Ace Race: its knowledge of other hands, the end of its games, and its strength."""

import random

import pytest

from games import bots
from games.bots.comparison import Comparison, of_a_table
from games.bots.simulation import simulate
from games.rules import get
from games.rules.ace_race.actions import ACE, SINGLE, legal_actions
from games.rules.ace_race.bots.playout import choose, played_out
from games.rules.ace_race.bots.steady import ACES_TO_PLAY
from games.rules.ace_race.bots.strong import BLANK, Strong, knowledge, share, steadily, worth_trying
from games.rules.ace_race.position import OVER
from games.rules.bundles.verification import verify
from games.rules.cards import PACK_WITH_JOKERS
from tests.games.bots.worlds import chance, courses, dealt

pytestmark = pytest.mark.slow

RACE = get("ace-race")
QUICK = Strong(playouts=20)
TABLES = pytest.mark.parametrize(
    ("seats", "config"), [(2, {}), (3, {"continuation": "chained"}), (4, {"previous_winner": 1}), (6, {})]
)


def positions(seats, config, bot="steady", deals=1, moves=150):
    for number in range(deals):
        rng = chance(seats, bot, number)
        yield from courses(dealt(RACE, config, seats, number), bots.get("ace-race", bot), moves, rng)


def public(state):
    return state._replace(hands=(), draw_pile=(), drawn=0)


# --- knowledge ------------------------------------------------------------------------------------


@TABLES
@pytest.mark.parametrize("bot", ["steady", "random"])
def test_its_knowledge_agrees_with_the_visible_cards(seats, config, bot):
    for seat, game in positions(seats, config, bot):
        known, truth = knowledge(game.observation(seat), chance("known")).state, game.state
        assert public(known) == public(truth)
        assert known.hands[seat] == truth.hands[seat]
        assert [*map(len, known.hands)] == [*map(len, truth.hands)]
        assert len(known.draw_pile) == len(truth.draw_pile)
        assert known.drawn == truth.drawn


@TABLES
def test_every_sampled_world_gives_the_real_observation(seats, config):
    for seat, game in list(positions(seats, config, "random"))[::3]:
        observation = game.observation(seat)
        known = knowledge(observation, chance("world"))
        for number in range(2):
            world = known.world(chance(number))
            lying = [card for pile in (*world.hands, world.draw_pile, world.discards) for card in pile]
            assert sorted(lying) == list(PACK_WITH_JOKERS)
            assert RACE.view(world, seat) == observation.view
            assert RACE.legal_moves(world, seat) == observation.legal_moves


@pytest.mark.slow
def test_a_gift_is_remembered_until_it_is_played():
    remembered = 0
    for seat, game in positions(2, {}, "random", deals=12):
        known = knowledge(game.observation(seat), chance("gift")).state
        other = 1 - seat
        seen = {card for card in known.hands[other] if card < BLANK}
        assert seen <= set(game.state.hands[other])
        remembered += bool(seen)
    assert remembered > 2


def test_a_card_returned_to_the_draw_pile_is_in_no_hand_that_has_not_drawn():
    """In a game of two, a seat that has not drawn since a reshuffle has none of the reshuffled cards."""
    looked_at = 0
    for seat, game in positions(2, {}, "random", deals=4):
        known = knowledge(game.observation(seat), chance("returned"))
        if not known.returned:
            continue
        world = known.world(chance("world"))
        for blank, card in zip(known.state.hands[1 - seat], world.hands[1 - seat], strict=True):
            if blank >= BLANK:
                looked_at += 1
                assert known.returned.get(card, 0) <= blank // BLANK - 1
    assert looked_at > 100


# --- choices --------------------------------------------------------------------------------------


@TABLES
def test_it_searches_legal_moves_and_each_once(seats, config):
    for seat, game in positions(seats, config, "random"):
        first = steadily(game.state, game.observation(seat), chance("tried"))
        tried = worth_trying(game.state, first)
        assert tried[0] == first
        assert set(tried) <= set(legal_actions(game.state))
        assert len(set(tried)) == len(tried)


def test_after_enough_aces_it_plays_an_ace_only_to_win():
    left_out = 0
    for seat, game in positions(2, {}, "random", deals=4):
        state = game.state._replace(reshuffles=ACES_TO_PLAY)
        aces = [action for action in legal_actions(state) if ACE <= action < SINGLE]
        tried = [action for action in worth_trying(state, legal_actions(state)[0]) if ACE <= action < SINGLE]
        assert tried == ([] if len(state.hands[seat]) > 1 else aces)
        left_out += bool(aces) and not tried
    assert left_out > 10


@TABLES
def test_a_simulated_game_of_its_search_ends(seats, config):
    for number in range(10):
        rng = random.Random(number)
        state = dealt(RACE, config, seats, number).state
        end = played_out(state, rng)
        counts = [len(hand) for hand in end.hands]
        assert end.phase == OVER
        assert sum(share(end, seat) for seat in range(seats)) == pytest.approx(1)
        assert share(end, counts.index(min(counts))) > 0
        assert choose(state, rng) in legal_actions(state)


@TABLES
def test_its_games_end_and_verify(seats, config):
    settings = RACE.parse_config(config)
    played = simulate(RACE, settings, seats=seats, bots=[Strong(playouts=8)], seed="strong", number=1)
    assert set(verify(played.bundle).checks.values()) == {"passed"}
    assert played.table.outcome["result"] == "won"


def test_the_same_observation_and_random_numbers_give_the_same_move():
    for seat, game in list(positions(4, {}, deals=1))[::9]:
        chosen = [QUICK.choose(game.observation(seat), chance("again")) for _ in range(2)]
        assert chosen[0] == chosen[1]


# --- strength -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), [(Strong(playouts=60), "steady"), (bots.get("ace-race", "steady"), "random")]
)
def test_strong_beats_steady_beats_random(first, second):
    """On the deals of this seed. docs/bots.md has larger samples."""
    deals = of_a_table(
        RACE,
        RACE.parse_config({}),
        first,
        bots.get("ace-race", second),
        seats=3,
        seed="club",
        deals=range(2),
    )
    assert Comparison(deals).lead > 0.2
