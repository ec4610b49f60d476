"""The bundle of a finished game verifies, and a later change is found and named."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Player
from eventstore import store
from games import selectors, services
from games.models import GameRecord, Seat, Status
from games.rules.bundles.verification import verify
from games.rules.fairness import commitment, tournament_server_seed
from ledger.models import PlaySession
from tests.games.staked import NOON
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Staked = Callable[..., tuple[GameRecord, PlaySession]]

BUNDLE_KEYS = ["format", "game", "events", "outcome", "rulings", "transfers"]
GAME_KEYS = [
    *(
        "id",
        "rules",
        "rules_version",
        "config",
        "seats",
        "bet_seeds",
        "commitment",
        "server_seed",
        "tournament",
    )
]
EVENT_KEYS = ["version", "type", "seat", "data", "private", "seal", "at", "prev", "hash"]


@pytest.fixture
def finished(player: Player, staked: Staked) -> GameRecord:
    game, _ = staked(player)
    chance = random.Random(7)
    for _ in range(40):
        moves = [move for move in selectors.legal_moves(player, game)[1] if move["type"] != "collect"]
        if not moves:
            break
        services.play(game_id=game.pk, player=player, move=chance.choice(moves), now=NOON)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return GameRecord.objects.get(pk=game.pk)


def test_the_bundle_has_the_documented_keys_in_order(player: Player, finished: GameRecord) -> None:
    bundle = selectors.bundle(finished, player)
    assert list(bundle) == BUNDLE_KEYS
    assert list(bundle["game"]) == GAME_KEYS
    assert all(list(event) == EVENT_KEYS for event in bundle["events"])
    assert [event["version"] for event in bundle["events"]] == list(range(1, len(bundle["events"]) + 1))
    assert bundle["format"] == "racecard-bundle/1"
    assert bundle["game"]["seats"] == [{"seat": 0, "player": str(player.pk), "client_seed": ""}]
    assert list(bundle["transfers"][0]) == ["id", "debit", "credit", "amount", "currency", "reason", "event"]
    assert verify(json.loads(json.dumps(bundle))).ok


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=False))
def test_any_changed_value_of_a_bundle_is_found(
    player: Player, finished: GameRecord, chance: random.Random
) -> None:
    bundle = json.loads(json.dumps(selectors.bundle(finished, player)))
    places = [place for place in leaves(bundle) if free(place)]
    place = chance.choice(places)
    change(bundle, place, chance)
    report = verify(bundle)
    assert not report.ok, place


def leaves(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [place for key, item in value.items() for place in leaves(item, (*at, key))]
    if isinstance(value, list):
        return [place for index, item in enumerate(value) for place in leaves(item, (*at, index))]
    return [at]


def free(place: tuple[Any, ...]) -> bool:
    """The ledger proves a transfer's id, reason, and event, and the names of the site's accounts."""
    return place[0] != "transfers" or place[-1] == "amount"


def change(bundle: Any, place: tuple[Any, ...], chance: random.Random) -> None:
    *path, last = place
    for key in path:
        bundle = bundle[key]
    value = bundle[last]
    if isinstance(value, bool):
        bundle[last] = not value
    elif isinstance(value, int):
        bundle[last] = value + 1
    elif isinstance(value, str) and value:
        at = chance.randrange(len(value))
        other = "b" if value[at] != "b" else "c"
        bundle[last] = value[:at] + other + value[at + 1 :]
    else:
        bundle[last] = "x" if value in ("", None) else None


def tampered(sql: str, values: list[Any]) -> None:
    """Change rows as someone with the database's credentials could: the triggers are dropped first."""
    tamper(sql, *values)


def key(game: GameRecord) -> Any:
    return game.pk.hex if connection.vendor == "sqlite" else game.pk


@pytest.mark.django_db(transaction=True)
def test_a_changed_event_in_the_database_is_named(player: Player, finished: GameRecord) -> None:
    assert selectors.verification(finished)["ok"]
    event = next(event for event in store.read(finished.pk) if event.type == "draw")
    forged = json.dumps({**event.data, "facts": {"cards": ["AS"]}}).encode()
    tampered(
        "UPDATE eventstore_event SET data = %s WHERE stream_id = %s AND version = %s",
        [forged, key(finished), event.version],
    )
    report = selectors.verification(finished)
    assert not report["ok"]
    assert report["version"] == event.version
    assert report["checks"]["chain"] == "failed"


@pytest.mark.django_db(transaction=True)
def test_a_head_that_is_not_the_last_event_is_found(player: Player, finished: GameRecord) -> None:
    tampered("UPDATE eventstore_stream SET head_hash = %s WHERE id = %s", ["f" * 64, key(finished)])
    report = selectors.verification(finished)
    assert (report["ok"], report["checks"]["head"]) == (False, "failed")


def test_a_record_that_differs_from_the_stream_is_found(player: Player, finished: GameRecord) -> None:
    GameRecord.objects.update(outcome={**(finished.outcome or {}), "winnings": 10**6})
    report = selectors.verification(finished)
    assert (report["ok"], report["checks"]["record"]) == (False, "failed")
    assert "outcome" in report["why"]


def test_only_the_chain_of_a_running_game_is_checked(
    player: Player, vegas: Callable[..., GameRecord]
) -> None:
    report = selectors.verification(vegas(player))
    assert report["ok"]
    assert not report["ended"]
    passed = {name for name, verdict in report["checks"].items() if verdict == "passed"}
    assert passed == {"chain", "head", "record"}


def test_a_tournaments_seed_is_in_the_bundle_once_it_is_revealed(
    player: Player, vegas: Callable[..., GameRecord]
) -> None:
    seed, tournament = bytes(range(32)), uuid.uuid4()
    place = services.TournamentRef(tournament, 2, 1, "", commitment(seed), "ann", "")
    game = vegas(player, tournament=place, seed=tournament_server_seed(seed, round=2, deal=1))
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    game.refresh_from_db()
    assert selectors.bundle(game, player)["game"]["tournament"]["seed"] is None
    services.reveal_tournament_seed(tournament=tournament, seed=seed)
    services.reveal_tournament_seed(tournament=tournament, seed=seed)
    shown = selectors.bundle(game, player)["game"]
    assert shown["tournament"] == {
        "id": str(tournament),
        "round": 2,
        "deal": 1,
        "commitment": commitment(seed),
        "seed": seed.hex(),
        "entropy": "ann",
    }
    assert shown["server_seed"] == "ff29ab6b8eb6f247ccd89c617f66fe857bb1592bc6607a901a303743ad0feaf4"


def test_the_database_refuses_an_impossible_record(
    player: Player, vegas: Callable[..., GameRecord], subtests: pytest.Subtests
) -> None:
    game = vegas(player)
    for wrong in [
        *({"status": status} for status in ("lost", Status.FINISHED, Status.VOID)),
        *({"outcome": {"result": "collected"}}, {"ended_at": NOON}, {"round": 1}, {"deal_group": "x"}),
        {"stake": 520},
    ]:
        with subtests.test(wrong=wrong), pytest.raises(IntegrityError), transaction.atomic():
            GameRecord.objects.filter(pk=game.pk).update(**wrong)


def test_the_database_refuses_a_seat_held_twice(
    player: Player, rival: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    for seat, who in ((0, rival), (1, player)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Seat.objects.create(game=game, seat=seat, player=who)
