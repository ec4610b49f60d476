"""`make squash`: replace the migrations of each package with one initial migration that makes the same schema.

Only before the first release: an installation created with the replaced migrations can no longer be migrated. The
schema is compared on SQLite and PostgreSQL before and after; any difference is printed and restores the old
migrations, unless `--accept` is given. The order of columns does not count: it follows the models.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.sql import SQL, Identifier

from tools.schema import Schema, differences, of_postgresql, of_sqlite
from tools.services import throw_away

if TYPE_CHECKING:
    from django.db.migrations import Migration
    from django.db.migrations.operations import CreateModel
    from django.db.migrations.state import ModelState

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(
    path.parent
    for top in ("platform", "ledger", "games", "tournaments", "disputes", "audit")
    for path in (ROOT / top).rglob("migrations/__init__.py")
)
"""The folders of migrations; the name of the folder above is the label of the app."""


def manage(*words: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env={**os.environ, **environment}, check=True
    )


def schemas(folder: Path, server: str) -> dict[str, Schema]:
    """The schemas that `migrate` makes of two empty databases."""
    name = f"squash_{folder.name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    url = server.rpartition("/")[0] + f"/{name}"
    data = str(folder)
    manage("migrate", "--verbosity", "0", RACECARD_DATA=data, DATABASE_URL="")
    manage("migrate", "--verbosity", "0", RACECARD_DATA=data, DATABASE_URL=url)
    return {"SQLite": of_sqlite(str(folder / "racecard.sqlite3")), "PostgreSQL": of_postgresql(url)}


def main(accept: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="racecard-squash-") as scratch, throw_away() as (postgres, _):
        before_folder, after_folder, saved = (Path(scratch) / name for name in ("before", "after", "saved"))
        before = schemas(before_folder, postgres.url)
        for folder in FOLDERS:
            shutil.copytree(folder, saved / folder.relative_to(ROOT))
            for migration in folder.glob("0*.py"):
                migration.unlink()
        try:
            subprocess.run([sys.executable, "-m", "tools.squash", "--write"], cwd=ROOT, check=True)
            subprocess.run(
                [sys.executable, "-m", "ruff", "check", "--quiet", "--fix", *FOLDERS], cwd=ROOT, check=True
            )
            subprocess.run(
                [sys.executable, "-m", "ruff", "format", "--quiet", *FOLDERS], cwd=ROOT, check=True
            )
            after = schemas(after_folder, postgres.url)
        except BaseException:
            restore(saved)
            raise
        found = {name: differences(before[name], after[name]) for name in before}
        for name, lines in found.items():
            print(f"racecard: {name}: {len(after[name])} definitions, {len(lines)} lines differ")
            print(*lines, sep="\n", end="\n" if lines else "")
        if any(found.values()) and not accept:
            restore(saved)
            print("racecard: the old migrations are back; `--accept` keeps the new ones")
            return 1
    return 0


_STANDARD = re.compile(r"class Migration\(migrations\.Migration\):\n\n    initial = True\n\n")
_OURS = "from core.migration import InitialMigration\n\n\nclass Migration(InitialMigration):\n"


def write() -> None:
    """Write an initial migration for each of our apps, with its complete models in the order of their foreign keys.

    `makemigrations` alone would add most foreign keys and constraints afterwards, for which SQLite copies the table.
    """
    import django

    sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.apps import apps
    from django.core.management import call_command
    from django.core.management.commands import makemigrations
    from django.db.migrations.state import ProjectState

    models = ProjectState.from_apps(apps).models.values()

    class Squash(makemigrations.Command):
        def write_migration_files(self, changes: dict[str, list[Migration]], *args: Any) -> None:
            for label, migrations in changes.items():
                if len(migrations) > 1:
                    raise SystemExit(
                        f"{label} needs several migrations: it and another app refer to each other"
                    )
                migrations[0].operations = in_order(  # type: ignore[misc]
                    [model for model in models if model.app_label == label]
                )
            super().write_migration_files(changes, *args)
            for folder in FOLDERS:
                file = folder / "0001_initial.py"
                file.write_text(_STANDARD.sub(_OURS, file.read_text()))

    call_command(Squash(), *(folder.parent.name for folder in FOLDERS), verbosity=0, include_header=False)


def in_order(models: list[ModelState]) -> list[CreateModel]:
    """Creations of models, each after those that its foreign keys name."""
    from django.db.migrations.operations import CreateModel

    waiting = {f"{model.app_label}.{model.name_lower}": model for model in models}

    def references(key: str, model: ModelState) -> set[str]:
        related = (field.remote_field for field in model.fields.values() if field.remote_field)
        return {to for one in related if (to := str(one.model).lower()) in waiting and to != key}

    graph = {key: references(key, model) for key, model in sorted(waiting.items())}
    return [
        CreateModel(model.name, list(model.fields.items()), model.options, model.bases, model.managers)
        for key in TopologicalSorter(graph).static_order()
        for model in [waiting[key]]
    ]


def restore(saved: Path) -> None:
    for folder in FOLDERS:
        shutil.rmtree(folder)
        shutil.copytree(saved / folder.relative_to(ROOT), folder)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write()
    else:
        sys.exit(main(accept="--accept" in sys.argv[1:]))
