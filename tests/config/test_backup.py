"""Backups of real installations: made while they are in use, brought back elsewhere, and tried on damaged ones."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.backup import Unusable, backup, read_manifest, restore
from tests.conftest import NOW
from tests.installation import Installation, installation, until

pytestmark = pytest.mark.processes

START = """
import django; django.setup()
from django.conf import settings
from django.utils import timezone
from accounts.models import Player
from accounts.services import sign_up
from config import checkpoints
from tests.waiting import wait_until_final
from games import services as games
from ledger import services as ledger
now = timezone.now()
ann = Player.objects.filter(username="ann").first() or sign_up(username="ann", password="correct horse", now=now)
def pay(key):
    ledger.deposit(player=ann.pk, amount=700, currency=settings.RACECARD_CURRENCY, key=key, actor="test",
                   reason="test", at=now)
def publish():
    wait_until_final()
    assert checkpoints.make_and_publish(timezone.now())
def play(*moves):
    game = games.create_game(rules="vegas-solitaire", config={"draw": 1, "stake": 0}, seats=1, creator=ann, now=now)
    games.take_seat(game=game, player=ann, client_seed="", now=now)
    games.start_game(game=game, actor=ann, now=now)
    for move in moves:
        games.play(game_id=game.pk, player=ann, move={"type": move}, now=timezone.now())
"""
HISTORY = f"""{START}
pay("one")
play("draw", "collect")
play(*["draw"] * 5)
publish()
"""
MORE = f"""{START}
pay("two")
play("draw")
publish()
"""
WITHOUT_END = f"""{START}
from itertools import count
for n in count():
    pay(f"busy {{n}}")
    play("draw", "draw", "collect")
    print("played", flush=True)
"""
OPEN = f"""{START}
import time
print("open", flush=True)
time.sleep(600)
"""


class Site(Installation):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        self.data.mkdir(parents=True)

    def racecard(self, *words: str, code: int = 0) -> str:
        self.disconnect()  # A restore refuses a database that has other connections.
        done = self.run("-m", "config.cli.main", *words, code=code)
        return done.stdout + done.stderr

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def is_empty(self) -> bool:
        """Whether there is no table in the database, or no database at all."""
        if self.database:
            return self.sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == [(0,)]
        return not (self.data / "racecard.sqlite3").exists()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """An installation with a history; tests leave it as it is."""
    with installation(Site(tmp_path_factory.mktemp("house"))) as one:
        one.migrate()
        one.run("-c", HISTORY)
        yield one


@pytest.fixture(scope="module")
def saved(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backups") / "first"
    site.racecard("backup", str(folder))
    return folder


@pytest.fixture
def saved_without_programs(site: Site, tmp_path: Path) -> Path:
    """A backup that is made where PostgreSQL's programs are not in the PATH."""
    path = site.environment["PATH"]
    site.environment["PATH"] = ""
    site.racecard("backup", str(tmp_path / "copied"))
    site.environment["PATH"] = path
    return tmp_path / "copied"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Site]:
    """Another machine: an empty database, an empty data folder."""
    with installation(Site(tmp_path / "elsewhere")) as one:
        yield one


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def event_rows(site: Site) -> list[tuple[Any, ...]]:
    events = site.sql(
        "SELECT stream_id, version, hash, data, private, epoch, xact, position FROM eventstore_event"
    )
    return sorted((str(row[0]), row[1], row[2], bytes(row[3]), *map(str, row[4:])) for row in events)


def booked(site: Site) -> list[tuple[Any, ...]]:
    return sorted(site.sql("SELECT position, key, amount, debit_id, credit_id FROM ledger_transfer"))


def test_a_backup_is_its_owners_alone_and_says_what_it_holds(saved: Path) -> None:
    assert saved.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in saved.rglob("*") if path.is_file()} == {0o600}
    manifest = json.loads((saved / "manifest.json").read_text())
    assert manifest["format"] == "racecard-backup/1"
    assert manifest["events"] > 10
    assert {"keys/secret.key", "keys/checkpoint.key", "checkpoints.jsonl"} <= set(manifest["files"])


@pytest.mark.both_databases
def test_brought_back_elsewhere_it_is_what_it_was(site: Site, saved: Path, elsewhere: Site) -> None:
    said = elsewhere.racecard("restore", str(saved))
    assert "verified:" in said
    assert "epoch 1" in said
    assert "WARNING" not in said
    assert event_rows(elsewhere) == event_rows(site)
    assert booked(elsewhere) == booked(site)
    for name in ("secret.key", "checkpoint.key", "checkpoints.jsonl"):
        assert (elsewhere.data / name).read_bytes() == (site.data / name).read_bytes()
        assert (elsewhere.data / name).stat().st_mode & 0o777 == 0o600
    assert "no faults" in elsewhere.manage("checkpoints", "verify")
    elsewhere.manage("check", "--database", "default")
    # Its jobs wait for `resume`.
    assert elsewhere.sql("SELECT reason FROM jobs_pause") == [("restored from a backup",)]
    elsewhere.racecard("resume")
    assert elsewhere.sql("SELECT reason FROM jobs_pause") == []


@pytest.mark.both_databases
@pytest.mark.soak
def test_play_continues_after_a_restore(saved: Path, elsewhere: Site) -> None:
    """Positions, identities, and checkpoints continue after the restored ones."""
    elsewhere.racecard("restore", str(saved))
    before = len(event_rows(elsewhere))
    elsewhere.run("-c", MORE)
    assert len(event_rows(elsewhere)) > before
    last = "SELECT epoch FROM eventstore_event ORDER BY epoch DESC, xact DESC, position DESC LIMIT 1"
    assert elsewhere.sql(last) == [(1,)]
    assert "no faults" in elsewhere.manage("checkpoints", "verify")


@pytest.mark.long
@pytest.mark.both_databases
def test_it_is_made_while_others_write(tmp_path: Path, elsewhere: Site) -> None:
    """A copy made at any moment verifies, and its ledger balances."""
    with installation(Site(tmp_path / "busy")) as busy:
        busy.migrate()
        writer = busy.start("writer", "-c", WITHOUT_END)
        until(lambda: writer.said().count("played") > 2, "games are played")
        busy.racecard("backup", str(tmp_path / "copied"))
        played = writer.said().count("played")
        until(lambda: writer.said().count("played") > played, "the backup blocks no one")
        writer.destroy()
    assert "verified:" in elsewhere.racecard("restore", str(tmp_path / "copied"))
    assert len(booked(elsewhere)) > 2


def test_a_changed_missing_or_foreign_file_is_named(copy: Path) -> None:
    read_manifest(copy)
    largest = max((path for path in copy.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    with pytest.raises(Unusable, match=f"{largest.relative_to(copy)} is not as the backup wrote it"):
        read_manifest(copy)
    for change in ((copy / "keys" / "secret.key").unlink, (copy / "keys" / "other.key").touch):
        change()
        with pytest.raises(Unusable, match="Missing from the backup or foreign to it: keys/"):
            read_manifest(copy)


@pytest.mark.django_db
def test_other_folders_are_neither_read_nor_written_into(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="is it a backup"):
        restore(source=tmp_path, now=NOW)
    with pytest.raises(Unusable, match="is not empty"):
        backup(to=saved, now=NOW)


def forge(copy: Path) -> None:
    """Change an event in the backup and its manifest, so that only the hash chain reveals it."""
    if (copy / "database.sqlite3").exists():
        name = "database.sqlite3"
        database = sqlite3.connect(copy / name)
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for trigger, _ in triggers:
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("UPDATE eventstore_event SET seat = 7 WHERE type = 'draw'")
        for _, sql in triggers:
            database.execute(sql)
        database.commit()
        database.close()
    else:
        [(file, rows)] = [
            (file, rows)
            for file in copy.glob("tables/eventstore_event_*.copy.gz")
            if b"\tdraw\t1\t0\t" in (rows := gzip.decompress(file.read_bytes()))
        ]
        file.write_bytes(gzip.compress(rows.replace(b"\tdraw\t1\t0\t", b"\tdraw\t1\t7\t")))
    sign(copy)


def sign(copy: Path) -> None:
    """Write the hashes of the files that are there into the manifest."""
    manifest = json.loads((copy / "manifest.json").read_text())
    files = [path for path in copy.rglob("*") if path.is_file() and path.name != "manifest.json"]
    manifest["files"] = {
        str(path.relative_to(copy)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
    (copy / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.both_databases
def test_a_backup_that_fails_verification_changes_nothing(
    saved_without_programs: Path, elsewhere: Site
) -> None:
    forge(saved_without_programs)
    said = elsewhere.racecard("restore", str(saved_without_programs), code=1)
    assert "the hash does not match the event's contents" in said
    assert elsewhere.is_empty()
    assert not (elsewhere.data / "checkpoint.key").exists()


@pytest.mark.postgres
def test_a_backup_without_programs_has_a_file_for_each_table(
    site: Site, saved_without_programs: Path, elsewhere: Site
) -> None:
    assert (saved_without_programs / "tables" / "eventstore_event_undated.copy.gz").exists()
    elsewhere.environment["PATH"] = ""
    assert "verified:" in elsewhere.racecard("restore", str(saved_without_programs))
    assert (event_rows(elsewhere), booked(elsewhere)) == (event_rows(site), booked(site))
    # The tables, functions, and sequences are in the schema that the installation uses, and in no other.
    schemas = "SELECT DISTINCT nspname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
    assert elsewhere.sql(f"{schemas} WHERE nspname !~ '^pg_|^information_schema'") == [("public",)]


@pytest.mark.postgres
def test_an_archive_needs_pg_restore(saved_without_programs: Path, elsewhere: Site) -> None:
    shutil.rmtree(saved_without_programs / "tables")
    (saved_without_programs / "database.dump").write_bytes(b"an archive")
    sign(saved_without_programs)
    elsewhere.environment["PATH"] = ""
    assert "there is no pg_restore in the PATH" in elsewhere.racecard(
        "restore", str(saved_without_programs), code=1
    )
    assert elsewhere.is_empty()


def test_checkpoints_of_a_later_moment_are_not_backed_up(site: Site, tmp_path: Path) -> None:
    """They may be signed while the database is copied."""
    published = site.data / "checkpoints.jsonl"
    before = published.read_text()
    later = json.dumps({**json.loads(before.splitlines()[-1]), "number": 1_000})
    published.write_text(f"{before}{later}\n")
    site.racecard("backup", str(tmp_path / "copied"))
    published.write_text(before)
    assert (tmp_path / "copied" / "checkpoints.jsonl").read_text() == before


def test_an_installation_is_only_replaced_on_demand(site: Site, saved: Path, elsewhere: Site) -> None:
    elsewhere.racecard("restore", str(saved))
    elsewhere.run("-c", MORE)
    after = event_rows(elsewhere), booked(elsewhere)
    assert "--replace" in elsewhere.racecard("restore", str(saved), code=1)
    assert (event_rows(elsewhere), booked(elsewhere)) == after
    elsewhere.racecard("restore", str(saved), "--replace")
    assert booked(elsewhere) == booked(site)
    if not elsewhere.database:
        assert len(list(elsewhere.data.glob("racecard.sqlite3.before-restore-*"))) == 1


@pytest.mark.both_databases
@pytest.mark.soak
def test_a_restore_older_than_a_published_checkpoint_is_reported(
    saved: Path, elsewhere: Site, tmp_path: Path
) -> None:
    elsewhere.racecard("restore", str(saved))
    elsewhere.run("-c", MORE)
    exported = tmp_path / "exported.jsonl"
    exported.write_text(elsewhere.manage("checkpoints", "export"))
    said = elsewhere.racecard("restore", str(saved), "--replace")
    assert "WARNING" in said
    assert "the database is older than it" in said
    # The newer published file was kept as evidence; the exported file still reveals it.
    assert len(list(elsewhere.data.glob("checkpoints.jsonl.before-restore-*"))) == 1
    assert "WARNING" not in elsewhere.racecard("restore", str(saved), "--replace")
    assert "WARNING" in elsewhere.racecard("restore", str(saved), "--replace", "--known", str(exported))


@pytest.mark.both_databases
@pytest.mark.soak
def test_a_running_installation_is_not_replaced(saved: Path, elsewhere: Site) -> None:
    elsewhere.racecard("restore", str(saved))
    reader = elsewhere.start("reader", "-c", OPEN)
    until(lambda: "open" in reader.said(), "the database is open")
    assert "The installation is running" in elsewhere.racecard("restore", str(saved), "--replace", code=1)
    reader.destroy()
    elsewhere.racecard("restore", str(saved), "--replace")
