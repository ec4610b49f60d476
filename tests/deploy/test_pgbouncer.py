"""The services through PgBouncer in transaction mode, which gives each transaction another connection."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.test_doctor import doctor, found_by
from tests.installation import ROOT, Installation, installation
from tools.services import PgBouncer, throw_away
from tools.worker_services import WORKERS

pytestmark = [
    pytest.mark.soak,
    pytest.mark.postgres,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin"),
        reason="PgBouncer is not installed",
    ),
]

SERVICES = (
    "tests/eventstore",
    "tests/ledger",
    "tests/jobs",
    "tests/core",
    "tests/faults/test_connection_lost.py",
)


@pytest.fixture
def pooled() -> Iterator[dict[str, str]]:
    """The environment of an installation behind a pooler."""
    with throw_away() as (postgres, valkey):
        pooler = PgBouncer(postgres.folder, postgres)
        pooler.start()
        try:
            yield {
                "DATABASE_URL": pooler.url,
                "RACECARD_DATABASE_DIRECT_URL": postgres.url,
                "RACECARD_DATABASE_POOLED": "1",
                "REDIS_URL": valkey.url,
            }
        finally:
            pooler.stop()


def test_events_ledger_and_jobs_work_through_a_pooler(pooled: dict[str, str], tmp_path: Path) -> None:
    # Without the servers of this run's workers, which would take the place of the pooler.
    environment = {name: value for name, value in os.environ.items() if name != WORKERS}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not soak and not own_backend", *SERVICES],
        cwd=ROOT,
        env={**environment, **pooled, "RACECARD_TEST_DATABASE": "postgresql", "RACECARD_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_the_doctor_knows_the_pooler(pooled: dict[str, str], tmp_path: Path) -> None:
    with installation(Installation(tmp_path, **pooled)) as site:
        site.migrate()
        found = found_by(doctor(site, code=1))  # the servers of the tests do not flush
        assert not {"database.unknown-pooler", "database.direct"} & found["database"]
        found = found_by(doctor(site, code=1, RACECARD_DATABASE_POOLED="0"))
        assert "database.unknown-pooler" in found["database"]
