"""Exceptions. A refusal of the server is a ProblemError with the stable code of its problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class RacecardError(Exception):
    """The base of all exceptions of this package."""


class ConnectionLost(RacecardError):
    """The server could not be reached, or did not answer, in any attempt.

    The command may have taken effect. Sent again with the same idempotency key, it takes effect at most once.
    """


class BundleInvalid(RacecardError):
    """A bundle does not verify, or contradicts a receipt."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class RulesNotInstalled(RacecardError):
    """The package `racecard`, which has the rules, is not installed in this environment."""


class ProblemError(RacecardError):
    """A refused request. Subclasses state the kind of refusal, and `code` the reason (docs/errors.md)."""

    def __init__(
        self, problem: Mapping[str, Any], retry_after: float | None = None, request_id: str | None = None
    ) -> None:
        self.problem = dict(problem)
        """The whole document, with the members that only some errors have."""
        self.status = int(problem.get("status", 0))
        self.code = str(problem.get("code", ""))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.retry_after = retry_after
        """Seconds to wait before the next attempt, if the server named them."""
        self.request_id = request_id
        """The id of the request in the server's log."""
        super().__init__(f"{self.status} {self.code}: {self.detail or self.title}")


class BadRequest(ProblemError):
    """The request is invalid (400, and other statuses from 400 on that have no class)."""


class NotAuthenticated(ProblemError):
    """A valid token is needed (401)."""


class Forbidden(ProblemError):
    """The account, or its token, may not do that (403)."""


class NotFound(ProblemError):
    """Nothing there that the caller may see (404)."""


class Conflict(ProblemError):
    """The request does not fit the present state (409)."""


class PreconditionFailed(ProblemError):
    """The game has a newer version than `version` of the move (412)."""


class TooManyRequests(ProblemError):
    """A limit is exceeded (429)."""


class ServerError(ProblemError):
    """A defect of the server (500, and other statuses from 500 on that have no class)."""


class Unavailable(ProblemError):
    """The server, or one that it depends on, does not respond (502, 503, 504)."""


_CLASSES: dict[int, type[ProblemError]] = {
    401: NotAuthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    429: TooManyRequests,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_of(
    problem: Mapping[str, Any], retry_after: float | None = None, request_id: str | None = None
) -> ProblemError:
    """Return the exception for a problem document."""
    status = int(problem.get("status", 0))
    kind = _CLASSES.get(status, ServerError if status >= 500 else BadRequest)
    return kind(problem, retry_after, request_id)


def error_from(response: httpx.Response) -> ProblemError:
    """Return the exception for a refusal whose body has been read. One of a proxy has no problem document."""
    try:
        document = response.json()
    except ValueError:
        document = None
    if not isinstance(document, dict) or "code" not in document:
        document = {"title": response.reason_phrase, "detail": response.text[:500]}
    request_id = response.headers.get("X-Request-ID")
    return error_of({**document, "status": response.status_code}, retry_after(response), request_id)


def retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of Retry-After; None without the header, or if it names a date."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
