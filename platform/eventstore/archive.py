"""Move the events of streams that are over into packs, and back.

A pack is written, read back from the store, and compared with the database. Then the events of a stream are deleted in
the transaction that writes its place in the pack. A process that dies in between leaves a pack without a row, which
`orphans` reports, or a pack that `resume` finishes. The row of the stream stays, so its head, its references, and the
order of all streams do not change; for each checkpoint the index has the event that it covers.

The caller decides which streams are over.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import orjson
import structlog
from django.db import connection, transaction

from core.errors import NotFound
from core.metrics import Counter
from core.sql import among, as_uuid, stored
from eventstore.chain import canonical, chain_fault
from eventstore.checkpoints.proofs import first_reaching, reach
from eventstore.models import (
    ArchivedHead,
    ArchivedStream,
    ArchivePack,
    Event,
    RestoredStream,
    Snapshot,
    Stream,
)
from eventstore.months import within
from eventstore.packs import reading, storage
from eventstore.packs.form import DamagedPack, Entry, Frame, PackReader, PackWriter, Row
from eventstore.store import Position

T = TypeVar("T")
log = structlog.get_logger(__name__)

MOST_STREAMS = 2_000
MOST_BYTES = 64 * 1024 * 1024
"""Where a pack ends: its streams, and its compressed bytes."""

TOGETHER = 25
"""Streams whose events are deleted in one transaction, for which writers wait on SQLite."""

ARCHIVED = Counter("racecard_archived_streams", "Streams whose events were moved into a pack")
RESTORED = Counter("racecard_restored_streams", "Streams whose events were restored from a pack")


class Subject(NamedTuple):
    """A stream to archive, and its bundle without events."""

    stream: UUID
    bundle: Mapping[str, Any]


class Archived(NamedTuple):
    """The result of a run."""

    packs: int
    streams: int
    bytes: int


StillOver = Callable[[Sequence[UUID]], Collection[UUID]]
"""Returns those of locked streams that may still be archived."""


# --- archiving -------------------------------------------------------------------------------------------


def archive(
    subjects: Iterable[Subject], *, still_over: StillOver, outlined: Collection[str], now: datetime
) -> Archived:
    """Move streams into one pack. Do not call it in a transaction.

    `subjects` are read until the pack is full. `outlined` are the types of the events that stay readable without the
    pack. Raises ArchiveUnavailable, DamagedPack; then no event has left the database.
    """
    with tempfile.TemporaryFile() as file:
        writer = PackWriter(file)
        events = 0
        newest = _newest()
        for subject in subjects:
            if subject.stream == newest:
                continue
            rows = stored_rows(subject.stream)
            if why := _fault(subject.stream, rows):
                log.error("stream_not_archived", stream=str(subject.stream), why=why)
                continue
            writer.add(subject.stream, rows, subject.bundle)
            events += len(rows)
            if len(writer.entries) >= MOST_STREAMS or writer.size >= MOST_BYTES:
                break
        if not writer.entries:
            return Archived(0, 0, 0)
        digest = writer.close()
        storage.save(file, digest)
    sizes = {"bytes": writer.size, "streams": len(writer.entries), "events": events, "made_at": now}
    with _read_back(digest) as reader:
        pack, _ = ArchivePack.objects.get_or_create(pk=digest, defaults=sizes)
        moved = _move_all(pack, reader, still_over, outlined, now)
    return Archived(1, moved, writer.size)


def resume(*, still_over: StillOver, outlined: Collection[str], now: datetime) -> int:
    """Finish packs that were stored by a process that ended before it could delete all events. Return the number of
    streams that were moved.

    A pack that the store has lost since takes no further stream: the others are still in the database, and go into
    another pack. Raises ArchiveUnavailable.
    """
    moved = 0
    for pack in ArchivePack.objects.filter(finished_at=None).order_by("made_at"):
        try:
            with _read_back(pack.digest) as reader:
                moved += _move_all(pack, reader, still_over, outlined, now)
        except DamagedPack as error:
            log.error("pack_given_up", pack=pack.digest, why=str(error))
            _finish(pack, now)
    return moved


@contextmanager
def _read_back(digest: str) -> Iterator[PackReader]:
    """Read a pack back from the store. Raises ArchiveUnavailable, DamagedPack."""
    if not storage.has(digest):
        raise DamagedPack(f"the store does not have the pack {digest}")
    with storage.fetched(digest) as copy:
        yield PackReader(copy, digest)


def _move_all(
    pack: ArchivePack, reader: PackReader, still_over: StillOver, outlined: Collection[str], now: datetime
) -> int:
    moved = 0
    for entries in batched(reader.entries, TOGETHER):
        moved += _move(pack, reader, entries, still_over, outlined, now)
    _finish(pack, now)
    log.info("pack_finished", pack=pack.digest, streams=moved)
    return moved


def _finish(pack: ArchivePack, now: datetime) -> None:
    ArchivePack.objects.filter(pk=pack.pk, finished_at=None).update(finished_at=now)


def _move(
    pack: ArchivePack,
    reader: PackReader,
    entries: Sequence[Entry],
    still_over: StillOver,
    outlined: Collection[str],
    now: datetime,
) -> int:
    """Delete the events of streams and write their places, in one transaction, after comparing them with the pack."""
    frames = {entry.stream: (entry, reader.frame(entry)) for entry in entries}
    reached = lru_cache(maxsize=None)(reach)  # checkpoints do not change
    heads = {stream: _heads(stream, frame.rows, reached) for stream, (_, frame) in frames.items()}
    with transaction.atomic():
        locked = _locked(sorted(frames))
        ready = [
            stream
            for stream in still_over(sorted(locked))
            if heads[stream] and locked[stream] == frames[stream][0][1:3]
        ]
        if not ready:
            return 0
        for stream in ready:
            _compare(stream, frames[stream][1])
        ArchivedHead.objects.bulk_create([head for stream in ready for head in heads[stream]])
        ArchivedStream.objects.bulk_create([_place(pack, *frames[stream], outlined, now) for stream in ready])
        Snapshot.objects.filter(stream__in=ready).delete()
        RestoredStream.objects.filter(stream__in=ready).delete()
        delete_events(ready)
    ARCHIVED.inc(len(ready))
    return len(ready)


def _place(
    pack: ArchivePack, entry: Entry, frame: Frame, outlined: Collection[str], now: datetime
) -> ArchivedStream:
    return ArchivedStream(
        stream_id=entry.stream,
        pack=pack,
        offset=entry.offset,
        length=entry.length,
        digest=entry.digest,
        version=entry.version,
        head_hash=entry.head,
        outline=reading.packed_outline(frame.rows, outlined),
        archived_at=now,
    )


def _locked(streams: Sequence[UUID]) -> dict[UUID, tuple[int, str]]:
    """Lock streams that are not archived, and return version and hash of their heads."""
    wanted = Stream.objects.filter(pk__in=streams, archived=None, suspended_at=None).exclude(pk=_newest())
    rows = wanted.select_for_update(no_key=True, of=("self",)).order_by("pk")
    return {row.pk: (row.version, row.head_hash) for row in rows}


def _fault(stream: UUID, rows: Sequence[Row]) -> str | None:
    """Return why the events of a stream cannot be archived: damage that an audit reports."""
    if not rows:
        return "it has no events"
    if any(
        canonical(orjson.loads(part)) != part
        for row in rows
        for part in (row.data, row.private)
        if part is not None
    ):
        return "data is not stored in its canonical form"
    events = [row._asdict() | {"data": orjson.loads(row.data)} for row in rows]
    broken = chain_fault(events, stream=str(stream))
    return f"event {broken[0]}: {broken[1]}" if broken else None


def _newest() -> UUID:
    """Return the stream with the newest event. It stays, because SQLite computes the next position from it."""
    order = ("-epoch", "-xact", "-position")
    return Event.objects.order_by(*order).values_list("stream", flat=True).first() or UUID(int=0)


def _compare(stream: UUID, frame: Frame) -> None:
    """Raise DamagedPack unless the rows are those of the database, and an unbroken chain."""
    if frame.stream != stream or frame.rows != stored_rows(stream):
        raise DamagedPack(f"the events of {stream} in the pack differ from those in the database")
    if broken := chain_fault(frame.bundle["events"], stream=str(stream)):
        raise DamagedPack(f"event {broken[0]} of {stream}: {broken[1]}")


def _heads(stream: UUID, rows: Sequence[Row], reached: Callable[[int], Position]) -> list[ArchivedHead]:
    """Return the last event in each checkpoint that covers the stream; none if the last event is not covered."""
    found: list[ArchivedHead] = []
    rest = list(rows)
    while rest:
        number = first_reaching(_position(rest[0]), reached)
        if number is None:
            return []
        until = reached(number)
        inside = [row for row in rest if _position(row) <= until]
        last = inside[-1]
        found.append(
            ArchivedHead(
                stream_id=stream, version=last.version, hash=last.hash,
                epoch=last.epoch, xact=last.xact, position=last.position,
            )
        )  # fmt: skip
        rest = rest[len(inside) :]
    return found


def _position(row: Row) -> Position:
    return Position(row.epoch, row.xact, row.position)


# --- restoring -------------------------------------------------------------------------------------------


class NotArchived(NotFound):
    """The stream is not archived."""


def restore(stream: UUID, *, now: datetime) -> int:
    """Write the events of an archived stream back into the database, and return their number.

    Raises NotArchived, ArchiveUnavailable, ArchiveDamaged.
    """
    place = reading.places([stream]).get(stream)
    if place is None:
        raise NotArchived
    rows = reading.frame(place)
    with transaction.atomic():
        Stream.objects.select_for_update(no_key=True).get(pk=stream)
        index = ArchivedStream.objects.filter(stream=stream, pack=place.pack)
        if not index.exists():
            raise NotArchived
        insert_rows(stream, rows)
        index.delete()
        ArchivedHead.objects.filter(stream=stream).delete()
        RestoredStream.objects.update_or_create(stream_id=stream, defaults={"pack": place.pack, "at": now})
    RESTORED.inc()
    return len(rows)


def restore_if_archived(stream: UUID, *, now: datetime) -> None:
    """Restore a stream whose events must be in the database, as evidence of a dispute. In the caller's transaction.

    Raises ArchiveUnavailable, ArchiveDamaged.
    """
    if ArchivedStream.objects.filter(stream=stream).exists():
        restore(stream, now=now)


# --- the store -------------------------------------------------------------------------------------------


def orphans() -> Iterator[str]:
    """Yield the packs in the store that the database does not know, and other files. Raises ArchiveUnavailable.

    They are left by a process that ended before it recorded the pack, or belong to a later state of a database that was
    restored from a backup. Nothing deletes them.
    """
    for names in batched(storage.stored_digests(), 500):
        known = set(ArchivePack.objects.filter(digest__in=names).values_list("digest", flat=True))
        yield from (name for name in names if name not in known)


def batched(items: Iterable[T], most: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, most)):
        yield batch


# --- rows ------------------------------------------------------------------------------------------------

_COLUMNS = ", ".join(Row._fields)


def stored_rows(stream: UUID) -> list[Row]:
    """Return the events of a stream in the table, with all columns."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_COLUMNS} FROM eventstore_event WHERE stream_id = %s{within(stream)} ORDER BY version",  # noqa: S608
            [stored(stream)],
        )
        return [_plain(Row(*row)) for row in cursor.fetchall()]


def _plain(row: Row) -> Row:
    return row._replace(
        data=bytes(row.data),
        private=None if row.private is None else bytes(row.private),
        actor=None if row.actor is None else str(as_uuid(row.actor)),
    )


def insert_rows(stream: UUID, rows: Sequence[Row]) -> None:
    """Write rows back as they were, with their positions."""
    postgresql = connection.vendor == "postgresql"
    values = ", ".join(["%s"] * (1 + len(Row._fields)))
    override = "OVERRIDING SYSTEM VALUE " if postgresql else ""
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO eventstore_event (stream_id, {_COLUMNS}) {override}VALUES ({values})",
            [
                [stored(stream), *row._replace(actor=stored(UUID(row.actor)) if row.actor else None)]  # type: ignore[arg-type]
                for row in rows
            ],
        )


def delete_events(streams: Sequence[UUID]) -> None:
    """Delete the events of streams that have their places in packs; the database refuses others."""
    where, parameters = among("stream_id", [stored(stream) for stream in streams])
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM eventstore_event WHERE {where}{within(*streams)}", parameters)  # noqa: S608
