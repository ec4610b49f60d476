"""Staff pages that are not the list of one table: their routes and permissions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe

MONEY = "Money"
AUDIT = "Audit"
SECTIONS = (MONEY, AUDIT)
"""Sections of the navigation, in this order."""

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Page:
    """A page. `listed` is its name in the navigation, at `place` of `section`; empty: not listed."""

    name: str
    route: str
    view: View
    permission: str
    listed: str = ""
    place: int = 0
    section: str = MONEY


_pages: dict[str, Page] = {}


def page(
    name: str,
    route: str,
    *,
    permission: str,
    listed: str = "",
    place: int = 0,
    section: str = MONEY,
) -> Callable[[View], View]:
    """Declare a view as the page `admin:<name>` at `/admin/<route>`. It only reads and requires the permission."""

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, **kwargs)

        _pages[name] = Page(name, route, require_safe(guarded), permission, listed, place, section)
        return guarded

    return declare


@dataclass(frozen=True, slots=True)
class ListedTable:
    """The list of a table that the navigation shows in a section."""

    listed: str
    name: str
    place: int
    permission: str
    section: str = MONEY


_tables: list[ListedTable] = []


def list_table(table: ListedTable) -> None:
    """Add the list of a table to the navigation."""
    _tables.append(table)


def urls(site: admin.AdminSite) -> list[URLPattern]:
    return [path(one.route, site.admin_view(one.view), name=one.name) for one in _pages.values()]


def unlisted(apps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the admin's list of tables without those that the navigation shows in a section."""
    listed = {table.name for table in _tables}
    rest = [
        {**app, "models": [one for one in app["models"] if _list_name(one["model"]) not in listed]}
        for app in apps
    ]
    return [app for app in rest if app["models"]]


GROUPS = {
    "People": ("accounts", "account", "mfa", "socialaccount", "usersessions"),
    "Games and tournaments": ("games", "tournaments", "disputes", "audit"),
    "Ledger": ("ledger",),
}
"""Headings of the lists of tables, by app; those of other apps are under `OTHERS`."""
OTHERS = "System"


def grouped(apps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the admin's list of tables by `GROUPS`, each by name."""
    heading = {label: name for name, labels in GROUPS.items() for label in labels}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in (*GROUPS, OTHERS)}
    for app in apps:
        found[heading.get(app["app_label"], OTHERS)].extend(app["models"])
    return [
        {"name": name, "models": sorted(models, key=lambda one: str(one["name"]))}
        for name, models in found.items()
        if models
    ]


def _list_name(model: type[Model]) -> str:
    return f"{model._meta.app_label}_{model._meta.model_name}_changelist"


def navigation(site: admin.AdminSite, request: HttpRequest) -> list[dict[str, str]]:
    """Return the listed pages that the user may open."""
    known: list[Page | ListedTable] = [*_pages.values(), *_tables]
    return [
        {"title": one.listed, "url": reverse(f"{site.name}:{one.name}"), "section": one.section}
        for one in sorted(known, key=lambda one: (SECTIONS.index(one.section), one.place))
        if one.listed and request.user.has_perm(one.permission)
    ]


def render(request: HttpRequest, template: str, *, title: str, **context: Any) -> HttpResponse:
    """Render a page in the frame of the staff pages; `template` extends `staff/page.html`."""
    return TemplateResponse(
        request, template, {**admin.site.each_context(request), "title": title, **context}
    )
