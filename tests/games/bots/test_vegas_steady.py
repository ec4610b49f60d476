"""The steady bot of Vegas Solitaire: its preferences, and the end of its games."""

import random
from collections import Counter
from itertools import combinations

import pytest

from games import bots
from games.bots import Observation
from games.bots.simulation import simulate
from games.rules import GameKey, get
from games.rules.vegas_solitaire.bots.steady import PREFERENCES

VEGAS = get("vegas-solitaire")
STEADY = bots.get("vegas-solitaire")


def view(columns, *, waste=(), foundations=None):
    up = dict.fromkeys("CDHS", 0) | (foundations or {})
    piles = [*columns, *[(0, [])] * (7 - len(columns))]
    return {
        "waste": list(waste),
        "foundations": up,
        "columns": [{"down": down, "up": cards} for down, cards in piles],
    }


def move(source, target, count=None):
    keys = {"type": "move", "from": source, "to": target}
    return keys if count is None else keys | {"count": count}


FLIP = {"type": "flip", "column": 3}
DRAW, RECYCLE, COLLECT, UNDO = ({"type": type} for type in ("draw", "recycle", "collect", "undo"))


def choice(view, *legal):
    return STEADY.choose(Observation(view, [*legal, UNDO, COLLECT]), random.Random(0))


def test_uncovering_a_hidden_card_comes_first():
    assert choice(view([(0, ["AS"])]), DRAW, move("column:0", "foundation"), FLIP) == FLIP


def test_a_safe_card_is_put_up_before_a_hidden_card_is_uncovered():
    up, uncover = move("column:0", "foundation"), move("column:1", "column:2", 1)
    position = view([(0, ["2S"]), (2, ["9H"]), (0, ["TC"])], foundations={"S": 1, "D": 1, "H": 1})
    assert choice(position, uncover, up) == up


def test_a_card_that_may_be_built_on_stays_until_hidden_cards_are_uncovered():
    up, uncover = move("column:0", "foundation"), move("column:1", "column:2", 1)
    position = view([(0, ["5S"]), (2, ["9H"]), (0, ["TC"])], foundations={"S": 4})
    assert choice(position, up, uncover) == uncover
    assert choice(position, up, DRAW) == up


def test_part_of_a_run_uncovers_nothing():
    position = view([(2, ["9H", "8S"]), (0, ["9D"])])
    assert choice(position, move("column:0", "column:1", 1), DRAW) == DRAW


def test_a_column_is_emptied_only_for_a_waiting_king():
    shift = move("column:0", "column:1", 1)
    assert choice(view([(0, ["9H"]), (0, ["TC"])]), shift, DRAW) == DRAW
    assert choice(view([(0, ["9H"]), (0, ["TC"])], waste=["KD"]), shift, DRAW) == shift
    assert choice(view([(0, ["9H"]), (0, ["TC"]), (3, ["KD", "QS"])]), shift, DRAW) == shift
    assert choice(view([(0, ["9H"]), (0, ["TC"]), (0, ["KD", "QS"])]), shift, DRAW) == DRAW


def test_the_waste_is_used_before_more_is_drawn():
    onto = move("waste", "column:0")
    assert choice(view([(0, ["9H"])], waste=["8S"]), DRAW, onto) == onto


def test_no_card_returns_from_a_foundation():
    position = view([(0, ["5H"])], foundations={"S": 4})
    assert choice(position, move("foundation:S", "column:0"), RECYCLE) == RECYCLE


def test_it_collects_without_a_preferred_move():
    assert choice(view([])) == COLLECT


def test_equal_moves_are_chosen_at_random_with_weight_on_hidden_cards():
    deep, shallow = move("column:0", "column:2", 1), move("column:1", "column:2", 1)
    position = view([(6, ["9H"]), (2, ["9D"]), (0, ["TC"])])
    rng = random.Random(0)
    made = Counter(
        STEADY.choose(Observation(position, [deep, shallow, DRAW]), rng)["from"] for _ in range(400)
    )
    assert set(made) == {"column:0", "column:1"}
    assert made["column:0"] > 2 * made["column:1"]


def test_the_same_random_numbers_give_the_same_move():
    legal = [move("waste", "column:0"), move("waste", "column:1"), DRAW]
    position = view([(0, ["9H"]), (0, ["9D"])], waste=["8S"])
    made = [
        [STEADY.choose(Observation(position, legal), random.Random(seed))["to"] for seed in range(30)]
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert set(made[0]) == {"column:0", "column:1"}


def dealt(number, draw):
    config = VEGAS.parse_config({"draw": draw, "stake": 0})
    fact = VEGAS.deal(config, 1, GameKey(number.to_bytes(32, "big"), [""]))
    return VEGAS.evolve(VEGAS.initial(config, 1), *fact)


def after(state, move):
    return VEGAS.evolve(state, *VEGAS.decide(state, 0, move)[0])


def whole_game(state, rng):
    """Return every position of the game with the move that the bot makes."""
    while True:
        made = STEADY.choose(Observation(VEGAS.view(state, 0), VEGAS.legal_moves(state, 0)), rng)
        yield state, made
        if made == COLLECT:
            return
        state = after(state, made)


def what_is_left(state):
    """Return numbers that every preferred move makes smaller in lexicographic order."""
    layout = state.layout
    piles = list(zip(layout.columns, layout.down, strict=True))
    hidden_tops = sum(down > 0 and len(cards) == down for cards, down in piles)
    return (
        sum(layout.down) - hidden_tops,
        hidden_tops,
        len(layout.stock) + len(layout.waste),
        sum(bool(cards) for cards in layout.columns),
        52 - sum(layout.foundations),
        layout.passes_left,
        len(layout.stock),
    )


@pytest.mark.parametrize("draw", [1, 3])
def test_every_preferred_move_makes_progress(draw):
    """So every sequence of moves ends: the numbers are bounded non-negative integers."""
    liked = Counter()
    for number in range(25):
        for state, _ in whole_game(dealt(number, draw), random.Random(number)):
            shown = VEGAS.view(state, 0)
            for legal in VEGAS.legal_moves(state, 0):
                for liking in (one for group in PREFERENCES for one in group if one(shown, legal)):
                    liked[liking] += 1
                    assert what_is_left(after(state, legal)) < what_is_left(state), legal
    assert len(liked) == sum(map(len, PREFERENCES)) - (draw == 1)  # with one pass the waste is not recycled


@pytest.mark.parametrize("draw", [1, 3])
def test_two_bots_usually_play_the_same_deal_differently(draw):
    parted = []
    for number in range(25):
        games = [
            [made for _, made in whole_game(dealt(number, draw), random.Random(f"{number} {player}"))]
            for player in range(4)
        ]
        parted += [one != other for one, other in combinations(games, 2)]
    assert sum(parted) > len(parted) / 2


@pytest.mark.parametrize("draw", [1, 3])
def test_its_games_end_well_below_the_maximum_of_moves(draw):
    config = VEGAS.parse_config({"draw": draw, "stake": 0})
    for number in range(60):
        played = simulate(VEGAS, config, seats=1, bots=[STEADY], seed="ends", number=number)
        assert played.table.moves < 300


def test_it_completes_some_games_and_puts_up_more_than_the_random_bot():
    config = VEGAS.parse_config({"draw": 1, "stake": 0})

    def cards(bot):
        games = (simulate(VEGAS, config, seats=1, bots=[bot], seed="worth", number=n) for n in range(80))
        return [game.table.outcome["cards"] for game in games]

    steady, chance = cards(STEADY), cards(bots.get("vegas-solitaire", "random"))
    assert 52 in steady
    assert sum(steady) > 3 * sum(chance)
