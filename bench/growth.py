"""Whether requests, staff pages, and jobs cost the same in a large installation as in a small one.

Every GET operation of the API, every staff page without parameters or about a known resource, and every recurring job
is timed in an installation with 200 games. Then hundreds of thousands of games are loaded in bulk (`_bulk`), and
everything is timed again. Nothing may take more than 1.5 times as long or 10 ms more, whichever is more, and nothing
more than 250 ms. Audit and reconciliation read everything by design and are left out.

BENCH_GROWTH_GAMES and BENCH_GROWTH_PLAYERS set another size. The whole one has a million transfers and about two
million events, and one player with a tenth of the games.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from accounts.models import Player
from accounts.services import issue_token
from bench import _bulk
from bench._bulk import Owner
from bench._common import size
from config.backup import backup
from eventstore.checkpoints import service as checkpoint
from eventstore.models import Event
from jobs import kinds
from ledger.models import Transfer
from tests.security.world import World, address, operations, routes

GAMES = int(os.environ.get("BENCH_GROWTH_GAMES", size(357_000, 30)))
PLAYERS = int(os.environ.get("BENCH_GROWTH_PLAYERS", size(6_000, 3)))
SMALL = size(200, 10)
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

ROLES = ("heavy", "administrator", "auditor", "player", "organizer")
FILTERS = {"games": ("rules=ace-race", "status=open", "mine=true")}
NO_PAGES = ("add/", "logout/", "login/", "jsi18n/", "autocomplete/", "password_change/", "/r/")

TARGETS = {
    "growing": 0,
    "too_slow": 0,
    "checkpoint_rows_per_second": 50_000,
    "backup_of_two_million_events_seconds": 60,
}


class Timed(NamedTuple):
    kind: str
    name: str
    once: Callable[[], bool]
    """Does it once; false if it is refused."""


def measure() -> dict[str, Any]:
    """Return the numbers of requests that grow and that are too slow. Prints both times of each."""
    now = timezone.now()
    first = now - timedelta(days=OVER_DAYS)
    with override_settings(ALLOWED_HOSTS=["*"]):
        world = World()
        checkpoint.declare_lost(now)  # that of the world is signed by a key of its own
        owners = _bulk.owners(PLAYERS, first)
        patterns = _bulk.played(owners[0], first)
        _bulk.load(patterns, _shares(owners), first=first, last=first + timedelta(days=1), games=SMALL)
        _checkpoints()
        covered = _rows()
        timed = list(_everything(world, owners[0]))[::EACH]
        with patch("rest_framework.throttling.SimpleRateThrottle.allow_request", return_value=True):
            small = _times(timed)
            began = time.perf_counter()
            _bulk.load(patterns, _shares(owners), first=first + timedelta(days=1), last=now, games=GAMES)
            loading = time.perf_counter() - began
            rate = (_rows() - covered) / _checkpoints()
            large = _times([one for one in timed if one.name in small])
        copying = _backup_seconds()
    events = Event.objects.count()
    figures = _print(small, large, {one.name: one.kind for one in timed})
    return {
        "database": connection.vendor,
        "games": GAMES,
        "events": events,
        "transfers": Transfer.objects.count(),
        "loading_seconds": round(loading, 1),
        **figures,
        "not_measured": len(timed) - len(small),
        "checkpoint_rows_per_second": round(rate),
        "backup_of_two_million_events_seconds": round(copying * 2_000_000 / events, 1),
    }


def _shares(owners: list[Owner]) -> Iterator[Owner]:
    """Yield the owner of each game: the first one for every tenth, the others by turns."""
    for number in count():
        yield owners[0] if number % HEAVY == 0 else owners[number % len(owners)]


def _checkpoints() -> float:
    """Sign what is not signed yet, and return the seconds."""
    began = time.perf_counter()
    while checkpoint.make(timezone.now()) is not None:
        pass
    return time.perf_counter() - began


def _rows() -> int:
    return Event.objects.count() + Transfer.objects.count()


def _everything(world: World, heavy: Owner) -> Iterator[Timed]:
    yield from _api(world, heavy)
    yield from _staff_pages(world, heavy)
    yield from _jobs()


def _api(world: World, heavy: Owner) -> Iterator[Timed]:
    from rest_framework.test import APIClient

    clients = {role: world.client(role) for role in ROLES if role != "heavy"}
    clients["heavy"] = APIClient(raise_request_exception=False)
    token = issue_token(player=Player.objects.get(pk=heavy.player))[1]
    clients["heavy"].credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    for method, name, route, _ in operations():
        if method != "get" or "stream" in name:
            continue
        try:
            place = address(route, world.ids)
        except KeyError:
            continue
        for query in ("", *(f"?{one}" for one in FILTERS.get(name, ()))):
            yield Timed(
                "API", f"GET {route}{query}", _asking([clients[role] for role in ROLES], place + query)
            )


def _staff_pages(world: World, heavy: Owner) -> Iterator[Timed]:
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


def _times(timed: list[Timed]) -> dict[str, float]:
    """Return the milliseconds of each, and leave out what is refused."""
    found = {}
    for one in timed:
        if not one.once():
            continue
        taken = []
        for _ in range(TIMES):
            began = time.perf_counter()
            one.once()
            taken.append(1000 * (time.perf_counter() - began))
        found[one.name] = min(taken)
    return found


def _print(small: dict[str, float], large: dict[str, float], kinds: dict[str, str]) -> dict[str, int]:
    growing = {name for name, ms in large.items() if ms > max(FACTOR * small[name], small[name] + MORE_MS)}
    slow = {name for name, ms in large.items() if ms > MOST_MS}
    print(f"growth on {connection.vendor}: milliseconds with {SMALL:,} and with {SMALL + GAMES:,} games")
    for name in sorted(large, key=lambda name: (kinds[name], -large[name] / small[name])):
        marks = f"{'GROWS' if name in growing else '':6} {'SLOW' if name in slow else ''}".rstrip()
        line = (
            f"  {name:78} {small[name]:>9.1f} {large[name]:>10.1f} {large[name] / small[name]:>7.2f}  {marks}"
        )
        print(line.rstrip())
    return {"measured": len(large), "growing": len(growing), "too_slow": len(slow)}


def _backup_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        backup(to=Path(folder) / "backup", now=timezone.now())
        return time.perf_counter() - began
