"""`racecard doctor` finds a store of the archive that cannot be written, reached, or read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings

from config.archive import archive_storage
from config.doctor import outside
from tests.archive.conftest import archived, forget, packs
from tests.games.test_every_game_over_rest import Played
from tools.services import free_port

pytestmark = pytest.mark.django_db

Found = Callable[[], set[str]]


@pytest.fixture
def found() -> Found:
    def ids() -> set[str]:
        forget()
        messages = list(outside.archive())
        assert all(message.msg and message.hint for message in messages)
        return {message.id for message in messages}

    return ids


def test_an_archive_that_is_off_is_not_examined(settings: Any, tmp_path: Path, found: Found) -> None:
    settings.RACECARD_ARCHIVE_AFTER = 0
    (tmp_path / "archive").touch()
    assert found() == set()


def test_a_folder_that_cannot_be_made_is_an_error(settings: Any, tmp_path: Path, found: Found) -> None:
    assert found() == set()
    (tmp_path / "file").touch()
    settings.STORAGES = django_settings.STORAGES | {
        "archive": archive_storage(str(tmp_path / "file" / "archive"))
    }
    assert found() == {"archive.folder", "archive.unreachable"}


def test_a_store_that_does_not_answer_is_an_error(settings: Any, found: Found) -> None:
    place = f"s3://racecard/club?endpoint_url=http://127.0.0.1:{free_port()}&access_key=a&secret_key=b"
    settings.STORAGES = django_settings.STORAGES | {"archive": archive_storage(place)}
    assert found() == {"archive.unreachable"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_pack_that_is_damaged_or_missing_is_an_error(
    settings: Any, finished: Played, later: datetime, folder: Path, found: Found
) -> None:
    archived(later)
    settings.RACECARD_ARCHIVE_AFTER = 0  # games that were archived before are read all the same
    assert found() == set()
    [pack] = packs(folder)
    content = pack.read_bytes()
    pack.write_bytes(b"\0" + content[1:])
    assert found() == {"archive.pack"}
    pack.unlink()
    assert found() == {"archive.pack"}
