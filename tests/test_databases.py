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
from core import triggers
from tests import databases, templates
from tests.conftest import known, person
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
def test_sql_of_a_test_on_sqlite_only_fails_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_on_sqlite_only", True)
    assert not Player.objects.exists()  # SQL that Django sends does not count
    with connection.cursor() as cursor, pytest.raises(pytest.fail.Exception, match="both_databases"):
        cursor.execute("SELECT 1")


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([], {"sqlite"}),
        ([pytest.mark.django_db], {"sqlite"}),
        ([pytest.mark.both_databases], {"sqlite", "postgresql"}),
        ([pytest.mark.django_db(transaction=True)], {"postgresql"}),
        ([pytest.mark.django_db(transaction=True), pytest.mark.both_databases], {"sqlite", "postgresql"}),
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


# --- rows that tests share ---------------------------------------------------------------------------


@databases.shared
def ann() -> Player:
    return known("ann")


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_meets_shared_rows_as_they_were_made(ann: Player, player: Player, turn: int) -> None:
    assert databases.shared_rows.made_by
    assert ann == player == Player.objects.get()
    assert ann.display_name == Player.objects.get().display_name == ""
    ann.display_name = "Ann"
    ann.save()
    person("bob")


@pytest.mark.django_db(transaction=True)
def test_a_transactional_test_has_them_for_itself(ann: Player, player: Player) -> None:
    assert ann == player == Player.objects.get()
    assert not connection.in_atomic_block


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_test_that_does_not_share_them_does_not_see_them(player: Player) -> None:
    assert Player.objects.get() == player
    assert not databases.shared_rows.made_by


def test_nor_does_one_without_a_database_leave_their_transaction_open() -> None:
    assert not databases.shared_rows.made_by


@pytest.mark.django_db(transaction=True)
def test_they_are_made_once_and_rolled_back_before_others_are() -> None:
    rows: databases.SharedRows[Player] = databases.SharedRows()
    made = []

    def bob() -> Player:
        made.append("bob")
        return person("bob")

    def eve() -> Player:
        return person("eve")

    def fails() -> Player:
        person("gus")
        raise ZeroDivisionError

    for _ in range(2):
        rows.provide(bob)
        assert Player.objects.get().username == "bob"
    assert made == ["bob"]
    rows.provide(eve)
    assert Player.objects.get().username == "eve"
    with pytest.raises(ZeroDivisionError):
        rows.provide(fails)
    assert not Player.objects.exists()
    assert not connection.in_atomic_block
    rows.provide(bob)
    rows.provide(None)
    assert not Player.objects.exists()
    assert not connection.in_atomic_block
