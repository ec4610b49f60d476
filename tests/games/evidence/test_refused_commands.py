"""Refused moves are stored with player, time, move, reason, and version, without affecting the response."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Player
from accounts.services import issue_token
from eventstore import store
from games import services, state
from games.errors import refused_move
from games.evidence import refused
from games.models import GameRecord, RefusedCommand
from games.rules import Refused
from games.rules.refusals import Ruling
from tests.conftest import NOW

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Vegas = Callable[..., GameRecord]


def move(client: Any, game: GameRecord, move: object, **more: Any) -> Any:
    return client.post(f"/api/v1/games/{game.pk}/moves/", {"move": move}, **more)


def row(game: GameRecord, player: Player, number: int = 0) -> RefusedCommand:
    return refused.refused_command(
        game_id=game.pk,
        player=player.pk,
        seat=0,
        version=number,
        move={"type": "draw"},
        refusal=Refused("pile-empty", Ruling("a-rule", "RULEBOOK 1", "A rule.")),
        command=None,
        at=NOW,
    )


def test_a_refused_move_is_stored_with_its_metadata(api: Api, player: Player, vegas: Vegas) -> None:
    game, client = vegas(player), api(None)
    record, token = issue_token(player=player, name="phone")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    answer = move(client, game, {"type": "recycle"}, headers={"Client-Time": "2026-03-01T11:59:00Z"})
    problem = answer.json()
    assert answer.status_code == 409
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOW)
    [kept] = client.get(f"/api/v1/games/{game.pk}/evidence/refused/").json()["results"]
    said = ("code", "rule", "ruling", "fact", "ground")
    assert {key: kept[key] for key in said} == {key: problem[key] for key in said}
    assert problem["ground"] is not None
    assert (kept["actor"], kept["seat"], kept["version"]) == (str(player.pk), 0, 3)
    assert (kept["move"], kept["client_at"]) == ({"type": "recycle"}, "2026-03-01T11:59:00.000000Z")
    assert kept["token"] == {"id": record.token_key, "name": "phone"}
    assert store.find_command(game.pk, kept["command"]) is None, "what was refused took no effect"
    assert client.get(f"/api/v1/games/{game.pk}/evidence/").json()["refused"] == 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"type": "fly"}, "unknown-move"),
        ({"type": "draw", "x": "\u0000\ud83c"}, "malformed-move"),
        ("x" * 5000, "malformed-move"),
        (None, "malformed-move"),
    ],
)
def test_the_sent_body_or_its_absence_is_stored(player: Player, vegas: Vegas, sent: Any, code: str) -> None:
    game = vegas(player)
    with pytest.raises(Refused) as refusal:
        services.play(game_id=game.pk, player=player, move=sent, now=NOW)
    kept = RefusedCommand.objects.get()
    assert kept.code == refused_move(refusal.value).code
    assert kept.parsed_move() == (sent if len(json.dumps(sent)) <= refused.LONGEST_MOVE else None)


def test_only_refusals_of_the_table_are_stored(
    api: Api, player: Player, stranger: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    assert move(api(stranger), game, {"type": "draw"}).json()["code"] == "not-seated"
    assert move(api(player), game, {"type": "draw"}).status_code == 201
    assert RefusedCommand.objects.count() == 0
    assert move(api(player), game, {"type": "draw"}, headers={"If-Match": '"3"'}).status_code == 412
    assert RefusedCommand.objects.get().code == "stale-version"


def test_refusals_of_an_expired_token_are_not_stored(api: Api, player: Player, vegas: Vegas) -> None:
    game, client = vegas(player), api(None)
    record, token = issue_token(player=player)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    move(client, game, {"type": "recycle"})
    record.delete()
    assert move(client, game, {"type": "recycle"}).status_code == 401
    assert RefusedCommand.objects.count() == 1


@pytest.mark.both_databases
def test_the_latest_refusals_of_each_player_are_stored(player: Player, rival: Player, vegas: Vegas) -> None:
    game, other = vegas(player), vegas(player)
    refused.write([row(game, rival), row(other, player)])
    for number in range(0, 130, 10):
        refused.write([row(game, player, each) for each in range(number, number + 10)])
    kept = RefusedCommand.objects.filter(game=game, player=player).order_by("id")
    assert list(kept.values_list("version", flat=True)) == list(range(130 - refused.KEPT, 130))
    assert RefusedCommand.objects.exclude(id__in=kept.values("id")).count() == 2


@pytest.mark.both_databases
def test_a_failure_to_store_a_refusal_changes_no_response(
    api: Api, player: Player, vegas: Vegas, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = vegas(player)

    def fail(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM no_such_table")

    monkeypatch.setattr(RefusedCommand.objects, "bulk_create", fail)
    lost = refused.LOST._value.get()
    answer = move(api(player), game, {"type": "recycle"})
    assert (answer.status_code, answer.json()["code"]) == (409, "rule-forbids")
    assert refused.LOST._value.get() == lost + 1
    assert move(api(player), game, {"type": "draw"}).status_code == 201


@pytest.mark.both_databases
def test_a_stored_refusal_cannot_be_changed(player: Player, vegas: Vegas) -> None:
    refused.write([row(vegas(player), player)])
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE games_refusedcommand SET code = 'other'")


@pytest.mark.django_db(transaction=True)
def test_the_writer_writes_after_the_response_and_ends_with_an_empty_queue(
    player: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    writer = refused.Writer()
    try:
        for number in range(20):
            writer.put(row(game, player, number))
    finally:
        writer.close()
    assert list(RefusedCommand.objects.order_by("id").values_list("version", flat=True)) == list(range(20))
    assert not writer._thread.is_alive()
    connection.close()


def test_a_slow_writer_drops_and_counts_refusals(
    player: Player, vegas: Vegas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refused, "WAITING", 3)
    monkeypatch.setattr(refused, "GATHERING", 30)
    written: list[RefusedCommand] = []
    monkeypatch.setattr(refused, "write", written.extend)
    game, lost = vegas(player), refused.LOST._value.get()
    writer = refused.Writer()
    for number in range(5):
        writer.put(row(game, player, number))
    writer.close()
    assert [one.version for one in written] == [0, 1, 2]
    assert refused.LOST._value.get() == lost + 2


def test_a_refusal_names_the_version_that_it_was_decided_on(player: Player, vegas: Vegas) -> None:
    """The cached state may be stale; the version is that of the state that finally refused."""
    game = vegas(player)
    old = state.load(game.pk)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOW)
    state.cache.put(game.pk, *old)
    with pytest.raises(Refused):
        services.play(game_id=game.pk, player=player, move={"type": "recycle"}, now=NOW)
    assert RefusedCommand.objects.get().version == 4
