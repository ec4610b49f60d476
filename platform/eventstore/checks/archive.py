"""Check archived streams from their packs, as streams in the database are checked, and their places in the index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import IO
from uuid import UUID

import orjson

from core.checks import Fault, Report
from eventstore import ranges
from eventstore.audits import Scope, Work
from eventstore.checks import streams
from eventstore.models import ArchivedHead, ArchivedStream, ArchivePack, Event
from eventstore.packs import reading, storage
from eventstore.packs.form import DamagedPack, Frame, PackReader, Row, decompressed, parsed
from eventstore.packs.storage import ArchiveUnavailable
from eventstore.ranges import Range

PART = "archive"
CHECKS = {
    "packs": "every pack is in the store, with the bytes that were archived",
    "places": "every archived stream is in its pack, as the index and the checkpoints say",
}

Part = Callable[[str, int, int], bytes]
"""Reads a range of bytes of a pack: its digest, start, and length."""


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield one piece for each pack with streams of the scope."""
    if scope.after is None:
        for digest, events in ArchivePack.objects.order_by("made_at", "pk").values_list("pk", "events"):
            yield Work(digest, None, not scope.stored_only, events=events)
        return
    found: dict[str, list[UUID]] = {}
    for range in scope.ranges:
        for stream, pack in ArchivedStream.objects.filter(range.q("stream")).values_list("stream", "pack"):
            found.setdefault(pack, []).append(stream)
    for pack, wanted in found.items():
        yield Work(pack, wanted, not scope.stored_only)


def audit(digest: str, wanted: Collection[UUID] | None = None, records: bool = True) -> Report:
    """Check a pack, and the streams in it that are archived: all of them, or the wanted."""
    report = Report()
    places = ArchivedStream.objects.filter(pack=digest)
    if wanted is not None:
        places = places.filter(stream__in=wanted)
    archived = list(places.order_by("offset").values_list("stream", flat=True))
    with ExitStack() as stack:
        part: Part = storage.part
        try:
            copy = stack.enter_context(storage.fetched(digest))
            part = partial(_part_of, copy)
            PackReader(copy, digest)
        except (ArchiveUnavailable, DamagedPack) as error:
            report.failed(Fault(PART, "packs", f"pack:{digest}", _why(error)))
        else:
            report.passed(PART, "packs")
        for start in range(0, len(archived), ranges.IDS_PER_RANGE):
            named = ranges.of_named(archived[start : start + ranges.IDS_PER_RANGE])
            report.merge(audit_range(named, records=records, part=part))
    return report


def audit_range(
    range: Range, *, records: bool = True, count_hidden: bool = True, part: Part = storage.part
) -> Report:
    """Check the archived streams of a range."""
    source = partial(_sources, part)
    return streams.audit(range, records, count_hidden=count_hidden, archived=source)


def _part_of(copy: IO[bytes], digest: str, start: int, length: int) -> bytes:
    copy.seek(start)
    return copy.read(length)


def _sources(part: Part, range: Range, report: Report) -> Iterator[tuple[UUID, Iterator[ranges.Row]]]:
    places = ArchivedStream.objects.filter(range.q("stream")).select_related("stream")
    for place in places.order_by("pack", "offset"):
        subject = f"{place.stream.kind}:{place.stream_id}"
        try:
            content = part(place.pack_id, place.offset, place.length)
            frame = parsed(decompressed(content, place.digest))
            why = _place_fault(place, frame)
        except (ArchiveUnavailable, DamagedPack) as error:
            report.failed(Fault(PART, "places", subject, f"archived in pack {place.pack_id}: {_why(error)}"))
            continue
        if why:
            report.failed(Fault(PART, "places", subject, f"archived in pack {place.pack_id}: {why}"))
        else:
            report.passed(PART, "places")
        yield place.stream_id, map(partial(_event, place.stream_id), frame.rows)


def _event(stream: UUID, row: Row) -> ranges.Row:
    return ranges.Row(
        stream, row.version, row.type, row.seat, row.data, row.private, row.seal, row.at, row.prev, row.hash
    )


def unreadable(part: str, error: Exception) -> Fault:
    """Return the fault of a part of an audit that could not read an archived stream."""
    return Fault(PART, "packs", "", f"the part {part} could not be checked: {error}")


def _why(error: Exception) -> str:
    if isinstance(error, ArchiveUnavailable):
        return "the store does not answer, or does not have it"
    return str(error)


def _place_fault(place: ArchivedStream, frame: Frame) -> str | None:
    """Return how the index of an archived stream differs from its pack."""
    last = frame.rows[-1]
    if frame.stream != place.stream_id:
        return f"the pack has {frame.stream} at its place"
    if (last.version, last.hash) != (place.version, place.head_hash):
        return "its head in the index is not its last event in the pack"
    if Event.objects.filter(stream=place.stream_id).exists():
        return "it has events in the database as well"
    return _outline_fault(place, frame.rows) or _heads_fault(place, frame.rows)


def _outline_fault(place: ArchivedStream, rows: Sequence[Row]) -> str | None:
    outline = reading.opened_outline(bytes(place.outline))
    for type, events in outline.items():
        if events != [(row.version, type, orjson.loads(row.data)) for row in rows if row.type == type]:
            return f"its events of the type {type} in the index are not those in the pack"
    return None


def _heads_fault(place: ArchivedStream, rows: Sequence[Row]) -> str | None:
    columns = ("version", "hash", "epoch", "xact", "position")
    known = {tuple(getattr(row, column) for column in columns) for row in rows}
    heads = ArchivedHead.objects.filter(stream=place.stream_id).order_by("version").values_list(*columns)
    found = list(heads)
    if not found or found[-1][0] != place.version or not known.issuperset(found):
        return "its events in checkpoints in the index are not those in the pack"
    return None
