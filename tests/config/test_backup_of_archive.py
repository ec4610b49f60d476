"""Backups of an installation with archived games: with their packs and without, with a pack missing or changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.test_backup import HISTORY, Site
from tests.installation import installation

pytestmark = pytest.mark.processes

ARCHIVE = f"""{HISTORY}
from datetime import timedelta
from games import archive
assert archive.run(now=now + timedelta(days=40)).streams == 1
"""
READ = """
import django; django.setup()
from eventstore import store
from eventstore.models import ArchivedStream
stream = ArchivedStream.objects.get().pk
print(stream, "has", len(store.read(stream)), "events")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """An installation with an archived game, in the folder `archive` of its data folder."""
    with installation(Site(tmp_path_factory.mktemp("house"))) as one:
        one.environment["RACECARD_ARCHIVE_AFTER"] = "30"
        one.migrate()
        one.run("-c", ARCHIVE)
        yield one


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Site]:
    with installation(Site(tmp_path / "elsewhere")) as one:
        yield one


def archived(site: Site) -> str:
    """Return what a process reads of the archived game."""
    return site.run("-c", READ).stdout


def test_a_backup_with_the_archive_is_whole(site: Site, elsewhere: Site, tmp_path: Path) -> None:
    said = site.racecard("backup", "--with-archive", str(tmp_path / "backup"))
    assert "1 packs of archived games: included" in said
    assert "verified" in elsewhere.racecard("restore", str(tmp_path / "backup"))
    assert archived(elsewhere) == archived(site)


def test_a_restore_without_a_pack_is_refused_unless_that_is_wanted(
    site: Site, elsewhere: Site, tmp_path: Path
) -> None:
    said = site.racecard("backup", str(tmp_path / "backup"))
    assert "1 packs of archived games: not included" in said
    game = archived(site).split()[0]

    refused = elsewhere.racecard("restore", str(tmp_path / "backup"), code=1)
    assert f"game:{game}" in refused
    assert elsewhere.is_empty()

    elsewhere.racecard("restore", "--without-archive", str(tmp_path / "backup"))
    assert game in elsewhere.racecard("audit", code=1)
    [pack] = site.data.glob("archive/*/*.zst")
    copy = elsewhere.data / pack.relative_to(site.data)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(pack.read_bytes())
    assert archived(elsewhere) == archived(site)
