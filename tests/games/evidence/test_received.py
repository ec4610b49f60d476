"""What each seat received is recomputed byte for byte, and compared with a log of what was sent."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.utils import timezone

from accounts.models import Player
from games import services, state
from games.models import GameRecord
from tests.conftest import NOW
from tests.games.tables import CONFIGS, dealt

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]

Sent = dict[tuple[int, int | None, str], bytes]
"""By version, seat and part."""


def record(game: GameRecord, clients: dict[int | None, Any], sent: Sent) -> None:
    """Record what every viewer is sent of the present state."""
    base = f"/api/v1/games/{game.pk}/"
    for seat, client in clients.items():
        result = client.get(base).json()
        version = result["version"]
        sent[version, seat, "view"] = orjson.dumps(result["view"])
        sent[version, seat, "legal_moves"] = orjson.dumps(result["legal_moves"])
        [event] = client.get(f"{base}events/?after={version - 1}").json()["results"]
        sent[version, seat, "event"] = orjson.dumps(event)


@pytest.mark.parametrize("rules", CONFIGS)
@pytest.mark.parametrize("moves", [3, pytest.param(16, marks=pytest.mark.soak)])
def test_everything_sent_to_a_seat_is_recomputed_byte_for_byte(
    api: Api, player: Player, rival: Player, stranger: Player, auditor: Player, rules: str, moves: int
) -> None:
    """A seat can be shown again what it received at each version, byte for byte."""
    people = [player] if rules in ("vegas-solitaire", "idle-aces") else [player, rival]
    game, rng = dealt(rules, people, now=timezone.now()), random.Random(rules)
    sent: Sent = {}
    clients: dict[int | None, Any] = {seat: api(who) for seat, who in enumerate(people)}
    if rules == "racing-aces":  # its operator has no seat
        clients = {None: api(player)}
        lookers = clients
    else:
        lookers = {**clients, None: api(stranger)}
    record(game, lookers, sent)
    for _ in range(moves):
        table = state.load(game.pk)[1]
        seat = rng.choice(table.to_act()) if table.to_act() else None
        legal = [
            move for move in table.legal_moves(seat) if move["type"] not in ("collect", "resign", "stuck")
        ]
        answer = clients[seat].post(f"/api/v1/games/{game.pk}/moves/", {"move": rng.choice(legal)})
        assert answer.status_code == 201, answer.content
        sent[answer.json()["version"], seat, "response"] = answer.content
        record(game, lookers, sent)
    services.void_game(game_id=game.pk, reason="test", now=NOW)
    judge = api(auditor)
    for (version, seat, part), body in sent.items():
        if rules == "racing-aces" and part == "legal_moves" and seat is None:
            continue  # the operator's and a spectator's differ; the moves without a viewer are compared below
        of = "" if seat is None else f"&seat={seat}"
        result = judge.get(f"/api/v1/games/{game.pk}/evidence/received/?at={version}{of}").json()
        again = {"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        if part == "legal_moves" and seat is None:
            assert body == b"[]"
            continue
        assert result["bytes"][part] == again, (version, seat, part)
        assert orjson.dumps(result[part]) == body
    answers = [version for version, _, part in sent if part == "response"]
    assert len(answers) == moves


def test_received_data_reveals_no_other_hands(
    api: Api, player: Player, rival: Player, auditor: Player
) -> None:
    game = dealt("ace-race", [player, rival], now=NOW)
    services.void_game(game_id=game.pk, reason="test", now=NOW)
    base = f"/api/v1/games/{game.pk}/evidence/received/?at=4"
    mine, theirs, nobodys = (api(auditor).get(f"{base}{of}").json() for of in ("&seat=0", "&seat=1", ""))
    assert mine["player"] == str(player.pk)
    assert mine["view"]["hand"] != theirs["view"]["hand"]
    assert nobodys["view"]["hand"] is None
    assert mine["event"] == theirs["event"] == nobodys["event"]
    assert mine["event"]["private"] is None
