"""RULEBOOK 1: events besides moves, absent seats, and the maximum of moves."""

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


def test_events_without_a_player_have_no_seat(active):
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


def test_the_first_event_has_rules_version_config_and_commitment(active):
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


def test_only_the_deal_is_sealed(active, key):
    active.play(DRAW)
    sealed = [event["type"] for event in active.recording.events if event["seal"]]
    assert sealed == ["dealt"]
    assert active.recording.events[2]["data"] == {}


def test_a_taken_seat_is_refused(open_table):
    fact = table.seat(open_table, 0, player="p", seed="")
    assert fact == ("seated", None, {"seat": 0, "player": "p", "client_seed": ""}, None)
    taken = table.evolve(open_table, *fact)
    assert refusal(table.seat, taken, 0, player="q", seed="").code == "seat-taken"


@pytest.mark.parametrize("seat", [-1, 1, 8])
def test_a_seat_beyond_the_seats_of_the_game_is_refused(open_table, seat):
    assert refusal(table.seat, open_table, seat, player="p", seed="").code == "no-such-seat"


def test_an_invalid_client_seed_is_refused(open_table):
    with pytest.raises(BadSeed):
        table.seat(open_table, 0, player="p", seed="a|b")


def test_a_seat_is_free_after_its_player_has_left(open_table):
    taken = table.evolve(open_table, *table.seat(open_table, 0, player="p", seed=""))
    left = table.evolve(taken, *table.leave(taken, 0))
    assert left.seats == {}
    assert taken.seats != {}
    assert refusal(table.leave, left, 0).code == "no-such-seat"


def test_the_deal_requires_all_seats_to_be_taken(open_table, key):
    assert refusal(table.deal, open_table, key).code == "seats-open"


def test_seats_are_numbered_from_zero_without_gaps(stream, key):
    race = stream("racing-aces", {}, seats=1).table
    gap = table.evolve(race, *table.seat(race, 3, player="q", seed=""))
    assert refusal(table.deal, gap, key).code == "seats-open"


def test_a_race_needs_no_seats(stream):
    assert stream("racing-aces", {}, seats=0).deal().table.status == "active"


def test_no_move_is_accepted_before_the_deal(open_table):
    assert refusal(table.decide, open_table, 0, DRAW).code == "rule-forbids"
    assert refusal(table.expire, open_table, 0).code == "rule-forbids"
    assert open_table.legal_moves(0) == []
    assert open_table.to_act() == []


def test_after_the_deal_seats_cannot_change_and_there_is_no_second_deal(active):
    assert refusal(table.seat, active.table, 0, player="q", seed="").code == "rule-forbids"
    assert refusal(table.leave, active.table, 0).code == "rule-forbids"
    assert refusal(table.deal, active.table, active.key).code == "rule-forbids"


@pytest.mark.parametrize("end", ["finished", "voided"])
def test_no_event_follows_the_end(active, end):
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


def test_a_table_that_was_not_started_can_be_voided(open_table):
    void = table.evolve(open_table, *table.void(open_table, reason="nobody came"))
    assert (void.status, void.outcome) == ("void", None)


def test_the_server_collects_for_an_absent_seat(active):
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


def test_the_ten_thousandth_move_may_end_the_game(active):
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
