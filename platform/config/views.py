"""The web client's page: one document of the build, for every address of the client."""

from __future__ import annotations

import json
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls.converters import get_converters
from django.urls.resolvers import RoutePattern
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie

from config.sharing import meta_tags
from core.errors import NotFound
from games.rules.registry import manifests
from rest.problems import json_problem

ROUTES = "routes.json"
"""The patterns of the client's addresses, such as `/games/:id`, written by its build (`frontend/src/routes.ts`)."""

PARAMETERS = {":id": "uuid", ":version": "int", ":rules": "slug"}
"""Django's converter for each parameter of a pattern."""


class ClientRoutes(RoutePattern):
    """Match the addresses of the client's pages. A trailing slash makes no difference, as in the client."""

    def __init__(self) -> None:
        super().__init__("", name="client", is_endpoint=True)

    def match(self, path: str) -> tuple[str, tuple[()], dict[str, Any]] | None:
        try:
            listed = Path(settings.RACECARD_CLIENT, ROUTES).read_text(encoding="utf-8")
        except FileNotFoundError:
            listed = '["/"]'
        return ("", (), {}) if _addresses(listed).fullmatch(f"/{path}") else None


@cache
def _addresses(listed: str) -> re.Pattern[str]:
    """The addresses that fit one of the listed patterns."""
    converters = get_converters()

    def segment(part: str) -> str:
        return converters[PARAMETERS[part]].regex if part.startswith(":") else re.escape(part)

    patterns = ("/".join(map(segment, pattern.rstrip("/").split("/"))) for pattern in json.loads(listed))
    return re.compile(f"(?:{'|'.join(patterns)})/?")


@require_safe
@vary_on_cookie
@never_cache
@ensure_csrf_cookie
def client(request: HttpRequest) -> HttpResponse:
    """The document of the web client, or a plain page with alternatives if it is not built."""
    return _document(request, HTTPStatus.OK)


@require_safe
@never_cache
def offline_worker(request: HttpRequest) -> HttpResponseBase:
    """The service worker of the installed app. A worker is in charge of the addresses below its own."""
    try:
        worker = Path(settings.RACECARD_CLIENT, "offline-worker.js").read_bytes()
    except FileNotFoundError:
        raise Http404 from None
    return HttpResponse(worker, content_type="text/javascript")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """A problem document under `/api/`, the client's page elsewhere."""
    if request.path.startswith("/api/"):
        return json_problem(NotFound())
    return _document(request, HTTPStatus.NOT_FOUND)


def _games() -> str:
    """The name of every game and the seats of its largest table, as JSON."""
    games = [
        {"slug": about.slug, "name": about.newest.name, "players": max(about.newest.seats)}
        for about in manifests().values()
    ]
    return json.dumps(games)


def _session(request: HttpRequest) -> str:
    user = getattr(request, "user", None)  # a page for a frame has no session
    if user is None or not user.is_authenticated:
        return ""
    return "guest" if user.is_guest else "open"


def _document(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    try:
        page = Path(settings.RACECARD_CLIENT, "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return render(request, "racecard/unbuilt.html", {"found": status == HTTPStatus.OK}, status=status)
    facts = {
        "currency": settings.RACECARD_CURRENCY,
        "email": "required" if settings.REQUIRE_EMAIL else "optional" if settings.EMAIL_URL else "",
        "games": _games(),
        # Readers without a session need no request that asks for it.
        "session": _session(request),
        "guests": "open" if settings.RACECARD_GUESTS else "",
    }
    for name, value in facts.items():
        page = page.replace(f'data-{name}=""', f'data-{name}="{escape(value)}"', 1)
    if status == HTTPStatus.OK:
        page = page.replace("</head>", f"{meta_tags(request)}</head>", 1)
    return HttpResponse(page, status=status)
