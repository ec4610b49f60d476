"""How many people an installation carries: a load that rises until moves are answered late, with where the time goes.

Web processes, a process for event streams, a worker, and a ticker serve people who play all five games, watch, bet, and
enter tournaments (`_people`; their habits are `tools/scaling/assumptions.toml`). The generator shares the machine with
what it measures, and says what it uses itself. People arrive as a Poisson process; each step has more of them, and is
measured after they have arrived. The knee is the last step at which moves were answered in time and none were missed.

The report of each database is written to build/load/, from where `python -m tools.scaling record` takes it.
BENCH_LOAD_SECONDS sets the length of a step, BENCH_LOAD_PEOPLE the people of the first one.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from bench._common import size
from bench._lines import HOST
from bench._meters import (
    Reading,
    Stored,
    counters,
    counts_statements,
    flush_ms,
    machine_seconds,
    own_seconds,
    postmaster,
    statements_by,
    stored_bytes,
    tree_seconds,
)
from bench.http import _redis, serving
from ledger import services as ledger
from ledger.selectors import stake_table
from tools import python_client
from tools.services import hardware

PEOPLE = int(os.environ.get("BENCH_LOAD_PEOPLE", size(60, 14)))
"""The people of the first step."""
RISE = 1.35
STEPS = size(10, 1)
ARRIVE = float(os.environ.get("BENCH_LOAD_SECONDS", size(24.0, 3.0))) / 3
"""Seconds in which the people of a step arrive, and then begin to play."""
MEASURE = 2 * ARRIVE
FASTER = size(1.0, 8.0)
ORGANIZERS = size(3, 1)
LATE = 0.5
"""The limit of the 99th percentile of the time until a move is answered, in seconds."""
ANSWERED = 0.95
"""The least share of the moves that were due in a step and were answered in it."""
FAILED = 0.01
"""The largest share of requests without an answer or with a fault of the server."""
FALLEN = 0.02
"""The largest share of people whom a fault of the generator may end."""
PROCESSES = {"postgresql": size((1, 2), (1,)), "sqlite": (1,)}
"""Web processes, by database."""
FUNDS = 10**8
SEED = 20

REPORTS = Path(__file__).resolve().parent.parent / "build" / "load"


@dataclass(frozen=True, slots=True)
class Step:
    """What was measured while a number of people played."""

    people: int
    streams: int
    due: float
    """Moves that were due, a second."""
    moves: float
    """Moves that were accepted, a second."""
    requests: float
    p50_ms: float
    p99_ms: float
    """Of moves, from the time when they were due until their answer, or until the end of the step without one."""
    others_p99_ms: float
    event_p50_ms: float
    event_p99_ms: float
    """From the server's time in an event until a reader has it."""
    failed: float
    """The share of requests without an answer or with a fault of the server."""
    processor: Mapping[str, float]
    """The share of a core that each kind of process used."""
    deliveries: float
    """Events that readers of streams received."""
    events: float
    transactions: float
    statements: float
    fsyncs: float
    wal_bytes: float
    """All a second."""

    @property
    def is_good(self) -> bool:
        return self.p99_ms <= 1000 * LATE and self.moves >= ANSWERED * self.due and self.failed <= FAILED


def measure() -> dict[str, Any]:
    """Return the moves a second and the people at the knee for each number of web processes. Writes the report."""
    python_client.generate()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.environ |= {
        "RACECARD_CONNECTIONS": "10000",
        "FORWARDED_ALLOW_IPS": HOST,
        "RACECARD_GUESTS": "100000",
        "RACECARD_ORGANIZER_MARKET_CAP": "100000000",
        "RACECARD_PLAY_CREDIT": "0",
    }
    counted = counts_statements()
    flush = flush_ms(Path(settings.DATA))
    most = round(PEOPLE * RISE ** (STEPS - 1))
    identities = _identities(most)
    before = stored_bytes()
    series = {number: _series(number, identities, counted) for number in PROCESSES[connection.vendor]}
    report = {
        "database": connection.vendor,
        "version": _version(),
        "commit": _commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "machine": hardware(),
        "python": platform.python_version(),
        "flush_ms": round(flush, 3),
        "space": _space(before, stored_bytes()),
        "series": {
            number: [asdict(step) | {"good": step.is_good} for step in steps]
            for number, steps in series.items()
        },
    }
    folder = REPORTS if size(1, 0) else Path(settings.DATA)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{connection.vendor}.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return {"database": connection.vendor, **_figures(series)}


def knee(steps: Sequence[Step]) -> Step:
    """Return the last step with people before the first that is not good; the first with people if none is."""
    _, *loaded = steps
    good = next((place for place, step in enumerate(loaded) if not step.is_good), len(loaded))
    return loaded[max(0, good - 1)]


def _figures(series: Mapping[int, Sequence[Step]]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for number, steps in series.items():
        at = knee(steps)
        figures |= {
            f"{number}_web_moves_per_second": round(at.moves, 1),
            f"{number}_web_people": at.people,
            f"{number}_web_p99_ms": round(at.p99_ms),
        }
    return figures


def _space(before: Stored, after: Stored) -> dict[str, Any]:
    """Return the bytes that an event takes: in its own table, and with all that was stored with it."""
    events = after.events - before.events
    return {
        "events": events,
        "bytes_of_an_event": round((after.event_bytes - before.event_bytes) / max(1, events)),
        "bytes_with_an_event": round((after.all_bytes - before.all_bytes) / max(1, events)),
    }


def _version() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SHOW server_version" if connection.vendor == "postgresql" else "SELECT sqlite_version()"
        )
        return str(cursor.fetchone()[0])


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "unknown"


# --- people ---


def _identities(count: int) -> list[Any]:
    """Return the identities of organizers and of people with an account, who have money and a session of the client."""
    from bench._people import Identity

    table = stake_table("vegas-classic")
    ledger.fund_bank(
        stake_table=table, amount=10**11, key="load:bank", actor="bench", reason="bank", at=timezone.now()
    )
    organizers = [
        Player.objects.create_user(username=f"organizer-{uuid4().hex[:8]}") for _ in range(ORGANIZERS)
    ]
    for organizer in organizers:
        set_roles(player=organizer, roles=frozenset({Role.ORGANIZER}))
    players = Player.objects.bulk_create(
        [Player(username=f"person-{number}-{uuid4().hex[:8]}", password="!") for number in range(count)]
    )
    with transaction.atomic():
        for player in players:
            _fund(player)
        sessions = [_session(player) for player in (*organizers, *players)]
    kinds = ["organizer"] * ORGANIZERS + ["account"] * count
    return [Identity(kind, headers) for kind, headers in zip(kinds, sessions, strict=True)]


def _fund(player: Player) -> None:
    outside = ledger.account(owner="house", purpose="external", currency="XTS")
    cash = ledger.account(owner=f"player:{player.pk}", purpose="cash", currency="XTS")
    legs = [ledger.Leg(outside, cash, FUNDS, "funds")]
    ledger.post(key=f"load:{player.pk}", legs=legs, actor="bench", at=timezone.now())


def _session(player: Player) -> dict[str, str]:
    """Return the headers of the web client after signing in."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(player.pk)
    store[BACKEND_SESSION_KEY] = "accounts.roles.PlayerBackend"
    store[HASH_SESSION_KEY] = player.get_session_auth_hash()
    store.create()
    csrf = uuid4().hex
    return {
        "Cookie": f"{settings.SESSION_COOKIE_NAME}={store.session_key}; {settings.CSRF_COOKIE_NAME}={csrf}",
        "X-CSRFToken": csrf,
    }


# --- the installation ---


@contextmanager
def _installation(processes: int) -> Iterator[tuple[int, int, Callable[[], dict[str, float]]]]:
    """Run the installation. Yields the ports of requests and streams, and what reads the seconds of its processes."""
    from config.management.commands.serve import worker_programs

    with ExitStack() as stack:
        web = stack.enter_context(serving("config.asgi:application", "bench._unlimited", workers=processes))
        streams = stack.enter_context(serving("config.asgi:application", "bench._unlimited", workers=1))
        [program] = worker_programs(1)
        worker = stack.enter_context(_running(program.command, program.environment or {}))
        ticker = stack.enter_context(_running([sys.executable, "manage.py", "tick"], {}))
        redis = stack.enter_context(_redis())
        pids = {"web": web.pid, "streams": streams.pid, "worker": worker, "ticker": ticker}
        if (database := postmaster()) is not None:
            pids["postgresql"] = database

        def seconds() -> dict[str, float]:
            return tree_seconds(pids) | {"redis": redis(), "generator": own_seconds()}

        yield web.port, streams.port, seconds


@contextmanager
def _running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[int]:
    given = {
        **os.environ,
        **environment,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RACECARD_LOG_LEVEL": "ERROR",
    }
    process = subprocess.Popen(command, env=given, stdout=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# --- the steps ---


def _series(processes: int, identities: Sequence[Any], counted: bool) -> list[Step]:
    from bench._people import Tally, World
    from tools.scaling.figures import assumptions

    print(
        f"load on {connection.vendor}, {processes} web process{'es'[: 2 * (processes > 1)]}, {hardware()}",
        flush=True,
    )
    with _installation(processes) as (web, streams, meter):
        world = World(web, streams, assumptions(), Tally(), random.Random(SEED), FASTER)
        steps = asyncio.run(_rise(world, identities, meter, counted))
    at = knee(steps)
    print(f"  the knee: {at.people:,} people, {at.moves:.0f} moves a second, p99 {at.p99_ms:.0f} ms")
    _print_costs(at)
    if counted:
        for order in ("total_exec_time", "calls"):
            print(f"  statements by {order.replace('_', ' ')}:")
            for query, calls, seconds in statements_by(order, 6):
                print(f"    {seconds:>6.1f} s {calls:>8,}  {query}")
    faults = sorted(world.tally.faults.items(), key=lambda item: -item[1])[:8]
    print(f"  refusals: {', '.join(f'{count} {code}' for code, count in faults) or 'none'}", flush=True)
    return steps


async def _rise(
    world: Any, identities: Sequence[Any], meter: Callable[[], dict[str, float]], counted: bool
) -> list[Step]:
    """Let people arrive step by step until a step is not good. Every coroutine ends with this one."""
    from bench._people import Organizer, Person, arrivals

    organizers = [one for one in identities if one.kind == "organizer"]
    accounts = iter([one for one in identities if one.kind == "account"])
    _print_head()
    steps = [await _measured(world, 0, meter, counted)]
    gc.freeze()  # what is there before the load is not searched during it
    tasks = [asyncio.create_task(Organizer(world, one).live()) for one in organizers]
    try:
        for number in range(STEPS):
            people = round(PEOPLE * RISE**number)
            newcomers = people - (len(tasks) - len(organizers))
            now = 0.0
            for at in arrivals(world.chance, newcomers, ARRIVE * 0.75):
                await asyncio.sleep(at - now)
                now = at
                is_guest = world.chance.random() < world.assumptions.site.guests
                person = Person(world, None if is_guest else next(accounts))
                tasks.append(asyncio.create_task(person.live()))
            await asyncio.sleep(
                ARRIVE * (0.25 if number else 1.0)
            )  # the processes warm up with the first people
            steps.append(await _measured(world, people, meter, counted))
            _require_alive(tasks, world)
            if not steps[-1].is_good:
                break
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return steps


def _require_alive(tasks: Sequence[asyncio.Task[None]], world: Any) -> None:
    """Count the people whom a fault of the generator has ended. Raises the first fault if they are too many."""
    faults = [fault for task in tasks if task.done() and (fault := task.exception())]
    world.tally.faults.pop("fallen people", None)
    if faults:
        world.tally.faults["fallen people"] = len(faults)
    if len(faults) > FALLEN * len(tasks):
        raise faults[0]


async def _measured(world: Any, people: int, meter: Callable[[], dict[str, float]], counted: bool) -> Step:
    world.tally.forget()
    before = await _read(meter, counted)
    await asyncio.sleep(MEASURE)
    step = _step(world, people, before, await _read(meter, counted))
    _print_step(step)
    return step


async def _read(meter: Callable[[], dict[str, float]], counted: bool) -> Reading:
    return await asyncio.to_thread(_reading, meter, counted)


def _reading(meter: Callable[[], dict[str, float]], counted: bool) -> Reading:
    try:
        return Reading(time.monotonic(), meter(), machine_seconds(), counters(statements=counted))
    finally:
        connection.close()  # of this thread


def _step(world: Any, people: int, before: Reading, after: Reading) -> Step:
    took = after.at - before.at
    done = {
        kind: [one for one in requests if before.at <= one.done < after.at]
        for kind, requests in world.tally.requests.items()
    }
    moves = [one for one in done.get("move", ()) if 0 < one.status < 500]
    due = sum(before.at <= at < after.at for at in world.tally.due)
    everything = [one for requests in done.values() for one in requests]
    others = [one for kind, requests in done.items() if kind != "move" for one in requests]
    times = [one.done - one.due for one in moves] + [after.at - at for at in world.tally.under_way.values()]
    delays = [delay for at, delay in world.tally.delays if before.at <= at < after.at]
    used = {kind: (after.seconds[kind] - before.seconds[kind]) / took for kind in after.seconds}
    used["others"] = max(0.0, (after.machine - before.machine) / took - sum(used.values()))
    stored = after.counters.since(before.counters)
    return Step(
        people=people,
        streams=world.tally.streams,
        due=due / took,
        moves=len(moves) / took,
        requests=len(everything) / took,
        p50_ms=_percentile(times, 0.5),
        p99_ms=_percentile(times, 0.99),
        others_p99_ms=_percentile([one.done - one.due for one in others], 0.99),
        event_p50_ms=_percentile(delays, 0.5),
        event_p99_ms=_percentile(delays, 0.99),
        failed=sum(one.status == 0 or one.status >= 500 for one in everything) / max(1, len(everything)),
        processor={kind: round(share, 3) for kind, share in used.items()},
        deliveries=len(delays) / took,
        events=stored.events / took,
        transactions=stored.transactions / took,
        statements=stored.statements / took,
        fsyncs=stored.fsyncs / took,
        wal_bytes=stored.wal_bytes / took,
    )


def _percentile(seconds: Sequence[float], share: float) -> float:
    """Return a percentile in milliseconds; 0 of nothing."""
    ordered = sorted(seconds)
    return round(1000 * ordered[round(share * (len(ordered) - 1))], 1) if ordered else 0.0


def _print_head() -> None:
    print(
        f"  {'people':>7}{'streams':>9}{'due/s':>8}{'moves/s':>9}{'req/s':>8}{'p50':>7}{'p99':>8}{'event p99':>11}"
        f"  processor, percent of a core",
        flush=True,
    )


def _print_step(step: Step) -> None:
    used = " ".join(f"{kind} {100 * share:.0f}" for kind, share in step.processor.items())
    counts = f"{step.people:>7,}{step.streams:>9,}{step.due:>8.1f}{step.moves:>9.1f}{step.requests:>8.0f}"
    times = f"{step.p50_ms:>7.0f}{step.p99_ms:>8.0f}{step.event_p99_ms:>11.0f}"
    print(f"  {counts}{times}  {used}", flush=True)


def _print_costs(at: Step) -> None:
    """Print where the time of a move goes, with all that people do besides."""
    moves = max(at.moves, 0.001)
    print("  processor milliseconds for each move, with the reads, streams, and jobs that go with it:")
    for kind, share in sorted(at.processor.items(), key=lambda item: -item[1]):
        print(f"    {kind:12} {1000 * share / moves:>7.2f}")
    if at.transactions:
        sent = f"{at.statements / moves:.1f} statements, " if at.statements else ""
        print(
            f"  for each move: {at.requests / moves:.1f} requests, {sent}{at.transactions / moves:.1f} transactions, "
            f"{at.fsyncs / moves:.2f} flushes of the log; "
            f"{at.wal_bytes / max(at.events, 0.001):,.0f} bytes of the log for each event"
        )
