"""The fast path: a shorter way to the handler of a view that is requested very often, such as a move or a bet.

REST framework negotiates media types, renderers, and authenticators for every request. That costs as much as the move
itself. A request in the common form, with a token, a JSON body, and an `Accept` header that allows JSON, has nothing
to negotiate. `FastPathView` passes such a request to the same handler, permissions, and throttles; every other request
takes the general way. The response is the same byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Protocol

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.response import Response
from rest_framework.utils.mediatypes import media_type_matches
from rest_framework.views import APIView

from core.commands import Claim
from rest.content import parse
from rest.middleware import carries_token
from rest.problems import CONTENT_TYPE, headers, problem_document, report, status_of


class ApiRequest(Protocol):
    """The attributes of a request that handlers of a `FastPathView` may use. REST framework's request has them too."""

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
    """A request in the common form. Its body is parsed on first use."""

    def __init__(self, request: HttpRequest, user: Any, auth: Any) -> None:
        self._request = request
        self.META, self.method, self.path = request.META, request.method, request.path
        self.user, self.auth = user, auth

    @cached_property
    def data(self) -> Any:
        return parse(self._request.body)

    def name_its_user(self) -> None:
        """Set the user for the log, once it is authenticated."""
        self._request.user = self.user


def is_plain(request: HttpRequest) -> bool:
    """Whether a request is a POST with a token, a JSON body of known length, and an `Accept` that allows JSON."""
    headers = request.META
    return (
        request.method == "POST"
        and headers.get("CONTENT_TYPE") == "application/json"
        and accepts_json(headers.get("HTTP_ACCEPT", "*/*"))
        and not headers.get("QUERY_STRING")
        and _is_length(headers.get("CONTENT_LENGTH", ""))
        and carries_token(request)
    )


@lru_cache(maxsize=64)
def accepts_json(accept: str) -> bool:
    """Whether REST framework responds to this `Accept` header with JSON. False for an unusually long header."""
    # REST framework reads at most 64 media types.
    return len(accept) <= 128 and any(
        media_type_matches("application/json", token.strip()) for token in accept.split(",") if token.strip()
    )


def _is_length(text: str) -> bool:
    """Whether a Content-Length is a positive number within the limit."""
    # A server accepts any number of leading zeros, more than Python converts.
    return text.isdecimal() and len(text) < 10 and 0 < int(text) <= settings.API_BODY_LIMIT


# Without a docstring, which would become the description of every operation of a derived view.
class FastPathView(APIView):
    # Handlers take an `ApiRequest` and return a `json_response`, or a response of REST framework.

    acts_on_claims = False
    """Whether `post` changes nothing unless the claim in `request.auth`, if any, is valid at that moment. `idempotent`
    handlers are so."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_plain(request):
            return super().dispatch(request, *args, **kwargs)
        try:
            who = self._who(request)
            if who is None:
                return super().dispatch(request, *args, **kwargs)
            response = self._answer(PlainRequest(request, *who), *args, **kwargs)
        except Exception as error:  # any exception gets the response that REST framework's handler would give
            problem = report(error)
            response = json_response(
                problem_document(problem), status_of(problem), headers(problem), CONTENT_TYPE
            )
        response.headers["Allow"] = ", ".join(self.allowed_methods)
        return response

    def _who(self, request: HttpRequest) -> tuple[Any, Any] | None:
        """The player and the token or claim, from the first authenticator of the view."""
        authenticator: Any = self.authentication_classes[0]()
        who: tuple[Any, Any] | None = authenticator.remembered(request) if self.acts_on_claims else None
        return who or authenticator.authenticate(request)

    def _answer(self, plain: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            self.check_permissions(plain)
            self.check_throttles(plain)
            answer: HttpResponse = self.post(plain, *args, **kwargs)  # type: ignore[attr-defined]
            return _rendered(answer) if isinstance(answer, Response) else answer
        finally:
            # A caller whose claim is not valid gets no other response, not even a refusal.
            if isinstance(plain.auth, Claim):
                plain.auth.prove()
            plain.name_its_user()


def _rendered(answer: Response) -> HttpResponse:
    kept = {name: value for name, value in answer.headers.items() if name != "Content-Type"}
    return json_response(answer.data, answer.status_code, kept)


def json_response(
    body: Any, status: int, headers: Mapping[str, str], content_type: str = "application/json"
) -> HttpResponse:
    return HttpResponse(orjson.dumps(body, default=str), content_type, status, headers=headers)
