"""Errors as classes with a stable code, mapped to RFC 9457 `application/problem+json` in this one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from api.metrics import Counter

CONTENT_TYPE = "application/problem+json"
log = structlog.get_logger(__name__)
REFUSALS = Counter("racecard_refusals", "Problems told to callers of the API", ["code"])


class Problem(Exception):
    """What a caller did that cannot be done, and what would be right.

    Subclasses set `status` and `code`; `detail` is a sentence for people; `extra` are further members of the
    problem document (RFC 9457 section 3.2), JSON values only.
    """

    status: int = 400
    code: str = "bad-request"
    title: str = ""

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(detail or self.title or self.code)
        self.detail = detail or self.title
        self.extra = extra

    def document(self) -> dict[str, Any]:
        return {
            "type": f"/docs/errors/#{self.code}",
            "title": self.title or HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **self.extra,
        }


class InvalidInput(Problem):
    status = 400
    code = "invalid-input"
    title = "The request's fields are not of the expected form"


class MalformedJSON(Problem):
    status = 400
    code = "malformed-json"
    title = "The body is not one well-formed JSON value"


class NotAuthenticated(Problem):
    status = 401
    code = "not-authenticated"
    title = "A valid token or session is needed"


class Forbidden(Problem):
    status = 403
    code = "forbidden"
    title = "This account may not do that"


class NotFound(Problem):
    status = 404
    code = "not-found"
    title = "There is nothing here that this account may see"


class MethodNotAllowed(Problem):
    status = 405
    code = "method-not-allowed"
    title = "This address does not know that method"


class NotAcceptable(Problem):
    status = 406
    code = "not-acceptable"
    title = "Answers are application/json"


class Conflict(Problem):
    status = 409
    code = "conflict"
    title = "The request does not fit the present state"


class BodyTooLarge(Problem):
    status = 413
    code = "body-too-large"
    title = "The body is larger than any request needs"


class UnsupportedMediaType(Problem):
    status = 415
    code = "unsupported-media-type"
    title = "Bodies are application/json"


class TooManyRequests(Problem):
    status = 429
    code = "too-many-requests"
    title = "Too many requests; wait and try again"


class ServerError(Problem):
    """A defect of ours. The caller learns only the id under which the log tells the rest."""

    status = 500
    code = "server-error"
    title = "Something went wrong on the server; nothing was changed by halves"


def refusal_of(check: Callable[[], object]) -> Problem | None:
    """The problem by which a check refuses; None where it does not."""
    try:
        check()
    except Problem as refusal:
        return refusal
    return None


Mapper = Callable[[Any], Problem | None]
_mappers: dict[type[Exception], Mapper] = {}


def register_problem(error: type[Exception], mapper: Mapper) -> None:
    """Teach the API an exception of a layer that does not know the API (the pure rules, say).

    The mapper answers None for one that is a defect all the same.
    """
    _mappers[error] = mapper


def as_problem(error: Exception) -> Problem | None:
    """The problem that stands for an exception; None if it is a defect of ours (a 500)."""
    if isinstance(error, Problem):
        return error
    for known, mapper in _mappers.items():
        if isinstance(error, known) and (problem := mapper(error)):
            return problem
    if isinstance(error, exceptions.APIException):
        return _of_the_framework(error)
    if isinstance(error, PermissionDenied):
        return Forbidden(str(error))
    if isinstance(error, Http404):
        return NotFound()
    if isinstance(error, SuspiciousOperation):
        return InvalidInput("The request is not one that this server takes.")
    return None


def _of_the_framework(error: exceptions.APIException) -> Problem:
    match error:
        case exceptions.ValidationError():
            return InvalidInput(_first_sentence(error.detail), errors=_plain(error.detail))
        case exceptions.ParseError():
            return MalformedJSON(str(error.detail))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return NotAuthenticated(str(error.detail))
        case exceptions.PermissionDenied():
            return Forbidden(str(error.detail))
        case exceptions.NotFound():
            return NotFound()
        case exceptions.MethodNotAllowed():
            return MethodNotAllowed(str(error.detail))
        case exceptions.NotAcceptable():
            return NotAcceptable()
        case exceptions.UnsupportedMediaType():
            return UnsupportedMediaType(str(error.detail))
        case exceptions.Throttled():
            return TooManyRequests(retry_after=max(1, math.ceil(getattr(error, "wait", None) or 1)))
    problem = Problem(str(error.detail))
    problem.status = error.status_code
    return problem


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    return problem_response(told(error))


def told(error: Exception) -> Problem:
    """The problem that a caller is told; a defect of ours is logged."""
    problem = as_problem(error)
    if problem is None:
        log.error("request_failed", exc_info=error)
        problem = ServerError(request_id=request_id())
    REFUSALS.labels(problem.code).inc()
    return problem


def request_id() -> str | None:
    """The id under which the log speaks of the present request."""
    return structlog.contextvars.get_contextvars().get("request_id")


def problem_response(problem: Problem) -> Response:
    response = Response(problem.document(), status=problem.status, content_type=CONTENT_TYPE)
    for name, value in headers(problem).items():
        response[name] = value
    return response


def headers(problem: Problem) -> dict[str, str]:
    found = {}
    if problem.status == HTTPStatus.UNAUTHORIZED:
        found["WWW-Authenticate"] = "Bearer"
    if problem.status == HTTPStatus.REQUEST_TIMEOUT:
        found["Connection"] = "close"
    if "retry_after" in problem.extra:
        found["Retry-After"] = str(problem.extra["retry_after"])
    return found


def _plain(detail: Any) -> Any:
    if isinstance(detail, Mapping):
        return {str(key): _plain(value) for key, value in detail.items()}
    if isinstance(detail, list | tuple):
        return [_plain(item) for item in detail]
    return str(detail)


def _first_sentence(detail: Any, path: str = "") -> str:
    if isinstance(detail, Mapping):
        key, value = next(iter(detail.items()))
        return _first_sentence(value, path if key == "non_field_errors" else f"{path}.{key}".strip("."))
    if isinstance(detail, list | tuple):
        return _first_sentence(next((item for item in detail if item), ""), path)
    return f"{path}: {detail}" if path else str(detail)
