"""RULEBOOK 8: the checks of a bundle, and the faults that they name. Forgeries recompute every hash."""

import copy

import pytest

from games.rules import table
from games.rules.bundles.verification import CHECKS, verify
from games.rules.fairness import commitment, entropy, tournament_server_seed
from tests.tampering import rehash

DRAW, UNDO, COLLECT = {"type": "draw"}, {"type": "undo"}, {"type": "collect"}
TOURNAMENT_SEED = bytes(reversed(range(32)))


def rehashed(bundle):
    """Recompute the hashes after a forgery."""
    for version, event in enumerate(bundle["events"], start=1):
        event["version"] = version
    rehash(bundle["game"]["id"], bundle["events"])
    return bundle


def failed(bundle):
    report = verify(bundle)
    assert not report.ok
    return [(fault.check, fault.version) for fault in report.faults]


@pytest.fixture
def points(stream):
    """Return a game for points: draw, undo, draw, collect."""
    return stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=1).deal().play(DRAW, UNDO, DRAW, COLLECT)


def test_a_staked_game_verifies(staked):
    report = verify(staked)
    assert report.ok, report.faults
    assert set(report.checks.values()) == {"passed"}
    assert list(report.checks) == list(CHECKS)
    assert (report.version, report.why, report.ended) == (None, None, True)


def test_a_game_for_points_verifies(points):
    assert set(verify(points.bundle()).checks.values()) == {"passed"}


def test_a_race_verifies(stream):
    race = stream("racing-aces", {"cards_per_draw": 3, "burn": 2}, seats=2).deal()
    while not race.table.ended:
        race.play(DRAW, seat=None)
    assert set(verify(race.bundle()).checks.values()) == {"passed"}


def test_the_money_of_a_market_is_not_checked_by_the_bundle_of_its_race(stream):
    race = stream("racing-aces", {}, seats=0, bets=["x", "", "x"]).deal()
    while not race.table.ended:
        race.play(DRAW, seat=None)
    report = verify(race.bundle())
    assert report.ok
    assert report.checks["money"] == "not-run"
    assert failed(race.bundle() | {"game": race.bundle()["game"] | {"bet_seeds": ["x", "x", ""]}}) == [
        ("client-seeds", None)
    ]


# running and void games


def test_checks_that_need_the_end_are_not_run_for_a_running_game(stream):
    bundle = stream("vegas-solitaire", {"draw": 3}, seats=1).deal().play(DRAW).bundle()
    report = verify(bundle)
    assert report.ok
    assert not report.ended
    not_run = {check for check, verdict in report.checks.items() if verdict == "not-run"}
    assert not_run == {"commitment", "deal", "seals", "outcome", "escrow", "money"}


def test_the_moves_of_a_running_game_are_checked_with_its_opened_packs(stream):
    bundle = stream("vegas-solitaire", {"draw": 3}, seats=1).deal().play(DRAW).bundle()
    bundle["events"][3]["data"]["facts"]["cards"].reverse()
    assert failed(rehashed(bundle)) == [("facts", 4)]


def test_opened_packs_of_a_running_game_must_be_complete(stream):
    bundle = stream("vegas-solitaire", {"draw": 3}, seats=1).deal().bundle()
    for packs in (
        {"deck": ["AS"] * 52},
        {"deck": []},
        {"deck": None},
        {},
        {"deck": [1, 2]},
        {"deck": ["AS", 1]},
    ):
        bundle["events"][2]["private"] = {"packs": packs}
        assert failed(bundle) == [("deal", 3)]
    bundle["events"][2]["private"] = {"more": 1, **bundle["events"][2]["private"]}
    assert failed(bundle) == [("deal", 3)]


def test_without_opened_packs_no_event_after_the_deal_is_checked(stream):
    bundle = stream("vegas-solitaire", {"draw": 3}, seats=1).deal().play(DRAW).bundle()
    bundle["events"][2]["private"] = None
    report = verify(bundle)
    assert report.ok
    assert report.checks["chain"] == "passed"
    assert report.checks["moves"] == "not-run"


def test_a_seed_revealed_before_the_end_is_a_fault(points):
    bundle = points.bundle()
    del bundle["events"][-1]
    assert ("commitment", None) in failed(bundle | {"outcome": None})


def test_an_ended_game_must_reveal_its_seed(points):
    bundle = points.bundle()
    bundle["game"]["server_seed"] = None
    assert failed(bundle) == [("commitment", None)]


def test_an_ended_game_of_a_shared_deal_is_not_revealed_yet(of_tournament):
    closed = of_tournament | {"outcome": None}
    closed["game"]["server_seed"] = closed["game"]["tournament"]["seed"] = None
    report = verify(closed)
    assert report.ok
    assert {report.checks[check] for check in ("commitment", "tournament-seed", "deal", "outcome")} == {
        "not-run"
    }
    closed["game"]["tournament"]["seed"] = TOURNAMENT_SEED.hex()
    assert failed(closed) == [("commitment", None)]


@pytest.mark.parametrize("dealt", [True, False])
def test_a_void_game_verifies(stream, dealt):
    played = stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=1)
    if dealt:
        played.deal().play(DRAW)
    played.append(table.void(played.table, reason="a power cut"))
    report = verify(played.bundle())
    assert report.ok
    assert report.checks["commitment"] == report.checks["money"] == report.checks["events"] == "passed"
    assert report.checks["deal"] == ("passed" if dealt else "not-run")


def test_an_expired_game_verifies(stream):
    played = stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=1).deal().play(DRAW)
    played.append(*table.expire(played.table, 0))
    assert verify(played.bundle()).ok
    forged = played.bundle()
    forged["events"][-2]["data"]["facts"]["winnings"] = 9
    assert failed(rehashed(forged)) == [("facts", 5)]


def test_a_stop_before_the_maximum_of_moves_is_a_fault(stream):
    played = stream("vegas-solitaire", {"draw": 3, "stake": 0}, seats=1).deal().play(DRAW)
    played.append(*table.expire(played.table, 0))
    forged = played.bundle()
    forged["events"][-2]["data"] = {"seat": None}
    assert failed(rehashed(forged)) == [("facts", 5)]


# the chain


def test_a_changed_event_is_named(points):
    bundle = points.bundle()
    bundle["events"][4]["at"] = "2026-02-03T00:00:04.000002Z"
    report = verify(bundle)
    assert (report.version, report.why) == (5, "the hash does not fit the event's contents")


def test_a_missing_event_is_named(points):
    bundle = points.bundle()
    del bundle["events"][4]
    assert failed(bundle)[0] == ("chain", 5)


def test_two_exchanged_events_are_named(points):
    bundle = points.bundle()
    events = bundle["events"]
    events[3], events[4] = events[4], events[3]
    assert failed(bundle)[0] == ("chain", 4)


def test_the_first_wrong_event_is_named(points):
    """Event 5 is forged with valid hashes, event 7 breaks the chain."""
    bundle = points.bundle()
    bundle["events"][3]["data"]["facts"]["cards"][0] = "AS"
    rehashed(bundle)["events"][6]["hash"] = "0" * 64
    assert failed(bundle) == [("facts", 4), ("chain", 7)]


def test_the_stream_of_another_game_is_a_fault(points):
    bundle = points.bundle()
    bundle["game"]["id"] = bundle["game"]["id"][:-1] + "2"
    assert failed(bundle)[0] == ("chain", 1)


def test_times_may_not_decrease(points):
    bundle = points.bundle()
    bundle["events"][4]["at"] = "2026-02-03T00:00:01.000000Z"
    assert failed(rehashed(bundle)) == [("order", 5)]


def test_events_of_one_time_are_in_order(points):
    bundle = points.bundle()
    for event in bundle["events"]:
        event["at"] = "2026-02-03T00:00:01.000000Z"
    assert verify(rehashed(bundle)).ok


# seeds and deal


def test_another_server_seed_breaks_the_commitment(points):
    bundle = points.bundle()
    bundle["game"]["server_seed"] = bytes(32).hex()
    assert failed(bundle) == [("commitment", None)]


def test_a_deal_that_does_not_follow_from_the_seeds_is_named(points):
    bundle = points.bundle()
    pack = bundle["events"][2]["private"]["packs"]["deck"]
    pack[0], pack[1] = pack[1], pack[0]
    assert failed(bundle) == [("deal", 3)]


def test_a_seal_of_other_data_is_named(points):
    bundle = points.bundle()
    bundle["events"][2]["seal"] = "0" * 64
    assert failed(rehashed(bundle)) == [("seals", 3)]


@pytest.mark.parametrize("part", ["private", "seal"])
def test_a_deal_must_be_sealed_and_opened(points, part):
    bundle = points.bundle()
    bundle["events"][2][part] = None
    assert failed(rehashed(bundle)) == [("seals", 3)]


def test_events_without_a_private_part_must_not_be_sealed(points):
    bundle = points.bundle()
    bundle["events"][3]["private"] = {"move": DRAW, "facts": {}}
    assert failed(bundle) == [("seals", 4)]


def test_another_client_seed_gives_another_deal(points):
    bundle = points.bundle()
    bundle["events"][1]["data"]["client_seed"] = "bob"
    assert failed(rehashed(bundle)) == [("deal", 3)]


@pytest.mark.parametrize(("key", "value"), [("player", "somebody"), ("client_seed", "bob"), ("seat", 1)])
def test_the_seats_of_the_bundle_must_be_those_of_the_events(points, key, value):
    bundle = points.bundle()
    bundle["game"]["seats"][0][key] = value
    assert failed(bundle) == [("client-seeds", None)]


@pytest.fixture
def of_tournament(stream):
    seed = tournament_server_seed(TOURNAMENT_SEED, round=2, deal=3)
    joined = entropy(["a", "b"])
    played = (
        stream("vegas-solitaire", {"draw": 1, "stake": 0}, seats=1, seeds=(joined,), seed=seed)
        .deal()
        .play(COLLECT)
    )
    tournament = {
        "id": "cup",
        "round": 2,
        "deal": 3,
        "commitment": commitment(TOURNAMENT_SEED),
        "seed": TOURNAMENT_SEED.hex(),
        "entropy": joined,
    }
    return played.bundle(tournament=tournament)


def test_a_tournament_game_verifies(of_tournament):
    assert set(verify(of_tournament).checks.values()) == {"passed"}


def test_the_seed_of_a_tournament_is_not_checked_before_its_end(of_tournament):
    of_tournament["game"]["tournament"]["seed"] = None
    report = verify(of_tournament)
    assert report.ok
    assert report.checks["tournament-seed"] == "not-run"


@pytest.mark.parametrize(
    ("key", "value", "check"),
    [
        ("round", 1, "tournament-seed"),
        ("deal", 4, "tournament-seed"),
        ("commitment", "0" * 64, "tournament-seed"),
        ("seed", "0" * 64, "tournament-seed"),
        ("entropy", "0" * 64, "client-seeds"),
    ],
)
def test_the_tournaments_seeds_must_agree(of_tournament, key, value, check):
    of_tournament["game"]["tournament"][key] = value
    assert (check, None) in failed(of_tournament)


# events, moves, facts


def test_the_game_of_the_bundle_must_agree_with_its_first_event(points):
    for key, value in (("rules", "racing-aces"), ("config", {"draw": 1, "stake": 0}), ("rules_version", 2)):
        bundle = points.bundle()
        bundle["game"][key] = value
        assert failed(bundle) == [("events", 1)]


def test_a_config_may_omit_its_defaults(points):
    bundle = points.bundle()
    bundle["game"]["config"] = bundle["events"][0]["data"]["config"] = {"draw": 3, "stake": 0}
    assert verify(rehashed(bundle)).ok


@pytest.mark.parametrize("config", [{"draw": 2}, {"draw": 3, "stake": 0, "more": 1}, {}])
def test_an_impossible_config_is_named(points, config):
    bundle = points.bundle()
    bundle["game"]["config"] = bundle["events"][0]["data"]["config"] = config
    assert failed(rehashed(bundle)) == [("events", 1)]


def test_an_illegal_move_is_named_with_the_rule_it_breaks(points):
    bundle = points.bundle()
    bundle["events"][4] |= {"type": "recycle", "data": {"move": {"type": "recycle"}, "facts": {}}}
    report = verify(rehashed(bundle))
    assert (report.checks["moves"], report.version) == ("failed", 5)
    assert "The waste is flipped over to be the stock only when the stock is empty" in report.why


@pytest.mark.parametrize("seat", [None, 1])
def test_a_move_of_another_seat_is_named(points, seat):
    bundle = points.bundle()
    bundle["events"][3]["seat"] = seat
    assert failed(rehashed(bundle)) == [("moves", 4)]


def test_an_event_of_another_type_than_its_move_is_named(points):
    bundle = points.bundle()
    bundle["events"][3]["type"] = "undo"
    assert failed(rehashed(bundle)) == [("moves", 4)]


@pytest.mark.parametrize(
    "data", [{"facts": {}}, {"move": DRAW}, {"move": None, "facts": {}}, {"move": {}, "facts": {}}, {}]
)
def test_an_incomplete_move_is_named(points, data):
    bundle = points.bundle()
    bundle["events"][3]["data"] = data
    assert failed(rehashed(bundle))[0][1] == 4


def test_facts_are_compared_exactly(points):
    bundle = points.bundle()
    collect = next(event for event in bundle["events"] if event["type"] == "collect")
    for value in (1, 0.0, False, "0", None):
        collect["data"]["facts"]["cards"] = value
        assert failed(rehashed(bundle)) == [("facts", collect["version"])]


def test_an_additional_fact_is_named(points):
    bundle = points.bundle()
    bundle["events"][3]["data"]["facts"]["auto"] = []
    assert failed(rehashed(bundle)) == [("facts", 4)]


@pytest.mark.parametrize("type", ["shuffled", "dealt", "seated", "left", "created", "finished", "expired"])
def test_an_event_in_a_wrong_place_is_named(points, type):
    bundle = points.bundle()
    forged = copy.deepcopy(bundle["events"][3]) | {"type": type, "data": {"seat": 0}, "seat": None}
    bundle["events"].insert(3, forged)
    check, version = failed(rehashed(bundle))[0]
    assert version == 4
    assert check in ("events", "facts")


def test_nothing_may_follow_the_end(points):
    bundle = points.bundle()
    bundle["events"].append(copy.deepcopy(bundle["events"][-1]))
    assert failed(rehashed(bundle)) == [("events", 8)] or failed(rehashed(bundle))[0] == ("events", 9)


def test_finished_must_follow_collect(points):
    bundle = points.bundle()
    del bundle["events"][-1]
    bundle["game"]["server_seed"] = bundle["outcome"] = None
    assert failed(bundle)[0][0] == "events"


def test_the_game_cannot_finish_before_its_end(points):
    bundle = points.bundle()
    del bundle["events"][-2]
    assert failed(rehashed(bundle)) == [("events", 7)]


# outcome and money


@pytest.mark.parametrize(
    ("key", "value"), [("cards", 1), ("winnings", 1), ("complete", True), ("result", "won"), ("complete", 0)]
)
def test_the_outcome_must_be_that_of_the_game(points, key, value):
    bundle = points.bundle()
    bundle["outcome"] = bundle["outcome"] | {key: value}
    assert failed(bundle) == [("outcome", None)]
    bundle["events"][-1]["data"]["outcome"] = bundle["outcome"]
    assert failed(rehashed(bundle)) == [("outcome", len(bundle["events"]))]


def test_a_void_game_has_no_outcome(stream):
    played = stream("vegas-solitaire", {"draw": 3}, seats=1)
    played.append(table.void(played.table, reason=""))
    assert failed(played.bundle() | {"outcome": {}}) == [("outcome", None)]


def test_withheld_transfers_are_reported_as_not_checked(staked):
    report = verify(staked | {"transfers": "withheld"})
    assert report.ok
    assert report.checks["escrow"] == report.checks["money"] == "not-run"


def test_money_left_in_escrow_is_named(staked):
    del staked["transfers"][2]
    assert failed(staked) == [("escrow", None)]


def test_a_player_who_gained_too_much_is_named(staked):
    staked["transfers"][1]["amount"] += 1
    staked["transfers"][2]["amount"] -= 1
    assert failed(staked) == [("money", None)]


def test_a_stake_that_was_never_taken_is_named(staked):
    assert failed(staked | {"transfers": []}) == [("money", None)]


def test_a_gain_of_another_account_is_named(staked):
    extra = staked["transfers"][1] | {"id": "x", "debit": "house/bank", "credit": "player:stranger/cash"}
    assert failed(staked | {"transfers": [*staked["transfers"], extra]}) == [("money", None)]


def test_a_second_currency_is_named(staked):
    there = staked["transfers"][0] | {"id": "x", "currency": "EUR", "amount": 5}
    back = there | {"id": "y", "debit": there["credit"], "credit": there["debit"]}
    assert failed(staked | {"transfers": [*staked["transfers"], there, back]}) == [("money", None)]


def test_all_accounts_of_a_player_count_together(staked):
    shuffle = staked["transfers"][0] | {
        "id": "x",
        "credit": staked["transfers"][0]["debit"].replace("session", "cash"),
    }
    assert verify(staked | {"transfers": [*staked["transfers"], shuffle]}).ok


def test_a_gain_in_a_void_game_is_named(stream, staked):
    played = stream("vegas-solitaire", {"draw": 3}, seats=1).deal()
    played.append(table.void(played.table, reason=""))
    stake = staked["transfers"][0]
    back = stake | {"id": "x", "debit": stake["credit"], "credit": stake["debit"], "event": 4}
    assert verify(played.bundle(transfers=[stake, back])).ok
    assert {check for check, _ in failed(played.bundle(transfers=[stake]))} == {"escrow", "money"}


def test_rulings_are_listed_and_their_transfers_are_not_counted(staked):
    given = staked["transfers"][1] | {
        "id": "r",
        "debit": "house/bank",
        "credit": staked["transfers"][0]["debit"],
    }
    ruling = {
        "id": "d1",
        "at": "2026-03-01T00:00:00.000000Z",
        "finding": "upheld",
        "remedy": "refund",
        "reason": "",
        "transfers": [given],
    }
    assert verify(staked | {"rulings": [ruling]}).ok
    assert failed(staked | {"rulings": [ruling | {"at": "yesterday"}]}) == [("format", None)]
