"""Tests of the order in which rows are locked on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

import pytest
from django.db import connection, connections, models, transaction

from ledger.models import Account
from tests.installation import until

Action = Callable[[], object]
RANK = {"player": 0, "house": 2}


def in_order(accounts: Sequence[Account]) -> list[Account]:
    return sorted(accounts, key=lambda each: (RANK.get(each.kind, 1), each.pk))


def assert_locked_in_order(
    commands: Mapping[str, Action], rows: Sequence[models.Model], subtests: pytest.Subtests
) -> None:
    """Check that commands that wait for a row hold no later one. Each command is rolled back."""
    for name, command in commands.items():
        with subtests.test(name):
            waited, early = taken_too_early(command, rows)
            assert waited
            assert early == []


class _Undo(Exception):
    pass


@contextmanager
def undone() -> Iterator[None]:
    """Run the block in a transaction that keeps its locks, and roll it back."""
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        pass


def seize(row: models.Model) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"{_select(type(row))} = %s FOR {_strength(type(row))}", [row.pk])


def _select(model: type[models.Model]) -> str:
    key = model._meta.pk
    assert key is not None
    return f"SELECT {key.column} FROM {model._meta.db_table} WHERE {key.column}"


def _strength(model: type[models.Model]) -> str:
    """Return the strength of the lock: accounts are locked like by a posting, other rows like by a service."""
    return "NO KEY UPDATE" if issubclass(model, Account) else "UPDATE"


def locked(rows: Sequence[models.Model]) -> list[models.Model]:
    """Return the rows that another transaction has locked."""
    free: set[tuple[type[models.Model], object]] = set()
    with undone():
        for model in {type(row) for row in rows}:
            free |= {(model, key) for key in _seized(model, [row.pk for row in rows if type(row) is model])}
    return [row for row in rows if (type(row), row.pk) not in free]


def _seized(model: type[models.Model], keys: Sequence[object]) -> list[object]:
    """Lock the rows that were not locked, and return their keys."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_select(model)} = ANY(%s) FOR {_strength(model)} SKIP LOCKED", [list(keys)])
        return [key for [key] in cursor.fetchall()]


def one_waits() -> bool:
    """Return whether another backend waits for the present transaction. Which one, only a pooler knows."""
    with connection.cursor() as cursor:
        # Of pg_stat_activity a transaction sees the same backends until it ends.
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted "
            "AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
        )
        return bool(cursor.fetchone()[0])


def taken_too_early(command: Action, rows: Sequence[models.Model]) -> tuple[int, list[str]]:
    """Lock each row that the command needs in turn, and let the command wait for it.

    Returns how often it waited, and the later rows that it had locked. The command is rolled back.
    """
    waited, early = 0, []
    with ThreadPoolExecutor(1) as thread:
        with undone():
            command()
            wanted = thread.submit(locked, rows).result()
        for place, row in enumerate(rows):
            if row not in wanted:
                continue
            taken = _taken_meanwhile(command, row, rows[place + 1 :], thread)
            if taken is not None:
                waited += 1
                early += [f"{other} before {row}" for other in taken]
        thread.submit(connections.close_all).result()
    return waited, early


def _taken_meanwhile(
    command: Action, row: models.Model, later: Sequence[models.Model], thread: ThreadPoolExecutor
) -> list[models.Model] | None:
    """Return the later rows that the command has locked while it waits for this one, or None if it does not wait."""

    def run() -> None:
        with undone():
            command()

    def is_done_or_waits() -> bool:
        return bool(wait([doing], timeout=0.003).done) or one_waits()

    taken = None
    with undone():
        seize(row)
        doing = thread.submit(run)
        until(is_done_or_waits, "the command is done, or waits")
        if not doing.done():
            taken = locked(later)
    doing.result()
    return taken
