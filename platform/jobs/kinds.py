"""The kinds of job of this installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """Returned by a job that is not complete: it is due again, with all its attempts."""

    due: datetime


Work = Callable[..., Any]
Prepare = Callable[..., Any]
OnFailed = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    work: Work
    max_attempts: int
    lease: timedelta
    prepare: Prepare | None = None
    on_failed: OnFailed | None = None
    every: timedelta | None = None
    at_once: int | None = None
    """How many jobs of this kind are handed out at a time; None: no limit."""
    together: int = 1
    """How many jobs of this kind one worker may carry out in one transaction."""
    shares: int = 8
    """Into how many parts the due ones are divided at least, so that all workers have some."""

    @property
    def recurring_key(self) -> str:
        return f"every:{self.name}"

    def retry_after(self, attempts: int) -> timedelta:
        """1 s, 2 s, 4 s … at most 5 minutes."""
        return timedelta(seconds=min(2 ** max(attempts - 1, 0), 300))


class UnknownKind(LookupError):
    """A defect: the name of a kind that no `tasks` module declares."""


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    known = _kinds.get(kind.name)
    if known is not None and known.work.__qualname__ != kind.work.__qualname__:
        raise ValueError(f"job kind {kind.name!r} is declared twice")
    _kinds[kind.name] = kind


def get(name: str) -> Kind:
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownKind(
            f"no job kind {name!r} is declared; known are {', '.join(sorted(_kinds))}"
        ) from None


def limited() -> Iterator[tuple[str, int]]:
    """The kinds with a limit on how many jobs are handed out at a time."""
    return ((kind.name, kind.at_once) for kind in list(_kinds.values()) if kind.at_once is not None)


def recurring() -> Iterator[Kind]:
    return (kind for kind in list(_kinds.values()) if kind.every is not None)
