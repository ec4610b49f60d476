"""RULEBOOK 1: the codes of refusals in Ace Race, and the order of the checks."""

import pytest

from games.rules import ConfigError
from tests.games.rules.ace_race import (
    DECLINE,
    DRAW,
    GAME,
    PASS,
    after,
    bid,
    code,
    config,
    give,
    play,
    position,
    refused,
    rule,
    view,
)

OVER = after(position("KC", "2C", rule="high"), play("KC"))
PLAYING = position("KC 3C AD X1", "2C", rule="high", pile="4C")

MALFORMED = [
    None,
    [],
    "draw",
    {},
    {"type": 1},
    {"type": "draw", "cards": 1},
    {"type": "bid"},
    {"type": "bid", "cards": "2"},
    {"type": "bid", "cards": 2.0},
    {"type": "bid", "cards": True},
    {"type": "bid", "cards": None},
    {"type": "bid", "cards": 2**60},
    {"type": "rule"},
    {"type": "rule", "rule": "high"},
    {"type": "rule", "rule": {}},
    {"type": "rule", "rule": {"name": "highest"}},
    {"type": "rule", "rule": {"name": "suits"}},
    {"type": "rule", "rule": {"name": "suits", "suit": "X"}},
    {"type": "rule", "rule": {"name": "high", "suit": "H"}},
    {"type": "rule", "rule": {"name": "high", "direction": "higher"}},
    {"type": "give"},
    {"type": "give", "gifts": []},
    {"type": "give", "gifts": {}},
    {"type": "give", "gifts": [{"card": "7H"}]},
    {"type": "give", "gifts": [{"card": "7H", "to": "1"}]},
    {"type": "give", "gifts": [{"card": "7H", "to": -1}]},
    {"type": "give", "gifts": [{"card": "7H", "to": 6}]},
    {"type": "give", "gifts": [{"card": "??", "to": 1}]},
    {"type": "give", "gifts": [{"card": "7H", "to": 1, "why": ""}]},
    {"type": "give", "gifts": [{"card": card, "to": 1} for card in ("7H", "7D", "7S")]},
    {"type": "play"},
    {"type": "play", "cards": []},
    {"type": "play", "cards": "7H"},
    {"type": "play", "cards": ["7h"]},
    {"type": "play", "cards": ["??"]},
    {"type": "play", "cards": [7]},
    {"type": "play", "cards": ["2C", "2D", "2H", "2S", "3C"]},
    {"type": "play", "cards": ["7H"], "joker": "7D"},
    {"type": "play", "cards": ["7H"], "joker": None},
    {"type": "play", "cards": ["7H"], "direction": "up"},
    {"type": "play", "cards": ["7H"], "rule": {"name": "high"}},
    {"type": "play", "cards": ["AH"]},
    {"type": "play", "cards": ["AH", "7H"]},
    {"type": "play", "cards": ["AH"], "rule": {"name": "red"}},
    {"type": "play", "cards": ["AH"], "rule": {"name": "series"}, "direction": "higher"},
]


def test_the_form_is_checked_first(subtests):
    states = [(PLAYING, 0), (PLAYING, 1), (PLAYING, None), (OVER, 0), (GAME.initial(config(), 0), 0)]
    for move in MALFORMED:
        with subtests.test(move=move):
            assert {code(state, move, seat) for state, seat in states} == {"malformed-move"}


@pytest.mark.parametrize("kind", ["", "fold", "Draw", "bids"])
def test_an_unknown_move_is_refused(kind):
    assert code(OVER, {"type": kind}, 1) == "unknown-move"


def test_a_gift_to_a_seat_that_does_not_exist_is_malformed():
    assert code(PLAYING, give(cKC=2), 0) == "malformed-move"
    assert code(OVER, give(cKC=2), 1) == "malformed-move"
    assert code(PLAYING, give(cKC=1), 0) == "rule-forbids"


WELL_FORMED = [
    DRAW,
    PASS,
    DECLINE,
    bid(7),
    bid(-1),
    rule("suits:H"),
    give(c9H=1),
    play("9H 9D", "X2", way="lower"),
]


@pytest.mark.parametrize("move", WELL_FORMED, ids=repr)
def test_the_end_of_the_game_is_checked_second(move):
    for seat in (0, 1, None):
        assert code(OVER, move, seat) == "game-over"


@pytest.mark.parametrize("move", WELL_FORMED, ids=repr)
def test_the_turn_is_checked_third(move):
    for seat in (1, None, 5):
        assert code(PLAYING, move, seat) == "not-your-turn"


@pytest.mark.parametrize("move", WELL_FORMED, ids=repr)
def test_no_move_is_legal_before_the_deal(move):
    undealt = GAME.initial(config(), 0)
    assert code(undealt, move, 0) == "rule-forbids"
    assert GAME.to_act(undealt) == GAME.legal_moves(undealt, 0) == []
    assert view(undealt, 0) | {"hand": None} == view(undealt)


PHASES = {
    "bidding": {"bid", "pass"},
    "rule": {"rule"},
    "giveaway": {"give", "decline"},
    "playing": {"play", "draw", "pass"},
}


@pytest.mark.parametrize("phase", PHASES)
def test_the_phase_is_checked_fourth(phase):
    state = position("KC 3C", "2C", rule="high", phase=phase, pile="4C")
    moves = {
        "bid": bid(9),
        "pass": PASS,
        "rule": rule("low"),
        "give": give(c9H=0),
        "decline": DECLINE,
        "draw": DRAW,
    }
    for kind, move in (moves | {"play": play("9H")}).items():
        found = refused(state, move)
        of_the_phase = found is None or "no move of this phase" not in (found[2] or "")
        assert of_the_phase == (kind in PHASES[phase])
        assert of_the_phase or found[0] == "rule-forbids"


def test_the_direction_is_checked_with_the_phase_before_the_cards():
    assert code(PLAYING, play("9H", way="lower")) == "malformed-move"
    assert code(PLAYING, play("9H")) == "no-such-card"


def test_the_cards_are_checked_before_their_target():
    assert code(PLAYING, play("9H 3C")) == "no-such-card"
    assert code(PLAYING, play("3C", "X2")) == "no-such-card"
    assert code(PLAYING, play("KC KC")) == "no-such-card"
    assert code(PLAYING, play("AS", rule="high")) == "no-such-card"
    assert code(PLAYING, play("3C X1")) == "rule-forbids"
    assert code(PLAYING, play("3C")) == "wrong-rank"


def test_refusals_carry_a_sentence_of_the_rules():
    sentences = {ruling.text for ruling in GAME.rulings}
    for move in (
        play("9H"),
        play("3C"),
        play("3C X1"),
        PASS,
        bid(2),
        play("KC 3C"),
        play("AD", rule="prime"),
    ):
        found = refused(PLAYING, move)
        assert found[1] in sentences
        assert found[2]


@pytest.mark.parametrize(
    "raw",
    [
        {"dealer": 6},
        {"dealer": -1},
        {"dealer": None},
        {"dealer": True},
        {"previous_winner": 6},
        {"previous_winner": "0"},
        {"continuation": "loose"},
        {"stake": 0},
    ],
)
def test_impossible_configs_are_refused(raw):
    with pytest.raises(ConfigError):
        config(**raw)


def test_a_config_has_its_defaults():
    assert GAME.config_json(config()) == {"dealer": 0, "previous_winner": None, "continuation": "strict"}
    assert GAME.config_json(config(previous_winner=None)) == GAME.config_json(config())


def test_the_config_has_no_stake():
    with pytest.raises(ConfigError):
        GAME.parse_config({}, staked=True)
