"""What writes events, transfers and jobs does not begin on a database that would not keep them."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKER = ["-m", "celery", "--quiet", "--app", "config.celery", "worker", "--pool", "solo"]
TICKER = ["manage.py", "tick"]


def run(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RACECARD_DATA": str(data)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.sqlite
@pytest.mark.parametrize("program", [WORKER, TICKER], ids=["worker", "ticker"])
def test_neither_begins_without_the_triggers(tmp_path: Path, program: list[str]) -> None:
    assert run(tmp_path, "manage.py", "migrate", "--verbosity", "0").returncode == 0
    with sqlite3.connect(tmp_path / "racecard.sqlite3") as database:
        database.execute("DROP TRIGGER eventstore_event_no_update")

    ended = run(tmp_path, *program)

    assert ended.returncode == 1
    assert "eventstore_event_no_update" in ended.stderr
