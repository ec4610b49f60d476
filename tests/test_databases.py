"""The test database: a copy of what `migrate` makes, equal to it again after every test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import TransactionTestCase

from accounts.models import Player
from eventstore import triggers
from tests import databases, templates
from tests.conftest import person
from tests.installation import Installation, installation

EMPTY = ("eventstore_event", "ledger_transfer", "accounts_player", "jobs_job")


def restore() -> None:
    TransactionTestCase._fixture_teardown(None)  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_an_installation_starts_with_the_tables_and_seeds_of_migrate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_command(*words: str) -> str:
        raise AssertionError(words)

    with installation(Installation(tmp_path)) as place:
        monkeypatch.setattr(place, "manage", no_command)
        place.migrate()
        for table in ("django_migrations", "auth_permission", "auth_group_permissions"):
            [(rows,)] = place.sql(f"SELECT count(*) FROM {table}")
            assert rows > 10
        assert place.sql("SELECT count(*) FROM ledger_staketable WHERE slug = 'vegas-classic'") == [(1,)]
        for table in EMPTY:
            assert place.sql(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.django_db(transaction=True)
def test_a_transactional_test_leaves_nothing_and_takes_nothing_away() -> None:
    permissions = Permission.objects.count()
    person("ann")
    Permission.objects.all().delete()
    restore()
    assert Player.objects.count() == 0
    assert Permission.objects.count() == permissions > 10
    assert triggers.missing() == []


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_test_that_removes_a_trigger_fails_and_the_trigger_is_back() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER eventstore_event_append_only ON eventstore_event")
    with pytest.raises(pytest.fail.Exception, match="eventstore_event_append_only"):
        restore()
    assert triggers.missing() == []


@pytest.mark.django_db
def test_sql_of_a_test_on_one_database_fails_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_on_one_database", True)
    assert not Player.objects.exists()  # SQL of Django's is nobody's own
    with connection.cursor() as cursor, pytest.raises(pytest.fail.Exception, match="both_databases"):
        cursor.execute("SELECT 1")


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([], {"sqlite"}),
        ([pytest.mark.django_db], {"sqlite"}),
        ([pytest.mark.both_databases], {"sqlite", "postgresql"}),
        ([pytest.mark.django_db(transaction=True)], {"sqlite", "postgresql"}),
        ([pytest.mark.django_db(transaction=True), pytest.mark.sqlite], {"sqlite"}),
        ([pytest.mark.processes, pytest.mark.postgres], {"postgresql"}),
    ],
)
def test_where_a_test_runs(marks: list[Any], expected: set[str]) -> None:
    item = SimpleNamespace(
        iter_markers=lambda: iter([mark.mark for mark in marks]), fixturenames=(), path=Path(__file__)
    )
    assert databases.databases(item) == expected  # type: ignore[arg-type]


def test_the_templates_of_two_states_of_the_sources_have_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    before = templates.fingerprint.__wrapped__()
    monkeypatch.setattr(templates, "PACKAGES", ("platform",))
    assert templates.fingerprint.__wrapped__() != before
