"""An audit checks archived games from their packs, and names the games of a missing or changed pack."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Player
from audit.services import audit_game, audit_installation, verify_storage
from core.checks import Report
from eventstore import store
from eventstore.checkpoints import service as checkpoint
from eventstore.models import ArchivedStream, ArchivePack
from eventstore.packs.reading import packed_outline
from tests.archive.conftest import archived, forget, packs, sign
from tests.games.test_every_game_over_rest import Played
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def places(report: Report) -> set[tuple[str, str, str]]:
    return {(fault.part, fault.check, fault.subject) for fault in report.faults}


def change(pack: Path, at: int) -> None:
    """Change one byte of a pack."""
    content = bytearray(pack.read_bytes())
    content[at] ^= 1
    pack.chmod(0o600)
    pack.write_bytes(content)
    forget()


@pytest.mark.both_databases
def test_an_audit_covers_archived_games(finished: Played, later: datetime) -> None:
    sign()
    before = audit_installation()
    assert before.ok, before.faults
    archived(later)
    after = audit_installation()
    assert after.ok, after.faults
    assert after.counted == before.counted
    assert after.tallies["archive", "places"].passed == ArchivedStream.objects.count() == 1
    assert after.tallies["games", "moves"] == before.tallies["games", "moves"]
    one = audit_game(finished.id)
    assert one.ok, one.faults
    assert one.tallies["archive", "places"].passed == one.counted["games"] == 1


def test_an_audit_since_a_checkpoint_covers_the_archived_games_after_it(
    finished: Played, play: Callable[[str], Played], later: datetime
) -> None:
    sign()
    first = checkpoint.latest()
    assert first is not None
    play("vegas-solitaire")
    play("vegas-solitaire")
    archived(later)
    report = audit_installation(since=first.number)
    assert report.ok, report.faults
    assert ArchivedStream.objects.count() == 3
    assert report.tallies["archive", "places"].passed == 1
    assert report.counted["games"] == 2, "of which one is in the database"


def test_a_changed_game_is_named(finished: Played, later: datetime, folder: Path) -> None:
    archived(later)
    place = ArchivedStream.objects.get(stream=finished.id)
    [pack] = packs(folder)
    change(pack, place.offset + place.length // 2)

    assert places(audit_installation()) == {
        ("archive", "packs", f"pack:{place.pack_id}"),
        ("archive", "places", f"game:{finished.id}"),
    }
    assert ("archive", "places", f"game:{finished.id}") in places(audit_game(finished.id))
    with pytest.raises(CommandError, match=str(finished.id)):
        call_command("archive", "verify")
    answer = finished.owner.get(finished.path)
    assert (answer.status_code, answer.json()["code"]) == (503, "archive-damaged")


def test_a_missing_pack_is_found_and_answered_with_503(
    finished: Played, later: datetime, folder: Path
) -> None:
    archived(later)
    [pack] = packs(folder)
    aside = pack.rename(pack.with_suffix(".aside"))

    for address in ("", "events/", "bundle/", "replay/?at=2", "recording/", "evidence/", "verification/"):
        forget()
        answer = finished.owner.get(f"{finished.path}{address}")
        assert (answer.status_code, answer.json()["code"]) == (503, "archive-unavailable"), address
    assert finished.owner.get("/api/v1/games/").status_code == 200
    assert ("archive", "places", f"game:{finished.id}") in places(verify_storage())

    aside.rename(pack)
    assert finished.owner.get(finished.path).status_code == 200
    assert audit_installation().ok


def test_a_changed_index_is_found(finished: Played, later: datetime) -> None:
    archived(later)
    place = ArchivedStream.objects.get()
    forged = [row._replace(data=b"{}") for row in store._archived(finished.id)]
    for column, value, found in (
        ("offset", place.offset + 1, place.offset),
        ("head_hash", "f" * 64, place.head_hash),
        ("outline", packed_outline(forged, {"seated"}), bytes(place.outline)),
    ):
        tamper(f'UPDATE eventstore_archivedstream SET "{column}" = %s', value)
        forget()
        assert ("archive", "places", f"game:{finished.id}") in places(audit_game(finished.id)), column
        tamper(f'UPDATE eventstore_archivedstream SET "{column}" = %s', found)
    forget()
    assert audit_game(finished.id).ok
    tamper("DELETE FROM eventstore_archivedhead")
    forget()
    assert ("archive", "places", f"game:{finished.id}") in places(audit_installation())


def test_checkpoints_cover_archived_games(finished: Played, later: datetime) -> None:
    archived(later)
    sign()
    assert verify_storage().ok
    tamper("UPDATE eventstore_archivedhead SET hash = %s", "f" * 64)
    faults = verify_storage().faults
    assert any(fault.part == "checkpoints" and str(finished.id) in fault.subject for fault in faults)


def test_the_commands_report_the_archive(
    finished: Played, later: datetime, folder: Path, capsys: Any, player: Player
) -> None:
    archived(later)
    (folder / "zz").mkdir()
    (folder / "zz" / "stray").write_text("x")
    for words in (["status"], ["verify"], ["orphans"], ["show", str(finished.id)], ["run", "--dry-run"]):
        call_command("archive", *words)
    said = capsys.readouterr().out
    pack = ArchivePack.objects.get()
    assert "1 archived games; 1 packs" in said
    assert "no faults" in said
    assert "zz/stray" in said
    assert f"is in pack {pack.pk}" in said
    assert "0 games are due" in said
    call_command("archive", "restore", str(finished.id))
    assert "events restored" in capsys.readouterr().out
    with pytest.raises(CommandError, match="not archived"):
        call_command("archive", "show", str(finished.id))
