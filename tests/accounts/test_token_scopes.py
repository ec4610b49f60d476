"""What a token may be used for, and when it was used last."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import authentication
from accounts.models import Player, Token
from accounts.roles import Role
from accounts.services import issue_token, set_roles
from config.streams.reads import KINDS
from disputes import services as disputes
from eventstore.feed import Reader
from rest.scopes import Scope
from tests.conftest import PASSWORD, Client
from tests.games.tables import dealt
from tests.signing_in import signed_in as signed_in_browser
from tests.tournaments.playing import terms
from tournaments import services as tournaments

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Client]
TOKENS, GAMES = "/api/v1/tokens/", "/api/v1/games/"
OWN_TOKENS = "/api/v1/players/me/tokens/"


def bearing(player: Player, *scopes: Scope) -> Client:
    client = Client(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player, scopes=scopes)[1]}")
    return client


def signed_in(api: Api, **more: Any) -> Any:
    return api(None).post(TOKENS, {"username": "ann", "password": PASSWORD, **more}, key="")


def test_a_token_has_read_alone_unless_scopes_are_named(api: Api, player: Player) -> None:
    assert signed_in(api).json()["scopes"] == ["read"]
    made = signed_in(api, scopes=["wallet", "play", "play"], name="bot", days=7).json()
    assert made["scopes"] == ["play", "wallet"]
    client = Client()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    shown = client.get(f"{TOKENS}current/").json()
    assert shown | {"id": "", "created": "", "expires": ""} == {
        "id": "",
        "name": "bot",
        "bot": False,
        "scopes": ["play", "wallet"],
        "created": "",
        "expires": "",
        "last_used": shown["last_used"],
        "player": str(player.pk),
    }
    token = Token.objects.get(token_key=shown["id"])
    assert token.expires - token.created == timedelta(days=7)


def test_terms_that_cannot_be(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    for more, status in [
        ({"scopes": []}, 400),
        ({"scopes": ["write"]}, 400),
        ({"scopes": "read"}, 400),
        ({"days": 0}, 400),
        ({"days": 367}, 400),
        ({"scopes": ["read", "staff:auditor"]}, 403),
    ]:
        with subtests.test(more=more):
            assert signed_in(api, **more).status_code == status
    refused = signed_in(api, scopes=["read", "staff:auditor"]).json()
    assert (refused["code"], refused["scopes"]) == ("scope-not-held", ["staff:auditor"])
    assert not Token.objects.exists()


# --- roles ---------------------------------------------------------------------------------------------


def test_an_auditor_is_a_player_without_the_scope(auditor: Player, player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=timezone.now(), private=True).pk
    evidence = f"{GAMES}{game}/evidence/"
    assert bearing(auditor, Scope.READ).get(evidence).status_code == 404
    assert bearing(auditor, Scope.READ, Scope.AUDITOR).get(evidence).status_code == 200


def test_permissions_are_those_of_the_scopes(administrator: Player, auditor: Player) -> None:
    set_roles(player=administrator, roles=frozenset(Role))
    for scope, sees in ((Scope.ADMINISTRATOR, True), (Scope.AUDITOR, False)):
        answer = bearing(administrator, scope).post("/api/v1/reversals/", {})
        assert answer.status_code == (400 if sees else 403)
    assert bearing(administrator, Scope.ORGANIZE).get("/api/v1/webhooks/").status_code == 200
    assert bearing(auditor, Scope.ORGANIZE).get("/api/v1/webhooks/").status_code == 403


def test_a_superuser_is_limited_as_well(player: Player) -> None:
    Player.objects.filter(pk=player.pk).update(is_superuser=True, is_staff=True)
    superuser = Player.objects.get(pk=player.pk)
    only_audits = bearing(superuser, Scope.AUDITOR)
    assert only_audits.get("/api/v1/trial-balance/").status_code == 200
    freeze = only_audits.post("/api/v1/freezes/", {})
    assert freeze.status_code == 400, "permitted"
    narrow = Player.objects.get(pk=player.pk)
    authentication.limit_roles(narrow, {Scope.AUDITOR})
    assert narrow.has_perm("ledger.freeze_money")
    assert not narrow.has_perm("ledger.deposit")
    assert superuser.has_perm("ledger.deposit")


def test_a_staff_scope_ends_with_the_role(administrator: Player, player: Player) -> None:
    client = bearing(administrator, Scope.ADMINISTRATOR)
    export = f"/api/v1/players/{player.pk}/export/"
    assert client.get(export).status_code == 200
    set_roles(player=administrator, roles=frozenset({Role.AUDITOR}))
    refused = client.get(export)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


@pytest.mark.both_databases
def test_a_live_stream_has_the_roles_of_its_token(auditor: Player, player: Player, organizer: Player) -> None:
    """Of a private game, a draft, and a dispute, which an auditor may follow."""
    game = dealt("vegas-solitaire", [player], now=timezone.now(), private=True).pk
    draft = tournaments.create(organizer=organizer, terms=terms(), now=timezone.now()).pk
    dispute = disputes.open_dispute(
        game_id=game, actor=player, version=1, claim="the deal", now=timezone.now()
    ).pk
    for kind, id in (("game", game), ("tournament", draft), ("dispute", dispute)):
        limited, whole, by_scope = (
            Reader(auditor.pk, id, "", roles) for roles in (frozenset(), None, frozenset({Role.AUDITOR}))
        )
        assert set(KINDS[kind].followable([limited, whole, by_scope])) == {whole, by_scope}, kind
        shared = KINDS[kind].shared_events(id, [limited, whole, by_scope], 0)
        assert set(shared.audiences) == {whole, by_scope}, kind


def test_a_session_needs_no_scope(auditor: Player, player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=timezone.now(), private=True).pk
    client = Client()
    client.force_login(auditor)
    assert client.get(f"{GAMES}{game}/evidence/").status_code == 200


# --- the last use --------------------------------------------------------------------------------------


def writes(request: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert request().status_code in (200, 201)
    return sum(query["sql"].startswith('UPDATE "accounts_token"') for query in captured.captured_queries)


@pytest.mark.both_databases
def test_the_last_use_is_stored_once_an_hour(api: Api, player: Player) -> None:
    client = api(player)
    table = {"rules": "racing-demons", "seats": 2}

    def read() -> Any:
        return client.get(GAMES)

    def play() -> Any:
        return client.post(GAMES, table)

    assert Token.objects.get().last_used is None
    assert [writes(read), writes(read), writes(play), writes(play)] == [1, 0, 0, 0]
    used = Token.objects.get().last_used
    assert used is not None
    for request in (read, play):
        authentication._remembered.clear()
        Token.objects.update(last_used=timezone.now() - timedelta(minutes=61))
        assert [writes(request), writes(request)] == [1, 0]
    assert Token.objects.get().last_used > used


def test_a_process_that_remembers_the_token_stores_the_next_use(api: Api, player: Player) -> None:
    client = api(player)
    client.get(GAMES)
    digest = Token.objects.get().digest
    known = authentication._remembered[digest]
    assert timedelta(minutes=59) < known.use_due - timezone.now() <= timedelta(hours=1)
    authentication._remembered[digest] = known._replace(use_due=timezone.now())
    Token.objects.update(last_used=timezone.now() - timedelta(hours=2))
    assert writes(lambda: client.post(GAMES, {"rules": "racing-demons", "seats": 2})) == 1


def test_a_use_that_cannot_be_stored_refuses_nothing(
    api: Api, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **kwargs: Any) -> Any:
        raise OperationalError("disk full")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", full)
    assert api(player).get(GAMES).status_code == 200


def test_the_list_shows_scopes_and_the_last_use(player: Player) -> None:
    client = bearing(player, Scope.ACCOUNT)
    [shown] = client.get(TOKENS).json()
    assert shown["scopes"] == ["account"]
    assert shown["last_used"] is not None


# --- by a session --------------------------------------------------------------------------------------


def test_a_session_creates_a_token_after_confirming_its_identity(api: Api, player: Player) -> None:
    terms = {"name": "bot", "scopes": ["read", "play"], "days": 7}
    browser = signed_in_browser(player)
    made = browser.call("post", OWN_TOKENS, terms)
    assert (made.status_code, made.json()["scopes"], made["Cache-Control"]) == (
        201,
        ["read", "play"],
        "no-store",
    )
    held = browser.get(TOKENS).json()
    assert [token["name"] for token in held] == ["bot"]
    unconfirmed = Client()
    unconfirmed.force_login(player)
    refused = unconfirmed.post(OWN_TOKENS, terms, key="")
    assert (refused.status_code, refused.json()["code"]) == (403, "recent-sign-in-required")
    with_staff_scope = browser.call("post", OWN_TOKENS, {**terms, "scopes": ["staff:auditor"]})
    assert with_staff_scope.json()["code"] == "scope-not-held"


def test_no_token_creates_a_token(api: Api, player: Player) -> None:
    refused = api(player).post(OWN_TOKENS, {"name": "another"}, key="")
    assert (refused.status_code, refused.json()["code"], refused.json()["scopes"]) == (
        403,
        "scope-required",
        [],
    )
