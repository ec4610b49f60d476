from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.migrations import Migration, RunPython
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from core import triggers
from core.migration import LocksRefused, with_short_locks


class Command(migrate.Command):
    """Django's own, which holds locks for its statements only, and may also run on a database whose triggers are gone:
    it puts them back.
    """

    def check(self, *args: Any, **options: Any) -> None:
        with triggers.repairing():
            super().check(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            super().handle(*args, **options)
        except LocksRefused as error:
            raise CommandError(str(error)) from error


Plan = Sequence[tuple[Migration, bool]]
"""The migrations to apply, each with whether it is to be unapplied instead."""


class Step(NamedTuple):
    operation: Operation
    before: ProjectState
    after: ProjectState


class Executor(MigrationExecutor):
    """Prepares the models of every step first. Building them takes seconds, for which Django's own holds the locks of
    the step before.
    """

    def migrate(
        self,
        targets: Any,
        plan: Plan | None = None,
        state: ProjectState | None = None,
        fake: bool = False,
        fake_initial: bool = False,
    ) -> ProjectState:
        self.prepared: dict[Migration, list[Step]] = {}
        if not plan:
            return super().migrate(targets, plan, state, fake, fake_initial)
        online = bool(self.loader.applied_migrations) and not (
            fake or fake_initial or any(back for _, back in plan)
        )
        if online:
            state = state or self._create_project_state(True)  # type: ignore[attr-defined]  # Django's own method
            self._prepare(plan, state.clone())
        with in_one_transaction(rebuilding=not online or self._rebuilds_a_table()):
            state = super().migrate(targets, plan, state, fake, fake_initial)
            triggers.install()
        return state

    def _prepare(self, plan: Plan, state: ProjectState) -> None:
        wanted = {migration for migration, _ in plan}
        everything = self.migration_plan(self.loader.graph.leaf_nodes(), clean_start=True)
        for migration in [one for one, _ in everything if one in wanted]:
            self.prepared[migration] = [
                _step(migration, operation, state) for operation in migration.operations
            ]

    def _rebuilds_a_table(self) -> bool:
        """Whether a step replaces a table, by the statements that it would send."""
        if connection.vendor != "sqlite":
            return False
        editor = connection.schema_editor(collect_sql=True)
        editor.deferred_sql = []  # it is not entered, because that begins a transaction
        for migration, steps in self.prepared.items():
            for operation, before, after in steps:
                if operation.reduces_to_sql:
                    operation.database_forwards(migration.app_label, editor, before, after)
        return any(map(_REPLACES.match, editor.collected_sql))

    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        steps = self.prepared.get(migration)
        if not steps:
            return super().apply_migration(state, migration, fake, fake_initial)
        if self.progress_callback:
            self.progress_callback("apply_start", migration, fake)
        if migration.atomic:
            with_short_locks(lambda: self._carry_out(migration, steps))
        else:
            self._carry_out(migration, steps)
        if self.progress_callback:
            self.progress_callback("apply_success", migration, fake)
        return steps[-1].after

    def _carry_out(self, migration: Migration, steps: Sequence[Step]) -> None:
        with connection.schema_editor(atomic=migration.atomic) as editor:
            for operation, before, after in steps:
                own = operation.atomic and not migration.atomic
                with transaction.atomic() if own else nullcontext():
                    operation.database_forwards(migration.app_label, editor, before, after)
        self.record_migration(migration)  # type: ignore[arg-type,call-arg]  # Django's signature is another


# Django's command takes it from its module.
migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]

_REPLACES = re.compile(r"DROP TABLE|ALTER TABLE \S+ (RENAME|DROP) ")
"""Statements of SQLite that triggers and foreign keys forbid."""


def _step(migration: Migration, operation: Operation, state: ProjectState) -> Step:
    """Move the state past the operation. The models of both sides are built."""
    before = state.clone()
    if isinstance(operation, RunPython):
        # It would build all models again, because the relations of some are not up to date.
        before.clear_delayed_apps_cache()
        before.is_delayed = False
    operation.state_forwards(migration.app_label, state)
    after = state.clone()
    for side in (before, after):
        _ = side.apps  # a cached property
    return Step(operation, before, after)


@contextmanager
def in_one_transaction(*, rebuilding: bool) -> Iterator[None]:
    """Carry out all migrations on SQLite in one transaction.

    Other processes read the earlier state meanwhile, and wait to write. A migration that fails leaves everything as it
    was. If `rebuilding`, the triggers are removed within the transaction, and foreign keys are not enforced: SQLite
    cannot rebuild a table to which a trigger or a row of another table refers. The schema editor then checks all
    foreign keys after each migration, which reads the whole database.

    On PostgreSQL each migration has transactions of its own, which hold their locks for a shorter time, and the
    triggers stay.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    if rebuilding:
        connection.disable_constraint_checking()  # has no effect in a transaction
    try:
        with transaction.atomic():
            if rebuilding:
                triggers.remove_all()
            yield
    finally:
        if rebuilding:
            connection.enable_constraint_checking()
