"""RULEBOOK 3 (4): undo."""

import pytest

UNDO = {"type": "undo"}
DRAW = {"type": "draw"}


def move(source, target, count=None):
    keys = {"type": "move", "from": source, "to": target}
    return keys if count is None else keys | {"count": count}


POSITION = {"stock": "2C 5H 9S KD", "waste": "3D AH", "foundations": "4S AD", "fan": 2}
COLUMNS = ("(7C) 6C 5D", "2S", "(JD QD)", "KC QH", "5S", "6D")

UNDOABLE = {
    "waste to foundation": move("waste", "foundation"),
    "waste to column": move("waste", "column:1"),
    "foundation to column": move("foundation:S", "column:0"),
    "column to foundation": move("column:4", "foundation"),
    "a draw": DRAW,
}
NOT_UNDOABLE = {
    "column to column": move("column:4", "column:5"),
    "a flip": {"type": "flip", "column": 2},
}


@pytest.mark.parametrize("kind", UNDOABLE)
def test_ruling_4_undo_reverses_moves(vegas, position, play, kind):
    state = position(*COLUMNS, **POSITION)
    done = play(state, UNDOABLE[kind])
    assert done.layout != state.layout
    assert vegas.view(done, 0)["undoable"] is True
    undone = play(done, UNDO)
    assert undone.layout == state.layout


@pytest.mark.parametrize("kind", NOT_UNDOABLE)
def test_ruling_4_undo_does_not_reverse_moves_between_columns_or_flips(vegas, position, play, refusal, kind):
    done = play(position(*COLUMNS, **POSITION), NOT_UNDOABLE[kind])
    assert vegas.view(done, 0)["undoable"] is False
    assert refusal(done, UNDO).code == "cannot-undo"


def test_ruling_4_undo_does_not_reverse_a_recycle(position, play, refusal):
    done = play(position("(2D) KS", stock="", waste="3D", passes_left=2), {"type": "recycle"})
    assert refusal(done, UNDO).code == "cannot-undo"


def test_ruling_4_undo_does_not_reverse_a_move_before_one_that_cannot_be_undone(position, play, refusal):
    done = play(position(*COLUMNS, **POSITION), DRAW, {"type": "flip", "column": 2})
    assert refusal(done, UNDO).code == "cannot-undo"


def test_ruling_4_undo_does_not_reverse_another_undo(position, play, refusal):
    done = play(position(*COLUMNS, **POSITION), move("waste", "column:1"), DRAW, UNDO)
    assert refusal(done, UNDO).code == "cannot-undo"


def test_ruling_4_undo_is_possible_again_after_another_move(position, play):
    state = position(*COLUMNS, **POSITION)
    assert play(state, DRAW, UNDO, DRAW, UNDO).layout == state.layout


def test_ruling_4_there_is_nothing_to_undo_at_the_start(vegas, position, refusal):
    state = position(*COLUMNS, **POSITION)
    assert refusal(state, UNDO).code == "cannot-undo"
    assert UNDO not in vegas.legal_moves(state, 0)


def test_ruling_4_undo_is_a_separate_event(vegas, position, play):
    done = play(position(*COLUMNS, **POSITION), DRAW)
    assert vegas.decide(done, 0, UNDO) == (("undo", 0, {"move": UNDO, "facts": {}}, None),)


def test_ruling_4_undo_restores_the_fan(vegas, position, play):
    state = play(position("9H", stock="2C 5H 9S KD 8S QC 4D"), DRAW, DRAW)
    shown = vegas.view(state, 0)["waste"]
    assert vegas.view(play(state, DRAW, UNDO), 0)["waste"] == shown


def test_ruling_4_undo_of_a_card_on_the_foundation_reduces_the_winnings(vegas, position, play):
    state = position(*COLUMNS, **POSITION)
    before = vegas.view(state, 0)["winnings"]
    done = play(state, move("waste", "foundation"))
    assert vegas.view(done, 0)["winnings"] == before + 40
    assert vegas.view(play(done, UNDO), 0)["winnings"] == before
