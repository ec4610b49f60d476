"""Test that hostile paths, parameters, and forms cause no server error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import transaction
from django.urls import reverse

from tests.security.world import METHODS, World, address, routes, undone

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.usefixtures("quiet"),
    pytest.mark.slow,
]

DESCRIBED = json.loads(Path(settings.ROOT, "docs", "openapi.json").read_text())["paths"]
PAST_EVERY_COLUMN = (2**31, 2**63, 10**30)
VALUES = (
    "%00",
    "%ED%A0%80",
    "%0d%0aX:y",
    "-1",
    str(2**63),
    "1" + "0" * 30,
    "%D9%A3",
    "1e400",
    "x" * 5000,
    "",
    "%27",
)
ODD_IDS = ("%00", "_00", str(10**30), "-1", "x" * 500, "%ED%A0%80")
ADMIN_QUERIES = (
    "q=%00", "q=" + "x" * 2000, "p=%00", f"p={10**30}", "p=-5", "o=999.-7.x", "o=%00", "all=", "e=1", "_popup=1",
    "_to_field=password", "id__exact=%00", "pk__in=%00", f"pk__exact={10**30}", "state__exact=%00",
    "is_active__exact=x", "groups__id__exact=%00", f"groups__id__exact={10**30}", "created_at__gte=%00",
    "password__startswith=a", "owner__password__startswith=a", "user__password__startswith=argon",
)  # fmt: skip


def requested(client: Any, address: str, form: Any = None) -> int:
    """The status; nothing of it stays."""
    with transaction.atomic():
        answer = client.get(address) if form is None else client.post(address, form)
        answer.getvalue()
        transaction.set_rollback(True)
    return int(answer.status_code)


def parameters(route: str) -> list[str]:
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    described = DESCRIBED.get(path, {}).get("get", {})
    return [each["name"] for each in described.get("parameters", ()) if each["in"] == "query"]


SOME = [59, pytest.param(1, marks=pytest.mark.soak)]
"""Of so many cases one is tried: a few in the suite, all by `make soak`."""


@pytest.mark.parametrize("one_in", SOME)
def test_api_parameters_cause_no_server_error(world: World, one_in: int) -> None:
    clients = [world.client(role) for role in ("player", "auditor", "administrator")]
    addresses = [
        f"{world.address(route)}?{name}={value}"
        for route, one in routes("api/v1/")
        if hasattr(one.callback.view_class, "get")  # type: ignore[attr-defined]
        for name in [*parameters(route), "odd"]
        for value in VALUES
    ]
    tried = [(each, client) for each in addresses for client in clients][::one_in]
    assert [each for each, client in tried if requested(client, each) >= 500] == []


@pytest.mark.parametrize("role", ["player", "administrator"])
def test_numbers_in_api_paths_cause_no_server_error(world: World, role: str) -> None:
    client, broken = world.client(role), []
    for route, one in routes("api/v1/"):
        for name, number in product(re.findall(r"<int:(\w+)>", route), PAST_EVERY_COLUMN):
            world.ids["large"] = number
            address = world.address(route, **{name: "large"})
            for method in METHODS:
                if hasattr(one.callback.view_class, method):  # type: ignore[attr-defined]
                    answer = undone(client, method, address, None if method == "get" else {})
                    broken += [f"{method} {address}"] * (answer.status_code >= 500)
    assert broken == []


def in_the_office(world: World) -> Iterator[str]:
    for route, _ in routes("admin/"):
        if "(?P" in route or "logout" in route:
            continue
        if "object_id" in route:
            yield from ("/" + route.replace("<path:object_id>", odd) for odd in ODD_IDS)
        elif "<" not in route:
            yield from (f"/{route}?{query}" for query in ADMIN_QUERIES)
        elif "<int:" in route:
            things = {**world.ids, "pk": world.ids["tournament_id"], "player": world.ids["player_id"]}
            for number in PAST_EVERY_COLUMN:
                numbers = dict.fromkeys(re.findall(r"<int:(\w+)>", route), number)
                yield address(route, {**things, **numbers})


@pytest.mark.parametrize("one_in", SOME)
def test_staff_page_parameters_cause_no_server_error(world: World, one_in: int) -> None:
    browser = world.browser("administrator")
    tried = list(in_the_office(world))[::one_in]
    assert len(tried) > 20
    assert [each for each in tried if requested(browser, each) >= 500] == []


@pytest.mark.parametrize(
    "address", ["webhooks/delivery/?state__exact=%00", "usersessions/usersession/%00/change/"]
)
def test_nul_is_refused_before_database(world: World, address: str) -> None:
    assert requested(world.browser("administrator"), f"/admin/{address}") == 400


@pytest.mark.parametrize("ticked", ["\0", str(10**30), "x"])
def test_selected_list_rows_cause_no_server_error(world: World, ticked: str) -> None:
    browser, tried = world.browser("administrator"), []
    for model, shown in admin.site._registry.items():
        for name in shown.actions:
            route = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
            tried.append(
                requested(browser, route, {"action": name, "_selected_action": ticked, "confirmed": "yes"})
            )
    assert tried
    assert set(tried) == {400}
