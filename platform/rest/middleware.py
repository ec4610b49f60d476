from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.urls import resolve
from django.utils.module_loading import import_string

from core.metrics import Counter, Histogram
from rest.framing import FRAMED
from rest.problems import PREFIX

Handler = Callable[[HttpRequest], HttpResponseBase]

REQUESTS = Counter("racecard_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram("racecard_request_seconds", "Time from request to answer", ["method", "route"])
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Common(CommonMiddleware):
    """Refuse an address under /api/ without its slash: a redirect would turn a POST into a GET."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path_info.startswith(PREFIX) and super().should_redirect_with_slash(request)


class Measure:
    """Count and time responses by the pattern of the route, never by ids."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        response = self.get_response(request)
        method = request.method if request.method in _METHODS else "other"
        route = request.resolver_match.route if request.resolver_match else "none"
        SECONDS.labels(method, route).observe(time.perf_counter() - begun)
        REQUESTS.labels(method, route, response.status_code).inc()
        return response


def carries_token(request: HttpRequest) -> bool:
    """Whether an API request authenticates with a token, unlike a browser's."""
    sent: str = request.META.get("HTTP_AUTHORIZATION", "")
    return request.path_info.startswith(PREFIX) and sent[:6].lower() == "bearer"


class ContentPolicy(CSPMiddleware):
    """No cache stores a response of the API, so the next user of the browser or proxy cannot see it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(PREFIX):
            response.headers.setdefault("Cache-Control", "no-store")
        return super().process_response(request, response)


class ApiContentPolicy:
    """The headers of `ContentPolicy` in `API_MIDDLEWARE`. Only pages for frames have a policy other than the site's."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self._policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault(HEADER, self._policy)
        return response


class ApiHandler:
    """Runs a request with a token, or for a page in a frame of another site, through `API_MIDDLEWARE`, and any other
    through the rest of `MIDDLEWARE`.

    Such a request needs no session, CSRF token, message, or static file. It has at most the user of its token;
    cookies are ignored. Django calls the `process_view` of `MIDDLEWARE` alone, so this class calls that of
    `API_MIDDLEWARE`. No other hook is supported.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self._view_hooks: list[Callable[..., HttpResponseBase | None]] = []
        handler = _safe(self._call_view)
        for path in reversed(settings.API_MIDDLEWARE):
            middleware = import_string(path)(handler)
            if hasattr(middleware, "process_view"):
                self._view_hooks.insert(0, middleware.process_view)
            handler = _safe(middleware)
        self._api = handler

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_session = not carries_token(request) and not request.path_info.startswith(FRAMED)
        return self.get_response(request) if has_session else self._api(request)

    def _call_view(self, request: HttpRequest) -> HttpResponseBase:
        match = request.resolver_match = resolve(request.path_info)
        for hook in self._view_hooks:
            if early := hook(request, match.func, match.args, match.kwargs):
                return early
        response: Any = match.func(request, *match.args, **match.kwargs)
        rendered: HttpResponseBase = response.render() if hasattr(response, "render") else response
        return rendered


def _safe(handler: Handler) -> Handler:
    """The handler, with exceptions converted to responses as between the middlewares of Django's handler."""
    safe: Handler = convert_exception_to_response(handler)  # type: ignore[assignment]  # none of ours is a coroutine
    return safe
