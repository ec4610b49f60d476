"""A suspended stream accepts no event until it is resumed."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction

from audit.services import verify_storage
from core.commands import Command
from eventstore import store, suspension
from eventstore.store import EMPTY, CommandKnown, Head, NewEvent, StreamSuspended

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMMAND = Command("c" * 64, "f" * 64)


@pytest.fixture
def stream() -> uuid.UUID:
    id = uuid.uuid4()
    store.append(id, [NewEvent("begun", {})], kind="test", expected=EMPTY, at=NOON)
    return id


def go_on(stream: uuid.UUID, *, events: int = 1, command: Command | None = None) -> Head:
    new = [NewEvent("went on", {"n": n}) for n in range(events)]
    return store.append(stream, new, kind="test", expected=store.head(stream), at=NOON, command=command)[
        -1
    ].head()


@pytest.mark.parametrize("events", [1, 3])
def test_a_suspended_stream_refuses_an_append(stream: uuid.UUID, events: int) -> None:
    stood = suspension.suspend(stream, at=NOON)
    with pytest.raises(StreamSuspended):
        go_on(stream, events=events)
    assert store.head(stream) == stood
    assert store.suspended_at(stream) == NOON


def test_a_resumed_stream_continues_at_the_same_version(stream: uuid.UUID) -> None:
    stood = suspension.suspend(stream, at=NOON)
    assert suspension.resume(stream) == stood
    assert store.suspended_at(stream) is None
    assert go_on(stream).version == 2
    assert verify_storage().ok


def test_a_second_suspension_or_resumption_is_refused(stream: uuid.UUID) -> None:
    assert suspension.resume(stream) is None
    assert suspension.suspend(stream, at=NOON) is not None
    assert suspension.suspend(stream, at=NOON) is None
    assert suspension.suspend(uuid.uuid4(), at=NOON) is None


def test_a_command_repeated_during_a_suspension_has_the_first_result(stream: uuid.UUID) -> None:
    go_on(stream, command=COMMAND)
    suspension.suspend(stream, at=NOON)
    with pytest.raises(CommandKnown):
        go_on(stream, command=COMMAND)


def sql(text: str, *parameters: object) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(text, parameters)


def test_the_database_refuses_to_move_a_suspended_head(stream: uuid.UUID) -> None:
    after = go_on(stream)
    suspension.suspend(stream, at=NOON)
    key = stream.hex if connection.vendor == "sqlite" else stream
    for change in ("version = version + 1", "head_hash = 'f'", "version = version + 1, suspended_at = NULL"):
        with pytest.raises(IntegrityError):
            sql(f"UPDATE eventstore_stream SET {change} WHERE id = %s", key)
    assert store.head(stream) == after


@pytest.mark.sqlite
def test_raw_sql_cannot_append_to_a_suspended_stream(stream: uuid.UUID) -> None:
    stood = suspension.suspend(stream, at=NOON)
    assert stood is not None
    with pytest.raises(IntegrityError, match="goes on"):
        sql(
            "INSERT INTO eventstore_event "
            "(stream_id, version, type, schema, data, at, prev, hash, epoch, xact, position) "
            "VALUES (%s, 2, 'x', 1, '{}', %s, %s, %s, 0, 0, 99)",
            stream.hex, "2026-03-01T12:00:00.000000Z", stood.hash, "a" * 64,
        )  # fmt: skip


@pytest.mark.postgres
def test_raw_sql_cannot_append_to_a_suspended_stream_on_postgresql(stream: uuid.UUID) -> None:
    stood = suspension.suspend(stream, at=NOON)
    assert stood is not None
    with pytest.raises(IntegrityError, match="suspended"):
        sql(
            "WITH moved AS (UPDATE eventstore_stream SET version = 2, head_hash = %s, head_at = %s WHERE id = %s) "
            "INSERT INTO eventstore_event (stream_id, version, type, schema, data, at, prev, hash, epoch, xact) "
            "VALUES (%s, 2, 'x', 1, '{}', %s, %s, %s, 0, pg_current_xact_id()::text::bigint)",
            "a" * 64, "2026-03-01T12:00:00.000000Z", stream, stream,
            "2026-03-01T12:00:00.000000Z", stood.hash, "a" * 64,
        )  # fmt: skip
