"""Reports find the stake table of a subject by an index, so their time is linear in the transfers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.reports.reports import (
    Period,
    escrows_of_games,
    escrows_of_tournaments,
    game_reports,
    table_reports,
    tournament_total,
)
from tests.money import CURRENCY

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
EVER = Period(CURRENCY)
REPORTS = {
    "games": lambda: game_reports(EVER),
    "stake tables": lambda: table_reports(EVER),
    "tournaments": lambda: tournament_total(EVER),
    "single games": lambda: list(escrows_of_games(EVER, rules="vegas-solitaire")),
    "single tournaments": lambda: list(escrows_of_tournaments(EVER)),
}


@pytest.mark.parametrize("report", REPORTS)
def test_no_report_scans_all_subjects(report: str) -> None:
    with CaptureQueriesContext(connection) as asked:
        REPORTS[report]()
    booked = [query["sql"] for query in asked if ") b ON b.subject" in query["sql"]]
    assert booked
    for sql in booked:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = [row[3] for row in cursor.fetchall()]
        assert not [step for step in plan if step.startswith("SCAN b")], plan
