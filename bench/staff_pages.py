"""Lists and searches of the staff pages over 10,000 rows: the processor time of a page in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from accounts.roles import Role, make_groups
from accounts.services import set_roles, sign_up
from bench._common import size
from jobs.models import Job

ROWS = size(10_000, 60)
TIMES = size(7, 1)
WITHIN = 300.0
"""Milliseconds that a search may take."""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def measure() -> dict[str, float]:
    figures = {}
    client = _staff_client()
    for name, address, query in _pages():
        took = figures[name] = _milliseconds(client, address, query)
        print(f"  {name:48} {took:7.1f} ms of {WITHIN:.0f}", flush=True)
    return figures


def _staff_client() -> Client:
    """Return a client of an administrator, in an installation with many players and jobs."""
    name = f"bench-{uuid4().hex[:8]}"
    make_groups()
    administrator = sign_up(username=name, password=uuid4().hex, now=NOW)
    set_roles(player=administrator, roles=frozenset({Role.ADMINISTRATOR}))
    Player.objects.bulk_create(Player(username=f"{name}-{number:05}") for number in range(ROWS))
    Job.objects.bulk_create(
        Job(kind="bench", key=f"{name}:{number:05}", due=NOW + timedelta(seconds=number), done=NOW)
        for number in range(ROWS)
    )
    client = Client()
    client.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def _pages() -> Iterator[tuple[str, str, dict[str, str]]]:
    people, jobs = (reverse(f"admin:{name}_changelist") for name in ("accounts_player", "jobs_job"))
    middle = str(Job.objects.filter(kind="bench").order_by("due")[ROWS // 2].pk)
    yield "players, the first page", people, {}
    yield "players, found by the end of a name", people, {"q": "-09999"}
    yield "players, none found", people, {"q": "no such player"}
    yield "players' money, found by the end of a name", reverse("admin:staff_players"), {"q": "-09999"}
    yield "jobs, a page in the middle", jobs, {"after": middle}
    yield "jobs, found by the end of a key", jobs, {"q": ":09999"}
    yield "jobs, by another column", jobs, {"o": "-1"}


def _milliseconds(client: Client, address: str, query: dict[str, str]) -> float:
    taken = []
    for _ in range(TIMES):
        began = time.process_time()
        answer = client.get(address, query)
        taken.append(1000 * (time.process_time() - began))
        assert answer.status_code == 200, answer
    return statistics.median(taken)
