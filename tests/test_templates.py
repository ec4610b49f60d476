"""An installation of a test begins with what `migrate` makes, though it is copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests import templates
from tests.installation import Installation, installation

pytestmark = pytest.mark.both_databases

SCHEMA = {
    "sqlite": "SELECT type, name, sql FROM sqlite_master",
    "postgresql": "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c "
    "WHERE c.table_schema = 'public' UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes "
    "WHERE schemaname = 'public' UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger "
    "WHERE NOT tgisinternal UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint",
}


@pytest.mark.django_db
def test_it_has_the_tables_triggers_and_seeds_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_command(*words: str) -> str:
        raise AssertionError(words)

    def here(statement: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return sorted(map(tuple, cursor.fetchall()), key=repr)

    schema = SCHEMA[connection.vendor]
    with installation(Installation(tmp_path)) as place:
        monkeypatch.setattr(place, "manage", no_command)
        place.migrate()
        assert sorted(place.sql(schema), key=repr) == here(schema)
        for table in ("django_migrations", "auth_permission", "auth_group_permissions"):
            [(rows,)] = place.sql(f"SELECT count(*) FROM {table}")
            assert rows > 10
        assert place.sql("SELECT count(*) FROM ledger_staketable WHERE slug = 'vegas-classic'") == [(1,)]
        for table in ("eventstore_event", "ledger_transfer", "accounts_player", "jobs_job"):
            assert place.sql(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.django_db
def test_another_servers_installation_migrates_itself() -> None:
    assert templates.of("postgresql://racecard@127.0.0.1:1/racecard") is None
