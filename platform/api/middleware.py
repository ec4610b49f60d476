from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django_otp.middleware import OTPMiddleware
from prometheus_client import Counter, Histogram

from api.handlers import PREFIX

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


class _Browsers:
    """Passed by where a token says who asks.

    Such a request then has neither session nor user but what its token gives it: a cookie beside the token counts for
    nothing. What a middleware does before a view (the check of CSRF tokens) stays in force for every request.
    """

    def __call__(self, request: HttpRequest) -> Any:
        if carries_token(request):
            return self.get_response(request)  # type: ignore[attr-defined]
        return super().__call__(request)  # type: ignore[misc]


class ContentPolicy(CSPMiddleware):
    """An API client gets the site's own policy, which is put together once: no view of the API asks for another."""

    def process_request(self, request: HttpRequest) -> None:
        if not carries_token(request):
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not carries_token(request):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _policy())
        return response


@cache
def _policy() -> str:
    return build_policy()


class Session(_Browsers, SessionMiddleware):
    pass


class Csrf(_Browsers, CsrfViewMiddleware):
    pass


class Authentication(_Browsers, AuthenticationMiddleware):
    pass


class OneTimeCode(_Browsers, OTPMiddleware):  # type: ignore[misc]  # has no types
    pass


class Messages(_Browsers, MessageMiddleware):
    pass
