"""Whole events of each format, their processes and servers killed at random: nothing is lost, and nothing comes twice.

Each is compared with the same event undisturbed: pairings, deals, every move, results, standings, prizes and transfers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import Place
from tests.faults.fire import Toll, survive
from tests.installation import installation
from tools.services import Postgres, Valkey, throw_away

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

KILLS = int(os.environ.get("RACECARD_KILLS", "20"))
RESUMES_WITHIN = 10.0
"""Seconds, once what was killed is back."""

FORMATS: dict[str, dict[str, Any]] = {
    "swiss pairs": {"format": "swiss", "rules": "ace-race", "seats": 2, "rounds": 6},
    "swiss fours": {"format": "swiss", "rules": "ace-race", "seats": 4, "rounds": 7},
    "round robin": {"format": "round-robin", "rules": "ace-race", "seats": 4, "rounds": 0},
    "knockout": {"format": "knockout", "rules": "ace-race", "seats": 2, "rounds": 0},
    "double knockout": {"format": "double-knockout", "rules": "ace-race", "seats": 2, "rounds": 0},
    "duplicate": {
        "format": "duplicate",
        "rules": "vegas-solitaire",
        "rounds": 2,
        "config": {"draw": 3, "stake": 0},
    },
    "stages": {
        "format": "stages",
        "rules": "ace-race",
        "seats": 2,
        "rounds": 0,
        "fewest": 8,
        "stages": [{"format": "swiss", "rounds": 3, "qualify": 8}, {"format": "knockout"}],
    },
    # Betting lasts so long that no kill keeps a bot from it: what the clock decides cannot be the same twice.
    "meeting": {
        "format": "meeting",
        "rules": "racing-aces",
        "rounds": 4,
        "bank": 10_000,
        "round_seconds": 30,
        "config": {"finish_line": 8},
    },
}


@contextmanager
def on_separate_servers(folder: Path) -> Iterator[tuple[Place, tuple[Postgres, Valkey] | None]]:
    """On PostgreSQL with servers that can be killed; else the embedded installation, which has none."""
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        servers, addresses = None, {}
        if os.environ.get("DATABASE_URL"):
            servers = stack.enter_context(throw_away())
            addresses = {"DATABASE_URL": servers[0].url, "REDIS_URL": servers[1].url}
        place = stack.enter_context(installation(Place(folder, **addresses)))
        place.manage("migrate", "--verbosity", "0")
        yield place, servers


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.timeout(600)
def test_kills_do_not_change_an_event(place: Place) -> None:
    toll = survive(place, kills=2, seed=3, bots=4, **{**FORMATS["swiss fours"], "rounds": 2})
    assert toll.kills.total() >= 1


@pytest.mark.soak
@pytest.mark.timeout(6000)
@pytest.mark.parametrize("format", FORMATS)
def test_events_of_each_format_survive_kills_of_every_process_and_server(format: str, tmp_path: Path) -> None:
    """`RACECARD_KILLS` of them, in one event or several: a short one is over before it has been killed so often."""
    toll = Toll()
    while toll.kills.total() < KILLS:
        seed, left = 16 + toll.kills.total(), KILLS - toll.kills.total()
        with on_separate_servers(tmp_path / str(seed)) as (place, servers):
            toll += survive(place, kills=left, seed=seed, servers=servers, bots=16, **FORMATS[format])
    print(f"{format}: {dict(toll.kills)}, stood still at most {toll.longest}")
    assert toll.longest[1] <= RESUMES_WITHIN, toll.stood_still
