"""The banks by stake table: balance, reserves, and results, with a constant number of queries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from ledger import services
from ledger.models import StakeTable
from ledger.reports.figures import begins, today
from ledger.reports.reports import table_reports
from ledger.reports.rollups import Period, time_zone
from ledger.staff.banks import PERIODS, BankLine, Result, banks
from tests.ledger.betting.markets import bank, bet, close, open_fixed, open_pool, settle
from tests.ledger.staff.conftest import Office, deal, play, session_of
from tests.money import CURRENCY

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAGE = "admin:staff_banks"


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def line(slug: str, now: datetime) -> BankLine:
    (found,) = (line for each in banks(now=now) for line in each.lines if line.table.slug == slug)
    return found


def begin(period: str, now: datetime) -> datetime:
    return begins(today(now, time_zone()) - timedelta(days=PERIODS[period]), time_zone())


def test_open_games_lower_the_headroom(vegas: StakeTable, now: datetime) -> None:
    assert line("vegas-classic", now).headroom == 1_000_000
    for stake in (104, 208):
        deal(session_of(uuid4(), at=now), vegas, at=now, stake=stake)
    found = line("vegas-classic", now)
    assert (found.balance.held, found.promised, found.games.count) == (936, 936, 2)
    assert (found.balance.total, found.headroom, found.state) == (1_000_000, 1_000_000 - 936, "open")


def test_bank_limit_bounds_the_headroom(vegas: StakeTable, now: datetime) -> None:
    dealt = deal(session_of(uuid4(), at=now), vegas, at=now)
    assert dealt.reserve is not None
    for limit, headroom, state in (
        (1000, 688, "open"),
        (340, 28, "nearly full"),
        (312, 0, "full"),
        (10, 0, "full"),
    ):
        found = line("vegas-classic", now)
        bounded = replace(found, limit=limit)
        assert (bounded.headroom, bounded.state) == (headroom, state)


def test_tables_of_buy_ins_are_not_listed(now: datetime) -> None:
    shown = {line.table.rules for each in banks(now=now) for line in each.lines}
    assert shown == {"racing-aces", "vegas-solitaire"}
    assert StakeTable.objects.filter(rules="ace-race").exists()


def test_the_risk_of_a_market_at_fixed_odds_is_reserved(now: datetime) -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 100)
    found = line("race-bets", now)
    assert (found.markets.count, found.markets.amount, found.balance.held) == (1, 300, 300)
    settle(market, "S")
    assert line("race-bets", now).markets.count == 0


def test_results_are_counted_in_their_period(vegas: StakeTable, now: datetime) -> None:
    session = session_of(uuid4(), at=now - timedelta(days=60))
    play(session, vegas, at=begin("month", now) - timedelta(seconds=1), stake=1040)
    play(session, vegas, at=begin("month", now), stake=104)
    play(session, vegas, at=begin("week", now), stake=208)
    play(session, vegas, at=begin("today", now), stake=104, winnings=416)
    assert line("vegas-classic", now).result == Result(today=-312, week=-104, month=0)


def test_a_reversed_result_is_counted_at_the_time_of_its_reversal(now: datetime) -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 100)
    close(market)
    services.settle_market(market=market, winners=["S"], event=9, at=begin("week", now))
    assert line("race-bets", now).result == Result(today=0, week=100, month=100)
    services.resettle_market(
        market=market, winners=["H"], reason="a ruling", actor="test", at=begin("today", now)
    )
    assert line("race-bets", now).result == Result(today=-400, week=-300, month=-300)


def test_results_agree_with_the_report_of_the_transfers(vegas: StakeTable, now: datetime) -> None:
    session = session_of(uuid4(), at=now - timedelta(days=40))
    for day, winnings in ((35, 416), (20, 0), (6, 8), (3, 300), (0, 0)):
        play(session, vegas, at=now - timedelta(days=day), winnings=winnings)
    day = today(now, time_zone())
    for name, first in (
        ("today", day),
        ("week", day - timedelta(days=6)),
        ("month", day - timedelta(days=29)),
    ):
        reported = {each.table: each for each in table_reports(Period(CURRENCY, first, day))}
        assert getattr(line("vegas-classic", now).result, name) == reported["vegas-classic"].figures.bank


def test_the_page_shows_banks_markets_and_the_trial_balance(
    staff_client: Office, auditor: Player, vegas: StakeTable, now: datetime
) -> None:
    deal(session_of(uuid4(), at=now), vegas, at=now)
    bank()
    fixed, pool = open_fixed(), open_pool(takeout=1000)
    bet(fixed, "H", 100)
    bet(pool, "H", 100)
    bet(pool, "S", 300)
    shown = staff_client(auditor).get(reverse(PAGE)).content.decode()
    for listed in (
        "10,000.00",
        "3.12",
        "1 game, 0 markets",
        "Hearts: ",
        "-3.00",
        "0.40 takeout",
        "All clear",
        "Players: money in play",
        "Outside the site",
    ):
        assert listed in shown, listed
    assert ">house/external" not in shown


def test_current_dividend_of_a_pool_is_shown(staff_client: Office, auditor: Player) -> None:
    pool = open_pool(takeout=1000)
    bet(pool, "H", 100)
    # With bets on one runner only, all stakes would be refunded.
    (one_sided,) = staff_client(auditor).get(reverse(PAGE)).context["markets"]
    assert {(runner.price, runner.pays, runner.result) for runner in one_sided.runners} == {("", 100, 0)}
    bet(pool, "S", 300)
    shown = staff_client(auditor).get(reverse(PAGE)).content.decode()
    for dividend in ("3.60", "1.20"):
        assert f"<td>{dividend}</td>" in shown


def test_ended_markets_are_not_listed(staff_client: Office, auditor: Player) -> None:
    market = open_pool()
    bet(market, "H", 100)
    client = staff_client(auditor)
    assert str(market.pk) in client.get(reverse(PAGE)).content.decode()
    close(market)
    assert str(market.pk) in client.get(reverse(PAGE)).content.decode()
    services.settle_market(market=market, winners=["H"], event=9, at=timezone.now())
    assert str(market.pk) not in client.get(reverse(PAGE)).content.decode()


def test_many_markets_are_listed_in_pages(staff_client: Office, auditor: Player) -> None:
    made = {str(open_pool().pk) for _ in range(30)}
    client, seen, address = staff_client(auditor), set(), reverse(PAGE)
    for expected in (25, 5):
        page = client.get(address)
        shown = {str(line.market.pk) for line in page.context["markets"]}
        assert len(shown) == expected
        seen |= shown
        address = f"{reverse(PAGE)}?before={page.context['older']}"
    assert seen == made


def test_a_page_beyond_the_last_is_not_found(staff_client: Office, auditor: Player) -> None:
    client = staff_client(auditor)
    for before in ("x", "00000000-0000-4000-8000-000000000000", "1" * 40):
        assert client.get(reverse(PAGE), {"before": before}).status_code == 404


def test_the_number_of_queries_does_not_grow(
    staff_client: Office, auditor: Player, vegas: StakeTable, now: datetime
) -> None:
    bank()
    client = staff_client(auditor)

    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(reverse(PAGE)).status_code == 200
        return len(captured)

    def more(count: int) -> None:
        for _ in range(count):
            session = session_of(uuid4(), at=now)
            play(session, vegas, at=now)
            deal(session, vegas, at=now)
            bet(open_fixed(), "H", 100)

    more(1)
    asked()
    few = asked()
    more(6)
    assert asked() == few
    assert few < 40


def test_a_bank_that_was_never_funded_is_marked(now: datetime) -> None:
    assert line("race-bets", now).state == "unfunded"
    assert line("race-bets", now).open
