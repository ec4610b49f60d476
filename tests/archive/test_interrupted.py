"""A process that dies at any step loses no event, and doubles none."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from audit.services import verify_storage
from eventstore import archive as packs
from eventstore import store
from eventstore.models import ArchivedStream, ArchivePack, Event
from eventstore.packs import storage
from games import archive
from tests.archive.conftest import forget, sign
from tests.archive.conftest import packs as files
from tests.games.test_every_game_over_rest import Played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases, pytest.mark.slow]


def killed_at(module: Any, name: str, now: datetime, *, after: bool) -> None:
    """Archive in a child process, which ends without any clean-up when it calls a function, or has called it."""
    for each in connections.all():
        each.close()
    child = os.fork()
    if child == 0:
        try:
            original = getattr(module, name)

            def die(*arguments: Any, **named: Any) -> None:
                if after:
                    original(*arguments, **named)
                os.kill(os.getpid(), 9)

            setattr(module, name, die)
            archive.run(now=now)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 9, "it was killed"


STEPS = [
    pytest.param(storage, "save", False, id="before-the-store", marks=pytest.mark.nightly),
    pytest.param(storage, "save", True, id="after-the-store", marks=pytest.mark.nightly),
    pytest.param(packs, "_move_all", False, id="after-the-record", marks=pytest.mark.nightly),
    pytest.param(packs, "delete_events", False, id="before-the-delete", marks=pytest.mark.nightly),
    pytest.param(packs, "delete_events", True, id="before-the-commit"),
    pytest.param(packs, "_move", True, id="after-the-commit", marks=pytest.mark.nightly),
]


def test_a_pack_that_the_store_has_lost_is_given_up(finished: Played, later: datetime, folder: Path) -> None:
    sign()
    before = store.read(finished.id)
    killed_at(packs, "_move_all", later, after=False)
    [pack] = files(folder)
    pack.unlink()

    assert archive.resume(now=later) == 0
    archive.run(now=later)
    forget()

    assert store.read(finished.id) == before
    assert ArchivedStream.objects.get(stream=finished.id).pack_id in files(folder)[0].name


@pytest.mark.parametrize(("module", "name", "after"), STEPS)
def test_a_killed_run_is_continued(
    finished: Played, later: datetime, folder: Path, module: Any, name: str, after: bool
) -> None:
    sign()
    before = store.read(finished.id)
    forget()
    bundle = finished.owner.get(f"{finished.path}bundle/").content

    killed_at(module, name, later, after=after)
    forget()

    assert store.read(finished.id) == before
    known = set(ArchivePack.objects.values_list("digest", flat=True))
    assert set(packs.orphans()) == {path.name.partition(".")[0] for path in files(folder)} - known
    assert (
        Event.objects.filter(stream=finished.id).exists()
        != ArchivedStream.objects.filter(stream=finished.id).exists()
    )

    archive.resume(now=later)
    archive.run(now=later)
    forget()

    assert store.read(finished.id) == before
    assert finished.owner.get(f"{finished.path}bundle/").content == bundle
    assert ArchivedStream.objects.filter(stream=finished.id).exists()
    assert not Event.objects.filter(stream=finished.id).exists()
    assert not ArchivePack.objects.filter(finished_at=None).exists()
    report = verify_storage()
    assert report.ok, report.faults
