"""Tickers and signers of several machines: one acts, by the clock of the database, and another takes its place."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.checkpoints import SIGNER
from jobs.services import HEARTBEAT
from tests.installation import Installation, Process, installation, until

pytestmark = [pytest.mark.soak, pytest.mark.postgres, pytest.mark.processes]

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)

SIGNS_FOR_EVER = """
import time
import django
django.setup()
from django.utils import timezone
from config import checkpoints
checkpoints.checkpoint.make = lambda now: time.sleep(600)
checkpoints.make_and_publish(timezone.now())
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.migrate()
        yield place


def holder(place: Installation, name: str) -> int | None:
    """The process that has a lease."""
    rows = place.sql("SELECT holder FROM jobs_lease WHERE name = %s AND until >= clock_timestamp()", name)
    return int(rows[0][0].split()[1]) if rows else None


def start_ticker(place: Installation, name: str, clock: str | None = None) -> Process:
    """Start a ticker, whose machine's clock may be wrong."""
    environment, place.environment = place.environment, dict(place.environment)
    if clock:
        place.environment |= {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME": clock,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
    try:
        return place.start(name, str(place.manage_script), "tick", kind=Process)
    finally:
        place.environment = environment


@pytest.mark.parametrize(
    "clock",
    [
        None,
        pytest.param(
            "+1d", marks=pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed")
        ),
        pytest.param(
            "-1d", marks=pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed")
        ),
    ],
    ids=["right", "a day ahead", "a day behind"],
)
def test_a_killed_ticker_is_replaced_whatever_its_machine_takes_for_the_time(
    place: Installation, clock: str | None
) -> None:
    first = start_ticker(place, "first")
    until(lambda: holder(place, HEARTBEAT) == first.pid, "the first ticker acts")
    second = start_ticker(place, "second", clock)
    until(lambda: "ticking" in second.said(), "the second ticker waits")
    assert holder(place, HEARTBEAT) == first.pid
    first.kill()
    until(lambda: holder(place, HEARTBEAT) == second.pid, "the second one acts", 30)
    [[age]] = place.sql("SELECT clock_timestamp() - at FROM jobs_heartbeat WHERE name = %s", HEARTBEAT)
    assert abs(age) < dt.timedelta(minutes=1)
    [[due]] = place.sql("SELECT max(due) - clock_timestamp() FROM jobs_job")
    assert due < dt.timedelta(days=1, minutes=1), "it is due by the clock of the database"
    third = start_ticker(place, "third")
    until(lambda: "ticking" in third.said(), "a third ticker waits")
    second.stop()
    until(lambda: holder(place, HEARTBEAT) == third.pid, "it acts as soon as the second one has stopped", 30)


def test_one_process_signs_and_another_continues_when_it_was_killed(place: Installation) -> None:
    script = place.folder / "signs.py"
    script.write_text(SIGNS_FOR_EVER)
    place.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    signer = place.start("signer", str(script), kind=Process)
    until(lambda: holder(place, SIGNER) == signer.pid, "it signs")

    def made() -> str:
        return place.manage("checkpoints", "make").split()[0]

    assert place.manage("shell", "--verbosity", "0", "-c", A_STREAM) == ""
    assert made() == "Another", "another process signs"
    signer.kill()
    assert made() == "Another", "its lease has not ended"
    place.sql("UPDATE jobs_lease SET until = clock_timestamp() WHERE name = %s", SIGNER)
    assert made() == "1"
    assert holder(place, SIGNER) is None
    place.manage("checkpoints", "verify")


A_STREAM = """
from uuid import uuid4
from django.db import transaction
from django.utils import timezone
from eventstore import store
from eventstore.store import NewEvent
stream = uuid4()
with transaction.atomic():
    store.append(stream, [NewEvent("x", {})], kind="game", expected=store.head(stream), at=timezone.now())
"""
