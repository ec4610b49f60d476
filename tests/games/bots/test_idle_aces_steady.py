"""The steady bot of Idle Aces: which cards it builds or keeps, its walks, and the end of its games."""

import random

import pytest

from games import bots
from games.bots import Observation
from games.bots.simulation import simulate
from games.rules.idle_aces.bots.steady import step_of_the_walk, value
from games.rules.idle_aces.bots.strong import Strong
from tests.games.rules.idle_aces import DRAW, GAME, REDEAL, after, dealt, play, plays, position, run

STEADY = bots.get("idle-aces")


def choice(state):
    return STEADY.choose(Observation(GAME.view(state, 0), GAME.legal_moves(state, 0)), random.Random(0))


def test_a_card_that_fits_is_built():
    assert choice(position(waste="3H.b")) == play("waste", "twos:0")
    assert choice(position(waste="QH.b")) == play("waste", "kings:0")


def test_an_ace_is_built_at_once():
    assert choice(position(waste="AH.b")) == play("waste", "aces")
    full = position(waste="AH.b", aces="AC.a AD.a AH.a AS.a", kings=["", run("Q", "2")])
    assert choice(full) == play("waste", "kings:1")


def test_twos_and_kings_wait_while_a_redeal_is_left():
    threes = [f"3{suit}.b" for suit in "CDHS"]
    two = {"waste": "2H.b", "twos": threes, "kings": [run("Q", "3", "H", "a")]}
    assert choice(position(**two, redeals_left=1)) == DRAW
    assert choice(position(**two, redeals_left=0)) == play("waste", "kings:0")
    queens = [f"Q{suit}.b" for suit in "CDHS"]
    king = {"waste": "KH.b", "kings": queens, "twos": [run("3", "Q", "H", "a")]}
    assert choice(position(**king, redeals_left=1)) == DRAW
    assert choice(position(**king, redeals_left=0)) == play("waste", "twos:0")


def test_a_card_that_costs_late_neighbours_waits_while_a_redeal_is_left():
    """One 4 is built, and the 3 with it: another 4 fits a kings pile after a walk, but then no neighbours are left."""
    table = {"twos": [run("3", "4", "H")], "kings": [run("Q", "5", "D")]}
    assert choice(position(**table, waste="4C.b", redeals_left=1)) == DRAW
    assert choice(position(**table, waste="4C.b", redeals_left=0))["type"] == "play"
    assert choice(position(**table, waste="8C.b", redeals_left=1))["type"] == "play"


def test_with_nothing_to_build_it_draws_and_then_redeals():
    assert choice(position(waste="8H.b")) == DRAW
    assert choice(position(stock="", waste="8H.b")) == REDEAL


def test_without_stock_and_redeals_every_card_that_fits_is_built():
    state = position(stock="", waste="9H.b 2H.b", kings=[run("Q", "3")], redeals_left=0)
    assert choice(state) == play("waste", "kings:0")


@pytest.mark.parametrize("shown", range(2, 13))
def test_a_walk_brings_any_card_to_its_place_by_the_shortest_way(shown):
    ranks = "A23456789TJQK"
    twos = [run("3", ranks[shown - 1], "H")] if shown > 2 else []
    kings = [run("Q", ranks[shown], "D")] if shown < 12 else []
    for card in [2, *range(4, 12), 13]:  # a 3 and a Queen fit the bare bases
        state = position(twos=twos, kings=kings, waste=f"{ranks[card - 1]}C.b", redeals_left=0)
        nearest = min(abs(goal - shown) for goal in (card - 1, card) if 2 <= goal <= 12)
        for _ in range(nearest):
            assert not [source for source, _ in plays(state) if source == "waste"], card
            state = after(state, step_of_the_walk(GAME.view(state, 0), card))
        assert "waste" in [source for source, _ in plays(state)], card


def what_is_left(view):
    """Return numbers that every move of the bot makes smaller in lexicographic order."""
    return view["redeals_left"], view["stock"], view["waste_count"], steps_to_walk(view)


def steps_to_walk(view):
    shown = [value(pile[-1]) for pile in view["twos"]], [value(pile[-1]) for pile in view["kings"]]
    card = view["waste"] and value(view["waste"])
    if not card or card == 1 or card - 1 in shown[0] or card + 1 in shown[1]:
        return 0
    goals = [goal for goal in (card - 1, card) if 2 <= goal <= 12]
    return min(
        (abs(goal - top) for top in shown[0] if top + 1 in shown[1] for goal in goals),
        default=0,
    )


class Watched:
    """A bot that checks that each of its moves makes progress."""

    def __init__(self, bot):
        self.name, self.bot, self.before, self.kinds = bot.name, bot, None, set()

    def choose(self, observation, rng):
        now = what_is_left(observation.view)
        assert self.before is None or now < self.before
        move = self.bot.choose(observation, rng)
        assert move in observation.legal_moves
        self.before = now
        self.kinds.add((move["type"], move.get("from") == "waste"))
        return move


@pytest.mark.parametrize(("name", "games"), [("steady", 24), ("strong", 3)])
def test_every_move_makes_progress(name, games):
    kinds = set()
    for number in range(games):
        watched = Watched(Strong(playouts=16) if name == "strong" else STEADY)
        config = GAME.parse_config({"redeals": number % 3})
        played = simulate(GAME, config, seats=1, bots=[watched], seed="ends", number=number)
        assert played.table.ended
        assert played.table.moves < 1000
        kinds |= watched.kinds
    assert kinds == {("draw", False), ("redeal", False), ("play", True), ("play", False)}


def test_every_random_game_ends():
    for number in range(100):
        played = simulate(
            GAME,
            GAME.parse_config({}),
            seats=1,
            bots=[bots.get("idle-aces", "random")],
            seed="ends",
            number=number,
        )
        assert played.table.ended


def test_it_builds_more_than_the_random_bot():
    """Compared with random play with and without resigning."""

    class Dogged:
        name = "dogged"

        def choose(self, observation, rng):
            return rng.choice(observation.legal_moves[:-1])

    def cards(bot):
        games = (
            simulate(GAME, GAME.parse_config({}), seats=1, bots=[bot], seed="worth", number=number)
            for number in range(12)
        )
        return [game.table.outcome["cards"] for game in games]

    steady, dogged, chance = cards(STEADY), cards(Dogged()), cards(bots.get("idle-aces", "random"))
    assert sum(steady) > sum(dogged) + 12 * 10
    assert sum(dogged) > sum(chance) + 12 * 10


def test_it_does_not_depend_on_random_numbers():
    state = dealt(6)
    for number in range(30):
        legal = GAME.legal_moves(state, 0)
        observation = Observation(GAME.view(state, 0), legal)
        one = STEADY.choose(observation, random.Random(1))
        assert one == STEADY.choose(observation, random.Random(number))
        state = after(state, one)
