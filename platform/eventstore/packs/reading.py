"""The events of archived streams, read from their packs. `eventstore.store` calls this for streams without events."""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db import connection

from core.metrics import Counter
from core.sql import among, as_uuid, stored
from eventstore.packs import storage
from eventstore.packs.form import DamagedPack, Row, decompressed, parsed
from eventstore.packs.storage import FAILURES, ArchiveDamaged

READS = Counter("racecard_archive_reads", "Archived games that were read", ["source"])

CACHE_BYTES = 16 * 1024 * 1024
"""Decompressed frames that a process keeps."""


class Place(NamedTuple):
    """The place of an archived stream, from the index in the database."""

    pack: str
    offset: int
    length: int
    digest: str


_COLUMNS = 'a.pack_id, a."offset", a.length, a.digest'


class NotArchived(Exception):
    """The stream has events that were not found in the table a moment ago, so it was appended to or restored."""


def rows(stream: UUID, *, after: int = 0) -> list[Row]:
    """Return all events of an archived stream; empty if there is no stream, or none of its events is after `after`.

    Raises NotArchived, ArchiveUnavailable, ArchiveDamaged.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT s.version, {_COLUMNS} FROM eventstore_stream s "  # noqa: S608 (columns of our own)
            "LEFT JOIN eventstore_archivedstream a ON a.stream_id = s.id WHERE s.id = %s",
            [stored(stream)],
        )
        found = cursor.fetchone()
    if found is None or found[0] <= after:
        return []
    if found[1] is None:
        raise NotArchived
    return frame(Place(*found[1:]))


def places(streams: Sequence[UUID]) -> dict[UUID, Place]:
    """Return the places of those of the streams that are archived, in the order of their packs."""
    if not streams:
        return {}
    where, parameters = among("a.stream_id", [stored(stream) for stream in streams])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT a.stream_id, {_COLUMNS} FROM eventstore_archivedstream a WHERE {where} "  # noqa: S608
            'ORDER BY a.pack_id, a."offset"',
            parameters,
        )
        return {as_uuid(row[0]): Place(*row[1:]) for row in cursor.fetchall()}


def outlines(
    streams: Sequence[UUID], types: Sequence[str]
) -> dict[UUID, list[tuple[int, str, dict[str, Any]]]]:
    """Return version, type, and data of the events of these types, of those of the streams that are archived.

    Reads the packs only for types that the index does not have. Raises NotArchived if one is restored meanwhile,
    ArchiveUnavailable, ArchiveDamaged.
    """
    found: dict[UUID, list[tuple[int, str, dict[str, Any]]]] = {}
    for stream, outline in _outlines(streams).items():
        if outline.keys() >= set(types):
            rows = [one for type in types for one in outline[type]]
        else:
            place = places([stream]).get(stream)
            if place is None:
                raise NotArchived
            rows = [
                (row.version, row.type, orjson.loads(row.data)) for row in frame(place) if row.type in types
            ]
        if rows:
            found[stream] = sorted(rows, key=itemgetter(0))
    return found


def _outlines(streams: Sequence[UUID]) -> dict[UUID, dict[str, list[tuple[int, str, dict[str, Any]]]]]:
    if not streams:
        return {}
    where, parameters = among("stream_id", [stored(stream) for stream in streams])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT stream_id, outline FROM eventstore_archivedstream WHERE {where}",  # noqa: S608
            parameters,
        )
        return {as_uuid(stream): opened_outline(bytes(outline)) for stream, outline in cursor.fetchall()}


def packed_outline(rows: Sequence[Row], types: Iterable[str]) -> bytes:
    """Return the outline of a stream for the index: by type, version and data of its events."""
    outline = {
        type: [(row.version, orjson.Fragment(row.data)) for row in rows if row.type == type]
        for type in sorted(types)
    }
    return zlib.compress(orjson.dumps(outline), 9)


def opened_outline(outline: bytes) -> dict[str, list[tuple[int, str, dict[str, Any]]]]:
    """Return the events of an outline by their types, without private parts."""
    return {
        type: [(version, type, data) for version, data in events]
        for type, events in orjson.loads(zlib.decompress(outline)).items()
    }


def frame(place: Place) -> list[Row]:
    """Return the events at a place. Raises ArchiveUnavailable, ArchiveDamaged."""
    try:
        return parsed(_line(place)).rows
    except DamagedPack as error:
        FAILURES.labels("damaged").inc()
        raise ArchiveDamaged from error


def _line(place: Place) -> bytes:
    line = _cache.get(place)
    READS.labels("store" if line is None else "cache").inc()
    if line is None:
        line = decompressed(storage.part(place.pack, place.offset, place.length), place.digest)
        _cache.put(place, line)
    return line


class _Cache:
    """The lines that were read last. Thread-safe."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Any, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, place: Place) -> bytes | None:
        with self._lock:
            line = self._lines.get(place)
            if line is not None:
                self._lines.move_to_end(place)
            return line

    def put(self, place: Place, line: bytes) -> None:
        with self._lock:
            if place in self._lines:
                return
            self._lines[place] = line
            self._size += len(line)
            while self._size > CACHE_BYTES:
                self._size -= len(self._lines.popitem(last=False)[1])

    def clear(self) -> None:
        with self._lock:
            self._lines.clear()
            self._size = 0


_cache = _Cache()


def forget() -> None:
    """Empty the cache, so that the next read asks the store."""
    _cache.clear()
