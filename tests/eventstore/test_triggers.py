import sqlite3
from contextlib import closing

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from config.management.commands.migrate import in_one_transaction
from core import triggers
from eventstore.models import Event
from tests import databases

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def drop(name, table="eventstore_event"):
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}" + ("" if connection.vendor == "sqlite" else f" ON {table}"))


def complaints():
    return [error.msg for error in run_checks(databases=["default"]) if error.id == "eventstore.E001"]


def test_migrate_creates_all_registered_triggers():
    assert triggers.missing() == []
    assert complaints() == []
    triggers.require_installed()


def test_a_dropped_trigger_is_reported_and_created_again_by_migrate():
    drop("eventstore_event_fits")
    assert triggers.missing() == ["eventstore_event_fits"]
    assert len(complaints()) == 1
    with pytest.raises(triggers.TriggersMissing, match="eventstore_event_fits"):
        triggers.require_installed()
    call_command("migrate", verbosity=0, skip_checks=False)
    triggers.require_installed()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_nobody_else_writes_while_migrations_run_without_triggers():
    def migrate():
        with in_one_transaction(rebuilding=True):
            assert triggers.missing() != []
            with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0)) as other:
                found = other.execute(
                    "SELECT count(*) FROM sqlite_master WHERE name = 'eventstore_event_fits'"
                )
                assert found.fetchone() == (1,)
                with pytest.raises(sqlite3.OperationalError, match="locked"):
                    other.execute("BEGIN IMMEDIATE")
            raise DatabaseError("a migration that fails")

    with pytest.raises(DatabaseError, match="that fails"):
        migrate()
    triggers.require_installed()


@pytest.mark.sqlite
def test_a_trigger_that_reads_an_absent_table_is_reported_and_removed(monkeypatch):
    monkeypatch.setitem(triggers._needs, "eventstore_heads", frozenset(["absent"]))
    names = {one.name for one in triggers._registered["eventstore_heads"][connection.vendor] if one.table}
    triggers.remove_all()
    triggers.install()
    assert names <= set(triggers.missing())


def test_a_trigger_with_a_changed_text_is_reported():
    drop("eventstore_event_fits")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "CREATE TRIGGER eventstore_event_fits BEFORE INSERT ON eventstore_event BEGIN SELECT 1; END"
            )
        else:
            cursor.execute(
                "CREATE TRIGGER eventstore_event_fits AFTER INSERT ON eventstore_event FOR EACH ROW "
                "WHEN (false) EXECUTE FUNCTION racecard_event_fits()"
            )
    assert triggers.missing() == ["eventstore_event_fits"]
    triggers.install()
    assert triggers.missing() == []


def test_a_difference_that_is_gone_when_it_is_read_again_is_not_reported(monkeypatch):
    installed, reads = triggers._standing, []

    def standing():
        reads.append(1)
        return {} if len(reads) == 1 else installed()

    monkeypatch.setattr(triggers, "_standing", standing)
    assert triggers.missing() == []
    assert len(reads) == 2


@pytest.mark.postgres
def test_a_disabled_trigger_is_reported():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE eventstore_event DISABLE TRIGGER eventstore_event_append_only")
    assert triggers.missing() == ["eventstore_event_append_only"]
    triggers.install()
    assert triggers.missing() == []


@pytest.mark.postgres
def test_a_changed_trigger_function_is_reported():
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION racecard_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN OLD; END $$"
        )
    assert triggers.missing() == ["racecard_append_only"]
    triggers.install()
    assert triggers.missing() == []


def test_triggers_are_absent_within_removed_and_present_afterwards(append_events):
    append_events("created")
    with triggers.removed():
        assert "eventstore_event_fits" in triggers.missing()
    assert triggers.missing() == []
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM eventstore_event")


def test_only_a_test_database_can_be_emptied(monkeypatch):
    databases.require_test_database()
    monkeypatch.setitem(connection.settings_dict, "NAME", "/srv/racecard/racecard.sqlite3")
    with pytest.raises(databases.NotATestDatabase):
        databases.require_test_database()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["first", "second"])
def test_transactional_tests_begin_with_empty_tables(append_events, stream, time):
    assert not Event.objects.exists()
    append_events("created")
    assert triggers.missing() == []
