"""For tests of the order in which PostgreSQL's rows are locked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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


def taken_too_early(deed: Deed, rows: Sequence[models.Model]) -> tuple[int, list[str]]:
    """Keep each row from the deed in turn. How often it waited, and what it had locked that comes after the row."""
    waited, early = 0, []
    for place, row in enumerate(rows):
        taken = _taken_beside(deed, row, rows[place + 1 :])
        if taken is not None:
            waited += 1
            early += [f"{other} before {row}" for other in taken]
    return waited, early


def _taken_beside(deed: Deed, row: models.Model, later: Sequence[models.Model]) -> list[models.Model] | None:
    """Which of the later rows the deed has locked while it waits for this one; None if it does not want it."""
    who: list[int] = []

    def run() -> None:
        try:
            with undone():
                who.append(backend())
                deed()
        finally:
            connections.close_all()

    taken = None
    with ThreadPoolExecutor(1) as thread:
        with undone():
            seize(row, nowait=False)
            doing = thread.submit(run)
            until(lambda: doing.done() or (who and waits(who[0])), "the deed is done, or waits")
            if not doing.done():
                taken = [other for other in later if not is_free(other)]
        doing.result()
    return taken
