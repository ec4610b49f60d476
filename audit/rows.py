"""The rows of a range of streams, read plainly and in pages, as the database holds them."""

# ruff: noqa: S608 (what is put into these statements are names of our own tables and columns)

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.ranges import Range
from ledger.rows import stored

PAGE = 2_000

BEFORE_ALL = -(2**62)
"""A version below every one, those included that no stream can have."""


class Row(NamedTuple):
    """An event; `data` and `private` are the bytes that are stored."""

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
    kind: str
    version: int
    hash: str
    at: str


def heads(range: Range) -> dict[UUID, Head]:
    """The streams of a range, by id."""
    where, parameters = range.where("id")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, kind, version, head_hash, head_at FROM eventstore_stream WHERE {where}", parameters
        )
        return {_uuid(id): Head(*told) for id, *told in cursor.fetchall()}


def by_stream(range: Range) -> Iterator[tuple[UUID, Iterator[Row]]]:
    """The events of each stream of the range that has any, in the order of their versions."""
    for stream, rows in groupby(_events(range), itemgetter(0)):
        yield _uuid(stream), rows


# As text, so that no id is made of it for every event.
_STREAM = {"postgresql": "e.stream_id::text", "sqlite": "e.stream_id"}


def _events(range: Range) -> Iterator[Row]:
    where, parameters = range.where("e.stream_id")
    select = (
        f"SELECT {_STREAM[connection.vendor]}, e.version, e.type, e.seat, e.data, e.private, e.seal, e.at, "
        "e.prev, e.hash "
        f"FROM eventstore_event e WHERE {where} AND (e.stream_id, e.version) > (%s, %s) "
        f"ORDER BY e.stream_id, e.version LIMIT {PAGE}"
    )
    after: tuple[Any, int] = (stored(range.first), BEFORE_ALL)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(select, [*parameters, *after])
            page = cursor.fetchall()
        yield from map(Row._make, page)
        if len(page) < PAGE:
            return
        after = page[-1][0], page[-1][1]


def _uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
