"""Every declared staff action: who may open its page and call its REST operations, and that it takes effect once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from staff.actions import ActionForm, Done, FormData, Preview, perform
from staff.admin import Action, ActionAdmin
from staff.models import ActionRecord
from tests.security.test_access_table import ROWS
from tests.security.world import operations

pytestmark = pytest.mark.django_db

ACTIONS = sorted(
    {
        action
        for page in admin.site._registry.values()
        if isinstance(page, ActionAdmin)
        for action in (*page.list_actions, *page.staff_actions)
    },
    key=lambda action: action.page,
)
IDS = [action.page for action in ACTIONS]
BY_PERMISSION = [action for action in ACTIONS if action.permission]

OPERATIONS = {
    operation["operationId"]: (method, path)
    for path, methods in json.loads(Path("docs/openapi.json").read_text())["paths"].items()
    for method, operation in methods.items()
    if isinstance(operation, dict) and "operationId" in operation
}

EXAMPLES = {"int": "7", "uuid": "0e9b9d3c-31c9-4b0a-9b0e-5a3c2c7a9d11", "slug": "void"}
"""A value for each part of an address; no row has it."""

NEVER_REPEATED = {"players_recovery_link"}
"""Its response has a token, which is not stored: each request makes a link, and the earlier one ends."""


def client_of(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def address(action: type[Action]) -> str:
    parts = {name: EXAMPLES[kind] for kind, name in re.findall(r"<(\w+):(\w+)>", action.route)}
    return reverse(f"admin:{action.page}", kwargs=parts)


def test_no_two_actions_share_a_page() -> None:
    assert len(ACTIONS) > 40
    assert [page for page, count in Counter(IDS).items() if count > 1] == []


def test_only_those_with_the_permission_open_a_page(
    administrator: Player, auditor: Player, organizer: Player, player: Player, subtests: pytest.Subtests
) -> None:
    clients = {who: client_of(who) for who in (administrator, auditor, organizer, player)}
    for action in BY_PERMISSION:
        with subtests.test(action=action.page):
            assert any(who.has_perm(action.permission) for who in clients)
            assert not player.has_perm(action.permission)
            for who in (administrator, auditor, organizer):
                status = clients[who].get(address(action)).status_code
                assert (status != 403) == who.has_perm(action.permission), who
            assert clients[player].get(address(action)).status_code == 302


def test_the_access_table_lets_those_with_the_permission_call_the_operation(
    administrator: Player, auditor: Player, organizer: Player, player: Player
) -> None:
    """`tests/security/test_access_table.py` calls each operation in each role."""
    people = {"administrator": administrator, "auditor": auditor, "organizer": organizer, "player": player}
    rows = {operation: ROWS[name] for name, operation, _ in staff_operations()}
    for action in BY_PERMISSION:
        may = {role for role, who in people.items() if who.has_perm(action.permission)}
        for operation in action.operations:
            assert rows[operation].let & people.keys() == may, operation


def test_an_operation_takes_effect_once() -> None:
    """A PUT or DELETE has no Idempotency-Key: the tests of its package repeat it."""
    requested = {operation for action in ACTIONS for operation in action.operations} - NEVER_REPEATED
    for name, operation, handler in staff_operations():
        if operation in requested and name.startswith("post "):
            assert handler.idempotent, name


OWN = "a resource of the caller, not of somebody else"
WITHOUT_CHANGE = "changes nothing"
SUSPENSION = "the suspension has its author and reason in its own stream"

UNDECLARED = {
    "post player-me-tokens": OWN,
    "delete player-me-bot-token": OWN,
    "post guest-session": OWN,
    "post guest-sign-up": OWN,
    "delete token": OWN,
    "delete push-subscription": OWN,
    "post webhooks": OWN,
    "delete webhook": OWN,
    "post webhook-enable": OWN,
    "post webhook-redeliver": OWN,
    "post ruling-preview": WITHOUT_CHANGE,
    "post tournament-corrections-preview": WITHOUT_CHANGE,
    "post tournament-round-pairing-preview": WITHOUT_CHANGE,
    "post game-suspension": SUSPENSION,
    "post game-resumption": SUSPENSION,
    "put api-tournament": "a draft affects no one, and the event names who changed it",
    "post tournament-preview": WITHOUT_CHANGE,
    "post tournament-entry-check-in": "one button without a reason; the event names who checked in",
}
"""Operations that a player may not call, and that perform no declared action, with the reason."""


def staff_operations() -> Iterator[tuple[str, str, Any]]:
    """Return each operation of the URL configuration that changes something and that no player may call: its name, its
    operation in the API description, and its handler.
    """
    for method, name, route, view in operations():
        if method == "get" or ROWS[f"{method} {name}"].let & {"player", "rival", "stranger"}:
            continue
        path = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        [operation] = [one for one, at in OPERATIONS.items() if at == (method, path)]
        yield f"{method} {name}", operation, getattr(view, method)


def performs(function: Any, seen: set[int]) -> bool:
    """Return whether a handler refers to `perform`, itself or through functions of its module or its closure."""
    if not isinstance(function, FunctionType) or id(function) in seen:
        return False
    seen.add(id(function))
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    own = [each for each in named if getattr(each, "__module__", "") == function.__module__]
    return perform in named or any(performs(each, seen) for each in (*own, *enclosed))


def test_no_staff_endpoint_bypasses_the_declarations() -> None:
    declared = {operation for action in ACTIONS for operation in action.operations}
    found = list(staff_operations())
    assert len(found) > 50
    assert {name for name, operation, _ in found if operation not in declared} == UNDECLARED.keys()
    assert [
        name for name, operation, run in found if operation in declared and not performs(run, set())
    ] == []
    assert not any(performs(run, set()) for name, _, run in found if name in UNDECLARED)
    assert declared <= OPERATIONS.keys()


KINDS = {(action.is_one_step, bool(re.search("<", action.route))): action for action in ACTIONS}
"""An action of each kind: with one step or with three, about a row or not."""


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(action, id=action.page, marks=() if action in KINDS.values() else pytest.mark.nightly)
        for action in ACTIONS
    ],
)
def test_a_form_that_is_sent_twice_takes_effect_once(
    action: type[Action], administrator: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps of each page, with its row, its form, and its service replaced."""
    carried_out = []

    def carry_out(self: Action, data: FormData, key: str, now: datetime) -> None:
        carried_out.append(key)

    replaced: dict[str, Any] = {
        "find": classmethod(lambda cls, actor, pk: None),
        "locate": lambda self, **parts: None,
        "form_class": lambda self: ActionForm,
        "initial": lambda self, query: {},
        "title": "A title",
        "lead": "",
        "back": "/admin/",
        "button": "A button",
        "preview": lambda self, data: Preview(facts=[("Effect", "none")]),
        "carry_out": carry_out,
        "done": lambda self, made: Done("It is done.", "test:1", "/admin/"),
        "template": "staff/action.html",
    }
    for name, value in replaced.items():
        monkeypatch.setattr(action, name, value)
    client = client_of(administrator)

    def send(**more: str) -> Any:
        return client.post(address(action), {"key": "k", **more}, follow=True)

    assert "Effect" in send().content.decode()
    assert carried_out == []
    assert not ActionRecord.objects.filter(subject="test:1").exists()
    assert "It is done." in send(confirmed="yes").content.decode()
    assert "Already done" in send(confirmed="yes").content.decode()
    assert len(carried_out) == 1
    [recorded] = ActionRecord.objects.filter(subject="test:1")
    assert (recorded.action, recorded.actor) == (action.name, administrator.pk)
