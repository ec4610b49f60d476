"""What writes events, transfers and jobs does not begin on a database that would not keep them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installation import PATIENCE, Installation, Process, installation


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.migrate()
        yield place


@pytest.mark.sqlite
@pytest.mark.processes
@pytest.mark.parametrize("program", ["worker", "ticker"])
def test_neither_begins_without_the_triggers(place: Installation, program: str) -> None:
    place.sql("DROP TRIGGER eventstore_event_no_update")

    started: Process = place.start_worker() if program == "worker" else place.start_ticker()

    assert started.popen.wait(PATIENCE) == 1
    assert "eventstore_event_no_update" in started.said()
