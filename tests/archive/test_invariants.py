"""The database lets events leave only by the archive, and takes them back only whole, also against raw SQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from core import triggers
from eventstore import months, store
from eventstore.archive import Subject, archive, restore, stored_rows
from eventstore.checkpoints import service as checkpoint
from eventstore.models import ArchivedHead, ArchivedStream, ArchivePack, Event
from eventstore.store import NewEvent
from tests.archive.conftest import forget, sign

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def key(stream: UUID) -> Any:
    return stream.hex if connection.vendor == "sqlite" else stream


def run(sql: str, *values: Any) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)


def new_stream(*types: str, id: UUID | None = None) -> UUID:
    stream = id or uuid4()
    events = [NewEvent(type, {"n": number}) for number, type in enumerate(types)]
    store.append(stream, events, kind="test", expected=store.EMPTY, at=NOON)
    return stream


def archive_streams(*streams: UUID) -> int:
    """Archive streams of any kind."""
    sign()
    subjects = [Subject(stream, {"format": "test"}) for stream in streams]
    done = archive(subjects, still_over=lambda over: over, outlined={"created"}, now=NOON)
    forget()
    return done.streams


@pytest.fixture
def stream() -> UUID:
    return new_stream("created", "moved", "moved")


@pytest.fixture
def archived(stream: UUID) -> UUID:
    new_stream("created")
    assert archive_streams(stream) == 1
    return stream


def refused(sql: str, *values: Any) -> None:
    with pytest.raises(IntegrityError):
        run(sql, *values)


def test_events_of_a_stream_that_is_not_archived_stay(archived: UUID) -> None:
    other = new_stream("created", "moved")
    new_stream("created")
    refused("DELETE FROM eventstore_event WHERE stream_id = %s", key(other))
    refused("DELETE FROM eventstore_event")
    assert Event.objects.filter(stream=other).count() == 2


def test_an_archived_stream_reads_as_before(stream: UUID) -> None:
    new_stream("created")
    before = store.read(stream), list(store.written(stream, until=3)), store.head(stream)
    outline = store.outline([stream], ["created", "moved"])
    archive_streams(stream)
    assert not Event.objects.filter(stream=stream).exists()
    assert (store.read(stream), list(store.written(stream, until=3)), store.head(stream)) == before
    assert store.outline([stream], ["created", "moved"]) == outline
    assert store.outline([stream], ["created"])[stream] == [(1, "created", {"n": 0})]
    assert [event.version for event in store.read(stream, after=1, until=2)] == [2]
    assert store.read(stream, after=3) == []
    assert store.event_of(stream, 3) == before[0][2]
    assert store.event_of(stream, 4) is None


def test_the_place_of_an_archived_stream_does_not_change(archived: UUID) -> None:
    refused('UPDATE eventstore_archivedstream SET "offset" = 7')
    refused("UPDATE eventstore_archivedhead SET version = 1")
    refused("DELETE FROM eventstore_archivedhead")
    refused("DELETE FROM eventstore_archivedstream")
    refused("UPDATE eventstore_archivepack SET bytes = 1")
    refused("DELETE FROM eventstore_archivepack")


def test_a_stream_that_does_not_match_its_head_is_not_archived(stream: UUID, archived: UUID) -> None:
    other = new_stream("created", "moved")
    pack = ArchivePack.objects.get()
    row = {
        "stream_id": other,
        "pack": pack,
        "offset": 0,
        "length": 1,
        "digest": "0" * 64,
        "version": 2,
        "head_hash": store.head(other).hash,
        "outline": b"",
        "archived_at": NOON,
    }
    for change in ({}, {"version": 1}, {"head_hash": "f" * 64}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ArchivedStream.objects.create(**{**row, **change})
    event = Event.objects.get(stream=other, version=2)
    columns = {name: getattr(event, name) for name in ("version", "epoch", "xact", "position")}
    with pytest.raises(IntegrityError), transaction.atomic():
        ArchivedHead.objects.create(stream_id=other, hash="f" * 64, **columns)
    with transaction.atomic():
        ArchivedHead.objects.create(stream_id=other, hash=event.hash, **columns)
        ArchivedStream.objects.create(**row)


def test_nothing_is_appended_to_an_archived_stream(archived: UUID) -> None:
    head = store.head(archived)
    with pytest.raises(IntegrityError), transaction.atomic():
        store.append(archived, [NewEvent("late", {})], kind="test", expected=head, at=NOON)
    assert store.head(archived) == head


def test_a_restore_brings_back_every_column(stream: UUID) -> None:
    new_stream("created")
    before = stored_rows(stream)
    archive_streams(stream)
    restore(stream, now=NOON)
    assert stored_rows(stream) == before
    assert not ArchivedStream.objects.exists()
    assert not ArchivedHead.objects.exists()
    head = store.head(stream)
    [event] = store.append(stream, [NewEvent("more", {})], kind="test", expected=head, at=NOON)
    assert event.version == 4


def test_only_the_archived_events_are_taken_back(archived: UUID) -> None:
    rows = {row.version: row for row in store._archived(archived)}
    columns = "stream_id, version, type, schema, data, at, prev, hash, epoch, xact, position"
    override = "OVERRIDING SYSTEM VALUE" if connection.vendor == "postgresql" else ""
    insert = f"INSERT INTO eventstore_event ({columns}) {override} VALUES ({', '.join(['%s'] * 11)})"

    def values(number: int, **change: Any) -> list[Any]:
        row = rows[number]._replace(**change)
        named = [
            row.type,
            row.schema,
            row.data,
            row.at,
            row.prev,
            row.hash,
            row.epoch,
            row.xact,
            row.position,
        ]
        return [key(archived), row.version, *named]

    refused(insert, *values(1, prev="f" * 64))
    refused(insert, *values(2))
    refused(insert, *values(3, version=4))
    run(insert, *values(1))
    refused("DELETE FROM eventstore_archivedstream")
    refused(insert, *values(3))
    run(insert, *values(2))
    run(insert, *values(3))
    run("DELETE FROM eventstore_archivedstream")
    refused("DELETE FROM eventstore_event WHERE stream_id = %s", key(archived))


@pytest.mark.postgres
def test_a_month_whose_streams_are_archived_is_removed() -> None:
    month = months.Month.of(NOON)
    months.make(month)
    streams = [new_stream("created", "moved", id=months.new_stream(NOON)) for _ in range(2)]
    new_stream("created")
    before = {stream: store.read(stream) for stream in streams}
    assert archive_streams(streams[0]) == 1
    with pytest.raises(months.MonthInUse, match="archive"):
        months.remove(month, now=datetime.now(UTC))
    assert archive_streams(streams[1]) == 1
    months.remove(month, now=datetime.now(UTC))
    assert {stream: store.read(stream) for stream in streams} == before
    restore(streams[0], now=NOON)
    assert store.read(streams[0]) == before[streams[0]]
    head = store.head(streams[0])
    [event] = store.append(streams[0], [NewEvent("more", {})], kind="test", expected=head, at=NOON)
    assert event.version == 3
    assert triggers.missing() == []
    assert [fault for _, fault in checkpoint.verify() if fault] == []


def test_the_newest_stream_stays(stream: UUID) -> None:
    newest = new_stream("created")
    assert archive_streams(stream, newest) == 1
    assert Event.objects.filter(stream=newest).exists()
    assert max(row.position for row in stored_rows(new_stream("created"))) > max(
        row.position for row in stored_rows(newest)
    )


def test_a_stream_that_no_checkpoint_covers_stays(stream: UUID) -> None:
    new_stream("created")
    done = archive([Subject(stream, {})], still_over=lambda over: over, outlined={"created"}, now=NOON)
    assert done.streams == 0
    assert Event.objects.filter(stream=stream).count() == 3


def test_a_stream_that_moves_on_stays(stream: UUID) -> None:
    sign()

    def subjects() -> Iterator[Subject]:
        yield Subject(stream, {})
        store.append(stream, [NewEvent("late", {})], kind="test", expected=store.head(stream), at=NOON)
        new_stream("created")

    done = archive(subjects(), still_over=lambda over: over, outlined={"created"}, now=NOON)
    assert done.streams == 0
    assert len(store.read(stream)) == 4
