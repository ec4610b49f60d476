from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django_otp.middleware import OTPMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from api.handlers import PREFIX
from api.metrics import Counter, Histogram

REQUESTS = Counter("racecard_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram("racecard_request_seconds", "Time from request to answer", ["method", "route"])
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Common(CommonMiddleware):
    """Under /api/ an address without its slash is not found: a redirect would turn a POST into a GET."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path_info.startswith(PREFIX) and super().should_redirect_with_slash(request)


class Measure:
    """Counts and times what is answered, by the route's pattern and never by ids."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
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
    """Whether an API request is a client's own, which says with a token who asks, or a browser's."""
    sent: str = request.META.get("HTTP_AUTHORIZATION", "")
    return request.path_info.startswith(PREFIX) and sent[:6].lower() == "bearer"


class ContentPolicy(CSPMiddleware):
    """An API client gets the site's own policy, which is put together once: no view of the API asks for another."""

    def process_request(self, request: HttpRequest) -> None:
        if not carries_token(request):
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(PREFIX):
            # What somebody was told is left in no cache, for whoever uses the browser or the proxy next.
            response.headers.setdefault("Cache-Control", "no-store")
        if not carries_token(request):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _policy())
        return response


@cache
def _policy() -> str:
    return build_policy()


Handler = Callable[[HttpRequest], HttpResponseBase]

FOR_BROWSERS = (
    WhiteNoiseMiddleware,
    SessionMiddleware,
    CsrfViewMiddleware,
    AuthenticationMiddleware,
    OTPMiddleware,
    MessageMiddleware,
)


class Clients:
    """Leads a request that says with a token who asks past what only browsers need.

    It then has neither session nor user but what its token gives it: a cookie beside the token counts for nothing. What
    a middleware does before a view (the check of CSRF tokens) stays in force for every request.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self._short = _without_browsers(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._short(request) if carries_token(request) else self.get_response(request)


def _without_browsers(handler: Handler) -> Handler:
    """The chain of middlewares that `handler` begins, once more and shorter."""
    middleware: Any = getattr(handler, "__wrapped__", None)
    following: Handler | None = getattr(middleware, "get_response", None)
    if following is None:
        return handler
    following = _without_browsers(following)
    if isinstance(middleware, FOR_BROWSERS):
        return following
    shorter = copy(middleware)
    shorter.get_response = following
    safe: Handler = convert_exception_to_response(shorter)  # type: ignore[assignment]  # none of ours is a coroutine
    return safe
