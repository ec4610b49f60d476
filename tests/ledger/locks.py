"""For tests of the order in which PostgreSQL's rows are locked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

from django.db import DatabaseError, connection, connections, models, transaction

from ledger.models import Account
from tests.installation import until

Deed = Callable[[], object]
RANK = {"player": 0, "house": 2}


def in_order(accounts: Sequence[Account]) -> list[Account]:
    return sorted(accounts, key=lambda each: (RANK.get(each.kind, 1), each.pk))


class _Undo(Exception):
    pass


@contextmanager
def undone() -> Iterator[None]:
    """A transaction that keeps its locks to the end of the block and leaves nothing behind."""
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        pass


def seize(row: models.Model, *, nowait: bool) -> None:
    # As a posting would lock an account, whose key others may refer to meanwhile; other rows as a service would.
    strength = "NO KEY UPDATE" if isinstance(row, Account) else "UPDATE"
    table, key = row._meta.db_table, row._meta.pk
    assert key is not None
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT 1 FROM {table} WHERE {key.column} = %s FOR {strength} {'NOWAIT' if nowait else ''}",
            [row.pk],
        )


def is_free(row: models.Model) -> bool:
    try:
        with transaction.atomic():
            seize(row, nowait=True)
            raise _Undo
    except _Undo:
        return True
    except DatabaseError:
        return False


def waits(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s))", [backend])
        return bool(cursor.fetchone()[0])


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def taken_too_early(command: Deed, rows: Sequence[models.Model]) -> tuple[int, list[str]]:
    """Keep each row from the command in turn. How often it waited, and what it had locked that comes after the row.

    Nothing that it did stays.
    """
    waited, early = 0, []
    with ThreadPoolExecutor(1) as thread:
        other_backend = thread.submit(backend).result()
        for place, row in enumerate(rows):
            taken = _taken_meanwhile(command, row, rows[place + 1 :], thread, other_backend)
            if taken is not None:
                waited += 1
                early += [f"{other} before {row}" for other in taken]
        thread.submit(connections.close_all).result()
    return waited, early


def _taken_meanwhile(
    command: Deed,
    row: models.Model,
    later: Sequence[models.Model],
    thread: ThreadPoolExecutor,
    other_backend: int,
) -> list[models.Model] | None:
    """Which of the later rows the command has locked while it waits for this one; None if it does not want it."""

    def run() -> None:
        with undone():
            command()

    def is_done_or_waits() -> bool:
        return bool(wait([doing], timeout=0.003).done) or waits(other_backend)

    taken = None
    with undone():
        seize(row, nowait=False)
        doing = thread.submit(run)
        until(is_done_or_waits, "the command is done, or waits")
        if not doing.done():
            taken = [other for other in later if not is_free(other)]
    doing.result()
    return taken
