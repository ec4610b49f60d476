"""Order of moves at both paces, races for a foundation, and absent seats (RULEBOOK 6 and 1)."""

import pytest

from games.rules import Refused
from tests.games.rules.racing_demons import (
    GAME,
    PASS,
    STUCK,
    TURN,
    after,
    dealt,
    hand,
    move,
    play,
    position,
    refusal,
)

TO_QUEEN = " ".join(f"{rank}H.0" for rank in "A23456789TJQ")
OTHER = hand("9C 9S 9H", stock="AD AH 7D 6D")


def test_at_the_pace_race_any_seat_moves_at_any_time():
    state = dealt(3)
    assert GAME.to_act(state) == [0, 1, 2]
    for seat in (2, 2, 0, 1, 2):
        state = play(state, seat, TURN)
    assert GAME.to_act(state) == [0, 1, 2]
    assert refusal(state, 1, PASS).code == "rule-forbids"


def test_at_the_pace_turns_seats_move_clockwise_from_seat_0():
    state = dealt(3, pace="turns")
    order = []
    for made in (TURN, PASS, STUCK, TURN, TURN, TURN):
        [seat] = GAME.to_act(state)
        for other in {0, 1, 2} - {seat}:
            assert refusal(state, other, TURN).code == "not-your-turn"
            assert GAME.legal_moves(state, other) == []
        order.append(seat)
        state = play(state, seat, made)
    assert order == [0, 1, 2, 0, 1, 2]


def test_ruling_5_a_move_is_decided_on_the_state_in_which_it_arrives():
    """A move that has become illegal changes nothing, and another may be made."""
    state = position(hand("9C 2H"), hand("9C 2H"), foundations=("AH.0", "AH.1"))
    made = move("demon", "foundation:0")
    assert made in GAME.legal_moves(state, 1)
    state = play(state, 0, made)
    found = refusal(state, 1, made)
    assert found.code == "wrong-rank"
    assert found.fact == "foundation:0 shows 2H.0: seat 0 was first with 2H.0, before 2H.1"
    assert move("demon", "foundation:1") in GAME.legal_moves(state, 1)


def test_ruling_5_a_refusal_names_the_seat_that_was_first_on_the_foundation():
    state = play(
        position(hand("9C KH"), hand("9C KH"), foundations=(TO_QUEEN,)),
        0,
        move("demon", "foundation:0"),
    )
    found = refusal(state, 1, move("demon", "foundation:0"))
    assert found.code == "pile-complete"
    assert found.fact == "foundation:0 is complete: seat 0 was first with KH.0, before KH.1"


def test_ruling_5_it_names_the_seat_also_after_further_cards():
    state = position(hand(), hand("9C 2H"), hand(), foundations=("AH.0 2H.2 3H.0 4H.2",))
    found = refusal(state, 1, move("demon", "foundation:0"))
    assert found.fact == "foundation:0 shows 4H.2: seat 2 was first with 2H.2, before 2H.1"


def test_ruling_5_a_card_that_does_not_fit_yet_names_no_seat():
    state = position(hand("9C 4H"), hand(), foundations=("AH.0",))
    found = refusal(state, 0, move("demon", "foundation:0"))
    assert (found.code, found.fact) == ("wrong-rank", "foundation:0 shows AH.0, the card is 4H.0")


def test_at_the_pace_turns_an_absent_seat_passes():
    state = position(OTHER, OTHER, pace="turns")
    [event] = GAME.expire(state, 0)
    assert (event.type, event.seat) == ("expired", None)
    assert event.data == {"seat": 0, "move": PASS, "facts": {}}
    passed = after(state, event)
    assert GAME.to_act(passed) == [1]
    assert passed == play(state, 0, PASS)


def test_the_pass_of_an_absent_seat_may_end_the_game():
    state = position(OTHER, OTHER, pace="turns", marked=(1,), stuck="end")
    event, finished = GAME.expire(state, 0)
    assert event.data["facts"] == {"settled": [{"ended": "stuck"}]}
    assert finished.data["outcome"]["result"] == "stuck"


def test_only_the_seat_whose_turn_it_is_can_be_absent():
    with pytest.raises(Refused) as caught:
        GAME.expire(position(OTHER, OTHER, pace="turns"), 1)
    assert caught.value.code == "not-your-turn"


def test_at_the_pace_race_no_seat_is_absent():
    with pytest.raises(Refused) as caught:
        GAME.expire(position(OTHER, OTHER), 0)
    assert caught.value.code == "rule-forbids"


def test_at_the_pace_race_a_marked_seat_without_cards_to_turn_can_only_wait():
    state = position(hand(stock=""), OTHER, marked=(0,))
    assert GAME.to_act(state) == [0, 1]
    assert GAME.legal_moves(state, 0) == []
