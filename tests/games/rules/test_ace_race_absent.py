"""RULEBOOK 1: moves of the server for an absent seat of Ace Race, and the maximum of moves."""

import pytest

from games.rules import MOVE_CAP, Fact, GameKey, Refused, table
from games.rules.fairness import commitment
from tests.games.rules.ace_race import (
    DECLINE,
    DRAW,
    GAME,
    KEY,
    PASS,
    after,
    bid,
    dealt,
    evolved,
    play,
    position,
    rule,
    view,
)


def expired(state, seat=None):
    return GAME.expire(state, state.to_act if seat is None else seat, KEY)


def moves_of(facts):
    return [fact.data["move"] for fact in facts if "move" in fact.data]


def test_in_the_bidding_an_absent_seat_passes():
    facts = expired(dealt(2))
    assert facts == (Fact("expired", None, {"seat": 1, "move": PASS, "facts": {}}),)


def test_a_pass_that_ends_the_bidding_names_the_winner_and_seals_the_cards():
    (fact,) = expired(after(dealt(2), bid(1)))
    assert fact.data == {"seat": 0, "move": PASS, "facts": {"winner": 1, "cards": ["??"]}}
    assert GAME.redact_private(fact, 1) == fact.private
    assert GAME.redact_private(fact, 0) is None


def test_an_absent_seat_names_the_rule_high():
    facts = expired(after(dealt(2), bid(6)))
    assert facts == (Fact("expired", None, {"seat": 1, "move": rule("high"), "facts": {}}),)


def test_an_absent_seat_declines_a_giveaway():
    facts = expired(position("2C 3C", "4C", phase="giveaway", discards="7C"))
    assert moves_of(facts) == [DECLINE]


def test_an_absent_seat_draws_and_passes_in_two_events():
    state = position("KC 3C", "4C", rule="high", pile="9C")
    facts = expired(state)
    assert [(fact.type, fact.seat, fact.data) for fact in facts] == [
        ("expired", None, {"seat": 0, "move": DRAW, "facts": {"card": "??"}}),
        ("expired", None, {"seat": 0, "move": PASS, "facts": {}}),
    ]
    done = evolved(state, facts)
    assert (view(done)["to_act"], view(done, 0)["hand"]) == (1, ["KC", "3C", "9C"])


def test_an_absent_seat_passes_in_an_unfinished_turn():
    assert moves_of(expired(after(position("KC", "4C", rule="high", pile="8C 9C"), DRAW))) == [PASS]


def test_after_an_ace_the_same_absent_seat_draws_and_passes():
    state = after(position("AD 3C", "4C", rule="low", pile="9C"), play("AD", rule="high"))
    facts = expired(state)
    assert moves_of(facts) == [DRAW, PASS]
    assert {fact.data["seat"] for fact in facts} == {0}


def test_with_an_empty_draw_pile_an_absent_seat_passes_and_may_block_the_game():
    state = position("KC", "4C 5C", rule="high")
    assert moves_of(expired(state)) == [PASS]
    passed, finished = expired(after(state, PASS))
    assert (passed.type, finished.type) == ("expired", "finished")
    assert finished.data["outcome"]["result"] == "blocked"


@pytest.mark.parametrize("seat", [1, None, 7])
def test_the_server_plays_only_for_the_seat_to_act(seat):
    with pytest.raises(Refused) as caught:
        GAME.expire(position("KC", "4C", rule="high"), seat, KEY)
    assert caught.value.code == "not-your-turn"


def test_a_game_between_absent_seats_ends():
    state, turns = dealt(4), 0
    while not GAME.is_over(state):
        state, turns = evolved(state, expired(state)), turns + 1
    assert turns < 54 + 10
    assert GAME.outcome(state)["result"] == "blocked"


def test_a_stopped_game_is_scored_like_a_blocked_one():
    state = after(position("KC QC", "4C", "4D", rule="high", pile="9C"), DRAW)
    facts = GAME.stop(state)
    assert facts[0] == Fact("expired", None, {"seat": None})
    assert facts[1].data["outcome"] == {
        "result": "blocked",
        "winners": [1, 2],
        "places": [[1, 2], [0]],
        "hands": [3, 1, 1],
    }
    over = evolved(state, facts)
    assert (view(over)["phase"], view(over)["to_act"], view(over)["drawn"]) == ("over", None, None)


# --- maximum of moves ---------------------------------------------------------------------------


def seated(moves: int):
    """Return a table of two in the middle of a game with this number of moves, and its key."""
    key = GameKey(bytes(32), ["a", "b"])
    at = None
    facts = [table.create(GAME, GAME.parse_config({}), commitment=commitment(bytes(32)))]
    for fact in facts:
        at = table.evolve(at, *fact)
    for seat, seed in enumerate("ab"):
        at = table.evolve(at, *table.seat(at, seat, player=str(seat), seed=seed))
    at = table.evolve(at, *table.deal(at, key))
    for move in (bid(0), PASS, rule("high")):
        (fact,) = table.decide(at, at.state.to_act, move, key)
        at = table.evolve(at, *fact)
    return at._replace(moves=moves), key


def types(facts):
    return [(fact.type, fact.data.get("move", {}).get("type")) for fact in facts]


def test_after_its_10_000th_move_a_game_is_stopped_at_once():
    at, key = seated(MOVE_CAP - 1)
    assert types(table.decide(at, at.state.to_act, DRAW, key)) == [
        ("draw", "draw"),
        ("expired", None),
        ("finished", None),
    ]


@pytest.mark.parametrize(
    ("moves", "kinds"),
    [
        (MOVE_CAP - 3, ["draw", "pass"]),
        (MOVE_CAP - 2, ["draw", "pass", None, "finished"]),
        (MOVE_CAP - 1, ["draw", None, "finished"]),
    ],
)
def test_both_moves_of_an_absent_turn_count(moves, kinds):
    at, key = seated(moves)
    facts = table.expire(at, at.state.to_act, key)
    assert types(facts) == [("finished", None) if kind == "finished" else ("expired", kind) for kind in kinds]
    for fact in facts:
        at = table.evolve(at, *fact)
    assert at.moves <= MOVE_CAP
    assert at.ended == (kinds[-1] == "finished")


def test_a_game_that_ends_with_its_10_000th_move_is_not_stopped():
    at, key = seated(MOVE_CAP - 1)
    won = at._replace(state=position("KC", "4C", rule="high"))
    assert types(table.decide(won, 0, play("KC"), key)) == [("play", "play"), ("finished", None)]
