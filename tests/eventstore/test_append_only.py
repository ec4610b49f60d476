"""The database refuses changes of stored events by raw SQL."""

import sqlite3
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from eventstore import store
from eventstore.chain import GENESIS, parse_at
from eventstore.models import Checkpoint, CheckpointStream, Epoch
from eventstore.months import new_stream
from eventstore.store import NewEvent

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TABLES = [
    "eventstore_event",
    "eventstore_stream",
    "eventstore_epoch",
    "eventstore_checkpoint",
    "eventstore_checkpointstream",
]
AT = "2026-03-01T12:00:00.000000Z"


@pytest.fixture(autouse=True)
def stored_rows(append_events, django_user_model):
    append_events("created", "a", "b")
    Epoch.objects.create(number=1, began="2026-03-01T12:00Z", reason="test")
    Checkpoint.objects.create(
        number=1, body=b"{}", hash="0" * 64, leaves=b"", signature="0" * 128, key="0" * 64
    )
    CheckpointStream.objects.create(stream=UUID(int=1), number=1)


def run(sql, *parameters):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.rowcount


def refused(sql, *parameters):
    with pytest.raises(DatabaseError):
        run(sql, *parameters)


def key(stream):
    return stream.hex if connection.vendor == "sqlite" else stream


@pytest.mark.parametrize("table", TABLES)
def test_rows_cannot_be_deleted(table):
    refused(f"DELETE FROM {table}")


def test_rows_cannot_be_changed(subtests):
    for change in [
        "eventstore_event SET data = data",
        "eventstore_event SET seat = 1 WHERE version = 2",
        "eventstore_event SET private = NULL",
        "eventstore_stream SET kind = 'other'",
        "eventstore_stream SET version = version - 1",
        "eventstore_stream SET version = version + 1",
        "eventstore_stream SET head_hash = 'f'",
        "eventstore_epoch SET number = 7",
        "eventstore_checkpoint SET signature = ''",
        "eventstore_checkpointstream SET number = 2",
    ]:
        with subtests.test(change=change):
            refused(f"UPDATE {change}")


@pytest.mark.postgres
@pytest.mark.parametrize("table", TABLES)
def test_tables_cannot_be_truncated(table):
    refused(f"TRUNCATE {table} CASCADE")


EVENT = (
    "INTO eventstore_event (stream_id, version, type, schema, seat, data, private, seal, at, prev, hash, "
    "epoch, xact{position}) "
    "VALUES (%s, %s, 'x', 1, NULL, %s, NULL, NULL, %s, %s, %s, 0, {xact}{value})"
)


def insert(stream, version, prev, *, hash="f" * 64, verb="INSERT", at=AT):
    sqlite = connection.vendor == "sqlite"
    sql = EVENT.format(
        position=", position" if sqlite else "",
        xact="0" if sqlite else "pg_current_xact_id()::text::bigint",
        value=", 99" if sqlite else "",
    )
    return f"{verb} {sql}", (key(stream), version, b"{}", at, prev, hash)


def test_an_event_that_does_not_continue_its_stream_is_refused(stream, subtests):
    head = store.head(stream).hash
    for why, (sql, parameters) in {
        "after a gap": insert(stream, 5, head),
        "with another history": insert(stream, 4, "e" * 64),
        "a second one of a version": insert(stream, 3, store.read(stream)[1].hash),
        "earlier than its predecessor": insert(stream, 4, head, at="2025-03-01T12:00:00.000000Z"),
        "without a stream": insert(uuid4(), 1, GENESIS),
    }.items():
        with subtests.test(why=why):
            refused(sql, *parameters)


@pytest.mark.parametrize(
    "origin",
    [{"actor": None, "token": "t"}, {"actor": None, "client_at": AT}, {"actor": uuid4(), "command": None}],
    ids=["token without actor", "time without actor", "actor without command"],
)
def test_incomplete_request_metadata_is_refused(stream, monkeypatch, origin):
    fields = {"command": "c" * 64, "token": None, "client_at": None} | origin
    named = ("c" * 64, "f" * 64, 1) if fields["command"] else (None, None, None)
    actor = key(fields["actor"]) if fields["actor"] else None
    monkeypatch.setattr(store, "_about", lambda *_: (*named, actor, fields["token"], fields["client_at"]))
    with pytest.raises(DatabaseError), transaction.atomic():
        store.append(stream, [NewEvent("x", {})], kind="test", expected=store.head(stream), at=parse_at(AT))


@pytest.mark.sqlite
def test_replace_is_refused(stream):
    sql, parameters = insert(stream, 3, store.read(stream)[1].hash, verb="REPLACE")
    refused(sql, *parameters)
    refused("REPLACE INTO eventstore_stream SELECT * FROM eventstore_stream")
    refused("REPLACE INTO eventstore_epoch SELECT * FROM eventstore_epoch")


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_replace_is_refused_without_recursive_triggers_too(stream):
    """A connection without the project's pragmas."""
    shell = sqlite3.connect(settings.DATABASES["default"]["NAME"])
    try:
        before = shell.execute("SELECT * FROM eventstore_event ORDER BY version").fetchall()
        assert len(before) == 3
        for table in set(TABLES) - {"eventstore_checkpointstream"}:  # its rows have only their key
            with pytest.raises(sqlite3.DatabaseError):
                shell.execute(f"REPLACE INTO {table} SELECT * FROM {table}")
        assert shell.execute("SELECT * FROM eventstore_event ORDER BY version").fetchall() == before
    finally:
        shell.close()


@pytest.mark.sqlite
def test_an_inserted_event_moves_the_head(stream):
    sql, parameters = insert(stream, 4, store.head(stream).hash)
    assert run(sql, *parameters) == 1
    assert store.head(stream).version == 4


@pytest.mark.postgres
def test_an_event_beyond_the_head_is_refused(stream):
    sql, parameters = insert(stream, 4, store.head(stream).hash)
    refused(sql, *parameters)


@pytest.mark.postgres
def test_an_event_cannot_be_inserted_before_positions_already_read(stream):
    head = store.head(stream)
    refused(
        "WITH moved AS (UPDATE eventstore_stream SET version = 4, head_hash = %s, head_at = %s "
        "WHERE id = %s RETURNING id) "
        "INSERT INTO eventstore_event (stream_id, version, type, schema, data, at, prev, hash, epoch, xact) "
        "SELECT id, 4, 'x', 1, '\\x7b7d', %s, %s, %s, 0, 1 FROM moved",
        "f" * 64, AT, stream, AT, head.hash, "f" * 64,
    )  # fmt: skip


@pytest.mark.postgres
def test_an_empty_stream_is_refused():
    refused(
        "INSERT INTO eventstore_stream (id, kind, version, head_hash, head_at) "
        "VALUES (gen_random_uuid(), 'x', 0, repeat('0', 64), '')"
    )


@pytest.mark.sqlite
def test_a_stream_that_begins_with_a_head_is_refused():
    refused(
        "INSERT INTO eventstore_stream (id, kind, version, head_hash, head_at) VALUES (%s, 'x', 3, %s, '')",
        "a" * 32,
        "f" * 64,
    )


@pytest.mark.postgres
@pytest.mark.parametrize("month", [None, datetime(2026, 11, 5, tzinfo=UTC)], ids=["undated", "dated"])
class TestEventsOfAMovedHead:
    """The head moves with all of its events, each chained to the one before, or not at all."""

    @pytest.fixture
    def own(self, month):
        id = uuid4() if month is None else new_stream(month)
        events = [NewEvent(type, {}) for type in ("created", "a")]
        store.append(id, events, kind="test", expected=store.EMPTY, at=parse_at(AT))
        return id

    def test_valid_events_are_accepted(self, own):
        head = store.head(own).hash
        move(own, (3, head, "a" * 64), (4, "a" * 64, "f" * 64))
        assert store.head(own).version == 4

    def test_other_events_are_refused(self, own, subtests):
        head, first = store.head(own).hash, store.read(own)[0].hash
        for why, *events in [
            ("the last is missing", (3, head, "a" * 64)),
            ("the first is missing", (4, "a" * 64, "f" * 64)),
            ("both are missing",),
            ("the first does not follow the head", (3, first, "a" * 64), (4, "a" * 64, "f" * 64)),
            ("the last does not follow the first", (3, head, "a" * 64), (4, head, "f" * 64)),
            ("the last is not the head", (3, head, "a" * 64), (4, "a" * 64, "e" * 64)),
            ("more than the head", (3, head, "a" * 64), (4, "a" * 64, "f" * 64), (5, "f" * 64, "b" * 64)),
            (
                "earlier than the head",
                (3, head, "a" * 64, "2026-02-01T12:00:00.000000Z"),
                (4, "a" * 64, "f" * 64),
            ),
            ("a version twice", (3, head, "a" * 64), (4, "a" * 64, "f" * 64), (2, first, "b" * 64)),
        ]:
            with subtests.test(why=why), pytest.raises(DatabaseError):
                move(own, *events)
        assert store.head(own).version == 2

    def test_events_before_the_epoch_of_the_head_are_refused(self, own):
        Epoch.objects.create(number=2, began="2026-03-01T12:00Z", reason="test")
        [event] = store.append(
            own, [NewEvent("b", {})], kind="test", expected=store.head(own), at=parse_at(AT)
        )
        with pytest.raises(DatabaseError):
            move(own, (4, event.hash, "f" * 64))
        move(own, (4, event.hash, "f" * 64), epoch=2)

    def test_a_stream_begins_with_its_first_event(self, month):
        other = uuid4() if month is None else new_stream(month)
        with pytest.raises(DatabaseError):
            move(other, (4, "a" * 64, "f" * 64), begins=True)
        with pytest.raises(DatabaseError):
            move(other, (1, "a" * 64, "f" * 64), begins=True, version=1)
        move(other, (1, GENESIS, "f" * 64), begins=True, version=1)


def move(stream, *events, version=4, epoch=1, begins=False):
    """Move a head to a version with the hash `ff…`, and insert events (version, prev, hash, at), in one statement."""
    head = (
        "INSERT INTO eventstore_stream (version, head_hash, head_at, id, kind) VALUES (%s, %s, %s, %s, 'test')"
        if begins
        else "UPDATE eventstore_stream SET version = %s, head_hash = %s, head_at = %s WHERE id = %s"
    )
    row = f"(%s::uuid, %s::bigint, 'x', 1, '{{}}'::bytea, %s, %s, %s, {epoch}, pg_current_xact_id()::text::bigint)"
    rows = [(stream, number, (*at, AT)[0], prev, hash) for number, prev, hash, *at in events]
    insert = (
        "INSERT INTO eventstore_event (stream_id, version, type, schema, data, at, prev, hash, epoch, xact) "
        f"VALUES {', '.join([row] * len(rows))}"
        if rows
        else "SELECT 1"
    )
    run(
        f"WITH moved AS ({head}) {insert}",
        version,
        "f" * 64,
        AT,
        stream,
        *(value for one in rows for value in one),
    )
