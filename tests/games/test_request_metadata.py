"""The request metadata of events: caller, token, the client's time, and the command."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Player
from accounts.services import issue_token
from core.commands import Origin
from eventstore import store
from eventstore.store import Caused
from games.models import GameRecord

pytestmark = pytest.mark.django_db
Api = Callable[..., Any]


def caused(game: GameRecord) -> dict[int, Caused]:
    return {cause.first: cause for cause in store.causes(game.pk)}


def test_a_move_has_its_player_token_and_the_time_of_the_client(
    api: Api, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game, client = vegas(player), api(None)
    record, token = issue_token(player=player, name="the phone")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    path = f"/api/v1/games/{game.pk}/moves/"
    moves = ("2026-03-01T13:00:00.25+01:00", None)
    for number, at in enumerate(moves):
        headers = {"Client-Time": at} if at else {}
        answer = client.post(path, {"move": {"type": "draw"}}, key=f"move-{number}", headers=headers)
        assert answer.status_code == 201, answer.json()
    id = hashlib.sha256(f"{player.pk}\nPOST {path}\nmove-0".encode()).hexdigest()
    origin = Origin(player.pk, record.token_key, "2026-03-01T12:00:00.250000Z")
    assert caused(game)[4] == Caused(4, 4, id, origin)
    # The second move took the fast path, with the cached token.
    assert caused(game)[5].origin == Origin(player.pk, record.token_key, None)


def test_a_move_by_a_session_has_no_token(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    game, client = vegas(player), api(None)
    client.force_authenticate(player)
    answer = client.post(f"/api/v1/games/{game.pk}/moves/", {"move": {"type": "draw"}})
    assert answer.status_code == 201
    assert caused(game)[4].origin == Origin(player.pk, None, None)


def test_opening_and_starting_a_table_and_seat_changes_have_metadata(
    api: Api, player: Player, rival: Player
) -> None:
    ann, bob = api(player), api(rival)
    body = {"rules": "ace-race", "config": {}, "seats": 2}
    game = ann.post("/api/v1/games/", body, headers={"Client-Time": "2026-03-01T12:00:00Z"}).json()
    path = f"/api/v1/games/{game['id']}/"
    for client in (ann, bob):
        client.post(f"{path}seats/", {"client_seed": ""})
    assert bob.delete(f"{path}seats/me/").status_code == 204
    bob.post(f"{path}seats/", {"client_seed": ""})
    assert ann.post(f"{path}start/", {}).status_code == 200
    found = store.causes(UUID(game["id"]))
    people = [cause.origin.actor for cause in found if cause.origin]
    assert people == [player.pk, player.pk, rival.pk, rival.pk, rival.pk, player.pk]
    assert found[0].origin is not None
    assert found[0].origin.client_at == "2026-03-01T12:00:00.000000Z"
    assert len({cause.command_id for cause in found}) == 6


def test_opening_a_match_has_metadata(api: Api, player: Player) -> None:
    record, token = issue_token(player=player, name="the tablet")
    client = api(None)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    body = {"rules": "ace-race", "seats": 2, "deals": 2}
    headers = {"Client-Time": "2026-03-01T12:00:00Z"}
    match = client.post("/api/v1/matches/", body, key="a-match", headers=headers).json()
    again = client.post("/api/v1/matches/", body, key="a-match", headers=headers).json()
    assert again["id"] == match["id"]
    id = hashlib.sha256(f"{player.pk}\nPOST /api/v1/matches/\na-match".encode()).hexdigest()
    origin = Origin(player.pk, record.token_key, "2026-03-01T12:00:00.000000Z")
    assert store.causes(UUID(match["game"])) == [Caused(1, 1, id, origin)]
    refused = client.post("/api/v1/matches/", body, headers={"Client-Time": "noon"})
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed-client-time")


def test_events_of_the_server_have_no_metadata(vegas: Callable[..., GameRecord], player: Player) -> None:
    assert store.causes(vegas(player).pk) == []


def test_an_invalid_time_of_the_client_is_refused(
    api: Api, player: Player, vegas: Callable[..., GameRecord], subtests: pytest.Subtests
) -> None:
    game = vegas(player)
    path = f"/api/v1/games/{game.pk}/moves/"
    client = api(player)
    for time in [
        *("", "yesterday", "2026-03-01", "2026-03-01T12:00:00", "20260301T120000Z", "2026-02-30T12:00:00Z"),
        *("2026-03-01T25:00:00Z", "0001-01-01T00:00:00+23:59", "2026-03-01T12:00:00+99:00"),
    ]:
        with subtests.test(time=time):
            answer = client.post(path, {"move": {"type": "draw"}}, headers={"Client-Time": time})
            assert (answer.status_code, answer.json()["code"]) == (400, "malformed-client-time")
            assert store.head(game.pk).version == 3


def test_the_time_of_the_client_is_stored_to_the_microsecond(
    api: Api, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    time = "2026-12-31t23:59:59.123456789-00:30"
    path = f"/api/v1/games/{game.pk}/moves/"
    assert (
        api(player).post(path, {"move": {"type": "draw"}}, headers={"Client-Time": time}).status_code == 201
    )
    origin = caused(game)[4].origin
    assert origin is not None
    assert origin.client_at == "2027-01-01T00:29:59.123456Z"
