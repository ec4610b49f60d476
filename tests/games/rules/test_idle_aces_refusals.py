"""RULEBOOK 1: the order of the checks of a move of Idle Aces, and malformed moves."""

import pytest

from tests.games.rules.idle_aces import DRAW, GAME, REDEAL, RESIGN, after, dealt, play, position, refusal, run

MALFORMED = [
    None,
    True,
    0,
    "draw",
    [],
    [DRAW],
    {},
    {"type": None},
    {"type": 5},
    {"type": ["draw"]},
    {"kind": "draw"},
    {"type": "draw", "count": 1},
    {"type": "draw", "seat": 0},
    {"type": "redeal", "times": 1},
    {"type": "resign", "": ""},
    {"type": "play"},
    {"type": "play", "from": "waste"},
    {"type": "play", "to": "aces"},
    {"type": "play", "from": "stock", "to": "aces"},
    {"type": "play", "from": "aces", "to": "kings:0"},
    {"type": "play", "from": "waste", "to": "waste"},
    {"type": "play", "from": "waste", "to": "twos"},
    {"type": "play", "from": "waste", "to": "twos:4"},
    {"type": "play", "from": "waste", "to": "twos:-1"},
    {"type": "play", "from": "waste", "to": "twos:00"},
    {"type": "play", "from": "waste", "to": "twos:٣"},
    {"type": "play", "from": "waste", "to": "kings:1\n"},
    {"type": "play", "from": "waste", "to": "aces:0"},
    {"type": "play", "from": "Waste", "to": "aces"},
    {"type": "play", "from": {"pile": "waste"}, "to": "aces"},
    {"type": "play", "from": ["waste"], "to": "aces"},
    {"type": "play", "from": 0, "to": "aces"},
    {"type": "play", "from": None, "to": "aces"},
    {"type": "play", "from": "waste", "to": "aces", "count": 1},
    {"type": "play", "from": "waste", "to": "aces", "card": "AS.a"},
]


def test_malformed_moves_are_refused(subtests):
    for move in MALFORMED:
        with subtests.test(move=move):
            assert refusal(position(), move).code == "malformed-move"


@pytest.mark.parametrize("type", ["pass", "collect", "move", "Draw", "draw ", "", "created", "expired", "é"])
def test_unknown_moves_are_refused(type):
    assert refusal(position(), {"type": type}).code == "unknown-move"
    assert refusal(position(), {"type": type, "more": 1}).code == "unknown-move"


def test_the_checks_are_made_in_order():
    on = position()
    over = after(on, RESIGN)
    undealt = GAME.initial(GAME.parse_config({}), 1)
    assert refusal(over, {"type": "pass"}, seat=3).code == "unknown-move"
    assert refusal(over, play("waste", "twos:9"), seat=3).code == "malformed-move"
    assert refusal(over, DRAW, seat=3).code == "game-over"
    assert refusal(over, RESIGN).code == "game-over"
    assert refusal(on, REDEAL, seat=3).code == "not-your-turn"
    assert refusal(on, REDEAL, seat=None).code == "not-your-turn"
    assert refusal(undealt, DRAW, seat=1).code == "not-your-turn"
    assert refusal(undealt, DRAW).code == "rule-forbids"
    assert refusal(undealt, RESIGN).code == "rule-forbids"


def test_the_moved_card_is_checked_before_the_target():
    complete = position(twos=[run("3", "K")], aces="AC.a AD.a AH.a AS.a")
    assert refusal(complete, play("waste", "twos:0")).code == "pile-empty"
    assert refusal(complete, play("waste", "aces")).code == "pile-empty"
    assert refusal(complete, play("twos:1", "twos:0")).rule == "The base card of a pile never leaves it."
    assert refusal(complete, play("twos:1", "aces")).code == "rule-forbids"


def test_a_card_cannot_be_moved_to_its_own_pile():
    state = position(twos=[run("3", "K")], kings=["QH.b"])
    refused = refusal(state, play("kings:0", "kings:0"))
    assert (refused.code, refused.rule, refused.fact) == (
        "rule-forbids",
        "A pile is not put onto itself.",
        "QH.b lies there already",
    )
    assert refusal(state, play("twos:0", "twos:0")).code == "rule-forbids"
    assert refusal(state, play("twos:1", "twos:1")).rule == "The base card of a pile never leaves it."


def test_completeness_is_checked_before_the_rank():
    state = position(twos=[run("3", "K")], waste="5H.b", aces="AC.a AD.a AH.a AS.a")
    assert refusal(state, play("waste", "twos:0")).code == "pile-complete"
    assert refusal(state, play("waste", "aces")).code == "pile-complete"


def test_a_refusal_changes_nothing():
    state = position(waste="9C.b")
    before = GAME.view(state, 0)
    refusal(state, play("waste", "twos:0"))
    assert GAME.view(state, 0) == before


def test_no_refusal_names_a_hidden_card():
    state = dealt(1)
    assert refusal(state, REDEAL).fact == "96 cards are left in the stock"
    assert refusal(state, play("waste", "aces")).fact == "the waste is empty"
