"""Test the scope of every API operation: a token that has all other scopes is refused.

The operations are those of the URL conf, so a new one that declares no scope fails.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Player
from accounts.roles import Role
from accounts.services import issue_token
from rest.scopes import PERMITS, Scope
from tests.conftest import person
from tests.security.world import operations, undone

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]

OF_ANY_CALLER = {
    "get root",
    "post players",
    "post guests",
    "post tokens",
    "get token-current",
    "delete token-current",
}
"""Operations that need no token, or that any token may call."""
WITHOUT_TOKENS = {"get schema", "get docs", "post player-me-tokens", "post guest-session"}
"""Pages that read no token, and what no token may do."""
VALUES = {"uuid": str(uuid.uuid4()), "int": "1"}
TABLE = [(method, name, route, view) for method, name, route, view in operations()]


@pytest.fixture
def everything(db: None) -> Player:
    """A person in every role, so that only the scopes of a token refuse."""
    return person("max", *Role)


def bearing(player: Player, *scopes: Scope) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player, scopes=scopes)[1]}")
    return client


def declared(method: str, view: Any) -> tuple[Scope, ...] | None:
    scopes: tuple[Scope, ...] | None = getattr(getattr(view, method), "scopes", None)
    return scopes


def address(route: str) -> str:
    return "/" + re.sub(r"<(?:(\w+):)?\w+>", lambda found: VALUES.get(found[1] or "", "x"), route)


def test_every_operation_declares_its_scope() -> None:
    undeclared = {f"{method} {name}" for method, name, _, view in TABLE if declared(method, view) is None}
    assert undeclared == WITHOUT_TOKENS
    assert {
        f"{method} {name}" for method, name, _, view in TABLE if declared(method, view) == ()
    } == OF_ANY_CALLER
    used = {scope for method, _, _, view in TABLE for scope in declared(method, view) or ()}
    assert used == set(Scope) == set(PERMITS)


def test_a_token_with_all_other_scopes_is_refused(everything: Player) -> None:
    clients: dict[tuple[Scope, ...], APIClient] = {}
    wrong = {}
    for method, name, route, view in TABLE:
        if scopes := declared(method, view):
            others = [scope for scope in Scope if scope not in scopes]
            client = clients.get(scopes) or clients.setdefault(scopes, bearing(everything, *others))
            answer = undone(client, method, address(route), None if method == "get" else {})
            problem = answer.json() if answer.status_code == 403 else {}
            if (problem.get("code"), problem.get("scopes")) != ("scope-required", list(scopes)):
                wrong[f"{method} {name}"] = (answer.status_code, answer.content[:200])
            assert all(scope in problem["detail"] for scope in scopes)
    assert wrong == {}
    assert len(clients) > len(Scope)


def test_a_token_with_the_scope_alone_is_not_refused_for_it(everything: Player) -> None:
    clients = {scope: bearing(everything, scope) for scope in Scope}
    wrong = []
    for method, name, route, view in TABLE:
        for scope in declared(method, view) or ():
            answer = undone(clients[scope], method, address(route), None if method == "get" else {})
            if answer.status_code in (401, 500) or b"scope-required" in answer.getvalue():
                wrong.append(f"{method} {name} with {scope}")
    assert wrong == []


def test_an_operation_without_a_declared_scope_takes_no_token(
    everything: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = next(view for _, name, _, view in TABLE if name == "wallet")
    monkeypatch.delattr(view.get, "scopes")
    answer = bearing(everything, *Scope).get("/api/v1/wallet/")
    assert (answer.status_code, answer.json()["code"], answer.json()["scopes"]) == (403, "scope-required", [])


def test_the_description_names_the_scopes() -> None:
    from drf_spectacular.generators import SchemaGenerator

    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    paths = generator.get_schema(request=None, public=True)["paths"]
    described = {
        operation["operationId"]: [
            scope for one in operation.get("security", []) for scope in one.get("bearer", [])
        ]
        for item in paths.values()
        for operation in item.values()
    }
    assert described["moves_create"] == ["play"]
    assert described["games_suspend"] == ["organize", "staff:auditor"]
    text = {
        one["operationId"]: one.get("description", "") for item in paths.values() for one in item.values()
    }
    assert {id for id, scopes in described.items() if not scopes} == {
        "root", "players_create", "guests_create", "guests_session_create", "tokens_create",
        "players_me_tokens_create", "tokens_current",
        "tokens_revoke_current",
    }  # fmt: skip
    assert all(f"`{scope}`" in text[id] for id, scopes in described.items() for scope in scopes)
