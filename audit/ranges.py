"""The streams cut into ranges of their ids, each about as much work as the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Q

from eventstore.store import Position
from ledger.rows import among, stored

EVENTS = 20_000
"""Events of a range, about; a longer stream is one by itself."""

MOST_IDS = 500
"""Ids that a range names."""

PAGE = 5_000

LOWEST = UUID(int=0)
HIGHEST = UUID(int=2**128 - 1)


class Range(NamedTuple):
    """All ids from `first` to `last`, both with them; where `ids` are named, only those."""

    first: UUID
    last: UUID
    events: int
    """So many stood there when the work was laid out."""
    ids: tuple[UUID, ...] = ()

    def where(self, column: str) -> tuple[str, list[Any]]:
        """A condition and its parameters."""
        if self.ids:
            return among(column, [stored(id) for id in self.ids])
        return f"{column} BETWEEN %s AND %s", [stored(self.first), stored(self.last)]

    def q(self, field: str) -> Q:
        if self.ids:
            return Q(**{f"{field}__in": self.ids})
        return Q(**{f"{field}__gte": self.first, f"{field}__lte": self.last})


def halves(range: Range) -> tuple[Range, Range] | None:
    """Both halves of a range; None where it is of one id."""
    if len(range.ids) > 1:
        middle = len(range.ids) // 2
        return _named(list(range.ids[:middle]), 0), _named(list(range.ids[middle:]), 0)
    if range.ids or range.first == range.last:
        return None
    at = (range.first.int + range.last.int) // 2
    return Range(range.first, UUID(int=at), 0), Range(UUID(int=at + 1), range.last, 0)


def of_all() -> Iterator[Range]:
    """Ranges that leave no id out, whether there is a stream of it or not."""
    first, events = LOWEST, 0
    for stream, version in _streams():
        if events and events + version > EVENTS:
            yield Range(first, UUID(int=stream.int - 1), events)
            first, events = stream, 0
        events += version
    yield Range(first, HIGHEST, events)


def of_moved(since: Position) -> Iterator[Range]:
    """Ranges of the streams that have moved behind a position."""
    ids: list[UUID] = []
    events = 0
    for stream, version in _moved(since):
        if ids and (events + version > EVENTS or len(ids) == MOST_IDS):
            yield _named(ids, events)
            ids, events = [], 0
        ids.append(stream)
        events += version
    if ids:
        yield _named(ids, events)


def of_these(streams: Iterable[UUID]) -> Iterator[Range]:
    """Ranges of named streams."""
    ids = sorted(streams)
    for start in range(0, len(ids), MOST_IDS):
        yield _named(ids[start : start + MOST_IDS], 0)


def of_one(stream: UUID) -> Range:
    return Range(stream, stream, 0)


def _named(ids: list[UUID], events: int) -> Range:
    return Range(ids[0], ids[-1], events, tuple(ids))


def _streams() -> Iterator[tuple[UUID, int]]:
    yield from _paged("SELECT id, version FROM eventstore_stream WHERE id {} %s", [], "id")


def _moved(since: Position) -> Iterator[tuple[UUID, int]]:
    # A stream that has no row of its own has events all the same.
    yield from _paged(
        "SELECT stream_id, max(version) FROM eventstore_event "
        "WHERE (epoch, xact, position) > (%s, %s, %s) AND stream_id {} %s GROUP BY stream_id",
        list(since),
        "stream_id",
    )


def _paged(select: str, parameters: Iterable[Any], id: str) -> Iterator[tuple[UUID, int]]:
    """Each id with its number of events, by id."""
    after, comparison = stored(LOWEST), ">="
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                f"{select.format(comparison)} ORDER BY {id} LIMIT {PAGE}",
                [*parameters, after],
            )
            page = cursor.fetchall()
        for stream, version in page:
            yield stream if isinstance(stream, UUID) else UUID(stream), max(0, version)
        if len(page) < PAGE:
            return
        after, comparison = page[-1][0], ">"
