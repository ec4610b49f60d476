"""A repeated move takes effect once, and each event records the request that caused it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Player
from accounts.services import issue_token
from core.commands import Command, Origin
from core.errors import KeyReused
from eventstore import store
from eventstore.store import Caused
from games import services, state
from games.errors import StaleVersion
from games.models import GameRecord
from games.rules import Refused
from rest.problems import status_of

pytestmark = pytest.mark.django_db
Vegas = Callable[..., GameRecord]

DRAW = {"type": "draw"}
FIRST = Command("a" * 64, "1" * 64)


def play(game: GameRecord, player: Player, move: Any, **more: Any) -> services.Played:
    return services.play(game_id=game.pk, player=player, move=move, now=game.created_at, **more)


def test_a_repeated_command_has_the_first_response(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    first = play(game, player, DRAW, command=FIRST)
    for _ in range(4):
        play(game, player, DRAW)
    again = play(game, player, DRAW, command=FIRST)
    assert again.replayed
    assert not first.replayed
    for name in ("version", "hash", "events", "view", "legal_moves"):
        assert getattr(again, name) == getattr(first, name)
    assert store.head(game.pk).version == 8


def test_a_repeated_command_that_ended_the_game_has_the_first_response(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    first = play(game, player, {"type": "collect"}, command=FIRST)
    again = play(game, player, {"type": "collect"}, command=FIRST)
    assert [event["type"] for event in again.events] == ["collect", "finished"]
    assert (again.version, again.hash) == (first.version, first.hash)
    with pytest.raises(Refused, match="game-over"):
        play(game, player, {"type": "collect"}, command=Command("b" * 64, "1" * 64))


def test_a_repeated_command_is_recognised_before_the_state_refuses_it(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    for _ in range(23):
        play(game, player, DRAW)
    last = play(game, player, DRAW, command=FIRST)
    with pytest.raises(Refused, match="no-passes-left"):
        play(game, player, DRAW)
    assert play(game, player, DRAW, command=FIRST).hash == last.hash


def test_the_same_key_with_another_move_is_an_error(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    play(game, player, DRAW, command=FIRST)
    with pytest.raises(KeyReused):
        play(game, player, {"type": "collect"}, command=Command(FIRST.id, "2" * 64))
    with pytest.raises(KeyReused):
        play(game, player, {"type": "recycle"}, command=Command(FIRST.id, "2" * 64))
    assert store.head(game.pk).version == 4


def test_if_match_refuses_a_move_meant_for_an_older_version(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    play(game, player, DRAW, if_match=3)
    with pytest.raises(StaleVersion) as stale:
        play(game, player, DRAW, if_match=3)
    assert status_of(stale.value) == 412
    assert stale.value.extra["version"] == 4
    assert [event["type"] for event in stale.value.extra["events"]] == ["draw"]
    with pytest.raises(StaleVersion):
        play(game, player, DRAW, if_match=9)
    assert play(game, player, DRAW, if_match=4, command=FIRST).version == 5
    assert play(game, player, DRAW, if_match=4, command=FIRST).version == 5


def test_a_process_with_a_stale_state_decides_again(player: Player, vegas: Vegas) -> None:
    """Another process has made moves, so the cached state of this one is stale."""
    game = vegas(player)
    remembered = state.load(game.pk)
    for _ in range(3):
        play(game, player, DRAW)
    state.cache.clear()
    state.cache.put(game.pk, *remembered)
    assert play(game, player, DRAW).version == 7

    state.cache.clear()
    state.cache.put(game.pk, *remembered)
    undone = play(game, player, {"type": "undo"})
    assert undone.version == 8, "refused by what is remembered, allowed by what is"


def test_times_of_events_never_decrease_with_a_slow_clock(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move=DRAW, now=game.created_at - timedelta(days=1))
    times = [event.at for event in store.read(game.pk)]
    assert times == sorted(times)


def test_the_cached_state_equals_the_fold_of_the_events(player: Player, vegas: Vegas) -> None:
    game = vegas(player, draw=3)
    for _ in range(60):
        _, table = state.load(game.pk)
        moves = [move for move in table.legal_moves(0) if move["type"] != "collect"]
        if not moves:
            break
        play(game, player, moves[len(moves) // 2])
        assert state.fold(store.read(game.pk)) == state.load(game.pk)[1]


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
