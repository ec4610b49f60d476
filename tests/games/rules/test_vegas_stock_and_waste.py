"""RULEBOOK 3: the deal, draws, the fan of the waste, and passes (9)."""

import pytest

from games.rules.cards import PACK, cards, texts
from games.rules.vegas_solitaire import laid_out

DRAW = {"type": "draw"}
RECYCLE = {"type": "recycle"}


def shown(vegas, state):
    return vegas.view(state, 0)["waste"]


def test_the_deal_is_by_rows_and_the_first_card_of_a_row_is_face_up(vegas):
    layout = laid_out(PACK, passes=1)
    order = list(reversed(PACK))
    expected = [[] for _ in range(7)]
    for row in range(7):
        for column in range(row, 7):
            expected[column].append(order.pop(0))
    assert [list(column) for column in layout.columns] == expected
    assert layout.down == (0, 1, 2, 3, 4, 5, 6)
    assert list(layout.stock) == order[::-1]
    assert len(layout.stock) == 24


def test_the_deal_of_the_check_values(vegas, key):
    config = vegas.parse_config({"draw": 3})
    fact = vegas.deal(config, 1, key)
    state = vegas.evolve(vegas.initial(config, 1), fact.type, fact.seat, fact.data, fact.private)
    view = vegas.view(state, 0)
    assert (
        " ".join(*zip(*(column["up"] for column in view["columns"]), strict=True)) == "8H 4H 3H QS 3S 9C 2D"
    )
    assert [column["down"] for column in view["columns"]] == [0, 1, 2, 3, 4, 5, 6]
    assert (view["stock"], view["passes_left"], view["waste_count"]) == (24, 3, 0)


def test_three_are_drawn_one_by_one_onto_the_waste(vegas, position, play):
    state = play(position(stock="2C 5H 9S KD"), DRAW)
    assert texts(state.layout.waste) == ["KD", "9S", "5H"]
    assert texts(state.layout.stock) == ["2C"]
    assert shown(vegas, state) == ["KD", "9S", "5H"]


def test_a_draw_reveals_its_cards(vegas, position):
    (fact,) = vegas.decide(position(stock="2C 5H 9S KD"), 0, DRAW)
    assert fact == ("draw", 0, {"move": DRAW, "facts": {"cards": ["KD", "9S", "5H"]}}, None)


def test_one_card_is_drawn_with_draw_1(vegas, position, play):
    state = play(position(stock="2C 5H", draw=1), DRAW)
    assert shown(vegas, state) == ["5H"]
    assert shown(vegas, play(state, DRAW)) == ["2C"]


def test_a_short_draw_fans_only_its_own_cards(vegas, position, play):
    state = play(position(stock="2C 5H 9S KD"), DRAW, DRAW)
    assert shown(vegas, state) == ["2C"]
    assert vegas.view(state, 0)["waste_count"] == 4


def test_after_the_fan_the_cards_beneath_are_shown_one_at_a_time(vegas, position, play):
    state = play(position("TD", "KC", "TH", "6C", stock="2D 9S QH 9C", waste="3D 5H"), DRAW)
    assert shown(vegas, state) == ["9C", "QH", "9S"]
    state = play(state, {"type": "move", "from": "waste", "to": "column:0"})
    assert shown(vegas, state) == ["9C", "QH"]
    state = play(state, {"type": "move", "from": "waste", "to": "column:1"})
    assert shown(vegas, state) == ["9C"]
    state = play(state, {"type": "move", "from": "waste", "to": "column:2"})
    assert shown(vegas, state) == ["5H"]
    state = play(state, {"type": "move", "from": "waste", "to": "column:3"})
    assert shown(vegas, state) == ["3D"]


def test_without_waste_there_is_no_fan(vegas, position, play):
    state = play(position("6C", waste="5H"), {"type": "move", "from": "waste", "to": "column:0"})
    assert shown(vegas, state) == []
    assert vegas.view(state, 0)["waste_count"] == 0


def test_drawing_from_an_empty_stock_is_pile_empty(position, refusal):
    assert refusal(position(stock="", waste="2C", passes_left=2), DRAW).code == "pile-empty"


def test_drawing_when_exhausted_is_no_passes_left(position, refusal):
    assert refusal(position(stock="", waste="2C", passes_left=1), DRAW).code == "no-passes-left"
    assert refusal(position(stock="", waste="2C", draw=1), DRAW).code == "no-passes-left"


def test_ruling_9_passes_start_at_one_and_three(vegas, key):
    for draw, passes in ((1, 1), (3, 3)):
        config = vegas.parse_config({"draw": draw})
        fact = vegas.deal(config, 1, key)
        state = vegas.evolve(vegas.initial(config, 1), fact.type, fact.seat, fact.data, fact.private)
        assert vegas.view(state, 0)["passes_left"] == passes


def test_ruling_9_a_recycle_uses_a_pass_and_keeps_the_order(vegas, position, play):
    state = play(position(stock="2C 5H 9S KD", waste=""), DRAW, DRAW)
    again = play(state, RECYCLE)
    assert texts(again.layout.stock) == ["2C", "5H", "9S", "KD"]
    assert vegas.view(again, 0)["passes_left"] == 2
    assert shown(vegas, again) == []
    assert shown(vegas, play(again, DRAW)) == ["KD", "9S", "5H"]


def test_ruling_9_exhausted_is_an_empty_stock_on_the_last_pass(vegas, position):
    assert vegas.view(position(stock="", waste="2C", passes_left=1), 0)["exhausted"] is True
    assert vegas.view(position(stock="", waste="2C", passes_left=2), 0)["exhausted"] is False
    assert vegas.view(position(stock="5H", passes_left=1), 0)["exhausted"] is False


def test_a_game_with_draw_3_has_three_passes(vegas, position, play, refusal):
    state = position("(2D) KS", stock="2C 5H 9S KD")
    for _ in range(2):
        state = play(state, DRAW, DRAW, RECYCLE)
    state = play(state, DRAW, DRAW)
    assert refusal(state, RECYCLE).code == "no-passes-left"
    assert refusal(state, DRAW).code == "no-passes-left"


def test_a_recycle_checks_stock_then_passes_then_waste(position, refusal):
    assert refusal(position(stock="2C", waste="", passes_left=1), RECYCLE).code == "rule-forbids"
    assert refusal(position("KS", stock="", waste="", passes_left=1), RECYCLE).code != "rule-forbids"


def test_a_recycle_of_an_empty_waste_is_refused(position, refusal):
    assert refusal(position("(2C) KS", stock="", waste="", passes_left=2), RECYCLE).code == "pile-empty"
    assert refusal(position("(2C) KS", stock="", waste="", passes_left=1), RECYCLE).code == "no-passes-left"


def test_a_recycle_reveals_no_card(vegas, position):
    (fact,) = vegas.decide(position("(2C) KS", stock="", waste="4D", passes_left=2), 0, RECYCLE)
    assert fact.data == {"move": RECYCLE, "facts": {}}


@pytest.mark.parametrize(
    ("waste", "columns", "playable"),
    [
        ("5H", ["6C"], True),
        ("5H", ["6D"], False),
        ("5H", ["(6C)"], False),
        ("AH", ["6C"], True),
        ("KH", ["6C"], True),
        ("KH", ["6C", "2D", "3D", "4D", "5D", "6D", "7D"], False),
        ("", ["6C"], False),
        ("5H 9D", ["6C"], False),
    ],
)
def test_waste_playable_is_whether_the_top_card_fits_a_pile(vegas, position, waste, columns, playable):
    filled = [*columns, *["2C"] * (7 - len(columns))] if waste != "KH" else columns
    assert vegas.view(position(*filled, waste=waste), 0)["waste_playable"] is playable


def test_cards_text_round_trip():
    assert texts(cards(["AC", "TD", "KS"])) == ["AC", "TD", "KS"]
