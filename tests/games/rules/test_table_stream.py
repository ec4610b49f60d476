"""RULEBOOK 1: the events around the moves, absent seats, the cap of moves."""

import pytest

from games.rules import MOVE_CAP, BadSeed, Refused, UnknownGame, get, table
from games.rules.table import UnknownEvent

DRAW, UNDO, COLLECT = {"type": "draw"}, {"type": "undo"}, {"type": "collect"}


def refusal(call, *arguments, **keywords):
    with pytest.raises(Refused) as caught:
        call(*arguments, **keywords)
    return caught.value


@pytest.fixture
def open_table(stream):
    return stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=0).table


@pytest.fixture
def active(stream):
    return stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=1).deal()


def test_events_that_no_player_made_carry_no_seat(active):
    active.play(DRAW, COLLECT)
    events = [(event["type"], event["seat"]) for event in active.recording.events]
    assert events == [
        ("created", None),
        ("seated", None),
        ("dealt", None),
        ("draw", 0),
        ("collect", 0),
        ("finished", None),
    ]


def test_created_carries_rules_version_config_and_commitment(active):
    created = active.recording.events[0]["data"]
    assert list(created) == ["rules", "rules_version", "config", "commitment"]
    assert created["config"] == {"draw": 3, "stake": 0, "win_rate": "1/13"}


def test_the_fold_gives_the_table(active):
    active.play(DRAW, COLLECT)
    folded = None
    for event in active.recording.events:
        folded = table.evolve(folded, event["type"], event["seat"], event["data"], event["private"])
    assert folded == active.table
    assert (folded.status, folded.version, folded.moves) == ("finished", 6, 2)


def test_what_is_dealt_is_sealed_and_nothing_else(active, key):
    active.play(DRAW)
    sealed = [event["type"] for event in active.recording.events if event["seal"]]
    assert sealed == ["dealt"]
    assert active.recording.events[2]["data"] == {}


def test_a_seat_is_taken_once(open_table):
    fact = table.seat(open_table, 0, player="p", seed="")
    assert fact == ("seated", None, {"seat": 0, "player": "p", "client_seed": ""}, None)
    taken = table.evolve(open_table, *fact)
    assert refusal(table.seat, taken, 0, player="q", seed="").code == "seat-taken"


@pytest.mark.parametrize("seat", [-1, 1, 8])
def test_there_are_only_the_games_seats(open_table, seat):
    assert refusal(table.seat, open_table, seat, player="p", seed="").code == "no-such-seat"


def test_a_client_seed_is_checked(open_table):
    with pytest.raises(BadSeed):
        table.seat(open_table, 0, player="p", seed="a|b")


def test_a_player_who_leaves_makes_room(open_table):
    taken = table.evolve(open_table, *table.seat(open_table, 0, player="p", seed=""))
    left = table.evolve(taken, *table.leave(taken, 0))
    assert left.seats == {}
    assert taken.seats != {}
    assert refusal(table.leave, left, 0).code == "no-such-seat"


def test_every_seat_is_seated_at_the_deal(open_table, key):
    assert refusal(table.deal, open_table, key).code == "seats-open"


def test_seats_are_numbered_from_nought_without_gaps(stream, key):
    race = stream("racing-aces", {}, seats=1).table
    gap = table.evolve(race, *table.seat(race, 3, player="q", seed=""))
    assert refusal(table.deal, gap, key).code == "seats-open"


def test_a_race_needs_nobody(stream):
    assert stream("racing-aces", {}, seats=0).deal().table.status == "active"


def test_nothing_is_played_before_the_deal(open_table):
    assert refusal(table.decide, open_table, 0, DRAW).code == "rule-forbids"
    assert refusal(table.expire, open_table, 0).code == "rule-forbids"
    assert open_table.legal_moves(0) == []
    assert open_table.to_act() == []


def test_after_the_deal_nobody_sits_down_or_leaves_or_deals(active):
    assert refusal(table.seat, active.table, 0, player="q", seed="").code == "rule-forbids"
    assert refusal(table.leave, active.table, 0).code == "rule-forbids"
    assert refusal(table.deal, active.table, active.key).code == "rule-forbids"


@pytest.mark.parametrize("end", ["finished", "voided"])
def test_nothing_follows_the_end(active, end):
    if end == "finished":
        active.play(COLLECT)
    else:
        active.append(table.void(active.table, reason="a power cut"))
    assert active.table.ended
    assert refusal(table.decide, active.table, 0, DRAW).code == "game-over"
    assert refusal(table.decide, active.table, 5, {"type": "draw", "x": 1}).code == "malformed-move"
    assert refusal(table.expire, active.table, 0).code == "game-over"
    assert refusal(table.void, active.table, reason="again").code == "game-over"
    assert refusal(table.seat, active.table, 0, player="q", seed="").code == "game-over"
    assert refusal(table.leave, active.table, 0).code == "game-over"
    assert refusal(table.deal, active.table, active.key).code == "game-over"


def test_an_unstarted_table_can_be_void(open_table):
    void = table.evolve(open_table, *table.void(open_table, reason="nobody came"))
    assert (void.status, void.outcome) == ("void", None)


def test_an_absent_seat_is_collected_for(active):
    expired, finished = table.expire(active.table, 0)
    assert expired.data == {"seat": 0, "move": COLLECT, "facts": {"cards": 0, "winnings": 0}}
    active.append(expired, finished)
    assert active.table.outcome["result"] == "collected"
    assert active.table.moves == 1


def test_after_the_ten_thousandth_move_the_game_is_stopped_at_once(active):
    while active.table.moves < MOVE_CAP - 1:
        active.play(DRAW if active.table.state.before is None else UNDO)
    assert active.table.status == "active"
    facts = table.decide(active.table, 0, UNDO if active.table.state.before else DRAW)
    assert [fact.type for fact in facts][1:] == ["expired", "finished"]
    assert facts[1] == ("expired", None, {"seat": None}, None)
    active.append(*facts)
    assert active.table.moves == MOVE_CAP
    assert active.table.outcome == {"result": "collected", "cards": 0, "winnings": 0, "complete": False}


def test_the_ten_thousandth_move_may_end_the_game_itself(active):
    late = active.table._replace(moves=MOVE_CAP - 1)
    assert [fact.type for fact in table.decide(late, 0, COLLECT)] == ["collect", "finished"]


def test_an_unknown_event_is_refused(active):
    with pytest.raises(UnknownEvent):
        table.evolve(active.table, "shuffled", None, {}, None)
    with pytest.raises(UnknownEvent):
        table.evolve(None, "dealt", None, {}, None)


def test_games_are_found_by_slug_and_version():
    assert get("vegas-solitaire", 1) is get("vegas-solitaire")
    for slug, version in (("bridge", None), ("vegas-solitaire", 2), ("vegas-solitaire", 0)):
        with pytest.raises(UnknownGame):
            get(slug, version)
