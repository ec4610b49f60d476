"""Problem documents (RFC 9457): the one place where error classes get an HTTP status.

This includes requests that Django refuses before an API view: documents below `/api/`, plain pages elsewhere.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults
from django.views.csrf import csrf_failure as plain_csrf_failure
from rest_framework import exceptions
from rest_framework.response import Response

from core.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotAuthenticated,
    NotFound,
    PreconditionFailed,
    Problem,
    ServerError,
    TooManyRequests,
    Unavailable,
    registered_problem,
)
from core.metrics import Counter

CONTENT_TYPE = "application/problem+json"
PREFIX = "/api/"
ACCOUNT_PREFIX = "/_allauth/"
"""The addresses of signing in and of managing an account, which have the format of django-allauth."""

log = structlog.get_logger(__name__)
REFUSALS = Counter("racecard_refusals", "Problems returned to callers of the API", ["code"])


class MalformedJSON(InvalidInput):
    code = "malformed-json"
    title = "The body is not one well-formed JSON value"


class CsrfRefused(Forbidden):
    code = "csrf-refused"
    title = "A request with a session needs its CSRF token"


class MethodNotAllowed(Problem):
    code = "method-not-allowed"
    title = "This address does not know that method"


class NotAcceptable(Problem):
    code = "not-acceptable"
    title = "Answers are application/json"


class RequestTimeout(Problem):
    """The request did not arrive in time."""


class BodyTooLarge(Problem):
    code = "body-too-large"
    title = "The body is larger than any request needs"


class UnsupportedMediaType(Problem):
    code = "unsupported-media-type"
    title = "Bodies are application/json"


STATUSES: dict[type[Problem], int] = {
    InvalidInput: 400,
    NotAuthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    MethodNotAllowed: 405,
    NotAcceptable: 406,
    RequestTimeout: 408,
    Conflict: 409,
    PreconditionFailed: 412,
    BodyTooLarge: 413,
    UnsupportedMediaType: 415,
    TooManyRequests: 429,
    ServerError: 500,
    Unavailable: 503,
}


def status_of(problem: Problem | type[Problem]) -> int:
    """The HTTP status of an error, from the nearest of its classes that has one."""
    kind = problem if isinstance(problem, type) else type(problem)
    return next(STATUSES[each] for each in kind.__mro__ if each in STATUSES)


def problem_document(problem: Problem) -> dict[str, Any]:
    """The members of a problem document. Further members do not replace those that every document has."""
    status = status_of(problem)
    members = {
        "type": problem_type(problem.code),
        "title": problem.title or HTTPStatus(status).phrase,
        "status": status,
        "code": problem.code,
        "detail": problem.detail,
    }
    return {**members, **problem.extra, **members}


def problem_type(code: str) -> str:
    """The `type` of problems with this code: the address of a page about them (`rest.problem_pages`)."""
    return f"/docs/errors/{code}/"


def as_problem(error: Exception) -> Problem | None:
    """The problem for an exception; None if it is a defect (a 500)."""
    if problem := registered_problem(error):
        return problem
    if isinstance(error, exceptions.APIException):
        return _from_framework(error)
    if isinstance(error, PermissionDenied):
        return Forbidden(str(error))
    if isinstance(error, Http404):
        return NotFound()
    if isinstance(error, SuspiciousOperation):
        return InvalidInput("The request is not one that this server takes.")
    return None


def _from_framework(error: exceptions.APIException) -> Problem | None:
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
    return None


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    return problem_response(report(error))


def report(error: Exception) -> Problem:
    """Count and return the problem of an error; log a defect."""
    problem = as_problem(error)
    if problem is None:
        log.error("request_failed", exc_info=error)
        problem = ServerError(request_id=request_id())
    REFUSALS.labels(problem.code).inc()
    return problem


REQUEST_ID = "X-Request-ID"
"""The response header with the id of the request in the log."""


def request_id() -> str | None:
    """The id of the current request in the log."""
    return structlog.contextvars.get_contextvars().get("request_id")


def problem_response(problem: Problem) -> Response:
    response = Response(problem_document(problem), status=status_of(problem), content_type=CONTENT_TYPE)
    for name, value in headers(problem).items():
        response[name] = value
    return response


def headers(problem: Problem) -> dict[str, str]:
    found = {}
    status = status_of(problem)
    if status == HTTPStatus.UNAUTHORIZED:
        found["WWW-Authenticate"] = "Bearer"
    if status == HTTPStatus.REQUEST_TIMEOUT:
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


# --- refused before a view --------------------------------------------------------------------------------


def json_problem(problem: Problem) -> HttpResponse:
    """The response for a problem outside a view of REST framework."""
    return JsonResponse(
        problem_document(problem),
        status=status_of(problem),
        content_type=CONTENT_TYPE,
        headers=headers(problem),
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if request.path.startswith(PREFIX):
        return json_problem(InvalidInput("The request is not one that this server takes."))
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if request.path.startswith(PREFIX):
        return json_problem(Forbidden())
    return defaults.permission_denied(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Called by Django while it handles the error."""
    error = sys.exc_info()[1]
    problem = as_problem(error) if isinstance(error, Exception) else None
    if not isinstance(problem, Unavailable):
        problem = None
    if request.path.startswith((PREFIX, ACCOUNT_PREFIX)):
        return json_problem(problem or ServerError(request_id=request_id()))
    if problem is not None:
        return HttpResponse(
            f"{problem.title}.\n",
            status=status_of(problem),
            content_type="text/plain",
            headers=headers(problem),
        )
    return defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    if request.path.startswith((PREFIX, ACCOUNT_PREFIX)):
        return json_problem(CsrfRefused())
    return plain_csrf_failure(request, reason=reason)
