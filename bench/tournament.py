"""A Swiss tournament of bots at tables of four, run by ticker, broker, and two workers, with the time of each part.

Everything runs as jobs in the processes that `serve` starts: opening rounds, dealing, moves, closing rounds, and paying
prizes. BENCH_BOTS sets another number of entrants, for a shorter run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import Player
from bench._common import backends, processor_seconds, size
from eventstore import store
from eventstore.models import Event
from jobs.models import Job
from tournaments import services
from tournaments.models import Status, TableGame, Tournament
from tournaments.terms import Terms

BOTS = int(os.environ.get("BENCH_BOTS", size(1_000, 8)))
ROUNDS = size(7, 2)
WORKERS = 2
TARGET = 60.0
"""Seconds for a thousand bots on two cores."""
TARGETS = {"tournament_ratio": 1.0}
PATIENCE = 1800.0
CLOCKS = "RACECARD_BENCH_CLOCKS"


def measure() -> dict[str, Any]:
    """Return the seconds from the closing of the entries to the last prize, and the work of the processes."""
    if connection.vendor != "postgresql" or not settings.REDIS_URL:
        print("tournament: measured on PostgreSQL and Redis; name them in DATABASE_URL and REDIS_URL")
        return {}
    with tempfile.TemporaryDirectory(prefix="racecard-clocks-") as folder:
        began = time.perf_counter()
        tournament = _field()
        entered = time.perf_counter() - began
        with _installation(Path(folder)):
            began = time.perf_counter()
            services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=timezone.now())
            server = _await_end(tournament)
            took = time.perf_counter() - began
        parts, workers = _parts(Path(folder))
    return _figures(tournament, took, entered=entered, workers=workers, server=server, parts=parts)


def _field() -> Tournament:
    """Publish a tournament, and enter the bots."""
    now = timezone.now()
    terms = Terms(
        name="Under load",
        format="swiss",
        rules="ace-race",
        config={},
        rounds=ROUNDS,
        seats=4,
        capacity=BOTS,
        currency="XTS",
        fee=100,
        prizes=(5000, 3000, 2000),
        rake=1000,
    )
    organizer = Player.objects.create_user(username="bench-organizer")
    tournament = services.create(organizer=organizer, terms=terms, now=now)
    services.publish(tournament_id=tournament.pk, actor=organizer, now=now, seed=bytes(range(32)))
    services.enter_bots(tournament_id=tournament.pk, strategies=["steady"] * BOTS, now=now)
    return tournament


@contextmanager
def _installation(folder: Path) -> Iterator[None]:
    """Run ticker and workers like `serve`."""
    environment = {**os.environ, CLOCKS: str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment["PYTHONWARNINGS"] = "ignore:You're running the worker"
    quiet = ("--quiet", "--app", "config.celery", "worker", "--without-gossip", "--without-mingle")
    pool = ("--pool", "prefork", "--concurrency", str(WORKERS), "--include", "bench._clocked")
    commands = [
        [sys.executable, "-m", "celery", *quiet, *pool, "--loglevel", "error"],
        [sys.executable, "manage.py", "tick"],
    ]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for command in commands
    ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def _await_end(tournament: Tournament) -> float:
    """Wait for the end, and return the processor seconds of PostgreSQL's processes of this database."""
    until = time.monotonic() + PATIENCE
    used: dict[int, float] = {}
    while time.monotonic() < until:
        used |= {pid: processor_seconds(pid) for pid in backends()}
        tournament.refresh_from_db()
        if tournament.status == Status.FINISHED:
            return sum(used.values())
        if tournament.stalled:
            raise RuntimeError(f"the tournament needs its organizer: {tournament.stalled}")
        time.sleep(0.25)
    raise TimeoutError(f"not over within {PATIENCE:.0f} s")


Parts = Mapping[str, tuple[float, float, float]]
"""By part: number of calls, wall seconds, and processor seconds of all workers together."""


def _parts(folder: Path) -> tuple[Parts, float]:
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    processor = 0.0
    for path in folder.glob("*.json"):
        times = json.loads(path.read_text())
        processor += times["processor"]
        for part, figures in times["parts"].items():
            spent[part] = [sum(both) for both in zip(spent[part], figures, strict=True)]
    return {part: (count, wall, used) for part, (count, wall, used) in spent.items()}, processor


def _figures(
    tournament: Tournament, took: float, *, entered: float, workers: float, server: float, parts: Parts
) -> dict[str, Any]:
    games = TableGame.objects.filter(table__round__tournament=tournament)
    moves = Event.objects.filter(stream__in=games.values("game"), seat__isnull=False).count()
    tables, used = games.count(), workers + server
    figures = {
        "bots": BOTS,
        "games": tables,
        "moves": moves,
        "seconds": round(took, 1),
        "bots_entered_in_seconds": round(entered, 1),
        "worker_processor_seconds": round(workers, 1),
        "postgresql_processor_seconds": round(server, 1),
        "processor_ms_per_move": round(1000 * used / moves, 2),
        "processor_ms_per_table": round(1000 * used / tables, 1),
        "jobs": Job.objects.filter(done__isnull=False).count(),
    }
    if BOTS == 1000:
        figures["tournament_ratio"] = round(TARGET / took, 2)
    print(f"a Swiss of {BOTS:,} bots, {ROUNDS} rounds at tables of four, {WORKERS} workers")
    print(f"  {took:.1f} s; {tables:,} games, {moves:,} moves, each one event")
    print(
        f"  processor: workers {workers:.1f} s, PostgreSQL {server:.1f} s; a move {1000 * used / moves:.2f} ms"
    )
    print(f"  {'part':22} {'times':>7} {'wall s':>8} {'processor s':>12}")
    for part, (count, wall, processor) in sorted(parts.items(), key=lambda item: -item[1][1]):
        print(f"  {part:22} {count:>7,.0f} {wall:>8.1f} {processor:>12.1f}")
    busy = sum(wall for _, wall, _ in parts.values())
    print(f"  {'idle':22} {'':7} {WORKERS * took - busy:>8.1f}")
    for stretch, seconds in _stretches(tournament).items():
        print(f"  {stretch:34} {seconds:>6.1f} s")
    return figures


def _stretches(tournament: Tournament) -> dict[str, float]:
    """Return from the events how long dealing, playing, and closing took, of all rounds together."""
    at: dict[str, list[datetime]] = defaultdict(list)
    spans: dict[str, float] = defaultdict(float)
    last_dealt = None
    for event in store.read(tournament.pk):
        moment = datetime.fromisoformat(event.at)
        at[event.type].append(moment)
        match event.type:
            case "round-opened":
                spans["paired and dealt"] += (moment - at["round-paired"][-1]).total_seconds()
                last_dealt = moment
            case "round-closed":
                assert last_dealt is not None
                spans["played and scored"] += (moment - last_dealt).total_seconds()
            case "round-paired":
                before = at["round-closed"] or at["entries-closed"]
                spans["between rounds"] += (moment - before[-1]).total_seconds()
            case "finished":
                spans["standings and prizes"] += (moment - at["round-closed"][-1]).total_seconds()
    return spans
