"""Nothing depends on a connection of the server between two transactions, so a pooler may lend it to others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import Player
from config import backup
from config.doctor import database
from config.environment import Environment
from tests.config.test_doctor import ids
from tests.conftest import NOW
from tests.installation import ROOT

SESSION_STATE = {
    "a setting of the session": r"(?:^|;)\s*SET\s+(?!LOCAL|TRANSACTION|CONSTRAINTS)(?:SESSION\s+)?[\w.]+\s*(?:=|TO)\s",
    "a lock of the session": r"\bpg_(?:try_)?advisory_lock",
    "a channel": r"(?:^|;)\s*(?:UN)?LISTEN\s+\w",
    "a prepared statement": r"(?:^|;)\s*(?:PREPARE|DEALLOCATE)\s+\w",
    "a temporary table": r"\bCREATE\s+(?:LOCAL\s+)?TEMP(?:ORARY)?\b(?!.*ON COMMIT DROP)",
    "a cursor that outlives its transaction": r"\bWITH HOLD\b",
    "a value of a sequence in this session": r"\b(?:currval|lastval)\s*\(",
    "a setting until the end of the session": r"\bset_config\(.*(?:false|FALSE)\s*\)",
}
HINT = re.compile(
    r"[\"';]\s*SET\s|advisory_lock|LISTEN|PREPARE|DEALLOCATE|TEMP|WITH HOLD|currval|lastval|set_config"
)
"""What a module contains that has such a statement; the others are not parsed."""

PACKAGES = ("platform", "ledger", "games", "tournaments", "disputes", "audit")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings of a module; those of an f-string together, with `x` for each value."""
    match tree:
        case ast.JoinedStr(values=parts):
            yield (
                tree.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts),
            )
        case ast.Constant(value=str(text)):
            yield tree.lineno, text
        case _:
            for child in ast.iter_child_nodes(tree):
                yield from texts(child)


def state_in(source: str) -> list[tuple[int, str]]:
    """The lines with strings that are statements with an effect on the session, and which."""
    return [
        (line, what)
        for line, text in texts(ast.parse(source))
        for what, pattern in SESSION_STATE.items()
        if re.search(pattern, text, re.DOTALL)
    ]


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (path for path in (ROOT / package).rglob("*.py") if "/frontend/" not in str(path))


def test_no_statement_leaves_state_in_its_connection() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in sources()
        if HINT.search(source := path.read_text())
        for line, what in state_in(source)
    }
    assert not found


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("SET work_mem = '1GB'", "a setting of the session"),
        ("SELECT 1; SET SESSION timezone TO 'UTC'", "a setting of the session"),
        ("SELECT pg_advisory_lock(1)", "a lock of the session"),
        ("SELECT pg_try_advisory_lock_shared(1)", "a lock of the session"),
        ("LISTEN moves", "a channel"),
        ("CREATE TEMP TABLE t (id int)", "a temporary table"),
        ("SELECT set_config('a.b', x, false)", "a setting until the end of the session"),
    ],
)
def test_such_statements_are_recognised(statement: str, what: str) -> None:
    assert state_in(f"execute({statement!r})") == [(1, what)]


@pytest.mark.parametrize(
    "statement",
    [
        "SET LOCAL work_mem = '1GB'",
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "UPDATE job SET due = now()",
        "SELECT pg_advisory_xact_lock(1)",
        "CREATE TEMP TABLE t (id int) ON COMMIT DROP",
    ],
)
def test_statements_that_end_with_their_transaction_are_allowed(statement: str) -> None:
    assert state_in(f"execute({statement!r})") == []


def entry(monkeypatch: pytest.MonkeyPatch, url: str, *, pooled: bool) -> dict[str, Any]:
    monkeypatch.setenv("DATABASE_URL", url)
    return Environment().postgresql("DATABASE_URL", pooled=pooled)


def test_a_pooled_connection_is_set_up_without_state(monkeypatch: pytest.MonkeyPatch) -> None:
    own = entry(monkeypatch, "postgresql://u@db/name", pooled=False)
    assert own["OPTIONS"]["prepare_threshold"] == 5
    assert own["OPTIONS"]["options"] == "-c synchronous_commit=on -c jit=off"
    pooled = entry(monkeypatch, "postgresql://u@db/name", pooled=True)
    assert pooled["OPTIONS"]["prepare_threshold"] is None
    assert "options" not in pooled["OPTIONS"]


def test_the_parameters_of_the_address_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "sslmode=verify-full&connect_timeout=2&target_session_attrs=read-write&options=-c%20jit%3Don"
    found = entry(monkeypatch, f"postgresql://u@a:5432,b:5433/name?{query}", pooled=False)
    assert (found["HOST"], found["PORT"]) == ("a,b", "5432,5433")
    options = found["OPTIONS"]
    assert (options["sslmode"], options["connect_timeout"]) == ("verify-full", 2)
    assert options["target_session_attrs"] == "read-write"
    assert options["options"].endswith("-c jit=off -c jit=on")
    assert options["tcp_user_timeout"] == 10_000


def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="DATABASE_URL must be postgresql"):
        entry(monkeypatch, "mysql://u@db/name", pooled=False)


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "POOLED", True)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_rows_come_in_pieces_only_within_a_transaction(pooled: None, player: Player) -> None:
    def cursors() -> int:
        rows = Player.objects.iterator(chunk_size=1)
        assert next(rows) == player
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_cursors WHERE name LIKE '\\_django%%'", [])
            return int(cursor.fetchone()[0])

    assert cursors() == 0
    with transaction.atomic():
        assert cursors() == 1


@pytest.mark.django_db
def test_a_backup_needs_a_connection_of_its_own(pooled: None, tmp_path: Path) -> None:
    with pytest.raises(backup.Unusable, match="RACECARD_DATABASE_DIRECT_URL"):
        backup.backup(to=tmp_path / "copy", now=NOW)
    with pytest.raises(backup.Unusable, match="RACECARD_DATABASE_DIRECT_URL"):
        backup.restore(source=tmp_path, now=NOW)


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_doctor_names_what_a_pooler_cannot_set(pooled: None, settings: Any) -> None:
    settings.RACECARD_DATABASE_DIRECT_URL = ""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = on")
    assert {"database.direct", "database.pooled-jit"} <= ids(database.check())


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_doctor_knows_a_pooler_by_the_number_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "database.unknown-pooler" not in ids(database.check())
    monkeypatch.setattr(database, "_is_pgbouncer", lambda: True)
    assert "database.unknown-pooler" in ids(database.check())
