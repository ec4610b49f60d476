"""Ranges of stream ids, each with a similar number of events, and the stored rows of a range.

Rows are read with plain SQL and in pages, exactly as the database holds them.
"""

# ruff: noqa: S608 (the statements interpolate names of our own tables and columns only)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Q

from core.sql import among, as_uuid, stored
from eventstore.store import Position, position_is, position_values

EVENTS = 20_000
"""The approximate number of events in a range. A longer stream has its own range."""

IDS_PER_RANGE = 500
"""The maximum number of ids that a range lists."""

IDS_PER_PAGE = 5_000

LOWEST = UUID(int=0)
HIGHEST = UUID(int=2**128 - 1)


class Range(NamedTuple):
    """All ids from `first` to `last`, inclusive; only `ids`, if any are listed."""

    first: UUID
    last: UUID
    events: int
    """The number of events when the audit was planned."""
    ids: tuple[UUID, ...] = ()

    def where(self, column: str) -> tuple[str, list[Any]]:
        """Return a SQL condition on a column, and its parameters."""
        if self.ids:
            return among(column, [stored(id) for id in self.ids])
        return f"{column} BETWEEN %s AND %s", [stored(self.first), stored(self.last)]

    def q(self, field: str) -> Q:
        if self.ids:
            return Q(**{f"{field}__in": self.ids})
        return Q(**{f"{field}__gte": self.first, f"{field}__lte": self.last})


def halves(range: Range) -> tuple[Range, Range] | None:
    """Return both halves of a range; None if it has only one id."""
    if len(range.ids) > 1:
        middle = len(range.ids) // 2
        return _named(list(range.ids[:middle]), 0), _named(list(range.ids[middle:]), 0)
    if range.ids or range.first == range.last:
        return None
    at = (range.first.int + range.last.int) // 2
    return Range(range.first, UUID(int=at), 0), Range(UUID(int=at + 1), range.last, 0)


def of_all_streams() -> Iterator[Range]:
    """Yield ranges that cover all possible ids, including those without a stream."""
    first, events = LOWEST, 0
    for stream, version in _streams():
        if events and events + version > EVENTS:
            yield Range(first, UUID(int=stream.int - 1), events)
            first, events = stream, 0
        events += version
    yield Range(first, HIGHEST, events)


def of_changed_streams(since: Position) -> Iterator[Range]:
    """Yield ranges of the streams that have events after a position."""
    ids: list[UUID] = []
    events = 0
    for stream, version in _changed(since):
        if ids and (events + version > EVENTS or len(ids) == IDS_PER_RANGE):
            yield _named(ids, events)
            ids, events = [], 0
        ids.append(stream)
        events += version
    if ids:
        yield _named(ids, events)


def of_streams(streams: Iterable[UUID]) -> Iterator[Range]:
    """Yield ranges of the given streams."""
    ids = sorted(streams)
    for start in range(0, len(ids), IDS_PER_RANGE):
        yield _named(ids[start : start + IDS_PER_RANGE], 0)


def of_stream(stream: UUID) -> Range:
    return Range(stream, stream, 0)


def of_named(streams: Sequence[UUID]) -> Range:
    """Return a range of the given streams, at most `IDS_PER_RANGE` of them."""
    return _named(sorted(streams), 0)


def _named(ids: list[UUID], events: int) -> Range:
    return Range(ids[0], ids[-1], events, tuple(ids))


def _streams() -> Iterator[tuple[UUID, int]]:
    yield from _paged("SELECT id, version FROM eventstore_stream WHERE id {} %s", [], "id")


def _changed(since: Position) -> Iterator[tuple[UUID, int]]:
    # Reads the events, because a stream whose row is missing can still have events.
    # The index of archived streams has their last events in each checkpoint.
    after = position_is(">")
    yield from _paged(
        "SELECT stream_id, max(version) FROM ("
        f"SELECT stream_id, version FROM eventstore_event WHERE {after} UNION ALL "
        f"SELECT stream_id, version FROM eventstore_archivedhead WHERE {after}) AS e "
        "WHERE stream_id {} %s GROUP BY stream_id",
        [*position_values(since), *position_values(since)],
        "stream_id",
    )


def _paged(select: str, parameters: Iterable[Any], id: str) -> Iterator[tuple[UUID, int]]:
    """Yield each id with its number of events, ordered by id."""
    after, comparison = stored(LOWEST), ">="
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                f"{select.format(comparison)} ORDER BY {id} LIMIT {IDS_PER_PAGE}",
                [*parameters, after],
            )
            page = cursor.fetchall()
        for stream, version in page:
            yield as_uuid(stream), max(0, version)
        if len(page) < IDS_PER_PAGE:
            return
        after, comparison = page[-1][0], ">"


# --- stored rows -----------------------------------------------------------------------------------------

EVENTS_PER_PAGE = 2_000

BELOW_ALL_VERSIONS = -(2**62)
"""A version below all versions, including invalid ones."""


class Row(NamedTuple):
    """A stored event; `data` and `private` are the stored bytes."""

    stream: Any
    version: int
    type: str
    seat: int | None
    data: bytes
    private: bytes | None
    seal: str | None
    at: str
    prev: str
    hash: str


class Head(NamedTuple):
    """The last event of a stream, as the row of the stream has it."""

    kind: str
    version: int
    hash: str
    at: str


def heads(range: Range) -> dict[UUID, Head]:
    """Return the heads of the streams of a range, by id."""
    where, parameters = range.where("id")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, kind, version, head_hash, head_at FROM eventstore_stream WHERE {where}", parameters
        )
        return {as_uuid(id): Head(*columns) for id, *columns in cursor.fetchall()}


def by_stream(range: Range) -> Iterator[tuple[UUID, Iterator[Row]]]:
    """Yield the streams of a range that have events, each with its events by version."""
    for stream, rows in groupby(_events(range), itemgetter(0)):
        yield as_uuid(stream), rows


def archived(range: Range) -> frozenset[UUID]:
    """Return the streams of a range whose events are in packs."""
    where, parameters = range.where("stream_id")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT stream_id FROM eventstore_archivedstream WHERE {where}", parameters)
        return frozenset(as_uuid(row[0]) for row in cursor.fetchall())


# Read as text, to avoid creating a UUID for every event.
_STREAM = {"postgresql": "e.stream_id::text", "sqlite": "e.stream_id"}


def _events(range: Range) -> Iterator[Row]:
    where, parameters = range.where("e.stream_id")
    select = (
        f"SELECT {_STREAM[connection.vendor]}, e.version, e.type, e.seat, e.data, e.private, e.seal, e.at, "
        "e.prev, e.hash "
        f"FROM eventstore_event e WHERE {where} AND (e.stream_id, e.version) > (%s, %s) "
        f"ORDER BY e.stream_id, e.version LIMIT {EVENTS_PER_PAGE}"
    )
    after: tuple[Any, int] = (stored(range.first), BELOW_ALL_VERSIONS)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(select, [*parameters, *after])
            page = cursor.fetchall()
        yield from map(Row._make, page)
        if len(page) < EVENTS_PER_PAGE:
            return
        after = page[-1][0], page[-1][1]
