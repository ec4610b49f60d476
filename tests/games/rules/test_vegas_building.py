"""RULEBOOK 3: columns (1), runs and empty columns (2), face-down cards (3), foundations (5)."""

import pytest

from games.rules.cards import texts


def move(source, target, count=None):
    keys = {"type": "move", "from": source, "to": target}
    return keys if count is None else keys | {"count": count}


def column(state, number):
    return texts(state.layout.columns[number])


# (1) columns build down in alternating colours


def test_ruling_1_a_black_six_is_built_on_a_red_seven(position, play):
    state = play(position("7H", "6S"), move("column:1", "column:0"))
    assert column(state, 0) == ["7H", "6S"]
    assert column(state, 1) == []


@pytest.mark.parametrize(
    ("top", "card", "code"),
    [
        ("7H", "8S", "wrong-rank"),
        ("7H", "7S", "wrong-rank"),
        ("7H", "5S", "wrong-rank"),
        ("AH", "KS", "wrong-rank"),
        ("KH", "AS", "wrong-rank"),
        ("7H", "6D", "wrong-colour"),
        ("7H", "6H", "wrong-colour"),
        ("7C", "6S", "wrong-colour"),
        ("7H", "5D", "wrong-rank"),
    ],
)
def test_ruling_1_other_cards_cannot_be_built(position, refusal, top, card, code):
    assert refusal(position(top, card), move("column:1", "column:0")).code == code
    assert refusal(position(top, waste=card), move("waste", "column:0")).code == code


# (2) any face-up run, whole or split; a King's onto an empty column


def test_ruling_2_a_whole_run_moves(position, play):
    state = play(position("(2D) 6S 5H 4C 3D", "7D"), move("column:0", "column:1", 4))
    assert column(state, 1) == ["7D", "6S", "5H", "4C", "3D"]
    assert column(state, 0) == ["2D"]


def test_ruling_2_a_run_is_split(position, play):
    state = play(position("6S 5H 4C 3D", "5D"), move("column:0", "column:1", 2))
    assert column(state, 0) == ["6S", "5H"]
    assert column(state, 1) == ["5D", "4C", "3D"]


def test_ruling_2_the_head_of_a_run_cannot_move_alone(position, refusal):
    """Count 1 is the last card, not the black 6 above it."""
    assert refusal(position("6S 5H 4C 3D", "7D"), move("column:0", "column:1", 1)).code == "wrong-rank"


@pytest.mark.parametrize("count", [5, 14, 2**53 - 1])
def test_ruling_2_a_count_beyond_the_run_is_forbidden(position, refusal, count):
    assert (
        refusal(position("(2D) 6S 5H 4C 3D", "7D"), move("column:0", "column:1", count)).code
        == "rule-forbids"
    )


def test_ruling_2_only_a_king_can_be_moved_to_an_empty_column(position, play, refusal):
    assert refusal(position("QS", ""), move("column:0", "column:1")).code == "wrong-rank"
    assert column(play(position("(2D) KS", ""), move("column:0", "column:1")), 1) == ["KS"]
    assert column(play(position("2D", "", waste="KH"), move("waste", "column:1")), 1) == ["KH"]


def test_ruling_2_a_king_moves_with_its_run(position, play):
    state = play(position("(2D) KS QH JC", ""), move("column:0", "column:1", 3))
    assert column(state, 1) == ["KS", "QH", "JC"]


def test_ruling_2_a_run_without_a_king_cannot_be_moved_to_an_empty_column(position, refusal):
    assert refusal(position("(2D) KS QH JC", ""), move("column:0", "column:1", 2)).code == "wrong-rank"


def test_a_card_cannot_be_moved_to_its_own_pile(position, refusal):
    assert refusal(position("6S 5H"), move("column:0", "column:0")).code == "rule-forbids"
    assert refusal(position(foundations="3H"), move("foundation:H", "foundation")).code == "rule-forbids"


# (3) a card is never turned up automatically


def test_ruling_3_the_card_beneath_stays_face_down(vegas, position, play):
    state = play(position("(2D) 6S", "7D"), move("column:0", "column:1"))
    assert vegas.view(state, 0)["columns"][0] == {"down": 1, "up": []}


def test_ruling_3_play_may_continue_without_the_flip(position, play):
    play(position("(2D) 6S", "7D", waste="5H"), move("column:0", "column:1"), move("waste", "column:1"))


def test_ruling_3_a_flip_turns_it_up(vegas, position, play):
    state = position("(2D QC)")
    assert vegas.decide(state, 0, {"type": "flip", "column": 0})[0].data["facts"] == {"card": "QC"}
    state = play(state, {"type": "flip", "column": 0})
    assert vegas.view(state, 0)["columns"][0] == {"down": 1, "up": ["QC"]}


def test_ruling_3_only_a_face_down_last_card_is_turned(position, refusal):
    assert refusal(position("(2D) 6S"), {"type": "flip", "column": 0}).code == "rule-forbids"
    assert refusal(position("(2D) 6S"), {"type": "flip", "column": 1}).code == "pile-empty"


def test_ruling_3_no_card_can_be_moved_to_a_face_down_card(position, refusal):
    state = position("(2D 7H)", "6S", waste="6C", foundations="6S")
    for source in ("column:1", "waste", "foundation:S"):
        assert refusal(state, move(source, "column:0")).code == "rule-forbids"


def test_ruling_3_a_face_down_card_cannot_be_moved(position, refusal):
    state = position("(2D AS)", "2H")
    assert refusal(state, move("column:0", "column:1")).code == "rule-forbids"
    assert refusal(state, move("column:0", "foundation")).code == "rule-forbids"


def test_ruling_3_a_refusal_does_not_name_the_hidden_card(position, refusal):
    state = position("(2D 7H)", "6S")
    assert "7H" not in str(refusal(state, move("column:1", "column:0")))
    assert "7H" not in str(refusal(state, move("column:0", "column:1")))


# foundations


def test_a_foundation_begins_with_the_ace(position, play, refusal):
    state = position("AS", "2D")
    assert play(state, move("column:0", "foundation")).layout.foundations == (0, 0, 0, 1)
    assert refusal(state, move("column:1", "foundation")).code == "wrong-rank"


def test_a_foundation_is_built_up_by_suit(position, play, refusal):
    state = position("5H", "4D", "3H", waste="4H", foundations="3H 2D")
    assert refusal(state, move("column:0", "foundation")).code == "wrong-rank"
    assert refusal(state, move("column:1", "foundation")).code == "wrong-rank"
    assert refusal(state, move("column:2", "foundation")).code == "wrong-rank"
    state = play(state, move("waste", "foundation"), move("column:0", "foundation"))
    assert state.layout.foundations == (0, 2, 5, 0)


def test_the_count_is_ignored_except_between_columns(vegas, position, play):
    state = position("6C", "7C 6H 5S", waste="5H", foundations="4S")
    assert play(state, move("column:1", "foundation", 3)).layout.foundations == (0, 0, 0, 5)
    assert column(play(state, move("waste", "column:0", 9)), 0) == ["6C", "5H"]
    (fact,) = vegas.decide(state, 0, move("column:1", "foundation", 3))
    assert fact.data == {"move": move("column:1", "foundation", 3), "facts": {"cards": ["5S"]}}


# (5) back from a foundation


def test_ruling_5_any_card_may_return_to_a_column(position, play):
    state = play(position("5D", foundations="4S"), move("foundation:S", "column:0"))
    assert column(state, 0) == ["5D", "4S"]
    assert state.layout.foundations == (0, 0, 0, 3)


def test_ruling_5_aces_may_return_to_a_column(position, play):
    state = play(position("2D", foundations="AS"), move("foundation:S", "column:0"))
    assert column(state, 0) == ["2D", "AS"]
    assert state.layout.foundations == (0, 0, 0, 0)


def test_ruling_5_a_king_may_return_to_an_empty_column(position, play):
    assert column(play(position(foundations="KS"), move("foundation:S", "column:0")), 0) == ["KS"]


def test_ruling_5_a_returned_card_must_fit(position, refusal):
    assert refusal(position("5S", foundations="4S"), move("foundation:S", "column:0")).code == "wrong-colour"
    assert refusal(position("6D", foundations="4S"), move("foundation:S", "column:0")).code == "wrong-rank"


def test_ruling_5_no_card_returns_to_the_waste(position, refusal):
    assert refusal(position("5S"), move("column:0", "waste")).code == "malformed-move"
    assert refusal(position(foundations="4S"), move("foundation:S", "waste")).code == "malformed-move"


@pytest.mark.parametrize("source", ["waste", "foundation:H", "column:3"])
@pytest.mark.parametrize("target", ["foundation", "column:1", "column:3"])
def test_no_card_can_be_moved_from_an_empty_pile(position, refusal, source, target):
    assert refusal(position("5S", "6D"), move(source, target)).code == "pile-empty"


def test_a_move_reveals_the_cards_moved_head_first(vegas, position):
    (fact,) = vegas.decide(position("(2D) 6S 5H", "7D"), 0, move("column:0", "column:1", 2))
    assert fact == (
        "move",
        0,
        {"move": move("column:0", "column:1", 2), "facts": {"cards": ["6S", "5H"]}},
        None,
    )


def test_a_refusal_contains_rule_and_fact(position, refusal):
    refused = refusal(position("7H", "6D"), move("column:1", "column:0"))
    assert refused.rule == "Columns build down in alternating colours."
    assert refused.fact == "6D is of the colour of 7H"
