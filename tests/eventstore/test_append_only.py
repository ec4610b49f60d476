"""The database refuses changes of stored events by raw SQL."""

import sqlite3
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from eventstore import store
from eventstore.chain import GENESIS, parse_at
from eventstore.models import Checkpoint, CheckpointStream, Epoch
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


def test_an_event_after_a_gap_is_refused(stream):
    head = store.head(stream)
    sql, parameters = insert(stream, 5, head.hash)
    refused(sql, *parameters)


def test_an_event_with_another_history_is_refused(stream):
    sql, parameters = insert(stream, 4, "e" * 64)
    refused(sql, *parameters)


def test_a_second_event_of_a_version_is_refused(stream):
    sql, parameters = insert(stream, 3, store.read(stream)[1].hash)
    refused(sql, *parameters)


def test_an_event_earlier_than_its_predecessor_is_refused(stream):
    sql, parameters = insert(stream, 4, store.head(stream).hash, at="2025-03-01T12:00:00.000000Z")
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


def test_an_event_without_a_stream_is_refused():
    sql, parameters = insert(uuid4(), 1, GENESIS)
    refused(sql, *parameters)


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
