"""Problem documents for what Django refuses before or beside a view of ours; plain pages elsewhere."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults
from django.views.csrf import csrf_failure as plain_csrf_failure

from api.errors import (
    CONTENT_TYPE,
    Forbidden,
    InvalidInput,
    Problem,
    ServerError,
    as_problem,
    headers,
    request_id,
)
from api.transient import Busy, StorageFull, Unavailable

PREFIX = "/api/"


class CsrfRefused(Forbidden):
    code = "csrf-refused"
    title = "A request with a session needs its CSRF token"


def problem_document(problem: Problem) -> HttpResponse:
    """The answer for a problem met outside of a REST view."""
    return JsonResponse(
        problem.document(), status=problem.status, content_type=CONTENT_TYPE, headers=headers(problem)
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if request.path.startswith(PREFIX):
        return problem_document(InvalidInput("The request is not one that this server takes."))
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if request.path.startswith(PREFIX):
        return problem_document(Forbidden())
    return defaults.permission_denied(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Django calls this while it handles the error."""
    error = sys.exc_info()[1]
    problem = as_problem(error) if isinstance(error, Exception) else None
    if not isinstance(problem, Busy | Unavailable | StorageFull):
        problem = None
    if request.path.startswith(PREFIX):
        return problem_document(problem or ServerError(request_id=request_id()))
    if problem is not None:
        return HttpResponse(
            f"{problem.title}.\n", status=problem.status, content_type="text/plain", headers=headers(problem)
        )
    return defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    if request.path.startswith(PREFIX):
        return problem_document(CsrfRefused())
    return plain_csrf_failure(request, reason=reason)
