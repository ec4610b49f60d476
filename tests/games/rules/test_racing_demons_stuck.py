"""Marks, burns, and the end, which may follow each other within one event (RULEBOOK 6 (7) and 1)."""

import pytest

from games.rules.racing_demons import changes, legality
from games.rules.racing_demons.position import texts
from tests.games.rules.racing_demons import (
    GAME,
    HOPELESS,
    IDLE,
    PASS,
    STUCK,
    TURN,
    facts,
    hand,
    move,
    play,
    position,
    refusal,
)

OTHER = hand(demon="9C 9S 9H 8H", stock="AD AH 7D 6D 5D 4D")
"""A side that is never stuck."""


def stuck(state):
    return [GAME.view(state, seat)["you"]["stuck"] for seat in range(len(state.sides))]


# --- marks ----------------------------------------------------------------------------------------


def test_the_move_stuck_marks_its_seat_which_is_not_listed():
    state = position(hand(), hand(), hand())
    assert facts(state, 1, STUCK) == {}
    assert stuck(play(state, 1, STUCK)) == [False, True, False]


def test_a_second_move_stuck_is_forbidden():
    assert refusal(position(hand(), hand(), marked=(0,)), 0, STUCK).code == "rule-forbids"


def test_a_marked_seat_may_still_move():
    state = play(position(hand(stock="AD 2D"), hand(), marked=(0,)), 0, TURN)
    assert stuck(state) == [True, False]


def marked_by_the_server(side, foundations=("2S.2", "AH.2")):
    """Return whether the server marks this side of seat 1 after a turn of seat 0."""
    starts = tuple(pile if pile.startswith("A") else f"AS.2 {pile}" for pile in foundations)
    made = facts(position(OTHER, side, OTHER, foundations=starts), 0, TURN)
    return {"marked": 1} in made.get("settled", [])


def test_the_server_marks_a_seat_that_could_not_move_with_all_cards_face_up():
    assert marked_by_the_server(HOPELESS)
    assert marked_by_the_server(hand(stock="9H 2C 3C 4D", waste="JC TS 8C"))


@pytest.mark.parametrize(
    "side",
    [
        hand("9C AC", stock=""),
        hand("9C 2H", stock=""),
        hand("9C QH", stock=""),
        hand(stock="9H AC 8S"),
        hand(stock="9H 3S 8S"),
        hand(stock="8S QD 8C"),
        hand(stock="", waste="AC 9H 8S 7S 6S"),
        hand(stock="", waste="QD 9H 8S 7S 6S"),
        hand(stock="", work=("KC", "KD", "KH", "2H")),
        hand(stock="", work=("KC", "KD", "KH", "9H 8S 7H 6S 5H 4S 3H 2S AH")),
        hand(stock="", work=("KC", "KD", "KH", "QS JD TC")),
        hand(stock="", work=("KC", "KD", "KH", "QS")),
    ],
    ids=[
        "its demon goes on a new foundation",
        "its demon goes on a foundation",
        "its demon goes on a work pile",
        "an Ace in the stock",
        "a card for a foundation in the stock",
        "a card for a work pile in the stock",
        "an Ace deep in the waste",
        "a card for a work pile deep in the waste",
        "a work pile's card goes up",
        "the last card of a run goes up",
        "a whole run moves to another pile",
        "a whole pile of one card moves",
    ],
)
def test_a_seat_that_could_move_is_not_marked(side):
    assert not marked_by_the_server(side)


def test_a_part_of_a_run_between_work_piles_does_not_count():
    side = hand("9C 9S", stock="", work=("KC", "KD", "JH TS", "JD"))
    state = position(OTHER, side, OTHER)
    assert move("work:2", "work:3", 1) in GAME.legal_moves(state, 1)
    assert marked_by_the_server(side)


def test_a_hidden_card_of_the_demon_does_not_count():
    assert marked_by_the_server(hand("AC AD AH 9S", stock=""))


def test_marks_are_listed_by_seat_in_their_event():
    state = position(OTHER, HOPELESS, OTHER, HOPELESS)
    assert facts(state, 0, TURN)["settled"] == [{"marked": 1}, {"marked": 3}]
    after = play(state, 0, TURN)
    assert stuck(after) == [False, True, False, True]
    assert "settled" not in facts(after, 0, TURN), "who is marked is not marked again"


def test_a_move_may_make_its_seat_stuck():
    state = position(hand("9C 9S 9D", IDLE, stock="", waste="QD"), OTHER)
    made = facts(state, 0, move("waste", "work:0"))
    assert made["settled"] == [{"marked": 0}]


def test_a_move_of_another_seat_may_make_a_seat_stuck():
    state = position(hand("9C 9D 2H"), hand("9C 2H", stock=""), OTHER, foundations=("AH.0",))
    assert facts(state, 0, move("demon", "foundation:0"))["settled"] == [{"marked": 1}]


# --- clearing marks and the count of burns ---------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "made"),
    [
        (hand("9C 9S QD"), move("demon", "work:0")),
        (hand("9C 9S AC"), move("demon", "foundation:new")),
        (hand(waste="QD"), move("waste", "work:0")),
        (hand(waste="AC"), move("waste", "foundation:new")),
        (hand(work=("KC", "KD", "KH", "2C AH")), move("work:3", "foundation:new")),
        (hand(work=("KC", "KD", "KH", "QS JD")), move("work:3", "work:1", 2)),
    ],
    ids=["demon", "demon up", "waste", "waste up", "work up", "a filled pile"],
)
def test_a_card_that_leaves_demon_or_waste_or_is_put_up_clears_marks_and_burns(side, made):
    state = position(side, OTHER, OTHER, marked=(0, 1), burns=2)
    after = play(state, 0, made)
    assert (stuck(after), after.burns) == ([False] * 3, 0)


@pytest.mark.parametrize(
    "made", [TURN, STUCK, move("work:2", "work:3", 1)], ids=["turn", "stuck", "part of a run"]
)
def test_other_moves_do_not_clear_marks_and_burns(made):
    side = hand(work=("KC", "KD", "JH TS", "JD"))
    state = position(side, OTHER, OTHER, marked=(1,), burns=2)
    after = play(state, 0, made)
    assert (after.marks & 0b110, after.burns) == (0b010, 2)


def test_a_stuck_seat_is_marked_again_in_the_event_that_clears_the_marks():
    state = position(hand("9C 9S AC"), HOPELESS, OTHER, marked=(1, 2))
    made = facts(state, 0, move("demon", "foundation:new"))
    assert made["settled"] == [{"marked": 1}]
    assert stuck(play(state, 0, move("demon", "foundation:new"))) == [False, True, False]


# --- burns and the end -----------------------------------------------------------------------------


def test_a_burn_turns_waste_and_stock_into_one_order_and_moves_the_first_card_to_the_end():
    side = hand(stock="6D 5D 4D", waste="AD 2D 3D")
    state = position(side, OTHER, marked=(0,))
    made = facts(state, 1, STUCK)
    assert made == {"settled": [{"burned": True}]}
    after = play(state, 1, STUCK)
    assert texts(reversed(after.sides[0].stock)) == ["2D.0", "3D.0", "4D.0", "5D.0", "6D.0", "AD.0"]
    assert GAME.view(after, 0)["you"]["waste"] == []
    assert texts(reversed(after.sides[1].stock)) == [
        f"{card}.1" for card in ["5D", "6D", "7D", "AH", "AD", "4D"]
    ]
    assert (stuck(after), after.burns) == ([False, False], 1)
    assert facts(after, 0, TURN)["cards"] == ["2D.0", "3D.0", "4D.0"]


def test_after_turn_less_one_burns_the_game_ends():
    state = position(OTHER, OTHER, turn=3)
    for burns in (1, 2):
        state = play(state, 0, STUCK)
        assert facts(state, 1, STUCK) == {"settled": [{"burned": True}]}
        state = play(state, 1, STUCK)
        assert state.burns == burns
    state = play(state, 0, STUCK)
    event, finished = GAME.decide(state, 1, STUCK)
    assert event.data["facts"] == {"settled": [{"ended": "stuck"}]}
    assert finished.data["outcome"]["result"] == "stuck"


def test_a_card_played_between_two_burns_restarts_the_count():
    state = position(hand("9C 9S AC"), OTHER, burns=2)
    state = play(state, 0, move("demon", "foundation:new"), STUCK)
    assert facts(state, 1, STUCK) == {"settled": [{"burned": True}]}


@pytest.mark.parametrize("config", [{"turn": 1}, {"stuck": "end"}])
def test_with_turn_1_or_with_the_option_end_the_game_ends_at_once(config):
    state = position(OTHER, OTHER, marked=(0,), **config)
    assert facts(state, 1, STUCK) == {"settled": [{"ended": "stuck"}]}


def test_marks_burns_and_the_end_follow_each_other_within_one_event():
    state = position(HOPELESS, HOPELESS, hand("9C QD", stock=""), turn=3)
    marks = [{"marked": seat} for seat in range(3)]
    assert facts(state, 2, move("demon", "work:0"))["settled"] == [
        *marks,
        {"burned": True},
        *marks,
        {"burned": True},
        *marks,
        {"ended": "stuck"},
    ]


def test_a_seat_that_moved_stuck_is_marked_again_by_the_server_after_a_burn():
    state = position(HOPELESS, HOPELESS, marked=(1,), turn=3, burns=1)
    assert facts(state, 0, STUCK)["settled"] == [
        {"burned": True},
        {"marked": 0},
        {"marked": 1},
        {"ended": "stuck"},
    ]


def test_at_the_pace_turns_a_pass_marks_its_seat_which_is_not_listed():
    state = position(OTHER, OTHER, OTHER, pace="turns")
    assert facts(state, 0, PASS) == {}
    after = play(state, 0, PASS)
    assert stuck(after) == [True, False, False]
    after = play(play(after, 1, STUCK), 2, PASS)
    assert (stuck(after), after.burns) == ([False] * 3, 1)


def test_a_marked_seat_may_pass_again():
    state = position(OTHER, OTHER, pace="turns", marked=(0,))
    assert stuck(play(state, 0, PASS)) == [True, False]


# --- the last move of a seat (RULEBOOK 1) -----------------------------------------------------------


LAST = legality.MOVES_OF_A_SEAT - 1


def test_a_seat_has_ten_thousand_moves():
    assert changes.MOVES_OF_A_SEAT == 10_000


def test_the_last_move_marks_a_seat_until_the_end():
    state = position(hand("9C 8C AC", stock="AD 7D"), OTHER, moves=(LAST, 0))
    made = move("demon", "foundation:new")
    assert facts(state, 0, made)["settled"] == [{"marked": 0}]
    state = play(state, 0, made)
    assert GAME.to_act(state) == [1]
    assert GAME.legal_moves(state, 0) == []
    found = refusal(state, 0, TURN)
    assert (found.code, found.fact) == ("rule-forbids", "seat 0 has made its 10,000 moves")
    # Neither moves that clear marks nor burns remove this mark.
    state = play(state, 1, TURN, TURN)
    state = play(state, 1, move("waste", "foundation:new"))
    assert stuck(state) == [True, False]
    assert facts(state, 1, STUCK) == {"settled": [{"burned": True}]}
    state = play(state, 1, STUCK)
    assert stuck(state) == [True, False]


@pytest.mark.parametrize("last", [STUCK, PASS])
def test_a_last_move_stuck_or_pass_is_not_listed(last):
    state = position(OTHER, OTHER, pace="turns", moves=(LAST, 0))
    assert facts(state, 0, last) == {}


def test_a_seat_that_was_marked_before_is_not_listed_either():
    state = position(OTHER, OTHER, moves=(LAST, 0), marked=(0,))
    assert facts(state, 0, TURN) == {"cards": ["4D.0", "5D.0", "6D.0"]}
    assert GAME.to_act(play(state, 0, TURN)) == [1]


def test_at_the_pace_turns_a_seat_without_moves_is_skipped():
    state = position(OTHER, OTHER, OTHER, pace="turns", moves=(0, LAST, 0), to_move=1)
    state = play(state, 1, TURN)
    turns = []
    for _ in range(4):
        [seat] = GAME.to_act(state)
        turns.append(seat)
        state = play(state, seat, TURN)
    assert turns == [2, 0, 2, 0]
    assert refusal(state, 1, TURN).code == "rule-forbids"


def test_when_every_seat_has_made_its_last_move_the_game_is_over():
    state = position(OTHER, OTHER, moves=(LAST, LAST), turn=3)
    state = play(state, 0, TURN)
    event, finished = GAME.decide(state, 1, TURN)
    assert event.data["facts"]["settled"] == [
        {"marked": 1},
        {"burned": True},
        {"burned": True},
        {"ended": "stuck"},
    ]
    assert finished.data["outcome"]["result"] == "stuck"


def test_a_pass_of_the_server_counts_as_a_move():
    state = position(OTHER, OTHER, pace="turns", moves=(LAST, 0))
    event, *finished = GAME.expire(state, 0)
    assert not finished
    state = GAME.evolve(state, event.type, event.seat, event.data, event.private)
    assert state.moves == (LAST + 1, 0)
    assert GAME.to_act(state) == [1]
