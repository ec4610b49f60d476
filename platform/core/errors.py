"""Errors as classes with a stable code. They do not depend on HTTP; `rest.problems` maps them to RFC 9457."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from django.db.models import QuerySet

Row = TypeVar("Row")


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or nothing. The next lines of a database error contain the failing row, which
    may hold a secret.
    """
    return (str(error).splitlines() or [""])[0]


class Problem(Exception):
    """A refused request, with the fault and the correction.

    Subclasses set `code` and `title`, and derive from the class below that states the kind of refusal. `detail` is a
    sentence for people. `extra` are further members of the problem document (RFC 9457 section 3.2); they are JSON
    values.
    """

    code: str = "bad-request"
    title: str = ""

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(detail or self.title or self.code)
        self.detail = detail or self.title
        self.extra = extra


class InvalidInput(Problem):
    code = "invalid-input"
    title = "The request's fields are not of the expected form"


class NotAuthenticated(Problem):
    code = "not-authenticated"
    title = "A valid token or session is needed"


class Forbidden(Problem):
    code = "forbidden"
    title = "This account may not do that"


class NotFound(Problem):
    code = "not-found"
    title = "There is nothing here that this account may see"


class Conflict(Problem):
    code = "conflict"
    title = "The request does not fit the present state"


class KeyReused(Conflict):
    code = "idempotency-key-reused"
    title = "The Idempotency-Key was used before with another body"


class NoSuchVersion(NotFound):
    code = "no-such-version"
    title = "There is no event of that version"


class PreconditionFailed(Problem):
    """The state has changed since the request was prepared."""


class TooManyRequests(Problem):
    code = "too-many-requests"
    title = "Too many requests; wait and try again"


class ServerError(Problem):
    """A defect of the software. The response contains the id under which the log has the details."""

    code = "server-error"
    title = "An error occurred on the server; the request was rolled back"


class Unavailable(Problem):
    """A server that the request depends on does not respond."""

    code = "unavailable"
    title = "The database, or the server of the counters, does not answer; try again in a moment"


def refusal_of(check: Callable[[], object]) -> Problem | None:
    """The problem that a check raises, or None if it passes."""
    try:
        check()
    except Problem as refusal:
        return refusal
    return None


Mapper = Callable[[Any], Problem | None]
_mappers: dict[type[Exception], Mapper] = {}


def register_problem(error: type[Exception], mapper: Mapper) -> None:
    """Map exceptions of a layer without problems, such as the rules.

    The mapper returns None for an exception that is a defect.
    """
    _mappers[error] = mapper


def registered_problem(error: Exception) -> Problem | None:
    """The problem itself, or the problem that the exception maps to."""
    if isinstance(error, Problem):
        return error
    for known, mapper in _mappers.items():
        if isinstance(error, known) and (problem := mapper(error)):
            return problem
    return None


def first_or_raise(rows: QuerySet[Any, Row], missing: type[Problem]) -> Row:
    """Return the first row. Raises `missing` if there is none."""
    found = rows.first()
    if found is None:
        raise missing()
    return found
