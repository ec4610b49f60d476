"""Refusals of Racing Demons: their codes, and the order of the checks (RULEBOOK 1)."""

import pytest

from tests.games.rules.racing_demons import (
    GAME,
    IDLE,
    PASS,
    STUCK,
    TURN,
    after,
    hand,
    move,
    play,
    position,
    refusal,
)

OTHER = hand("9C 9S 9H", stock="AD AH 7D 6D")
FOUNDATIONS = (" ".join(f"{rank}H.1" for rank in "A23456789TJQK"), "AS.1 2S.1", "AC.1")


MALFORMED = [
    None,
    "turn",
    [],
    {},
    {"type": 1},
    {"type": "turn", "count": 1},
    {"type": "move"},
    {"type": "move", "from": "waste"},
    move("stock", "work:0"),
    move("foundation:0", "work:0"),
    move("work:4", "work:0"),
    move("work:00", "work:1"),
    move("waste", "demon"),
    move("waste", "waste"),
    move("waste", "work:4"),
    move("waste", "foundation"),
    move("waste", "foundation:"),
    move("waste", "foundation:-1"),
    move("waste", "foundation:01"),
    move("waste", "foundation:x"),
    move("waste", "foundation:1\n"),
    move("waste", "foundation:٣"),
    move("work:0", "work:1", 0),
    {"type": "move", "from": "work:0", "to": "work:1", "count": "1"},
    {"type": "move", "from": "work:0", "to": "work:1", "count": True},
    {"type": "move", "from": "work:0", "to": "work:1", "count": 1.0},
    {"type": "stuck", "seat": 0},
]


def test_a_move_of_a_wrong_form_is_malformed(subtests):
    for made in MALFORMED:
        with subtests.test(made=made):
            assert refusal(position(OTHER, OTHER), 0, made).code == "malformed-move"


@pytest.mark.parametrize("kind", ["draw", "undo", "collect", "TURN", ""])
def test_other_moves_are_unknown(kind):
    assert refusal(position(OTHER, OTHER), 0, {"type": kind}).code == "unknown-move"


@pytest.mark.parametrize(
    ("side", "made", "code"),
    [
        (hand(stock=""), TURN, "pile-empty"),
        (hand(), move("waste", "work:0"), "pile-empty"),
        (hand(), PASS, "rule-forbids"),
        (hand(work=("KC", "KD", "QS", "KS")), move("work:2", "work:1", 2), "rule-forbids"),
        (hand(), move("work:0", "work:0"), "rule-forbids"),
        (hand(), move("demon", "foundation:3"), "no-such-pile"),
        (hand(), move("demon", "foundation:31"), "no-such-pile"),
        (hand(), move("demon", "foundation:32"), "no-such-pile"),
        (hand(), move("demon", "foundation:987654321"), "no-such-pile"),
        (hand(), move("demon", "foundation:0"), "pile-complete"),
        (hand(), move("demon", "foundation:2"), "wrong-suit"),
        (hand(), move("demon", "foundation:1"), "wrong-rank"),
        (hand(), move("demon", "foundation:new"), "wrong-rank"),
        (hand("9C AC"), move("demon", "foundation:2"), "wrong-rank"),
        (hand(), move("demon", "work:0"), "wrong-rank"),
        (hand("9C QC"), move("demon", "work:0"), "wrong-colour"),
    ],
)
def test_each_fault_has_its_code(side, made, code):
    assert refusal(position(side, OTHER, foundations=FOUNDATIONS), 0, made).code == code


def over():
    state = position(OTHER, OTHER)
    return after(state, *GAME.expire(state, None))


@pytest.mark.parametrize(
    ("state", "seat", "made", "code"),
    [
        (over(), 5, {"type": "nothing"}, "unknown-move"),
        (over(), 5, {"type": "turn", "x": 1}, "malformed-move"),
        (over(), 5, TURN, "game-over"),
        (position(OTHER, OTHER), 5, TURN, "not-your-turn"),
        (position(OTHER, OTHER), -1, TURN, "not-your-turn"),
        (position(OTHER, OTHER), None, TURN, "not-your-turn"),
        (position(OTHER, OTHER, pace="turns"), 1, move("waste", "foundation:9"), "not-your-turn"),
        (position(OTHER, OTHER), 0, move("waste", "foundation:9"), "pile-empty"),
        (position(OTHER, OTHER), 0, move("work:0", "work:0", 2), "rule-forbids"),
        (
            position(hand("9C 9H"), OTHER, foundations=FOUNDATIONS),
            0,
            move("demon", "foundation:0"),
            "pile-complete",
        ),
        (position(hand("9C QC", IDLE), OTHER), 0, move("demon", "work:3"), "wrong-colour"),
    ],
)
def test_the_checks_are_form_end_turn_phase_cards_target(state, seat, made, code):
    assert refusal(state, seat, made).code == code


def test_no_move_is_legal_before_the_deal():
    state = GAME.initial(GAME.parse_config({}), 2)
    assert refusal(state, 0, TURN).code == "rule-forbids"
    assert GAME.to_act(state) == []
    assert GAME.legal_moves(state, 0) == []
    assert GAME.view(state, 0) == {
        "you": None,
        "others": [],
        "foundations": [],
        "scores": [],
        "to_act": [],
    }


def test_a_refusal_changes_nothing():
    state = position(OTHER, OTHER)
    kept = state
    refusal(state, 0, move("demon", "foundation:new"))
    assert state == kept
    assert play(state, 0, STUCK) != state


def test_every_refusal_contains_the_sentence_of_a_ruling():
    sentences = {ruling.text for ruling in GAME.rulings}
    state = position(OTHER, OTHER)
    for made in (move("demon", "foundation:new"), move("waste", "work:0"), PASS):
        assert refusal(state, 0, made).rule in sentences
