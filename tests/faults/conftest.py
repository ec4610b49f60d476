from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.installation import PATIENCE, ROOT, Installation, installation

STAGE = ROOT / "tests" / "faults" / "stage.py"


class Place(Installation):
    """An installation with a stage: what `stage.py` can set up and examine in it."""

    def stage(self, function: str, **arguments: Any) -> Any:
        return self.staged(STAGE, function, self.environment, **arguments)

    def staged(self, script: Path, function: str, environment: dict[str, str], **arguments: Any) -> Any:
        done = forked.run([str(script), function, json.dumps(arguments)], environment, PATIENCE * 5)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def end_leases(self) -> None:
        """What a minute's wait would do: the claims of the dead run out."""
        self.sql("UPDATE jobs_job SET lease_until = due WHERE lease_until IS NOT NULL AND done IS NULL")

    def state_of_affairs(self) -> str:
        """For the message of a test whose wait timed out."""
        rows = self.sql(
            "SELECT key, due, lease_until, attempts, failed, last_error FROM jobs_job WHERE done IS NULL"
        )
        logs = [
            f"{log.name}:\n{log.read_text(errors='replace')[-3000:]}" for log in self.folder.glob("*.log")
        ]
        return "\n".join([*map(str, rows), *logs])

    def tournament_status(self) -> str:
        return str(self.sql("SELECT status FROM tournaments_tournament")[0][0])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Place(tmp_path)) as place:
        place.migrate()
        yield place
