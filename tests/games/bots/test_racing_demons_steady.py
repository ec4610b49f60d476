"""The steady bot of Racing Demons: its preferences, when it is stuck, and the end of its games."""

import random

import pytest

from games import bots
from games.bots import Observation, Patient
from games.bots.simulation import simulate
from games.rules import get
from games.rules.bundles.verification import verify
from tests.games.rules.racing_demons import GAME, PASS, STUCK, TURN, hand, move, position

STEADY = bots.get("racing-demons")
CHANCE = bots.get("racing-demons", "random")
OTHER = hand("9C 9S 9H", stock="AD AH 7D 6D")
UP_TO_THE_QUEEN = " ".join(f"{rank}H.1" for rank in "A23456789TJQ")


def observation(state, seat=0, history=()):
    return Observation(
        GAME.view(state, seat), GAME.legal_moves(state, seat), seat=seat, history=lambda: list(history)
    )


def choice(side, *, foundations=(), history=(), marked=(), **config):
    state = position(side, OTHER, foundations=foundations, marked=marked, **config)
    return STEADY.choose(observation(state, history=history), random.Random(0))


def test_the_card_of_the_demon_is_put_up_first():
    side = hand("9C AC", waste="AH", work=("KC", "KD", "KH", "2C AS"))
    assert choice(side) == move("demon", "foundation:new")


def test_a_card_whose_pile_the_demon_fills_is_put_up_first():
    side = hand("9C 9S", waste="AH", work=("KC", "KD", "KH", "AS"))
    assert choice(side) == move("work:3", "foundation:new")


def test_a_king_is_put_up_before_other_cards():
    side = hand("9C 9S", waste="AC", work=("KC", "KD", "QS KH", "KS"))
    assert choice(side, foundations=(UP_TO_THE_QUEEN,)) == move("work:2", "foundation:0")


def test_what_others_could_put_up_comes_before_what_only_this_seat_can_play():
    side = hand("9C QC", waste="AC")
    assert choice(side) == move("waste", "foundation:new")


def test_the_demon_is_played_before_the_waste():
    side = hand("9C QC", waste="QS", work=("KC", "KD", "5H", "KS"))
    assert choice(side) == move("demon", "work:1")


def test_a_whole_run_moves_because_the_demon_fills_its_place():
    side = hand("9C 9S", waste="8C", work=("JH TS", "QC", "9C", "KS"))
    assert choice(side) == move("work:0", "work:1", 2)


def test_part_of_a_run_moves_only_to_uncover_a_card_that_can_be_put_up():
    side = hand("9C 9S", stock="3C", work=("4H 3S", "4D", "KH", "KS"))
    assert choice(side) == TURN
    assert choice(side, foundations=("AH.1 2H.1 3H.1",)) == move("work:0", "work:1", 1)


def test_it_turns_its_stock_when_there_is_nothing_to_play():
    assert choice(hand(stock="3C")) == TURN


# --- when it is stuck ---------------------------------------------------------------------------------


def event(type, seat, **facts):
    return {
        "type": type,
        "seat": seat,
        "data": {"move": {"type": type, **facts.pop("move", {})}, "facts": facts},
    }


DEALT = {"type": "dealt", "seat": None, "data": {}}
TURNED = event("turn", 0, cards=[])
FLIPPED = event("turn", 0, cards=[], flipped=True)
UP = event("move", 1, move=move("demon", "foundation:0"))
OF_ANOTHER = event("move", 1, move=move("demon", "work:0"))
OWN = event("move", 0, move=move("demon", "work:0"))
BURNED = event("stuck", 1, settled=[{"burned": True}])


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([DEALT, TURNED, TURNED], STUCK),
        ([DEALT, UP, OWN, FLIPPED, TURNED], STUCK),
        ([DEALT, FLIPPED, TURNED, OF_ANOTHER, TURNED], STUCK),
        ([DEALT, UP, TURNED, BURNED, TURNED], STUCK),
        ([DEALT, FLIPPED, TURNED, UP, TURNED], TURN),
        ([DEALT, FLIPPED, OWN, TURNED], TURN),
        ([DEALT, UP, event("turn", 1, cards=[], flipped=True), TURNED], TURN),
    ],
    ids=[
        "a first pass without a play",
        "a pass without a play",
        "what others do before themselves does not matter",
        "a pass since the burn",
        "a foundation has grown",
        "it has played",
        "the pass of another",
    ],
)
def test_it_is_stuck_after_a_pass_through_the_stock_without_a_play(history, expected):
    side = hand(stock="", waste="3C 5C")
    assert choice(side, history=history) == expected


def test_it_continues_in_the_middle_of_a_pass():
    assert choice(hand(stock="3C", waste="5C"), history=[DEALT, TURNED]) == TURN


def test_without_stock_and_waste_it_is_stuck_at_once():
    assert choice(hand(stock="", demon="9C 9S")) == STUCK


def test_a_marked_seat_turns_or_passes():
    assert choice(hand(stock="", waste="3C"), marked=(0,)) == TURN
    assert choice(hand(stock="", demon="9C 9S"), marked=(0,), pace="turns") == PASS


def test_with_people_a_stuck_bot_waits_until_it_can_play():
    assert isinstance(STEADY, Patient)
    idle = position(hand(stock="3C"), OTHER, marked=(0,))
    assert STEADY.waits(observation(idle))
    assert not STEADY.waits(observation(position(hand(stock="3C"), OTHER)))
    assert not STEADY.waits(observation(position(hand("9C QC"), OTHER, marked=(0,))))


# --- whole games ---------------------------------------------------------------------------------------


CONFIGS = [
    {"turn": turn, "pace": pace, "stuck": stuck}
    for turn in (3, 1)
    for pace in ("race", "turns")
    for stuck in ("burn", "end")
]


def played(players, *, seats, number, **config):
    return simulate(GAME, GAME.parse_config(config), seats=seats, bots=players, seed="steady", number=number)


@pytest.mark.parametrize("seats", [2, 5])
def test_its_games_end_without_a_time_limit(seats):
    for number, config in enumerate(CONFIGS):
        for players in ([STEADY], [STEADY, CHANCE]):
            one = played(players, seats=seats, number=number, **config)
            assert one.table.outcome["result"] in ("out", "stuck")
            assert one.table.moves < 500 * seats


def test_it_beats_the_random_bot():
    points = {STEADY: 0, CHANCE: 0}
    for number in range(20):
        players = [STEADY, CHANCE] if number % 2 else [CHANCE, STEADY]
        outcome = played(players, seats=2, number=number).table.outcome
        for player, score in zip(players, outcome["scores"], strict=True):
            points[player] += score
    assert points[STEADY] > points[CHANCE] + 20 * 10


def proven(seats, games):
    """Verify games between changing bots with every config, some of them with a time limit."""
    results = set()
    for number in range(games):
        config = CONFIGS[number % len(CONFIGS)] | ({"time_limit": 10} if number % 11 == 0 else {})
        players = [[STEADY], [STEADY, CHANCE], [CHANCE]][number % 3]
        one = played(players, seats=seats, number=number, **config)
        report = verify(one.bundle)
        assert set(report.checks.values()) == {"passed"}, (number, report.faults)
        results.add(one.table.outcome["result"])
    return results


def ends(seats):
    """At the largest tables a demon is nearly always empty before every seat is stuck."""
    return {"out", "time"} if seats > 8 else {"out", "stuck", "time"}


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 5, 12])
def test_simulated_games_verify(seats):
    assert proven(seats, 12) >= ends(seats)


@pytest.mark.soak
@pytest.mark.parametrize("seats", GAME.seats)
def test_hundreds_of_simulated_games_verify(seats):
    """Every bundle verifies, and games end in each of the three ways."""
    assert proven(seats, 120) >= ends(seats)


def test_both_bots_are_registered():
    assert bots.names("racing-demons") == ["steady", "random"]
    assert get("racing-demons") is GAME
