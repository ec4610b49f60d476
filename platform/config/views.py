"""The web client's page: one document of the build, for every address of the client."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie

from core.errors import NotFound
from rest.problems import json_problem

CURRENCY_MARK = 'data-currency=""'
SESSION_MARK = 'data-session=""'
"""An attribute of the root element, set for readers with a session, so that others need no request for it."""


@require_safe
@vary_on_cookie
@never_cache
@ensure_csrf_cookie
def client(request: HttpRequest, **route: str) -> HttpResponse:
    """The document of the web client, or a plain page with alternatives if it is not built."""
    return _document(request, HTTPStatus.OK)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """A problem document under `/api/`, the client's page elsewhere."""
    if request.path.startswith("/api/"):
        return json_problem(NotFound())
    return _document(request, HTTPStatus.NOT_FOUND)


def _document(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    try:
        page = Path(settings.RACECARD_CLIENT, "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return render(request, "racecard/unbuilt.html", {"found": status == HTTPStatus.OK}, status=status)
    page = page.replace(CURRENCY_MARK, f'data-currency="{escape(settings.RACECARD_CURRENCY)}"', 1)
    if request.user.is_authenticated:
        page = page.replace(SESSION_MARK, 'data-session="open"', 1)
    return HttpResponse(page, status=status)
