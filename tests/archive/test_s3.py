"""The archive in a real S3-compatible store (OpenStack Swift): write, read by ranges, lose, and tamper."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.conf import settings as django_settings

from audit.services import audit_installation
from config.archive import archive_storage
from eventstore import archive as packs
from eventstore import store
from eventstore.models import ArchivedStream, ArchivePack
from eventstore.packs import storage
from games import archive
from tests.archive.conftest import archived, forget
from tests.archive.swift import KEY, USER, Swift, swift
from tests.games.test_every_game_over_rest import Played

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.processes,
    pytest.mark.sqlite,
    pytest.mark.long,
    pytest.mark.nightly,
]


@pytest.fixture
def server() -> Iterator[Swift]:
    memory = Path("/dev/shm")  # Swift needs extended attributes, which some file systems lack
    place = memory if memory.is_dir() else None
    with TemporaryDirectory(prefix="racecard-swift-", dir=place) as folder, swift(Path(folder)) as running:
        yield running


@pytest.fixture
def bucket(server: Swift, settings: Any, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Any:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", USER)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    server.client().create_bucket(Bucket="games")
    place = f"s3://games/club?endpoint_url={server.address}&region_name=us-east-1"
    settings.STORAGES = django_settings.STORAGES | {"archive": archive_storage(place)}
    forget()
    return server.client()


def test_games_are_archived_in_and_read_from_s3(
    bucket: Any, server: Swift, finished: Played, later: datetime
) -> None:
    events = store.read(finished.id)
    forget()
    bundle = finished.owner.get(f"{finished.path}bundle/").content

    archived(later)

    pack = ArchivePack.objects.get()
    key = f"club/{storage.name_of(pack.digest)}"
    [stored] = bucket.list_objects_v2(Bucket="games")["Contents"]
    assert (stored["Key"], stored["Size"]) == (key, pack.bytes)
    assert store.read(finished.id) == events
    place = ArchivedStream.objects.get(stream=finished.id)
    assert len(storage.part(pack.digest, place.offset, place.length)) == place.length < pack.bytes
    assert finished.owner.get(f"{finished.path}bundle/").content == bundle
    assert list(packs.orphans()) == []
    report = audit_installation()
    assert report.ok, report.faults

    content = bucket.get_object(Bucket="games", Key=key)["Body"].read()
    bucket.put_object(Bucket="games", Key=key, Body=content[:40] + b"!" + content[41:])
    forget()
    assert finished.owner.get(finished.path).json()["code"] == "archive-damaged"
    bucket.put_object(Bucket="games", Key="club/stray", Body=b"x")
    assert list(packs.orphans()) == ["stray"]
    bucket.delete_object(Bucket="games", Key=key)
    forget()
    assert finished.owner.get(finished.path).json()["code"] == "archive-unavailable"
    assert any(fault.subject == f"game:{finished.id}" for fault in audit_installation().faults)

    bucket.put_object(Bucket="games", Key=key, Body=content)
    server.stop("proxy")
    forget()
    answer = finished.owner.get(finished.path)
    assert (answer.status_code, answer.json()["code"]) == (503, "archive-unavailable")
    server.start("proxy")
    assert finished.owner.get(finished.path).status_code == 200
    assert archive.restore(game_id=finished.id, now=later) == len(events)
    assert store.read(finished.id) == events
