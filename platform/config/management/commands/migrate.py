from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.commands import migrate
from django.db import connection, transaction

from core import triggers


class Command(migrate.Command):
    """Django's own, which may also run on a database whose triggers are gone: it puts them back."""

    def check(self, *args: Any, **options: Any) -> None:
        with triggers.repairing():
            super().check(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check_unapplied"] or options["plan"]:
            super().handle(*args, **options)
            return
        with in_one_transaction():
            super().handle(*args, **options)


@contextmanager
def in_one_transaction() -> Iterator[None]:
    """Carry out all migrations on SQLite in one transaction, in which triggers may be removed.

    Other processes read the earlier state meanwhile, and wait to write. A migration that fails leaves everything as it
    was. On PostgreSQL each migration has a transaction of its own, which holds its locks for a shorter time, and the
    triggers stay.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    # Tables cannot be rebuilt otherwise. The setting cannot be changed in a transaction; the schema editor checks the
    # foreign keys after each migration.
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
    finally:
        connection.enable_constraint_checking()
