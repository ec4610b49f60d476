"""Deprecated operations: announced in the description, in the response, and with the date of their end.

The policy is in docs/api.md. A deprecated operation works unchanged until its sunset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import wraps
from typing import Any

from django.utils.http import http_date

SHORTEST = timedelta(days=183)
"""The shortest time between the deprecation of an operation and its end."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """`since` and `sunset` are days in UTC. `see` is the address of a page that says what to use instead."""

    since: date
    sunset: date
    see: str

    def __post_init__(self) -> None:
        if self.sunset - self.since < SHORTEST:
            raise ValueError(f"An operation works for at least {SHORTEST.days} days after its deprecation.")

    def headers(self) -> dict[str, str]:
        """The headers Deprecation (RFC 9745), Sunset (RFC 8594), and Link."""
        return {
            "Deprecation": f"@{_seconds(self.since)}",
            "Sunset": http_date(_seconds(self.sunset)),
            "Link": f'<{self.see}>; rel="deprecation"; type="text/html"',
        }

    def sentence(self) -> str:
        return f"Deprecated since {self.since}; it ends on {self.sunset}. See {self.see}."


def _seconds(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


def announced(deprecation: Deprecation, handler: Callable[..., Any]) -> Callable[..., Any]:
    """The handler of a deprecated operation, whose responses say so. Refusals that it raises do not."""
    headers = deprecation.headers()

    @wraps(handler)
    def announcing(*args: Any, **kwargs: Any) -> Any:
        response = handler(*args, **kwargs)
        for name, value in headers.items():
            response[name] = value
        return response

    return announcing
