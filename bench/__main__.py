"""`python -m bench [NAME…]`: run every benchmark on every available database, each on a fresh one, and print ratios.

PostgreSQL is measured if DATABASE_URL names a server, SQLite always. The peers are measured in the same run, because a
ratio depends less on the machine than a rate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

HERE = Path(__file__).parent
PURE = {"pairing", "playouts", "rules"}
"""Benchmarks that need no database."""

FIGURES = "figures: "


def main(wanted: list[str]) -> int:
    names = wanted or sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    found: dict[str, Any] = {}
    failed = 0
    for database in ["none", "sqlite", *(["postgresql"] if os.environ.get("DATABASE_URL") else [])]:
        for name in names:
            if (name in PURE) == (database == "none"):
                figures = _run(name, database)
                failed += figures is None
                found[name if database == "none" else f"{name} on {database}"] = figures or {}
    _print(found)
    return 1 if failed else 0


def measure_here(name: str) -> None:
    """Run one benchmark in a fresh installation, in the child process, and print its figures on the last line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if name not in PURE:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
    module = import_module(f"bench.{name}")
    figures = {"figures": module.measure(), "targets": getattr(module, "TARGETS", {})}
    print(FIGURES + json.dumps(figures), flush=True)


def _run(name: str, database: str) -> dict[str, Any] | None:
    with (
        tempfile.TemporaryDirectory(prefix="racecard-bench-") as folder,
        _fresh(database, Path(folder)) as environment,
    ):
        child = subprocess.Popen(
            [sys.executable, "-m", "bench", "--here", name],
            env=environment,
            cwd=HERE.parent,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        figures = None
        for line in child.stdout:
            if line.startswith(FIGURES):
                figures = json.loads(line.removeprefix(FIGURES))
            else:
                print(line, end="", flush=True)
        if child.wait() != 0 or figures is None:
            print(f"{name} on {database}: FAILED", flush=True)
            return None
        return dict(figures)


@contextmanager
def _fresh(database: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of a new installation, which is removed afterwards."""
    environment = {
        **os.environ,
        "RACECARD_DATA": str(folder),
        "PYTHONPATH": _path(),
        "RACECARD_LOG_LEVEL": "WARNING",
    }
    if database != "postgresql":
        environment.pop("DATABASE_URL", None)
        environment.pop("REDIS_URL", None)
        yield environment
        return
    import psycopg

    parts = urlsplit(os.environ["DATABASE_URL"])
    name = f"racecard_bench_{uuid.uuid4().hex[:12]}"
    server = urlunsplit(parts._replace(path="/postgres"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield {**environment, "DATABASE_URL": urlunsplit(parts._replace(path=f"/{name}"))}
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _path() -> str:
    return os.pathsep.join((str(HERE.parent), str(HERE.parent / "platform")))


def _print(found: dict[str, Any]) -> None:
    print(f"\n{'ratios':64} {'found':>6}  target")
    for name, result in found.items():
        targets = result.get("targets", {})
        for figure, value in result.get("figures", {}).items():
            if figure.endswith("ratio"):
                words = figure.removesuffix("_ratio").replace("_", " ")
                target = f"{targets[figure]:.2f}" if figure in targets else ""
                print(f"  {name:28} {words:33} {value:>6.2f}  {target:>6}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        measure_here(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
