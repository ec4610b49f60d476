"""Staff pages that are not the list of one table: their routes and permissions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe

VIEW_LEDGER = "ledger.view_ledger"

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
    listed: str = ""
    place: int = 0
    permission: str = VIEW_LEDGER
    section: str = MONEY


_pages: dict[str, Page] = {}


def page(
    name: str,
    route: str,
    *,
    listed: str = "",
    place: int = 0,
    permission: str = VIEW_LEDGER,
    section: str = MONEY,
) -> Callable[[View], View]:
    """Declare a view as the page `admin:<name>` at `/admin/<route>`. It only reads and requires the permission."""

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, **kwargs)

        _pages[name] = Page(name, route, require_safe(guarded), listed, place, permission, section)
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


_tables = [
    ListedTable("Payouts", "ledger_payout_changelist", 15, "ledger.view_payout"),
    ListedTable("Stake tables", "ledger_staketable_changelist", 25, "ledger.view_staketable"),
]


def list_table(table: ListedTable) -> None:
    """Add the list of another package's table to the navigation."""
    _tables.append(table)


def urls(site: admin.AdminSite) -> list[URLPattern]:
    return [path(one.route, site.admin_view(one.view), name=one.name) for one in _pages.values()]


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
