"""Report pages: the figures of the selectors in tables and charts, for a chosen period."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from ledger.models import StakeTable
from ledger.reports.figures import today
from ledger.reports.reports import time_zone
from tests.ledger.betting.markets import bet, close, open_pool
from tests.ledger.staff.conftest import Office, deal, play, session_of
from tests.money import CURRENCY

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

VIEWS = ["staff_reports", "staff_reports_games", "staff_reports_tables", "staff_reports_tournaments"]


def address(view: str) -> str:
    return reverse(f"admin:{view}")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def played(vegas: StakeTable, now: datetime) -> date:
    """Stake 3.12 and win 1.04 two days ago, stake 1.04 today, and return the first day."""
    session = session_of(uuid4(), at=now - timedelta(days=2))
    play(session, vegas, at=now - timedelta(days=2), stake=312, winnings=104)
    deal(session, vegas, at=now)
    return today(now - timedelta(days=2), time_zone())


def test_days_are_shown_with_their_figures_and_charts(
    staff_client: Office, auditor: Player, played: date
) -> None:
    page = staff_client(auditor).get(address("staff_reports"))
    shown = page.content.decode()
    for reported in ("4.16", "+2.08", "50.00%", "<svg", "Staked and won, by day", "Show as table"):
        assert reported in shown, reported
    assert len(page.context["days"]) == 30
    assert (page.context["total"].stakes, page.context["total"].winnings) == (416, 104)
    kept = next(chart for chart in page.context["charts"] if chart.id == "kept")
    assert sum(kept.series[0].values) == 208


def test_the_reader_chooses_the_period(staff_client: Office, auditor: Player, played: date) -> None:
    given = {"first": str(played), "last": str(played), "currency": CURRENCY}
    page = staff_client(auditor).get(address("staff_reports"), given)
    assert (page.context["total"].stakes, len(page.context["days"])) == (312, 1)
    assert f'value="{played}"' in page.content.decode()
    tables = staff_client(auditor).get(address("staff_reports_tables"), given)
    (vegas,) = (each for each in tables.context["reports"] if each.table == "vegas-classic")
    assert (vegas.figures.stakes, vegas.open) == (312, 104)


def test_a_longer_period_is_drawn_as_lines(staff_client: Office, auditor: Player, played: date) -> None:
    given = {"first": str(played - timedelta(days=90)), "last": str(played)}
    page = staff_client(auditor).get(address("staff_reports"), given)
    assert all(chart.lines for chart in page.context["charts"])


def test_an_invalid_period_is_explained(
    staff_client: Office, auditor: Player, subtests: pytest.Subtests
) -> None:
    client = staff_client(auditor)
    for number, given in enumerate(
        (
            {"first": "x"},
            {"first": "2026-02-30"},
            {"first": "2026-02-02", "last": "2026-02-01"},
            {"first": "2020-01-01", "last": "2026-01-01"},
            {"currency": "???"},
            {"last": ""},
        )
    ):
        view = VIEWS[number % len(VIEWS)]
        with subtests.test(given=given, view=view):
            page = client.get(address(view), given)
            assert page.status_code == 200
            assert "errorlist" in page.content.decode()
            assert "total" not in page.context


def test_single_games_are_linked_from_the_report_of_their_game(
    staff_client: Office, auditor: Player, played: date
) -> None:
    client = staff_client(auditor)
    listed = client.get(address("staff_reports_games")).content.decode()
    assert "rules=vegas-solitaire" in listed
    page = client.get(address("staff_reports_games"), {"rules": "vegas-solitaire"})
    assert [single.figures.stakes for single in page.context["singles"]] == [104, 312]
    nothing = client.get(address("staff_reports_games"), {"rules": "<b>nothing"})
    assert nothing.context["singles"] == []
    assert "<b>nothing" not in nothing.content.decode()


def test_the_market_of_a_game_is_reported_with_it(
    staff_client: Office, auditor: Player, now: datetime
) -> None:
    pool = open_pool(takeout=1000)
    bet(pool, "H", 100, at=now)
    close(pool)
    page = staff_client(auditor).get(address("staff_reports_games"), {"rules": "racing-aces"})
    (single,) = page.context["singles"]
    assert (single.about, single.figures.bets, single.open) == (pool.subject, 1, 100)
    assert "<small>market</small>" in page.content.decode()


def test_an_unknown_page_shows_the_first(staff_client: Office, auditor: Player, played: date) -> None:
    client = staff_client(auditor)
    for before in ("x", "-1", "9" * 40, "", "²"):
        page = client.get(address("staff_reports_games"), {"rules": "vegas-solitaire", "before": before})
        assert len(page.context["singles"]) == 2, before


def test_the_number_of_queries_does_not_grow(
    staff_client: Office, auditor: Player, vegas: StakeTable, now: datetime
) -> None:
    client = staff_client(auditor)

    def asked(view: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(view), {"rules": "vegas-solitaire"}).status_code == 200
        return len(captured)

    def queries() -> dict[str, int]:
        return {view: asked(view) for view in VIEWS}

    play(session_of(uuid4(), at=now), vegas, at=now)
    queries()
    few = queries()
    for _ in range(5):
        play(session_of(uuid4(), at=now), vegas, at=now)
        bet(open_pool(), "H", 100)
    assert queries() == few


def test_every_report_links_to_its_files(staff_client: Office, auditor: Player, played: date) -> None:
    client = staff_client(auditor)
    for view in VIEWS:
        files = client.get(address(view), {"first": str(played), "last": str(played)}).context["files"]
        assert [kind for kind, _ in files] == ["CSV", "JSON"]
        for _, url in files:
            assert f"from={played}&until={played}&currency={CURRENCY}" in url
            assert client.get(url).status_code == 200
