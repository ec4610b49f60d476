"""Legal moves at an earlier version are shown as they were, and the start names games whose rules are missing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games import services
from games.apps import check_rules
from games.models import EarlyAccess, GameRecord, Seat
from games.rules import registry
from tests.conftest import NOW
from tests.games.evidence.test_evidence_api import played
from tests.games.staked import NOON
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Vegas = Callable[..., GameRecord]


def past(client: Any, game: GameRecord, query: str) -> Any:
    return client.get(f"/api/v1/games/{game.pk}/replay/?{query}")


@pytest.mark.parametrize("rules", CONFIGS)
def test_during_the_game_each_seat_sees_its_own_past_moves(
    api: Api, player: Player, rival: Player, stranger: Player, rules: str
) -> None:
    people = [player] if "solitaire" in rules or "idle" in rules else [player, rival]
    game, rng = dealt(rules, people, now=NOW), random.Random(rules)
    sent = {}
    for _ in range(5):
        who, move = some_move(game, people, rng)
        played = services.play(game_id=game.pk, player=who, move=move, now=NOW)
        sent[who, played.version] = played.legal_moves
    for (who, version), moves in sent.items():
        assert past(api(who), game, f"at={version}").json()["legal_moves"] == moves
    seats = [place.seat for place in Seat.objects.filter(game=game)]
    for seat in seats:
        answer = past(api(stranger), game, f"at={version}&seat={seat}")
        assert (answer.status_code, answer.json()["code"]) == (409, "game-in-play")
    if seats:
        assert past(api(stranger), game, f"at={version}").json()["legal_moves"] == []
    for other in Seat.objects.filter(game=game).exclude(player=player):
        answer = past(api(player), game, f"at={version}&seat={other.seat}")
        assert (answer.status_code, answer.json()["code"]) == (409, "game-in-play")


@pytest.mark.parametrize("rules", CONFIGS)
def test_after_the_end_every_move_was_legal_for_its_seat(
    api: Api, player: Player, rival: Player, stranger: Player, rules: str
) -> None:
    people = [player] if "solitaire" in rules or "idle" in rules else [player, rival]
    game = played(rules, people)
    made = [event for event in store.read(game.pk) if "move" in event.data]
    assert made
    for event in made:
        seat = "" if event.seat is None else f"&seat={event.seat}"
        shown = past(api(player), game, f"at={event.version - 1}{seat}").json()
        whole = event.private if event.private and "move" in event.private else event.data
        assert whole["move"] in shown["legal_moves"]


def test_early_access_of_an_auditor_to_legal_moves_is_recorded(
    api: Api, player: Player, auditor: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    assert past(api(auditor), game, "at=3").json()["legal_moves"] == []
    assert not EarlyAccess.objects.exists()
    shown = past(api(auditor), game, "at=3&seat=0&reason=asked about").json()
    assert {"type": "draw"} in shown["legal_moves"]
    assert EarlyAccess.objects.get().reason == "asked about"
    assert past(api(auditor), game, "at=2&seat=0").json()["legal_moves"] == [], "nothing is dealt yet"


def test_missing_games_are_named(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt("idle-aces", [player], now=NOON)
    assert check_rules(None, databases=["default"]) == []
    known = registry.manifests()
    left = {slug: about for slug, about in known.items() if slug not in ("idle-aces", "ace-race")}
    monkeypatch.setattr(registry, "manifests", lambda: left)
    found = check_rules(None, databases=["default"])
    assert [str(error.msg).split()[2] for error in found] == ["ace-race", "idle-aces"]
    assert check_rules(None) == []
