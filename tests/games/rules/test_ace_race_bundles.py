"""RULEBOOK 8: bundles of finished and running games of Ace Race, and forgeries by a person who knows the seed."""

import copy
import random

import pytest

from eventstore.chain import GENESIS, canonical, event_hash
from games import bots
from games.bots.simulation import simulate
from games.rules import GameKey
from games.rules.bundles.verification import verify
from tests.games.rules.ace_race import GAME, SEATS


def bundle_of(seats, number=1, bot="random", **keys):
    config = GAME.parse_config(keys)
    return simulate(
        GAME, config, seats=seats, bots=[bots.get("ace-race", bot)], seed="bundles", number=number
    ).bundle


PROVEN = bundle_of(4, previous_winner=2)


def as_early(bundle, events):
    """Return the bundle that an auditor receives during the game."""
    game = {**bundle["game"], "server_seed": None}
    return {**bundle, "game": game, "events": bundle["events"][:events], "outcome": None}


def rewritten(bundle, version, change):
    """Return the bundle with one event changed, and seals and hashes recomputed with the seed."""
    forged = copy.deepcopy(bundle)
    change(forged["events"][version - 1])
    seeds = [seat["client_seed"] for seat in forged["game"]["seats"]]
    key = GameKey(bytes.fromhex(bundle["game"]["server_seed"]), seeds)
    stream, prev = forged["game"]["id"], GENESIS
    for event in forged["events"]:
        if event["private"] is not None:
            event["seal"] = key.seal(stream, event["version"], event["private"])
        envelope = {name: event[name] for name in ("version", "type", "seat", "seal", "at")}
        event["prev"] = prev
        prev = event["hash"] = event_hash(stream=stream, prev=prev, data=canonical(event["data"]), **envelope)
    return forged


def first(kind):
    return next(event["version"] for event in PROVEN["events"] if event["type"] == kind)


RESHUFFLE = next(
    event["version"] for event in PROVEN["events"] if event["data"].get("facts", {}).get("draw_pile", 0) > 1
)


def test_recomputing_an_unchanged_bundle_gives_the_same_bundle():
    assert rewritten(PROVEN, 1, lambda event: None) == PROVEN
    assert verify(PROVEN).ok


@pytest.mark.parametrize("seats", SEATS)
def test_a_running_game_can_be_verified_without_its_seed(seats):
    bundle = bundle_of(seats, previous_winner=0)
    for events in {random.Random(seats).randrange(seats + 2, len(bundle["events"])) for _ in range(12)}:
        report = verify(as_early(bundle, events))
        assert report.ok, report.faults
        assert report.checks["moves"] == report.checks["facts"] == "passed"
        assert report.checks["deal"] == "not-run"


def swapped_order(event):
    order = event["private"]["facts"]["order"]
    order[0], order[-1] = order[-1], order[0]


def other_gift(event):
    event["private"]["move"]["gifts"][0]["to"] = event["data"]["move"]["gifts"][0]["to"] = (
        event["seat"] + 1
    ) % 4
    event["private"]["move"]["gifts"][0]["card"] = "XX"


CHEATS = {
    "another order of a reshuffle": (RESHUFFLE, swapped_order, "facts"),
    "another drawn card": (first("draw"), lambda event: event["private"]["facts"].update(card="??"), "facts"),
    "a drawn card shown": (first("draw"), lambda event: event["data"]["facts"].update(card="AS"), "facts"),
    "a seal left out": (first("draw"), lambda event: event.update(private=None, seal=None), "seals"),
    "a private part added": (
        first("bid"),
        lambda event: event.update(private={"move": event["data"]["move"], "facts": {}}),
        "seals",
    ),
    "a gift that is none": (first("give"), other_gift, "moves"),
    "another winner of the bidding": (
        next(event["version"] for event in PROVEN["events"] if "winner" in event["data"].get("facts", {})),
        lambda event: event["data"]["facts"].update(winner=(event["data"]["facts"]["winner"] + 1) % 4),
        "facts",
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_forgeries_with_the_seed_are_found(cheat):
    version, change, check = CHEATS[cheat]
    report = verify(rewritten(PROVEN, version, change))
    assert (report.ok, report.version) == (False, version)
    assert report.checks[check] == "failed"


def test_a_reshuffle_of_other_cards_is_found_in_a_running_game():
    def change(event):
        order = event["private"]["facts"]["order"]
        order[0] = order[1]

    report = verify(as_early(rewritten(PROVEN, RESHUFFLE, change), RESHUFFLE))
    assert (report.ok, report.version) == (False, RESHUFFLE)
    assert verify(as_early(rewritten(PROVEN, RESHUFFLE, swapped_order), RESHUFFLE)).ok


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("continuation", ["strict", "chained"])
@pytest.mark.parametrize("bot", ["steady", "random"])
def test_simulated_games_verify(seats, continuation, bot):
    for number in range(2):
        previous = None if number % 2 else number % seats
        report = verify(
            bundle_of(
                seats, number, bot, continuation=continuation, previous_winner=previous, dealer=number % seats
            )
        )
        assert set(report.checks.values()) == {"passed"}, report.faults


@pytest.mark.soak
@pytest.mark.parametrize("seats", SEATS)
def test_hundreds_of_simulated_games_verify(seats):
    """With both bots, both values of `continuation`, every dealer, and every previous winner."""
    for number in range(300):
        keys = {"continuation": ("strict", "chained")[number % 2], "dealer": number % seats}
        previous = None if number % 3 == 0 else number % seats
        report = verify(
            bundle_of(seats, number, ("steady", "random")[number // 2 % 2], previous_winner=previous, **keys)
        )
        assert set(report.checks.values()) == {"passed"}, report.faults
