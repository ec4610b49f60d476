"""The checks of an audit, which each package registers at start-up.

A package registers a function that imports its checks, so that only an audit imports them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from core.checks import Report

if TYPE_CHECKING:
    from eventstore.checkpoints.published import Published
    from eventstore.ranges import Range, Row
    from eventstore.store import Position


# --- parts -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scope:
    """The data that an audit of an installation covers.

    since, after  the checkpoint after which data is checked, and its position; None: everything
    ranges        all streams, or those with later events
    known         checkpoints stored outside the database
    stored_only   only that what is stored is unchanged, not that it is right, as for a restored backup
    """

    since: int | None
    after: Position | None
    ranges: Sequence[Range]
    known: Sequence[Published]
    stored_only: bool = False


class Work:
    """A piece of a part: the arguments of its check, and its approximate number of events."""

    __slots__ = ("arguments", "events")

    def __init__(self, *arguments: Any, events: int = 0) -> None:
        self.arguments = arguments
        self.events = events


def in_one_piece(scope: Scope) -> Iterable[Work]:
    return [Work()]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an audit, divided into pieces that can run in any order and in any process.

    Arguments are unpickled before Django is set up, so their modules import no models. `early`: its pieces take long
    and are run before those of other parts. `storage`: it checks that what is stored is unchanged.
    """

    name: str
    check: Callable[..., Report]
    pieces: Callable[[Scope], Iterable[Work]] = in_one_piece
    early: bool = False
    storage: bool = False


# --- streams -----------------------------------------------------------------------------------------


class Reading(Protocol):
    """The check of one stream, which takes its events in order."""

    def take(self, row: Row) -> None: ...

    def check(self, report: Report, head_fault: str | None) -> None: ...


class StreamRecords:
    """The records of one kind of stream in a range. A package derives from it to check the events as well."""

    def __init__(self, recorded: Container[UUID]) -> None:
        self.recorded = recorded
        """The streams that have a record."""

    def is_version_public(self, stream: UUID) -> bool:
        """Return whether the number of events may be shown. True for streams of other kinds."""
        return True

    def reading(self, stream: UUID) -> Reading | None:
        return None

    def check_missing(self, report: Report, seen: Container[UUID]) -> None:
        """Check the records whose streams were not seen."""


# --- registration ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of one package: what they verify, parts, and the loaders of the records of its streams by kind."""

    about: Mapping[str, Mapping[str, str]]
    """What each check verifies, by part of the report and name, in the order of the report."""
    parts: Sequence[Part]
    streams: Mapping[str, Callable[[Range], StreamRecords]] = field(default_factory=dict)


_loaders: list[Callable[[], Checks]] = []


def register(load: Callable[[], Checks]) -> None:
    _loaders.append(load)


def parts() -> dict[str, Part]:
    """Return all parts by name, in the order of the packages."""
    return {part.name: part for load in _loaders for part in load().parts}


def catalogue() -> dict[str, dict[str, str]]:
    """Return what each check verifies, by part and name, in the order of a report."""
    found: dict[str, dict[str, str]] = {}
    for load in _loaders:
        for part, checks in load().about.items():
            found.setdefault(part, {}).update(checks)
    return found


def stream_kinds() -> dict[str, Callable[[Range], StreamRecords]]:
    """Return the loaders of records by the kind of stream."""
    return {kind: records for load in _loaders for kind, records in load().streams.items()}
