"""The base class of initial migrations."""

from __future__ import annotations

from typing import Any

from django.db import migrations


class InitialMigration(migrations.Migration):
    """Creates the models of one app. Its operations are CreateModel only, each after those it refers to.

    Django's own class rebuilds all related model classes after every operation, which takes most of the time of
    migrating an empty database. No earlier class refers to a new model here, so this class reuses them and builds
    only the new ones, once.
    """

    initial = True

    def apply(self, project_state: Any, schema_editor: Any, collect_sql: bool = False) -> Any:
        before = project_state.clone()
        built = project_state.__dict__.pop("apps", None)  # a cached property
        self.mutate_state(project_state, preserve=False)
        if built is not None:
            project_state.apps = built
            built.render_multiple(
                [model for key, model in project_state.models.items() if key not in before.models]
            )
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
