"""Every benchmark runs in its thin form, one in `make test` and all in `make nightly`, so that `make bench` runs whole.

Libraries to compare with are only in the environment of the benchmarks. Their part of a benchmark runs there alone.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from audit.services import audit_installation
from bench import _boardgame, _bulk, _servers, http
from bench.__main__ import FIGURES, PURE, everything, met, table
from bench._common import THIN
from games.models import GameRecord
from ledger.reconciliation.services import reconcile_all
from tests.conftest import NOW
from tests.installation import Installation, installation

pytestmark = pytest.mark.processes

IN_A_BROWSER = "web"
ON_POSTGRESQL_ONLY = {"http", "tournament"}
IN_EVERY_RUN = "services"
OTHERS = sorted(set(everything()) - PURE - {IN_A_BROWSER, IN_EVERY_RUN})


@pytest.mark.parametrize(
    "name", [IN_EVERY_RUN, *(pytest.param(name, marks=pytest.mark.nightly) for name in OTHERS)]
)
def test_a_benchmark_runs(name: str, tmp_path: Path) -> None:
    with installation(Installation(tmp_path)) as place:
        place.migrate()
        figures = measured(place, name)
    assert bool(figures) == (name not in ON_POSTGRESQL_ONLY or connection.vendor == "postgresql")


@pytest.mark.parametrize("name", sorted(PURE))
def test_a_benchmark_without_a_database_runs(name: str, tmp_path: Path) -> None:
    with installation(Installation(tmp_path)) as place:
        assert measured(place, name)


def measured(place: Installation, name: str) -> dict[str, object]:
    place.environment |= {THIN: "1", "RACECARD_LOG_LEVEL": "WARNING"}
    last = place.run("-m", "bench", "--here", name).stdout.splitlines()[-1]
    figures: dict[str, object] = json.loads(last.removeprefix(FIGURES))["figures"]
    return figures


@pytest.mark.django_db(transaction=True)
def test_games_loaded_in_bulk_are_accepted_by_audit_and_reconciliation() -> None:
    first = NOW - timedelta(days=9)
    owners = _bulk.owners(2, first)
    patterns = _bulk.played(owners[0], first)
    before = GameRecord.objects.count()
    events = _bulk.load(patterns, cycle(owners), first=first, last=NOW, games=7)
    assert GameRecord.objects.count() == before + 7
    assert events == sum(len(patterns[number % len(patterns)].events) for number in range(7))
    assert GameRecord.objects.values("started_at__date").distinct().count() >= 7
    report = audit_installation()
    assert (report.ok, report.faults, report.counted["games"]) == (True, [], before + 7)
    assert reconcile_all().differences == []


def test_every_figure_is_printed_with_its_target_and_whether_it_is_met() -> None:
    figures = {"rate_per_second": 90, "page_ms": 7.25, "vendor": "sqlite", "rate_ratio": 0.5}
    targets = {"rate_per_second": 100, "page_ms": 10.0}
    lines = [line.split() for line in table({"part": {"figures": figures, "targets": targets}})][1:]
    assert lines == [
        ["part", "rate", "per", "second", "90", "100", "MISSED"],
        ["part", "page", "ms", "7.25", "10", "met"],
        ["part", "rate", "ratio", "0.50"],
    ]


def test_a_move_over_http_is_compared_by_rate_and_by_processor_time() -> None:
    slices = [
        {"bare": http.Slice(moves=200 * turn, seconds=1.0, processor=0.2 * turn)}
        | {form: http.Slice(moves=100 * turn, seconds=1.0, processor=0.3 * turn) for form in http.FORMS}
        for turn in (1, 2, 3)
    ]
    figures = http.figures_of(slices)
    assert (figures["move_per_second"], figures["move_processor_ms"]) == (200, 3.0)
    assert (figures["move_to_bare_ratio"], figures["move_to_bare_processor_times"]) == (0.5, 3.0)


def test_a_server_that_ends_at_its_start_is_named_with_the_end_of_its_log() -> None:
    command = [sys.executable, "-c", "import sys; print('the disk is full'); sys.exit(3)"]
    with (
        pytest.raises(_servers.ServerEnded, match=r"^peer ended before it listened on port 1") as ended,
        _servers.started("peer", 1, command, {}) as server,
    ):
        server.await_port()
    assert ended.value.__notes__ == ["peer ended with exit code 3, and wrote at the end:\nthe disk is full"]


class BoardgameServer:
    """The server's end of a client's WebSocket. It answers every move, and stores all but some."""

    def __init__(self, lost: int) -> None:
        self._lost, self._moves = lost, 0
        self._answers: list[bytes] = []

    def send(self, message: bytes) -> None:
        self._moves += b'"MAKE_MOVE"' in message
        stored = {"state": {"_stateID": self._moves - self._lost}, "log": [{}] * (self._moves - self._lost)}
        answers = {b'["update",': {"_stateID": self._moves}, b'["sync",': stored}
        for beginning, content in answers.items():
            if beginning in message:
                body = json.dumps(["match", content], separators=(",", ":")).encode()[1:]
                self._answers += [b"2", _boardgame.EVENT + beginning + body]
        if message.startswith(b"40"):
            self._answers.append(message)

    def receive(self) -> bytes:
        return self._answers.pop(0)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_move_of_boardgame_io_counts_only_if_it_is_stored(
    lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_boardgame, "PATIENCE", 0.0)
    line: Any = BoardgameServer(lost)
    seat = _boardgame.Seat(line, "match", "credentials")
    for _ in range(3):
        seat.move()
    with pytest.raises(_boardgame.Unstored) if lost else nullcontext():
        seat.await_storage()


def test_less_is_better_for_times_and_sizes_and_more_for_everything_else() -> None:
    assert met("slowest_ms", 9, 10)
    assert not met("slowest_ms", 11, 10)
    assert met("moves_per_second", 11, 10)
    assert not met("move_ratio", 0.9, 1.0)
