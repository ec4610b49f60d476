"""The steady bot of Ace Race: its preferences, and the end of its games."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import bots
from games.bots import Observation
from games.bots.simulation import play as play_out
from games.rules.ace_race.bots.steady import ACES_TO_PLAY, can_follow, promise
from games.rules.ace_race.position import BIDDING
from tests.games.rules.ace_race import (
    DECLINE,
    DRAW,
    GAME,
    PASS,
    SEATS,
    bid,
    give,
    named,
    play,
    position,
    rule,
    wandered,
)

STEADY = bots.get("ace-race")
MOST_MOVES = 9_400
"""Of a game between steady players, by the reckoning in the bot's module."""


def choice(state, history=()):
    seat = state.to_act
    observation = Observation(
        GAME.view(state, seat),
        GAME.legal_moves(state, seat),
        GAME.config_json(state.config),
        seat,
        lambda: history,
    )
    return STEADY.choose(observation, random.Random(1))


# --- preferences --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "in_force", "winning"),
    [
        ("KC", "high", play("KC")),
        ("7C 7D 7H", "multiples", play("7C 7D 7H")),
        ("2C X1", "high", play("2C", "X1")),
        ("AD", "series", None),
    ],
)
def test_it_wins_when_it_can(held, in_force, winning):
    chosen = choice(position(held, "2D 3D", rule=in_force, pile="4D"))
    assert chosen == winning or (winning is None and chosen["cards"] == ["AD"])


@pytest.mark.parametrize(
    ("held", "ace"),
    [
        ("AS 7C", "AS"),
        ("AH 7C 7D 7S", "AH"),
        ("AH 5C 6D 7S", "AH"),
        ("AD AS", None),
        ("AC 2C X1", "AC"),
        ("AC AS 9D", None),
    ],
)
def test_it_plays_an_ace_that_the_rest_of_the_hand_can_follow(held, ace):
    state = position(held, "2D 3D", rule="high", pile="4D")
    chosen = choice(state)
    assert "rule" in chosen
    assert ace is None or chosen["cards"] == [ace]
    while not GAME.is_over(state):
        assert state.to_act == 0
        chosen = choice(state)
        action = GAME.legal_actions(state, 0)[GAME.legal_moves(state, 0).index(chosen)]
        state = GAME.apply_action(state, 0, action, random.Random(1))
    assert GAME.outcome(state)["winners"] == [0]


def test_it_prefers_the_play_with_the_most_cards():
    assert choice(position("7C 7D 7H 8C 8D 2C", "2D", rule="multiples", pile="4D")) == play("7C 7D 7H")


def test_it_prefers_the_rule_in_force_to_a_joker_and_a_joker_to_an_ace():
    assert choice(position("KC X1 AD 5C 6C", "2D", rule="high", pile="4D")) == play("KC")
    assert choice(position("X1 AD 5C 6C 7C", "2D", rule="high", pile="4D"))["joker"] == "X1"
    assert choice(position("AD 5C 6C 7C", "2D", rule="high", pile="4D"))["cards"] == ["AD"]
    assert choice(position("5C 6C 7C", "2D", rule="high", pile="4D")) == DRAW


def test_it_plays_no_ace_that_it_cannot_follow():
    assert choice(position("AH 5C 8D TS KH", "2D", rule="low", pile="4D", discards="9S")) == play("5C")
    assert choice(position("AH 6C 8D TS KH", "2D", rule="low", pile="4D", discards="9S")) == DRAW


def test_under_above_below_it_leaves_few_plays_to_the_others():
    assert choice(position("KC 7D 6D", "2D", rule="above-below", pile="4D")) == play("KC", way="higher")


def test_it_opens_with_a_bid_of_zero_and_bids_little_for_a_good_hand():
    poor = "2C 3D 5H 6S 8C 9D JH QS"
    good = "7C 7D 7H 9C 9D 9H JC JD JS KC KD KH"
    pile = "TC TD TH TS 4C 4D"
    assert choice(position(poor, "2D", rule=None, phase="bidding", pile=pile)) == bid(0)
    assert choice(position(poor, "2D", rule=None, phase="bidding", pile=pile, bids=[(1, 1)])) == PASS
    assert choice(position(good, "2D", rule=None, phase="bidding", pile=pile, bids=[(1, 1)])) == bid(2)


@pytest.mark.parametrize(
    ("held", "best"),
    [
        ("7C 7D 7H 9C 9D 9H JC JD JS", "multiples"),
        ("5C 6C 7D TD JD QD 2S 3S 4D", "series"),
        ("2C 4C 6C 8C TC QC", "suits:C"),
    ],
)
def test_it_names_the_rule_that_suits_its_hand(held, best):
    assert choice(position(held, "2D", rule=None, phase="rule")) == rule(best)


def test_it_gives_its_least_useful_card_to_the_shortest_hand():
    state = position("KC 3D X1 AS", "2D 4D", "5D", "6D 7D", rule="high", phase="giveaway", discards="8C")
    assert choice(state) == give(cKC=2, c3D=2)


def test_it_gives_its_last_cards_away():
    state = position("AS X1", "2D 4D", "5D", rule="high", phase="giveaway", discards="8C")
    assert len(choice(state)["gifts"]) == 2


def test_it_never_declines():
    assert choice(position("AS", "2D", rule="high", phase="giveaway", discards="8C")) != DECLINE


@pytest.mark.parametrize("last_rule", ["high", "multiples"])
def test_can_follow_means_that_one_turn_suffices(last_rule):
    assert not can_follow(["5C", "9C"], named(last_rule))
    assert can_follow(["AC", "9C"], named(last_rule))


def test_a_promise_counts_the_next_turns_in_full():
    assert promise(["KC", "QC", "JC", "TC"], named("high")) == pytest.approx(3.1)


# --- end of games -------------------------------------------------------------------------------


def weight(state):
    return 2 * len(state.draw_pile) + sum(map(len, state.hands))


@settings(max_examples=16, deadline=None)
@given(
    st.sampled_from(SEATS), st.integers(0, 2**40), st.integers(0, 200), st.sampled_from(["strict", "chained"])
)
def test_between_two_aces_every_draw_and_play_makes_the_game_lighter(seats, number, moves, continuation):
    state = wandered(seats, number, moves, continuation=continuation)
    assert weight(state) <= 2 * 54
    for action, move in zip(
        GAME.legal_actions(state, state.to_act), GAME.legal_moves(state, state.to_act), strict=True
    ):
        later = GAME.apply_action(state, state.to_act, action, random.Random(0))
        if move["type"] in ("draw", "play") and ("rule" not in move or GAME.is_over(later)):
            assert weight(later) < weight(state)
        elif state.phase == BIDDING:  # the cards of the bid may be taken too
            assert weight(later) <= weight(state)
        elif move["type"] in ("pass", "give", "decline"):
            assert weight(later) == weight(state)


def an_ace():
    return {
        "type": "play",
        "seat": 0,
        "data": {"move": {"type": "play", "cards": ["AC"], "rule": named("prime")}},
    }


def test_after_the_sixteenth_ace_it_plays_an_ace_only_to_win():
    state = position("AD 5C 6C 7C", "2D", rule="high", pile="4D")
    assert choice(state, [an_ace()] * (ACES_TO_PLAY - 1))["type"] == "play"
    assert choice(state, [an_ace()] * ACES_TO_PLAY) == DRAW
    last = choice(position("AD", "2D", rule="high", pile="4D"), [an_ace()] * ACES_TO_PLAY)
    assert last["cards"] == ["AD"]


def games(seats, bot, count, seed, others=None):
    for number in range(count):
        config = GAME.parse_config(
            {
                "continuation": ("strict", "chained")[number % 2],
                "previous_winner": None if number % 3 else number % seats,
                "dealer": number % seats,
            }
        )
        players = [bots.get("ace-race", bot), *[bots.get("ace-race", others or bot)] * (seats - 1)]
        yield play_out(GAME, config, seats=seats, bots=players, seed=seed, number=number)


@pytest.mark.parametrize("seats", SEATS)
def test_its_games_end_well_below_the_maximum_of_moves(seats):
    for table in games(seats, "steady", 8, "ends"):
        assert table.outcome
        assert table.moves < MOST_MOVES / 4


@pytest.mark.parametrize("seats", SEATS)
def test_random_games_end_below_the_maximum_of_moves(seats):
    for table in games(seats, "random", 8, "chance"):
        assert table.moves < 10_000


@pytest.mark.soak
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("bot", ["steady", "random"])
def test_hundreds_of_games_of_each_kind_end(seats, bot):
    """None reaches the most moves that the rules allow."""
    assert all(table.outcome and table.moves < MOST_MOVES for table in games(seats, bot, 300, "soak"))


@pytest.mark.parametrize("seats", SEATS)
def test_it_beats_the_random_bot(seats):
    won = sum(0 in table.outcome["winners"] for table in games(seats, "steady", 20, "worth", others="random"))
    assert won > 1.6 * 20 / seats
