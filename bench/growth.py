"""Whether requests, staff pages, and jobs cost the same in a large installation as in a small one.

Every GET operation of the API, every staff page without parameters or about a known resource, and every recurring job
is timed in an installation with 200 games, and in another one into which hundreds of thousands of games have been
loaded (`_bulk`). Nothing may take more than 1.5 times as long or 10 ms more, whichever is more, and nothing more than
250 ms. Audit and reconciliation read everything by design, and so do exports; they are left out.

The large installation is always restored from a backup, which is timed, and the last of its games are loaded after
that, so that every run measures how fast they are signed and rolled up. BENCH_GROWTH_CACHE names a folder that keeps
the backup for later runs, as long as neither the migrations nor the loader change.

BENCH_GROWTH_GAMES and BENCH_GROWTH_PLAYERS set another size. The whole one has a million transfers and about two
million events, and one player with a tenth of the games.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

import tests.security.world
from accounts.models import Player
from accounts.services import issue_token
from bench import _bulk
from bench._bulk import Owner, Pattern
from bench._common import size
from config.backup import backup, restore
from eventstore.checkpoints import service as checkpoint
from eventstore.models import Event
from games.models import GameRecord
from jobs import kinds
from ledger.models import Transfer
from ledger.reports import rollups
from tests.security.world import World, address, operations, routes
from tests.templates import PACKAGES, ROOT

GAMES = int(os.environ.get("BENCH_GROWTH_GAMES", size(357_000, 30)))
PLAYERS = int(os.environ.get("BENCH_GROWTH_PLAYERS", size(6_000, 3)))
LAST = size(20_000, 10)
"""The games of the large installation that every run loads itself."""

SMALL, SMALL_PLAYERS = size(200, 10), size(120, 10)
"""More games and players than a list shows on a page, so that pages are as long in both installations."""

SMALL_ONLY = "BENCH_GROWTH_SMALL_ONLY"
HEAVY = 10
"""Every tenth or so of the games is that of one player."""

TIMES = size(5, 1)
"""The times that a request is made. The fastest counts, because other load is not part of the measurement."""

EACH = size(1, 8)
"""1: everything is measured; 8: every eighth request."""

FACTOR, MORE_MS, MOST_MS = 1.5, 10.0, 250.0
OVER_DAYS = 400
READ_EVERYTHING = ("audit.", "ledger.reconcile")
"""Recurring jobs whose work is to read the whole installation."""

EXPORTS = (".csv", ".journal", ".beancount")
"""Ends of addresses whose answer has everything in a period."""

ROLES = ("heavy", "administrator", "auditor", "player", "organizer")
FILTERS = {"games": ("rules=ace-race", "status=open", "mine=true", "mine=true&rules=ace-race&result=won")}
NO_PAGES = ("add/", "logout/", "login/", "jsi18n/", "autocomplete/", "password_change/", "/r/")

TARGETS = {
    "growing": 0,
    "too_slow": 0,
    "checkpoint_rows_per_second": 50_000,
    "backup_of_two_million_events_seconds": 60,
    "restore_of_two_million_events_seconds": 60,
    "verification_of_two_million_events_seconds": 60,
}


class Timed(NamedTuple):
    kind: str
    name: str
    once: Callable[[], bool]
    """Does it once; false if it is refused."""


class Installation(NamedTuple):
    world: World
    owners: list[Owner]
    patterns: list[Pattern]
    first: datetime
    last: datetime

    @property
    def heavy(self) -> Owner:
        return self.owners[0]

    def load(self, games: int) -> int:
        """Load this many games over the whole time. Returns the number of their events."""
        return _bulk.load(self.patterns, shares(self.owners), first=self.first, last=self.last, games=games)


def measure() -> dict[str, Any]:
    """Return the numbers of requests that grow and that are too slow. Prints both times of each."""
    logging.disable(logging.WARNING)  # the requests that a role may not make
    with override_settings(ALLOWED_HOSTS=["*"]):
        if SMALL_ONLY in os.environ:
            return {"times": _times(_built(SMALL_PLAYERS))}
        with _part("small installation built and requested"):
            small = _small()
        with _cache() as cache:
            with _part("large installation built, or found in the cache"):
                built = _large(cache)
            with _part("large installation restored and verified"):
                restored = _restoring_seconds(cache / "backup")
        with _part("its last games loaded, signed, and rolled up"):
            rates = _rates(built)
        with _part("large installation requested"):
            large = _times(built)
        with _part("large installation backed up"):
            copied = {"backup": _backup_seconds(), **restored}
    events = Event.objects.count()
    return {
        "database": connection.vendor,
        "games": GameRecord.objects.count(),
        "events": events,
        "transfers": Transfer.objects.count(),
        **_print(small, large),
        **rates,
        **{
            f"{name}_of_two_million_events_seconds": round(seconds * 2_000_000 / events, 1)
            for name, seconds in copied.items()
        },
    }


@contextmanager
def _part(name: str) -> Iterator[None]:
    """Print how long a part of the benchmark takes."""
    began = time.perf_counter()
    yield
    print(f"growth on {connection.vendor}: {time.perf_counter() - began:6.0f} s  {name}", flush=True)


def _small() -> dict[str, tuple[str, float]]:
    """Return the times in a small installation in its own database, which another process measures."""
    from bench.__main__ import run

    figures = run("growth", connection.vendor, **{SMALL_ONLY: "1"})
    assert figures is not None, "the small installation could not be measured"
    return {name: (kind, ms) for name, (kind, ms) in figures["figures"]["times"].items()}


def _built(players: int) -> Installation:
    """Build an installation with a resource at every address and 200 games over 400 days.

    More games over the same days make it large, so that a report shows as many days in both installations.
    """
    now = timezone.now()
    first = now - timedelta(days=OVER_DAYS)
    world = World(sign=_sign)
    owners = _bulk.owners(players, first)
    built = Installation(world, owners, _bulk.played(owners[0], first), first, now)
    built.load(SMALL)
    _sign()
    rollups.follow()
    return built


def _sign() -> None:
    """Sign what is not signed yet."""
    while checkpoint.make(timezone.now()) is not None:
        pass


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@contextmanager
def _cache() -> Iterator[Path]:
    """Yield the folder of the large installation that this code builds, which is empty unless it has been built."""
    if "BENCH_GROWTH_CACHE" in os.environ:
        yield Path(os.environ["BENCH_GROWTH_CACHE"]) / f"{connection.vendor}-{_fingerprint()}"
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)


def _fingerprint() -> str:
    """Return a hash of what the large installation depends on."""
    modules = (_bulk, tests.security.world)
    sources = [Path(__file__), *(Path(module.__file__ or "") for module in modules)]
    sources += sorted(path for package in PACKAGES for path in (ROOT / package).rglob("migrations/*.py"))
    built_by = [GAMES, PLAYERS, *(path.read_text() for path in sources)]
    return hashlib.sha256(repr(built_by).encode()).hexdigest()[:16]


def _large(cache: Path) -> Installation:
    """Return the large installation without its last games, of which the cache has a backup."""
    described = cache / "installation.pickle"
    if not described.exists():
        built = _built(PLAYERS)
        built.load(GAMES - LAST)
        _sign()
        rollups.follow()
        backup(to=cache / "backup", now=timezone.now())
        described.write_bytes(pickle.dumps(built))
    found: Installation = pickle.loads(described.read_bytes())
    return found


def _restoring_seconds(copy: Path) -> dict[str, float]:
    """Return the seconds of the restoration of a backup into this database, and of the verification after that."""
    said: list[float] = []
    began = time.perf_counter()
    restore(source=copy, now=timezone.now(), replace=True, say=lambda text: said.append(time.perf_counter()))
    return {"restore": said[-1] - began, "verification": time.perf_counter() - said[-1]}


def _backup_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return _seconds(lambda: backup(to=Path(folder) / "backup", now=timezone.now()))


def _rates(built: Installation) -> dict[str, int]:
    """Load the last games, and return how fast they are loaded, signed, and added to the rollups."""
    transfers = Transfer.objects.count()
    events = 0

    def load() -> None:
        nonlocal events
        events = built.load(LAST)

    loading = _seconds(load)
    transfers = Transfer.objects.count() - transfers
    return {
        "loaded_games_per_second": round(LAST / loading),
        "checkpoint_rows_per_second": round((events + transfers) / _seconds(_sign)),
        "rollup_transfers_per_second": round(transfers / _seconds(rollups.follow)),
    }


def shares(owners: list[Owner]) -> Iterator[Owner]:
    """Yield the owner of each game: the first one for every tenth, the others by turns."""
    for number in count():
        yield owners[0] if number % HEAVY == 0 else owners[number % len(owners)]


def _everything(world: World, heavy: Owner) -> Iterator[Timed]:
    yield from api(world, heavy)
    yield from frames(world)
    yield from staff_pages(world, heavy)
    yield from _jobs()


def api(world: World, heavy: Owner) -> Iterator[Timed]:
    from rest_framework.test import APIClient

    clients = {role: world.client(role) for role in ROLES if role != "heavy"}
    clients["heavy"] = APIClient(raise_request_exception=False)
    token = issue_token(player=Player.objects.get(pk=heavy.player))[1]
    clients["heavy"].credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    for method, name, route, _ in operations():
        if method != "get" or "stream" in name or route.endswith(EXPORTS):
            continue
        try:
            place = address(route, world.ids)
        except KeyError:
            continue
        for query in ("", *(f"?{one}" for one in FILTERS.get(name, ()))):
            yield Timed(
                "API", f"GET {route}{query}", _asking([clients[role] for role in ROLES], place + query)
            )


def frames(world: World) -> Iterator[Timed]:
    """Yield the pages for frames of other sites."""
    for route, _ in routes("embed/"):
        yield Timed("API", f"GET {route}", _asking([world.client("anonymous")], address(route, world.ids)))


def staff_pages(world: World, heavy: Owner) -> Iterator[Timed]:
    browser = world.browser("administrator")
    ids = {**world.ids, "player_id": heavy.player}
    for route, _ in routes("admin/"):
        if "(?P" in route or any(part in route for part in NO_PAGES):
            continue
        try:
            yield Timed("staff", f"GET {route}", _asking([browser], address(route, ids)))
        except KeyError:
            continue


def _asking(clients: list[Any], place: str) -> Callable[[], bool]:
    """Return a request by the first client that is answered with 200."""

    def once() -> bool:
        while clients:
            answer = clients[0].get(place)
            if answer.status_code == 200:
                if answer.streaming:
                    b"".join(answer.streaming_content)
                return True
            clients.pop(0)
        return False

    return once


def _jobs() -> Iterator[Timed]:
    for kind in kinds.recurring():
        if not kind.name.startswith(READ_EVERYTHING):
            yield Timed("job", f"job {kind.name}", _carrying_out(kind))


def _carrying_out(kind: kinds.Kind) -> Callable[[], bool]:
    """Return the work of the job, which is rolled back."""

    def once() -> bool:
        now = timezone.now()
        with transaction.atomic():
            prepared = {"prepared": kind.prepare({}, now=now)} if kind.prepare else {}
            kind.work({}, now=now, **prepared)
            transaction.set_rollback(True)
        return True

    return once


def _times(built: Installation) -> dict[str, tuple[str, float]]:
    """Return kind and milliseconds of each by name, and leave out what is refused."""
    found = {}
    with patch("rest_framework.throttling.SimpleRateThrottle.allow_request", return_value=True):
        for one in list(_everything(built.world, built.heavy))[::EACH]:
            if one.once():
                found[one.name] = one.kind, 1000 * min(_seconds(one.once) for _ in range(TIMES))
    return found


def _print(small: dict[str, tuple[str, float]], large: dict[str, tuple[str, float]]) -> dict[str, int]:
    both = {name: (kind, small[name][1], ms) for name, (kind, ms) in large.items() if name in small}
    growing = {name for name, (_, less, more) in both.items() if more > max(FACTOR * less, less + MORE_MS)}
    slow = {name for name, (_, _, ms) in both.items() if ms > MOST_MS}
    print(f"growth on {connection.vendor}: milliseconds with {SMALL:,} and with {SMALL + GAMES:,} games")
    for name, (_, less, more) in sorted(both.items(), key=lambda one: (one[1][0], -one[1][2] / one[1][1])):
        marks = f"{'GROWS' if name in growing else '':6} {'SLOW' if name in slow else ''}"
        print(f"  {name:78} {less:>9.1f} {more:>10.1f} {more / less:>7.2f}  {marks}".rstrip())
    return {
        "measured": len(both),
        "growing": len(growing),
        "too_slow": len(slow),
        "not_in_both": len(small.keys() ^ large.keys()),
    }
