"""All pages outside the API: the staff pages, taken from their URL configuration, and public pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db.models import BooleanField

from tests.security.world import address, routes

OF_A_MODEL = re.compile(r"admin/(\w+)/(\w+)/(?:<path:object_id>/change/)?")
NOT_PAGES = (
    "admin/logout/",
    "admin/jsi18n/",
    "admin/login/",
    "readyz",  # looks again after a while
    "metrics",  # of the process: `test_logs_and_metrics.py`
)
OF_GAMES = re.compile(r"/admin/((disputes|games|jobs|audit)/(?!.*\?)|games/gamerecord/\?(o=\d|\w+__)|$)")
"""The pages that show what follows from games in play; one list ordered and filtered in every way."""
SEARCHED = ("AS", "cafe", "won")
"""Searches of a list for a card, a game, or an outcome."""
ROWS = 3
"""Of each model, how many are opened."""


def pages(ids: Mapping[str, Any], tournament: UUID, games: Sequence[UUID]) -> Iterator[str]:
    """Return the addresses of all pages, with parameters from `ids` and the database; game pages for each game."""
    known = {**ids, "tournament_id": tournament, **_NAMES}
    for route, _ in routes():
        known["pk"] = ids["dispute_id"] if "/disputes/" in route else tournament
        if route.startswith("api/") or route in NOT_PAGES or "(?P<" in route:
            continue
        if found := OF_A_MODEL.fullmatch(route):
            yield from _of_a_model(route, *found.groups())
        elif "<uuid:game_id>" in route or "gamerecord/<uuid:pk>" in route:
            for game in games:
                yield from _filled(route, {**known, "game_id": game, "pk": game})
        elif "<path:" not in route:
            yield from _filled(route, known)


_NAMES = {
    "code": "not-found",
    "token": "x",
    "remedy": "dismissed",
    "round": 1,
    "table": 1,
    "player": 1,
    "position": 1,
    "id": 1,
}


def _filled(route: str, known: Mapping[str, Any]) -> Iterator[str]:
    try:
        yield address(route, known)
    except KeyError as missing:
        raise AssertionError(
            f"{route}: no value for {missing}. Add one to _NAMES in tests/secrecy/staff.py, so that the page is "
            "looked at in worlds that differ in hidden cards."
        ) from None


def _of_a_model(route: str, app: str, name: str) -> Iterator[str]:
    lists = {(one._meta.app_label, one._meta.model_name): page for one, page in admin.site._registry.items()}
    if "<path" not in route:
        yield f"/{route}"
        for query in _queries(lists[app, name]) if (app, name) in lists else ():
            yield f"/{route}?{query}"
        return
    model = lists[app, name].model
    rows = model._default_manager.order_by("pk").values_list("pk", flat=True)
    wanted = [row for row in rows if _is_of_the_worlds(row)] or list(rows[:ROWS])
    for row in wanted:
        yield "/" + route.replace("<path:object_id>", str(row))


def _queries(page: Any) -> Iterator[str]:
    """Return queries that order the list by each column, filter it by each choice, and search it."""
    for number in range(len(page.list_display)):
        yield f"o={number + 1}"
        yield f"o=-{number + 1}"
    for declared in page.list_filter:
        if not isinstance(declared, str):
            continue
        field = get_fields_from_path(page.model, declared)[-1]
        if field.is_relation:
            continue
        choices = [1, 0] if isinstance(field, BooleanField) else [value for value, _ in field.choices or ()]
        yield from (f"{declared}__exact={value}" for value in choices)
    if page.search_fields:
        yield from (f"q={text}" for text in SEARCHED)


def _is_of_the_worlds(row: Any) -> bool:
    return isinstance(row, UUID) and str(row).startswith("00000000-0000-4000-8000-0000cafe")
