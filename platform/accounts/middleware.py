from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase

from core.errors import NotFound, Problem
from rest.content import parse
from rest.problems import ACCOUNT_PREFIX, BodyTooLarge, UnsupportedMediaType, json_problem

FORM = f"{ACCOUNT_PREFIX}browser/v1/auth/provider/redirect"
"""The only address that takes a form, since it leads a browser to another site."""

CALLBACKS = "/accounts/"
"""The way back from a provider of OpenID Connect."""


class StrictAccountRequests:
    """Reads the JSON of a request to allauth as strictly as the API does, before allauth reads it.

    Its addresses of telephone numbers do not exist: this site has no means to send a message to one.

    allauth sees no user in the request of a guest, so that it lets the guest sign in or sign up, except where a session
    is ended. `AccountAdapter` makes the guest the player who signs up.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(ACCOUNT_PREFIX):
            try:
                _check(request)
            except Problem as problem:
                return json_problem(problem)
        is_for_allauth = (
            request.path_info.startswith((ACCOUNT_PREFIX, CALLBACKS)) and request.method != "DELETE"
        )
        if is_for_allauth and getattr(request.user, "is_guest", False):
            request.guest, request.user = request.user, AnonymousUser()  # type: ignore[attr-defined]
        return self.get_response(request)


def _check(request: HttpRequest) -> None:
    """Raises NotFound, BodyTooLarge, UnsupportedMediaType, MalformedJSON."""
    if "phone" in request.path_info.split("/"):
        raise NotFound
    if request.path_info == FORM or not request.body:
        return
    if request.content_type != "application/json":
        raise UnsupportedMediaType("Bodies are application/json.")
    if len(request.body) > settings.API_BODY_LIMIT:
        raise BodyTooLarge(f"At most {settings.API_BODY_LIMIT} bytes.")
    parse(request.body)
