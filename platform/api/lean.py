"""The short way to a view that is asked very often.

REST framework weighs at every request what could be said in many ways: media types, renderers, authenticators. A
client that says it in the plainest way (its token, a JSON body, any answer taken or JSON) leaves nothing to be weighed.
`LeanView` brings such a request to the very same handler, permissions and throttles; every other request goes the
general way. What is answered is the same byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.views import APIView

from api.claims import Claim
from api.errors import CONTENT_TYPE, headers, told
from api.middleware import carries_token
from api.parsers import parse


class Asked(Protocol):
    """What handlers of a `LeanView` may ask of a request; REST framework's has it too."""

    @property
    def META(self) -> Mapping[str, Any]: ...  # noqa: N802 - Django's name
    @property
    def method(self) -> str | None: ...
    @property
    def path(self) -> str: ...
    @property
    def user(self) -> Any: ...
    @property
    def auth(self) -> Any: ...
    @property
    def data(self) -> Any: ...


class PlainRequest:
    """A client's request of which only the body is still to be read."""

    def __init__(self, request: HttpRequest, user: Any, auth: Any) -> None:
        self._request = request
        self.META, self.method, self.path = request.META, request.method, request.path
        self.user, self.auth = user, auth

    @cached_property
    def data(self) -> Any:
        return parse(self._request.body)

    def name_its_user(self) -> None:
        """For the log, once it is certain who asks."""
        self._request.user = self.user


def is_plain(request: HttpRequest) -> bool:
    """A POST that says with a token who asks, holds a JSON body of a length that is known, and takes JSON."""
    told = request.META
    return (
        request.method == "POST"
        and told.get("CONTENT_TYPE") == "application/json"
        and told.get("HTTP_ACCEPT", "*/*") in ("*/*", "application/json")
        and not told.get("QUERY_STRING")
        and _is_length(told.get("CONTENT_LENGTH", ""))
        and carries_token(request)
    )


def _is_length(text: str) -> bool:
    """Whether a Content-Length is that of a body at all, and of one that is not too large."""
    # A server lets through any number of leading zeros, more than Python converts.
    return text.isdecimal() and len(text) < 10 and 0 < int(text) <= settings.API_BODY_LIMIT


# Without a docstring, which would be told as that of every operation of a view that is made of it.
class LeanView(APIView):
    # Its handlers take what `Asked` names and answer with `json_response`.

    acts_on_claims = False
    """Whether `post` changes nothing unless the claim in `request.auth`, if there is one, holds at that moment."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_plain(request):
            return super().dispatch(request, *args, **kwargs)
        try:
            who = self._who(request)
            if who is None:
                return super().dispatch(request, *args, **kwargs)
            response = self._answer(PlainRequest(request, *who), *args, **kwargs)
        except Exception as error:  # whatever it is, it is told as REST framework's handler would tell it
            problem = told(error)
            response = json_response(problem.document(), problem.status, headers(problem), CONTENT_TYPE)
        response.headers["Allow"] = ", ".join(self.allowed_methods)
        return response

    def _who(self, request: HttpRequest) -> tuple[Any, Any] | None:
        """The player and the token or the claim, found by the first of the view's authenticators alone."""
        authenticator: Any = self.authentication_classes[0]()
        who: tuple[Any, Any] | None = authenticator.remembered(request) if self.acts_on_claims else None
        return who or authenticator.authenticate(request)

    def _answer(self, plain: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            self.check_permissions(plain)
            self.check_throttles(plain)
            answer: HttpResponse = self.post(plain, *args, **kwargs)  # type: ignore[attr-defined]
            return answer
        finally:
            # Nothing is told, not even a refusal, to one whose claim does not hold.
            if isinstance(plain.auth, Claim):
                plain.auth.prove()
            plain.name_its_user()


def json_response(
    body: Any, status: int, headers: Mapping[str, str], content_type: str = "application/json"
) -> HttpResponse:
    return HttpResponse(orjson.dumps(body, default=str), content_type, status, headers=headers)
