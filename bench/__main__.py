"""`python -m bench [--thin] [NAME…]`: run every benchmark on every available database, each on a fresh one.

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

from bench._common import THIN
from core.compiled import SETTING

HERE = Path(__file__).parent
PURE = {"pairing", "playouts", "rules"}
"""Benchmarks that need no database."""

COMPILED = {"playouts", "rules"}
"""Benchmarks that run on the compiled rules too, with the module's COMPILED_TARGETS."""

DEVELOPMENT_PYTHON = HERE.parent / ".venv" / "bin" / "python"
DEVELOPMENT = {"growth": DEVELOPMENT_PYTHON, "load": DEVELOPMENT_PYTHON}
"""Benchmarks without peers that need the development environment."""

FIGURES = "figures: "


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all; `--thin` runs each in its smallest size, which proves only that it works."""
    names = [word for word in arguments if word != "--thin"] or everything()
    if "--thin" in arguments:
        os.environ[THIN] = "1"
    found: dict[str, Any] = {}
    failed = 0
    compiles = compile_rules() if COMPILED & set(names) else False
    for database in ["none", "sqlite", *(["postgresql"] if os.environ.get("DATABASE_URL") else [])]:
        for name in names:
            if (name in PURE) == (database == "none"):
                figures = run(name, database)
                failed += figures is None
                found[name if database == "none" else f"{name} on {database}"] = figures or {}
                if compiles and name in COMPILED:
                    print("the same, compiled:", flush=True)
                    figures = run(name, database, **{SETTING: "1"})
                    failed += figures is None
                    found[f"{name}, compiled"] = figures or {}
    print("\n".join(table(found)))
    return 1 if failed else 0


def compile_rules() -> bool:
    """Compile the rules if they are not; says why if it is not possible."""
    done = subprocess.run(
        [DEVELOPMENT_PYTHON, "-m", "tools.compiled"],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"compiled rules not measured: {done.stderr.strip()}", flush=True)
    return done.returncode == 0


def everything() -> list[str]:
    """Return the names of all benchmarks."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def measure_here(name: str) -> None:
    """Run one benchmark in a fresh installation, in the child process, and print its figures on the last line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if name not in PURE:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
    module = import_module(f"bench.{name}")
    targets = "COMPILED_TARGETS" if os.environ.get(SETTING) == "1" else "TARGETS"
    figures = {"figures": module.measure(), "targets": getattr(module, targets, {})}
    print(FIGURES + json.dumps(figures), flush=True)


def run(name: str, database: str, **environment: str) -> dict[str, Any] | None:
    """Run one benchmark in a fresh installation. Returns its figures and targets, or None if it failed."""
    with (
        tempfile.TemporaryDirectory(prefix="racecard-bench-") as folder,
        _fresh(database, Path(folder)) as fresh,
    ):
        child = subprocess.Popen(
            [DEVELOPMENT.get(name, sys.executable), "-m", "bench", "--here", name],
            env={**fresh, **environment},
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


AT_MOST = ("seconds", "seconds_most", "ms", "bytes", "mb", "growing", "slow", "times", "percent")
"""The last words of a figure for which less is better. Of every other figure, more is."""


def table(found: dict[str, Any]) -> Iterator[str]:
    """Yield a line for every figure: the number, its target if it has one, and whether it is met."""
    yield f"\n{'figure':76} {'found':>12} {'target':>10}"
    for name, result in found.items():
        targets = result.get("targets", {})
        for figure, value in result.get("figures", {}).items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            line = f"  {name:28} {figure.replace('_', ' '):45} {value:>12,.{0 if isinstance(value, int) else 2}f}"
            if figure in targets:
                line += (
                    f" {targets[figure]:>10,g}  {'met' if met(figure, value, targets[figure]) else 'MISSED'}"
                )
            yield line


def met(figure: str, value: float, target: float) -> bool:
    """Whether the figure is at most the target if less is better, else at least."""
    less = figure in AT_MOST or figure.endswith(tuple(f"_{word}" for word in AT_MOST))
    return value <= target if less else value >= target


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        measure_here(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
