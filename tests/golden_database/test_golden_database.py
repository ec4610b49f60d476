"""What earlier releases wrote is restored, migrated and verified."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest
from django.db import connection

from tests.installation import Installation, installation
from tools.schema import Schema, differences, of_postgresql, of_sqlite

pytestmark = [pytest.mark.both_databases, pytest.mark.processes]

HERE = Path(__file__).parent
CASTS = r"::[a-z ]+(\[\])?|[()]"
BACKUPS = sorted(HERE.glob(f"*-{connection.vendor}.tar.xz"))


def test_there_is_one_for_this_database() -> None:
    assert BACKUPS


@pytest.mark.parametrize("archive", BACKUPS, ids=lambda path: path.name)
def test_an_earlier_release_is_brought_up_to_date_whole(archive: Path, tmp_path: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path)  # our own; Python 3.11.2, of Debian 12, knows no filter
    with installation(Installation(tmp_path / "site")) as site:
        (site.folder / "data").mkdir(parents=True)
        site.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        restored = site.run("-m", "config.cli.main", "restore", str(tmp_path / "backup"))
        assert "verified:" in restored.stdout
        assert "no faults" in site.manage("checkpoints", "verify")
        site.manage("migrate", "--check")
        assert site.sql("SELECT status FROM tournaments_tournament") == [("finished",)]
        assert site.sql("SELECT DISTINCT shown_as FROM tournaments_entry") == [("members",)]
        assert site.sql("SELECT sum(credits) - sum(debits) FROM ledger_account") == [(0,)]
        assert site.sql("SELECT count(*) FROM eventstore_checkpoint")[0][0] >= 2
        with installation(Installation(tmp_path / "new")) as new:
            new.migrate()
            assert differences(schema(new), schema(site)) == []


def schema(site: Installation) -> Schema:
    """The schema without casts and parentheses, which PostgreSQL writes otherwise after a dump is loaded."""
    if not site.database:
        return of_sqlite(str(site.folder / "data" / "racecard.sqlite3"))
    return {name: re.sub(CASTS, "", text) for name, text in of_postgresql(site.database).items()}
