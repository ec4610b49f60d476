"""No page or GET request reads or sorts a table that grows, in an installation with 20,000 transfers.

The work of each statement is counted instead of timed. SQLite counts the instructions of its virtual machine; a scan
of 7,500 games takes at least 30,000. PostgreSQL counts the rows that each step of the plan has read and sorted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bench import _bulk, growth
from ledger.models import Transfer
from ledger.reports import rollups
from tests.security.world import World
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

GAMES = 7_500
ROWS = 20_000
MOST_INSTRUCTIONS = 25_000
MOST_ROWS = 1_100
"""The most rows that a step of a plan may read from a table, or sort. Lists are counted up to 1,001."""

MOST_STATEMENTS = {"API": 45, "staff": 75}


def test_no_page_reads_or_sorts_a_table_that_grows(subtests: pytest.Subtests) -> None:
    world, heavy = grown()
    assert Transfer.objects.count() >= ROWS
    with patch("rest_framework.throttling.SimpleRateThrottle.allow_request", return_value=True):
        pages = [*growth.api(world, heavy), *growth.staff_pages(world, heavy)]
        answered = [page for page in pages if page.once()]
        assert len(answered) > 120
        for page in answered:
            with subtests.test(page=page.name):
                with counting_work() as too_much, CaptureQueriesContext(connection) as sent:
                    page.once()
                assert len(sent) <= MOST_STATEMENTS[page.kind]
                if connection.vendor == "postgresql":
                    too_much += [found for query in sent for found in large_steps(query["sql"])]
                assert too_much == []


def grown() -> tuple[World, _bulk.Owner]:
    """Return a world with a resource at every address, and the owner of every tenth of many games."""
    world, now = World(), timezone.now()
    first = now - timedelta(days=60)
    owners = _bulk.owners(20, first)
    patterns = _bulk.played(owners[0], first)
    _bulk.load(patterns, growth.shares(owners), first=first, last=now, games=GAMES)
    wait_until_final()
    rollups.follow()
    return world, owners[0]


@contextmanager
def counting_work() -> Iterator[list[str]]:
    """Yield the list of statements that take more than `MOST_INSTRUCTIONS` on SQLite."""
    found: list[str] = []
    if connection.vendor != "sqlite":
        yield found
        return
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 100
        return 0

    def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal steps
        steps = 0
        result = execute(sql, params, many, context)
        # The rest is read by fetch, whose work the next statement does not count.
        taken.append((sql, steps))
        return result

    taken: list[tuple[str, int]] = []
    connection.connection.set_progress_handler(step, 100)
    try:
        with connection.execute_wrapper(counted):
            yield found
    finally:
        connection.connection.set_progress_handler(None, 0)
    found += [f"{count} instructions: {sql}" for sql, count in taken if count > MOST_INSTRUCTIONS]


def large_steps(sql: str) -> Iterator[str]:
    """Yield the steps of the plan that scan or sort many rows on PostgreSQL."""
    if not sql.lstrip("( ").upper().startswith(("SELECT", "WITH")):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        # 20,000 rows are few enough to scan instead of using an index, a million are not.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + sql.replace("%", "%%"), [])
        [found] = cursor.fetchone()
    plan = json.loads(found) if isinstance(found, str) else found
    for step in steps_of(plan[0]["Plan"]):
        loops, of = step["Actual Loops"], step.get("Relation Name")
        if of is not None:
            read = loops * (step["Actual Rows"] + step.get("Rows Removed by Filter", 0))
            if read > MOST_ROWS:
                yield f"{step['Node Type']} {step.get('Index Name', '')} of {read} rows of {of}: {sql}"
        if step["Node Type"] in ("Sort", "Incremental Sort"):
            sorted_rows = loops * max(below["Actual Rows"] for below in step["Plans"])
            if sorted_rows > MOST_ROWS:
                yield f"sorts {sorted_rows} rows: {sql}"


def steps_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from steps_of(below)
