"""The fast path of moves in their usual form: its responses equal those of the general path."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client, RequestFactory, override_settings
from django.urls import resolve
from django.utils import timezone

from accounts.authentication import BearerAuthentication
from accounts.models import Player, Token
from accounts.services import issue_token
from eventstore import store
from games.models import GameRecord
from rest import fast_path as lean
from tests.conftest import headers_of

pytestmark = pytest.mark.django_db
Vegas = Callable[..., GameRecord]

DRAW = b'{"move":{"type":"draw"}}'
JSON = "application/json"


class Sender:
    """Sends moves with a player's token, by the fast path and the general one."""

    def __init__(self, player: Player, patch: pytest.MonkeyPatch) -> None:
        self.record, self.token = issue_token(player=player)
        self._patch = patch

    def send(
        self, game: uuid.UUID, body: bytes = DRAW, *, shortly: bool, form: str = JSON, **headers: str
    ) -> Any:
        own = {"Authorization": f"Bearer {self.token}", "Idempotency_Key": str(uuid.uuid4())}
        sent = {name.replace("_", "-"): value for name, value in {**own, **headers}.items() if value}
        with self._patch.context() as patch:
            if not shortly:
                patch.setattr(lean, "is_plain", lambda request: False)
            client = Client(raise_request_exception=False)
            return client.post(f"/api/v1/games/{game}/moves/", body, content_type=form, headers=sent)


@pytest.fixture
def sender(player: Player, monkeypatch: pytest.MonkeyPatch) -> Sender:
    return Sender(player, monkeypatch)


def result(answer: Any) -> tuple[int, Any, dict[str, str]]:
    return answer.status_code, answer.content, headers_of(answer)


REFUSALS: list[tuple[bytes, dict[str, str], int]] = [
    *(
        (DRAW, {"Authorization": text}, 401)
        for text in ("Bearer nonsense", "Bearer", "Bearer a b", "Bearerish", "")
    ),
    (DRAW, {"Accept": "text/csv"}, 406),
    (DRAW, {"Accept": "text/csv, */*;q=0.1", "Idempotency_Key": ""}, 400),
    (DRAW, {"form": "text/plain"}, 415),
    (DRAW, {"form": "application/json; charset=utf-8", "Idempotency_Key": "a b"}, 400),
    *((DRAW, {"Idempotency_Key": key}, 400) for key in ("", "a b", "k" * 129)),
    (DRAW, {"If_Match": "yesterday"}, 400),
    (DRAW, {"If_Match": '"2"'}, 412),
    (DRAW, {"Host": "evil.example"}, 400),
    (DRAW, {"Content_Length": "0" * 5000 + "24"}, 400),
    *(
        (body, {}, 400)
        for body in (b"", b"{", b"\xef\xbb\xbf" + DRAW, b"null", b"[]", b"{}", b'{"move":null}')
    ),
    (b" " * 300_000, {}, 413),
    (b'{"move":{"type":"draw"},"seat":0}', {}, 400),
    (b'{"move":{"type":"draw"},"move":{"type":"draw"}}', {}, 400),
    (b'{"move":{"type":"fly"}}', {}, 400),
    (b'{"move":{"type":"recycle"}}', {}, 409),
]


@override_settings(ALLOWED_HOSTS=["testserver"])
def test_refusals_of_both_paths_are_equal_byte_for_byte(
    sender: Sender, player: Player, vegas: Vegas, subtests: pytest.Subtests
) -> None:
    game = vegas(player)
    for body, headers, status in REFUSALS:
        with subtests.test(body=body, headers=headers, status=status):
            answers = [sender.send(game.pk, body, shortly=shortly, **headers) for shortly in (True, False)]
            assert result(answers[0]) == result(answers[1])
            assert answers[0].status_code == status
            assert answers[0]["Content-Type"] == "application/problem+json"
            assert store.head(game.pk).version == 3


def test_accepted_moves_of_both_paths_are_equal(
    sender: Sender, player: Player, vegas: Vegas, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = vegas(player), vegas(player)
    answers = []
    for game, shortly in ((one, True), (other, False)):
        answer = sender.send(game.pk, shortly=shortly, If_Match='"3"')
        body = answer.json()
        for event in (*body["events"], body):
            del event["hash"]
        for event in body["events"]:
            del event["prev"], event["at"], event["seal"]
        headers = {**headers_of(answer), "Location": answer["Location"].replace(str(game.pk), "…")}
        answers.append((answer.status_code, body, headers))
    assert answers[0] == answers[1]
    assert answers[0][0] == 201


ACCEPT = {
    "curl, requests, httpx, fetch": "*/*",
    "axios": "application/json, text/plain, */*",
    "Angular, HTTPie": "application/json, */*;q=0.5",
    "OkHttp with Retrofit": "application/json; charset=utf-8",
    "jQuery": "application/json, text/javascript, */*; q=0.01",
    "Java": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
    "any application": "application/*",
    "RestSharp": "application/json, text/json, text/x-json, text/javascript, application/xml, text/xml",
    "empty members": ",application/json,,",
    "capitals": "Application/JSON",
    "plain text": "text/plain",
    "problem": "application/problem+json",
    "nothing": "",
    "malformed": 'application/json; ="',
    "64 types before it": "a/b," * 64 + "application/json",
    "65 types after it": "application/json" + ",a/b" * 65,
    "half a type": "json",
}


def test_every_accept_header_has_the_result_of_the_general_path(
    sender: Sender, player: Player, vegas: Vegas, subtests: pytest.Subtests
) -> None:
    game = vegas(player)
    on_fast_path = set()
    for client, accept in ACCEPT.items():
        with subtests.test(client=client):
            key = str(uuid.uuid4())
            answers = [
                sender.send(game.pk, b"{}", shortly=shortly, Accept=accept or " ", Idempotency_Key=key)
                for shortly in (True, False)
            ]
            assert result(answers[0]) == result(answers[1])
            assert answers[0].status_code == (400 if lean.accepts_json(accept) else 406) or len(accept) > 128
        if lean.accepts_json(accept):
            on_fast_path.add(client)
    assert on_fast_path >= set(list(ACCEPT)[:9])


def test_a_repeated_command_returns_its_first_result_on_both_paths(
    sender: Sender, player: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    first = sender.send(game.pk, shortly=True, Idempotency_Key="one")
    assert "Idempotent-Replay" not in first
    for shortly in (True, False):
        again = sender.send(game.pk, shortly=shortly, Idempotency_Key="one")
        assert (again.status_code, again.content) == (201, first.content)
        assert again["Idempotent-Replay"] == "true"
        other = sender.send(game.pk, b'{"move":{"type":"undo"}}', shortly=shortly, Idempotency_Key="one")
        assert (other.status_code, other.json()["code"]) == (409, "idempotency-key-reused")


@override_settings(API_RATES={"moves": (3, 3600), "requests": (1000, 10)})
def test_both_paths_are_throttled_together(sender: Sender, player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    found = [sender.send(game.pk, shortly=shortly) for shortly in (True, False, True, True, False)]
    assert [answer.status_code for answer in found] == [201, 201, 201, 429, 429]
    assert "Retry-After" in found[3]
    assert found[3].json().keys() == found[4].json().keys()


ENDINGS: list[Callable[[Sender, Player], Any]] = [
    lambda sender, player: sender.record.delete(),
    lambda sender, player: Token.objects.filter(player=player).update(expires=timezone.now()),
    lambda sender, player: Player.objects.filter(pk=player.pk).update(is_active=False),
]


@pytest.mark.parametrize("end", ENDINGS)
@pytest.mark.parametrize(
    "body",
    [
        DRAW,
        b'{"move":{"type":"collect"}}',  # needs a transaction, because it ends the game
        b'{"move":{"type":"recycle"}}',
        b'{"move":',
    ],
)
def test_a_revoked_token_is_refused_immediately(
    sender: Sender, player: Player, vegas: Vegas, end: Callable[[Sender, Player], Any], body: bytes
) -> None:
    game = vegas(player)
    assert sender.send(game.pk, shortly=True, Idempotency_Key="one").status_code == 201
    end(sender, player)
    assert sender.send(game.pk, shortly=True, Idempotency_Key="one").status_code == 401
    answers = [sender.send(game.pk, body, shortly=shortly) for shortly in (True, False)]
    assert result(answers[0]) == result(answers[1])
    assert answers[0].status_code == 401
    for answer in answers:
        named = getattr(answer.wsgi_request, "user", None)
        assert named is None or named.pk is None, "the log names no unauthenticated caller"
    assert store.head(game.pk).version == 4


@pytest.mark.django_db(transaction=True)
def test_a_cached_token_takes_one_statement(
    sender: Sender, player: Player, vegas: Vegas, django_assert_num_queries: Any
) -> None:
    game = vegas(player)
    sender.send(game.pk, shortly=True)
    with django_assert_num_queries(1):
        assert sender.send(game.pk, shortly=True).status_code == 201


def test_a_cached_token_contains_only_the_player(sender: Sender, player: Player, vegas: Vegas) -> None:
    """Permissions that have been removed in the meantime are not cached."""
    game = vegas(player).pk
    sender.send(game, shortly=True)
    path = f"/api/v1/games/{game}/moves/"
    request = RequestFactory().post(path, headers={"Authorization": f"Bearer {sender.token}"})
    request.resolver_match = resolve(path)
    remembered = BearerAuthentication().remembered(request)
    assert remembered is not None
    who, claim = remembered
    assert who.get_deferred_fields() == {
        field.attname for field in Player._meta.concrete_fields if field.name not in ("id", "owner")
    }
    assert not claim.proven


def test_a_server_error_contains_only_its_id(
    sender: Sender, player: Player, vegas: Vegas, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise RuntimeError("the secret of the site")

    monkeypatch.setattr("games.services.play", broken)
    for shortly in (True, False):
        answer = sender.send(vegas(player).pk, shortly=shortly)
        assert answer.json()["code"] == "server-error"
        assert answer.json()["request_id"]
        assert b"secret" not in answer.content
