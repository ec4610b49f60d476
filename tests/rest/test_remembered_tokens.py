"""A command by a token that the process remembers: the statement that stores the command's id proves the token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player, Token
from accounts.services import issue_token
from games.models import GameRecord
from rest.models import StoredResponse
from rest.scopes import Scope
from tests.conftest import Client, headers_of

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Client]
GAMES = "/api/v1/games/"
TABLE = {"rules": "racing-demons", "seats": 2}


def end_tokens(player: Player) -> None:
    """End the tokens of a player as another process does, which this one does not notice."""
    Token.objects.filter(player=player).delete()


def deactivate(player: Player) -> None:
    Player.objects.filter(pk=player.pk).update(is_active=False)


@pytest.mark.parametrize("end", [end_tokens, deactivate])
@pytest.mark.both_databases
def test_a_token_that_has_ended_does_nothing(api: Api, player: Player, end: Callable[[Player], None]) -> None:
    client = api(player)
    assert client.post(GAMES, TABLE, key="first").status_code == 201
    end(player)
    refused = client.post(GAMES, TABLE, key="second")
    assert (refused.status_code, "WWW-Authenticate" in refused) == (401, True)
    repeated = client.post(GAMES, TABLE, key="first")
    assert (repeated.status_code, "Idempotent-Replay" in repeated) == (401, False)
    malformed = client.post(GAMES, {"rules": 1}, key="third")
    assert malformed.status_code == 401
    assert (GameRecord.objects.count(), StoredResponse.objects.count()) == (1, 1)


@pytest.mark.both_databases
def test_a_remembered_token_without_the_scope_does_nothing(player: Player) -> None:
    client = Client(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player, scopes=[Scope.READ])[1]}")
    assert client.get(GAMES).status_code == 200
    refused = client.post(GAMES, TABLE)
    assert (refused.status_code, refused.json()["code"], refused.json()["scopes"]) == (
        403,
        "scope-required",
        ["play"],
    )
    end_tokens(player)
    assert client.post(GAMES, TABLE).status_code == 401, "of an ended token not even its scope is said"
    assert (GameRecord.objects.count(), StoredResponse.objects.count()) == (0, 0)


@pytest.mark.both_databases
def test_a_repeated_command_has_the_bytes_of_the_first_response(api: Api, player: Player) -> None:
    client = api(player)
    client.post(GAMES, TABLE)
    first = client.post(GAMES, TABLE, key="k")
    again = client.post(GAMES, TABLE, key="k")
    assert (again.status_code, again.content, again["Idempotent-Replay"]) == (201, first.content, "true")
    assert (again["Location"], again["ETag"]) == (first["Location"], first["ETag"])


def test_both_paths_answer_alike(api: Api, player: Player) -> None:
    """A query takes a request off the fast path."""
    client, headers = api(player), []
    game = client.post(GAMES, TABLE).json()["id"]

    def sit(path: str) -> Any:
        answer = client.post(path, {"seat": 9}, key="same")
        headers.append(headers_of(answer))
        return answer.status_code, {**answer.json(), "request_id": ""}

    seats = f"{GAMES}{game}/seats/"
    assert sit(seats) == sit(f"{seats}?")
    assert sit(f"{seats}?a=1") == sit(seats)
    assert headers[0] == headers[2]
