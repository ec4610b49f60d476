"""Work piles, filling, foundations (RULEBOOK 6 (1) to (3))."""

import pytest

from games.rules import get
from games.rules.racing_demons.position import texts
from tests.games.rules.racing_demons import GAME, dealt, facts, hand, move, play, position, refusal


def work(state, seat=0):
    return GAME.view(state, seat)["you"]["work"]


@pytest.mark.parametrize("source", ["demon", "waste", "work:1"])
def test_ruling_1_work_piles_build_down_in_alternating_colours(source):
    state = position(hand(demon="2C 7C", waste="7C", work=("8H", "7C", "KC", "KS")), hand())
    after = play(state, 0, move(source, "work:0"))
    assert work(after)[0] == ["8H.0", "7C.0"]


@pytest.mark.parametrize(
    ("card", "code"), [("7D", "wrong-colour"), ("9C", "wrong-rank"), ("6C", "wrong-rank")]
)
def test_ruling_1_no_other_card_can_be_built_on_a_work_pile(card, code):
    state = position(hand(demon=f"2C {card}", work=("8H", "KD", "KC", "KS")), hand())
    assert refusal(state, 0, move("demon", "work:0")).code == code


def test_ruling_1_no_card_can_be_built_on_an_ace():
    state = position(hand(demon="2C KS", work=("AH", "KD", "KC", "2S")), hand())
    assert refusal(state, 0, move("demon", "work:0")).code == "wrong-rank"
    assert refusal(state, 0, move("work:3", "work:0", 1)).code == "wrong-rank"
    assert move("work:0", "work:3", 1) in GAME.legal_moves(state, 0)


@pytest.mark.parametrize(("count", "target"), [(1, "9S"), (2, "TH"), (3, "JC")])
def test_ruling_1_a_run_of_any_length_moves(count, target):
    run = "TD 9C 8H"
    state = position(hand(demon="2C 3C", work=(run, target, "KC", "KS")), hand())
    made = move("work:0", "work:1", count)
    assert facts(state, 0, made)["cards"] == [f"{card}.0" for card in run.split()[-count:]]
    after = work(play(state, 0, made))
    assert after[1] == [f"{target}.0", *(f"{card}.0" for card in run.split()[-count:])]
    assert after[0] == (["3C.0"] if count == 3 else [f"{card}.0" for card in run.split()[:-count]])


def test_ruling_1_a_count_beyond_the_run_is_forbidden():
    state = position(hand(work=("9C 8H", "TD", "KC", "KS")), hand())
    assert refusal(state, 0, move("work:0", "work:1", 3)).code == "rule-forbids"


def test_the_count_matters_only_between_work_piles():
    state = position(hand(demon="2C AC", waste="7C AD", work=("3D 2S", "8H", "KC", "KS")), hand())
    plain = facts(state, 0, move("demon", "foundation:new"))
    assert facts(state, 0, move("demon", "foundation:new", 12)) == plain
    one = play(state, 0, move("waste", "foundation:new", 5))
    assert texts(one.sides[0].waste) == ["7C.0"]
    assert work(play(one, 0, move("waste", "work:1", 9)))[1] == ["8H.0", "7C.0"]


@pytest.mark.parametrize(
    ("made", "piles"),
    [
        (move("work:0", "work:1", 2), [["5H.0"], ["TD.0", "9C.0", "8H.0"]]),
        (move("work:2", "foundation:new"), [["9C.0", "8H.0"], ["TD.0"], ["5H.0"]]),
    ],
)
def test_ruling_2_an_emptied_work_pile_is_filled_from_the_demon_at_once(made, piles):
    state = position(hand(demon="2C 4C 5H", work=("9C 8H", "TD", "AC", "KS")), hand())
    found = facts(state, 0, made)
    assert found["filled"] == "5H.0"
    after = play(state, 0, made)
    assert work(after)[: len(piles)] == piles
    assert GAME.view(after, 0)["you"]["demon_top"] == "4C.0"


def test_ruling_2_a_pile_that_keeps_a_card_is_not_filled():
    state = position(hand(demon="2C 5H", work=("9C 8H", "9S", "AC", "KS")), hand())
    assert "filled" not in facts(state, 0, move("work:0", "work:1", 1))
    assert "filled" not in facts(position(hand("2C AC"), hand()), 0, move("demon", "foundation:new"))


def test_ruling_3_any_ace_starts_a_foundation_and_they_are_numbered_in_order():
    state = position(hand(demon="2C AC", waste="AH", stock="3C"), hand(demon="2C 3D AC", stock="4D"))
    assert facts(state, 0, move("demon", "foundation:new"))["foundation"] == 0
    state = play(state, 0, move("demon", "foundation:new"))
    assert facts(state, 1, move("demon", "foundation:new"))["foundation"] == 1
    state = play(state, 1, move("demon", "foundation:new"))
    state = play(state, 0, move("waste", "foundation:new"))
    assert GAME.view(state, None)["foundations"] == [
        {"suit": "C", "cards": ["AC.0"]},
        {"suit": "C", "cards": ["AC.1"]},
        {"suit": "H", "cards": ["AH.0"]},
    ]


def test_ruling_3_foundations_are_common_to_all_seats():
    state = position(hand("9C 2H"), hand("9C 3H"), foundations=("AH.1",))
    assert "foundation" not in facts(state, 0, move("demon", "foundation:0"))
    state = play(play(state, 0, move("demon", "foundation:0")), 1, move("demon", "foundation:0"))
    assert GAME.view(state, 1)["foundations"] == [{"suit": "H", "cards": ["AH.1", "2H.0", "3H.1"]}]


def test_ruling_3_a_card_that_fits_two_foundations_is_put_on_the_named_one():
    state = position(hand("9C 2H"), hand("9C 9S"), foundations=("AH.1", "AS.1", "AH.0"))
    assert [made["to"] for made in GAME.legal_moves(state, 0) if made["type"] == "move"] == [
        "foundation:0",
        "foundation:2",
    ]
    after = play(state, 0, move("demon", "foundation:2"))
    assert [len(pile["cards"]) for pile in GAME.view(after, 0)["foundations"]] == [1, 1, 2]


def test_ruling_3_a_foundation_closes_with_the_king():
    up_to_the_queen = " ".join(f"{rank}H.1" for rank in "A23456789TJQ")
    state = position(hand("9C KH"), hand("9C KH"), foundations=(up_to_the_queen,))
    after = play(state, 0, move("demon", "foundation:0"))
    assert len(after.foundations[0]) == 13
    found = refusal(after, 1, move("demon", "foundation:0"))
    assert found.code == "pile-complete"


def test_no_card_returns_from_a_foundation():
    state = position(hand(), hand(), foundations=("AH.1",))
    assert refusal(state, 0, move("foundation:0", "work:0")).code == "malformed-move"


KNOWN_TOTALS = {
    (3, "race"): [1, 5, 22, 89, 349, 1384],
    (1, "race"): [1, 5, 22, 89, 347, 1336],
    (3, "turns"): [1, 4, 12, 42, 112, 368],
}
"""By turn and pace: how many sequences of 0, 1, 2 … moves there are from the deal of two seats, `stuck` left out."""


@pytest.mark.parametrize(("turn", "pace"), KNOWN_TOTALS)
def test_known_totals_from_a_fixed_deal(turn, pace):
    state = dealt(turn=turn, pace=pace)
    assert [sequences(state, depth) for depth in range(6)] == KNOWN_TOTALS[turn, pace]


def sequences(state, depth):
    if depth == 0:
        return 1
    return sum(
        sequences(GAME.apply_action(state, seat, action), depth - 1)
        for seat in GAME.to_act(state)
        for action, made in zip(GAME.legal_actions(state, seat), GAME.legal_moves(state, seat), strict=True)
        if made["type"] != "stuck"
    )


def test_the_game_is_registered():
    assert get("racing-demons") is GAME
