"""When a client says that it sent a request, by its own clock: the header `Client-Time`, a moment as RFC 3339 has it.

Nothing is decided by it. It stands beside what the request did, for who has to find out later what happened when.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from api.errors import Problem
from api.lean import Asked

HEADER = "Client-Time"
_KEY = "HTTP_CLIENT_TIME"
_FORM = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


class MalformedClientTime(Problem):
    status = 400
    code = "malformed-client-time"
    title = "Client-Time is a moment as in RFC 3339: 2026-03-01T12:00:00.250Z"


def client_time(request: Asked) -> str | None:
    """In UTC, to the microsecond: `2026-03-01T12:00:00.250000Z`; None where the client says nothing.

    Raises MalformedClientTime.
    """
    text = request.META.get(_KEY)
    if text is None:
        return None
    if not _FORM.fullmatch(text):
        raise MalformedClientTime
    try:
        moment = datetime.fromisoformat(_shortened(text.upper())).astimezone(UTC)
    except (ValueError, OverflowError):  # no such day or hour, or none that can be said in UTC
        raise MalformedClientTime from None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _shortened(text: str) -> str:
    """Without what lies beyond the microsecond."""
    found = re.search(r"\.\d{7,9}", text)
    return text if found is None else text.replace(found[0], found[0][:7])
