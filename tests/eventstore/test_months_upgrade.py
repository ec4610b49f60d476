"""The migration makes the table of version 0.2.0 a partition, as it is, while other processes use it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from core import migration, triggers
from core.migration import LocksRefused
from eventstore import months, store
from eventstore.months import Month, new_stream
from eventstore.store import EMPTY, NewEvent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres, pytest.mark.own_backend]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCHEMA = "one_table"
EVENTS = f"{SCHEMA}.eventstore_event"


def rows(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


def migrate(name: str) -> None:
    MigrationExecutor(connection).migrate([("eventstore", name)])


@pytest.fixture(autouse=True)
def one_table() -> Iterator[None]:
    """The tables before the migration, in a schema of their own."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {SCHEMA}")
        cursor.execute(f"SET search_path = {SCHEMA}")
    try:
        migrate("0002_archive")
        triggers.install()
        yield
    finally:
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def begun(id: UUID) -> UUID:
    events = [NewEvent(type, {}) for type in ("created", "a")]
    store.append(id, events, kind="test", expected=EMPTY, at=NOON)
    return id


def file_of(table: str) -> Any:
    return rows("SELECT pg_relation_filenode(to_regclass(%s))", table)[0][0]


def positions() -> list[Any]:
    return [position for (position,) in rows("SELECT position FROM eventstore_event ORDER BY position")]


@pytest.mark.parametrize("alike", [False, True], ids=["", "an id that looks dated"])
def test_no_event_is_rewritten(alike: bool) -> None:
    streams = [begun(uuid4()), begun(new_stream(NOON) if alike else uuid4())]
    before, file, last = {one: store.read(one) for one in streams}, file_of(EVENTS), positions()
    migrate("0003_partition_events_by_month")
    assert file_of(f"{SCHEMA}.{months.UNDATED}") == file
    assert {one: store.read(one) for one in streams} == before
    assert positions() == last
    assert {name for (name,) in rows("SELECT DISTINCT tableoid::regclass::text FROM eventstore_event")} == (
        {months.UNDATED, months.DEFAULT} if alike else {months.UNDATED}
    )
    [(partitions,)] = rows("SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(%s)", EVENTS)
    assert partitions == 2
    [(checks,)] = rows("SELECT count(*) FROM pg_constraint WHERE conname = 'event_undated'")
    assert checks == 0


def test_the_events_go_on_with_their_triggers() -> None:
    stream = begun(uuid4())
    last = positions()[-1]
    migrate("0003_partition_events_by_month")
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {months.UNDATED}")
    for table in (EVENTS, months.UNDATED, months.DEFAULT):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table}")
    absent = {name for name in triggers.missing() if name.endswith("_no_truncate")}
    assert not {f"{table}_no_truncate" for table in (months.TABLE, months.UNDATED, months.DEFAULT)} & absent
    store.append(stream, [NewEvent("b", {})], kind="test", expected=store.head(stream), at=NOON)
    assert positions()[-1] > last
    triggers.install()
    absent = triggers.missing()  # of apps that have no tables here
    assert not [
        name for name in absent if name.startswith(("eventstore_event", "eventstore_head", "racecard_head"))
    ]
    months.make_due(NOON)
    assert months.months()[0] == Month.of(NOON)
    assert triggers.missing() == absent
    begun(new_stream(NOON))


def test_a_migration_that_was_not_recorded_is_repeated() -> None:
    begun(uuid4())
    migrate("0003_partition_events_by_month")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0003_partition_events_by_month'")
    migrate("0003_partition_events_by_month")
    assert len(positions()) == 2


def test_it_waits_for_a_transaction_that_uses_the_events_and_lets_others_pass(monkeypatch: Any) -> None:
    stream = begun(uuid4())
    seen: list[Any] = []
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute(f"SELECT count(*) FROM {EVENTS}")

        def pause(seconds: float) -> None:
            with psycopg.connect(**connection.get_connection_params()) as third:
                seen.append(third.execute(f"SELECT count(*) FROM {EVENTS}").fetchone())
            other.rollback()

        monkeypatch.setattr(migration, "LOCK_TIMEOUT", 0.05)
        monkeypatch.setattr(migration.time, "sleep", pause)
        migrate("0003_partition_events_by_month")
    assert seen == [(2,)]
    assert len(store.read(stream)) == 2
    assert months.partitioned()


def test_it_ends_with_the_error_if_the_events_stay_in_use(monkeypatch: Any) -> None:
    monkeypatch.setattr(migration, "LOCK_TIMEOUT", 0.02)
    monkeypatch.setattr(migration, "TRIES", 2)
    monkeypatch.setattr(migration.time, "sleep", lambda seconds: None)
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute(f"SELECT count(*) FROM {EVENTS}")
        with pytest.raises(LocksRefused):
            migrate("0003_partition_events_by_month")
    assert not months.partitioned()
    migrate("0003_partition_events_by_month")
    assert months.partitioned()
