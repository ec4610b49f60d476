"""The end of Racing Demons and its scores (RULEBOOK 6 (4), (6), and (8))."""

import pytest

from games.rules import Refused
from tests.games.rules.racing_demons import (
    GAME,
    HOPELESS,
    STUCK,
    TURN,
    after,
    facts,
    hand,
    move,
    play,
    position,
    refusal,
)

TO_QUEEN = " ".join(f"{rank}H.1" for rank in "A23456789TJQ")


@pytest.mark.parametrize(
    ("last", "work", "made"),
    [
        ("AC", ("KC", "KD", "KH", "KS"), move("demon", "foundation:new")),
        ("QC", ("KC", "KD", "KH", "KS"), move("demon", "work:1")),
        ("9C", ("KC", "AC", "KH", "KS"), move("work:1", "foundation:new")),
        ("9C", ("KC", "KD", "KH", "QS JD"), move("work:3", "work:1", 2)),
    ],
    ids=["put up", "put on a work pile", "filling after a card went up", "filling after a run moved"],
)
def test_ruling_4_a_demon_that_becomes_empty_ends_the_game_at_once(last, work, made):
    state = position(hand(last, work), HOPELESS)
    event, finished = GAME.decide(state, 0, made)
    assert "settled" not in event.data["facts"], "nothing settles after the end"
    outcome = finished.data["outcome"]
    assert (outcome["result"], outcome["ender"]) == ("out", 0)
    assert outcome["detail"][0]["demon_left"] == 0
    over = after(state, event, finished)
    assert GAME.outcome(over) == outcome
    assert GAME.to_act(over) == []
    assert GAME.view(over, 0)["you"]["demon_top"] is None
    for seat in (0, 1):
        assert GAME.legal_moves(over, seat) == []
        assert refusal(over, seat, TURN).code == "game-over"


def test_ruling_4_only_the_seat_that_emptied_its_demon_is_the_ender():
    state = position(hand("9C AC"), hand("AC"))
    [event] = GAME.decide(state, 0, move("demon", "foundation:new"))
    _, finished = GAME.decide(after(state, event), 1, move("demon", "foundation:new"))
    outcome = finished.data["outcome"]
    assert outcome["ender"] == 1
    assert [seat["out"] for seat in outcome["detail"]] == [False, True]


def test_ruling_6_scores():
    state = position(
        hand("9C 8C 7C KH"),
        hand("AC"),
        hand("9C 9S"),
        foundations=(TO_QUEEN, "AS.2 2S.0", "AD.2"),
    )
    state = play(state, 0, move("demon", "foundation:0"))
    _, finished = GAME.decide(state, 1, move("demon", "foundation:new"))
    outcome = finished.data["outcome"]
    assert outcome["detail"] == [
        {"placed": 2, "kings": 1, "demon_left": 3, "out": False},
        {"placed": 13, "kings": 0, "demon_left": 0, "out": True},
        {"placed": 2, "kings": 0, "demon_left": 2, "out": False},
    ]
    assert outcome["scores"] == [2 + 5 - 3, 13 + 10, 2 - 2]
    assert outcome["places"] == [[1], [0], [2]]


def test_ruling_6_scores_can_be_negative_and_equal_scores_share_the_place():
    state = position(hand("9C 8C"), hand("9C 8C 7C"), hand("9C 8C"))
    _, finished = GAME.expire(state, None)
    assert finished.data["outcome"]["scores"] == [-2, -3, -2]
    assert finished.data["outcome"]["places"] == [[0, 2], [1]]


def test_running_scores_are_in_every_view():
    state = play(position(hand("9C AC"), hand("9C 8C")), 0, move("demon", "foundation:new"))
    for seat in (0, 1, None):
        assert GAME.view(state, seat)["scores"] == [0, -2]


@pytest.mark.parametrize("pace", ["race", "turns"])
def test_ruling_8_at_the_time_limit_the_game_ends_without_an_ender(pace):
    state = position(hand(), hand("AC 9S 9D"), foundations=("AH.1",), pace=pace)
    expired, finished = GAME.expire(state, None)
    assert (expired.type, expired.seat, expired.data) == ("expired", None, {"seat": None})
    assert finished.data["outcome"] == {
        "result": "time",
        "ender": None,
        "scores": [-2, -2],
        "detail": [
            {"placed": 0, "kings": 0, "demon_left": 2, "out": False},
            {"placed": 1, "kings": 0, "demon_left": 3, "out": False},
        ],
        "places": [[0, 1]],
    }
    over = after(state, expired, finished)
    assert GAME.is_over(over)
    assert refusal(over, 0, TURN).code == "game-over"
    assert GAME.view(over, 0)["to_act"] == []


def test_after_the_end_the_state_is_that_of_the_last_event():
    state = position(hand(waste="9H 9D"), hand(), marked=(1,))
    over = after(state, *GAME.expire(state, None))
    assert GAME.view(over, 0)["you"] == GAME.view(state, 0)["you"]
    assert GAME.view(over, 0)["others"] == GAME.view(state, 0)["others"]
    assert GAME.view(over, 1)["you"]["stuck"]


def test_when_all_seats_are_stuck_the_game_ends_without_an_ender():
    state = position(hand(), hand(), marked=(1,), stuck="end")
    made = facts(state, 0, STUCK)
    assert made == {"settled": [{"ended": "stuck"}]}
    _, finished = GAME.decide(state, 0, STUCK)
    outcome = finished.data["outcome"]
    assert (outcome["result"], outcome["ender"], outcome["scores"]) == ("stuck", None, [-2, -2])


def test_the_game_moves_no_money():
    state = position(hand(), hand())
    assert list(GAME.gains(after(state, *GAME.expire(state, None)))) == []


def test_the_game_has_no_maximum_of_all_moves():
    with pytest.raises(Refused):
        GAME.stop(position(hand(), hand()))
