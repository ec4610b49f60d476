"""The connection breaks around a commit. Each command takes effect once: it is repeated by the server, and if the
database stays away, by its sender with the same key.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, close_old_connections, connection

from accounts.models import Player
from eventstore import store
from games import services as games
from games.models import GameRecord
from ledger.models import PlaySession
from ledger.services import open_session
from tests.conftest import NOW
from tests.money import available, bankroll, cash, fund

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

STAKE = 520


def cut() -> None:
    """The server ends this session, as when it is restarted."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


ALWAYS = 9
"""More often than the server repeats a command."""


@contextmanager
def broken(when: str, times: int = 1) -> Iterator[list[str]]:
    """The connections of the next transactions break before or after their commits; what happened is noted."""
    commit, noted = connection._commit, []

    def breaks() -> None:
        if len(noted) == times:
            return commit()
        noted.append(when)
        if when == "after":
            commit()
        return cut()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_commit", breaks)
        yield noted


@pytest.fixture
def staked(player: Player) -> GameRecord:
    """A game of the player's that has been dealt for a stake."""
    table = bankroll()
    fund(cash(player.pk), 10_000)
    session = open_session(player=player.pk, amount=5_200, currency=table.currency, key="in", at=NOW)
    game = games.create_game(
        rules="vegas-solitaire",
        config={"draw": 1, "stake": STAKE},
        seats=1,
        creator=player,
        stake_table=table,
        play_session=session,
        now=NOW,
    )
    games.take_seat(game=game, player=player, client_seed="", now=NOW)
    return games.start_game(game=game, actor=player, now=NOW)


@pytest.fixture
def send(api: Callable[..., Any], player: Player) -> Callable[..., Any]:
    client, key = api(player), str(uuid.uuid4())

    def post(path: str, body: Any) -> Any:
        close_old_connections()
        return client.post(f"/api/v1/{path}", body, key=key)

    return post


def is_replayed(answer: Any) -> bool:
    return answer.headers.get("Idempotent-Replay") == "true"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_move_that_ends_a_game_and_pays(
    staked: GameRecord, player: Player, send: Callable[..., Any], when: str
) -> None:
    before = store.head(staked.pk).version
    with broken(when) as noted:
        answer = send(f"games/{staked.pk}/moves/", {"move": {"type": "collect"}})
    assert noted == [when]
    assert answer.status_code == 201, answer.content
    assert is_replayed(answer) is (when == "after")
    assert store.head(staked.pk).version == answer.json()["version"] == before + 2
    assert available(f"game:{staked.pk}", "escrow") == 0


def test_a_move_while_the_database_stays_away(staked: GameRecord, send: Callable[..., Any]) -> None:
    before, body = store.head(staked.pk).version, {"move": {"type": "collect"}}
    with broken("before", ALWAYS):
        answer = send(f"games/{staked.pk}/moves/", body)
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
    close_old_connections()
    assert store.head(staked.pk).version == before
    again = send(f"games/{staked.pk}/moves/", body)
    assert (again.status_code, is_replayed(again)) == (201, False)
    assert store.head(staked.pk).version == before + 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_session_that_is_opened(player: Player, send: Callable[..., Any], when: str) -> None:
    fund(cash(player.pk), 1_000)
    with broken(when) as noted:
        answer = send("play-sessions/", {"amount": 600})
    assert noted == [when]
    assert (answer.status_code, is_replayed(answer)) == (201, when == "after")
    assert (available(f"player:{player.pk}"), PlaySession.objects.count()) == (400, 1)


def test_a_session_while_the_database_stays_away(player: Player, send: Callable[..., Any]) -> None:
    fund(cash(player.pk), 1_000)
    with broken("before", ALWAYS):
        answer = send("play-sessions/", {"amount": 600})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    close_old_connections()
    assert PlaySession.objects.count() == 0
    again = send("play-sessions/", {"amount": 600})
    assert (again.status_code, is_replayed(again)) == (201, False)
    assert (available(f"player:{player.pk}"), PlaySession.objects.count()) == (400, 1)


def test_a_move_that_is_one_statement(
    staked: GameRecord, send: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is committed as it is made: whether the reply comes or not, the key finds it."""
    before = store.head(staked.pk).version
    append = store.append

    def append_and_break(*args: Any, **kwargs: Any) -> Any:
        made = append(*args, **kwargs)
        cut_and_continue()
        return made

    def cut_and_continue() -> None:
        with pytest.raises(OperationalError):
            cut()

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", append_and_break)
        send(f"games/{staked.pk}/moves/", {"move": {"type": "draw"}})
    again = send(f"games/{staked.pk}/moves/", {"move": {"type": "draw"}})
    assert again.status_code == 201, again.content
    assert again.headers["Idempotent-Replay"] == "true"
    assert store.head(staked.pk).version == again.json()["version"] == before + 1
