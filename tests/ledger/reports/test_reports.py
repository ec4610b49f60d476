"""The reports: the meaning of each figure. All reports add up to the trial balance."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ledger import selectors, services
from ledger.models import PlaySession, StakeTable
from ledger.reports import reports
from ledger.reports.figures import Figures
from ledger.reports.rollups import Period
from ledger.services import Leg
from tests.ledger.betting.markets import bank, bet, bettor, open_fixed, open_pool
from tests.ledger.reports.worlds import World
from tests.money import AT, CURRENCY, cash, fund

pytestmark = pytest.mark.django_db

FIRST, LAST = date(2026, 2, 10), date(2026, 3, 20)
"""All that a World does lies between."""

EVER = Period(CURRENCY)
MONEY = [each.name for each in fields(Figures) if each.name not in ("games", "players")]


def days(first: date = FIRST, last: date = LAST) -> list[reports.DayReport]:
    return reports.day_reports(currency=CURRENCY, first=first, last=last)


def trial() -> dict[str, int]:
    """Return the trial balance, grouped like the reports."""
    found: Counter[str] = Counter()
    for row in selectors.trial_balance(CURRENCY).rows:
        side = "players" if row["kind"] == "player" else row["purpose"]
        found[side] += row["balance"]
    return dict(found)


def without_zeros(sides: dict[str, int]) -> dict[str, int]:
    return {side: amount for side, amount in sides.items() if amount}


def money(found: Figures) -> dict[str, int]:
    return {name: getattr(found, name) for name in MONEY}


def total(found: list[Figures]) -> dict[str, int]:
    return money(sum(found, Figures()))


@settings(max_examples=4, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32), zone=st.sampled_from(["UTC", "Europe/London", "Pacific/Kiritimati"]))
def test_all_reports_add_up_to_the_trial_balance(settings: LazySettings, seed: int, zone: str) -> None:
    settings.RACECARD_TIME_ZONE = zone
    World(seed).do(6)
    found = days()
    assert without_zeros(found[-1].closing) == without_zeros(trial())
    summed: Counter[str] = Counter()
    for each in found:
        assert sum(each.changes.values()) == sum(each.closing.values()) == 0
        summed.update(each.changes)
    assert without_zeros(dict(summed)) == without_zeros(trial())

    by_day = total([each.figures for each in found])
    games = reports.game_reports(EVER)
    assert total([*(each.figures for each in games), reports.tournament_total(EVER)]) == by_day
    assert by_day["liability"] == trial()["escrow"] == found[-1].liability
    whole = sum((each.figures for each in found), Figures())
    assert whole.stakes - whole.refunds - whole.winnings == (
        whole.liability + whole.margin + whole.promotion + whole.overlay
    )

    tables = reports.table_reports(EVER)
    assert total([each.figures for each in tables]) == total([each.figures for each in games])
    assert sum(each.bank for each in tables) == trial()["bank"]
    for game in games:
        page = reports.single_games(EVER, game.rules, most=500)
        single = reports.subject_reports(EVER, page)
        assert total([each.figures for each in single]) == money(game.figures)
        assert sum(each.open for each in single) == game.open
    tournaments = reports.subject_reports(EVER, reports.single_tournaments(EVER, most=500))
    assert total([each.figures for each in tournaments]) == money(reports.tournament_total(EVER))


@settings(max_examples=3, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32), start=st.integers(0, 29), length=st.integers(0, 9))
def test_a_period_has_the_figures_of_its_days(seed: int, start: int, length: int) -> None:
    World(seed).do(4)
    first = FIRST + timedelta(days=start)
    last = first + timedelta(days=length)
    some = days(first, last)
    assert some == days()[start : start + length + 1]
    period = Period(CURRENCY, first, last)
    everything = [*(each.figures for each in reports.game_reports(period)), reports.tournament_total(period)]
    assert total(everything) == total([each.figures for each in some])


def test_a_staked_game_is_counted_when_its_money_moves(cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    take = {"session": cashed_in, "game": game, "stake": 104, "max_win": 416, "stake_table": vegas}
    services.take_stake(**take, event=3, at=AT)
    services.settle_stake(game=game, winnings=24, event=9, at=AT + timedelta(days=1))
    first, second = days(date(2026, 3, 1), date(2026, 3, 2))
    assert first.figures == Figures(games=1, players=1, stakes=104, liability=104)
    assert (first.liability, first.deposits) == (104, 5000)
    assert second.figures == Figures(winnings=24, bank=80, liability=-104)
    assert (second.liability, second.deposits) == (0, 0)
    (report,) = reports.game_reports(EVER)
    assert (report.rules, report.open) == ("vegas-solitaire", 0)
    assert report.figures == Figures(games=1, players=1, stakes=104, winnings=24, bank=80)
    assert (report.figures.margin, report.figures.turnover, report.figures.margin_rate) == (80, 104, 7692)
    (single,) = reports.subject_reports(EVER, reports.single_games(EVER, "vegas-solitaire", most=500))
    assert (single.subject, single.about, single.stake_table) == (
        f"game:{game}",
        f"game:{game}",
        "vegas-classic",
    )
    assert single.figures == report.figures


def test_refunds_do_not_count_as_winnings(cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    take = {"session": cashed_in, "game": game, "stake": 104, "max_win": 416, "stake_table": vegas}
    services.take_stake(**take, event=3, at=AT)
    services.refund_stake(game=game, event=5, at=AT)
    (report,) = reports.game_reports(EVER)
    assert report.figures == Figures(games=1, players=1, stakes=104, refunds=104)
    assert (report.figures.turnover, report.figures.margin_rate) == (0, None)


def test_a_pool_is_reported_with_takeout_and_breakage() -> None:
    bank()
    market, twice = open_pool(takeout=1000, step=10), bettor()
    bet(market, "H", 130, twice)
    bet(market, "H", 100, twice)
    bet(market, "S", 300)
    services.close_market(market=market, event=5, at=AT)
    services.settle_market(market=market, winners=["H"], event=9, at=AT)
    (report,) = reports.game_reports(EVER)
    # 530 staked, 53 takeout; 477 for 230 is a dividend of 207 for 100, rounded down to 200.
    assert report.figures == Figures(bets=3, players=2, stakes=530, winnings=460, takeout=53, breakage=17)
    assert report.rules == "racing-aces"
    (single,) = reports.subject_reports(EVER, reports.single_games(EVER, "racing-aces", most=500))
    assert (single.subject, single.about) == (market.owner, market.subject)


def test_ruling_reverses_the_first_result_in_the_figures() -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 100)
    services.close_market(market=market, event=5, at=AT)
    services.settle_market(market=market, winners=["H"], event=9, at=AT)
    services.resettle_market(market=market, winners=["S"], reason="misread", actor="test", at=AT)
    (report,) = reports.game_reports(EVER)
    assert report.figures == Figures(bets=1, players=1, stakes=100, bank=100)


def test_stakes_of_the_site_are_reported_as_promotion() -> None:
    subject = f"tournament:{uuid4()}"
    escrow, house, rake, outside = (
        services.account(owner=owner, purpose=purpose, currency=CURRENCY)
        for owner, purpose in [
            (subject, "escrow"),
            ("house", "promotion"),
            ("house", "rake"),
            ("house", "external"),
        ]
    )
    purse = cash(uuid4())
    fund(purse, 500)
    legs = [
        Leg(outside, house, 500, "play money for bots"),
        Leg(purse, escrow, 500, "entry fee"),
        Leg(house, escrow, 500, "entry fee"),
        Leg(escrow, purse, 900, "prize"),
        Leg(escrow, rake, 60, "rake"),
    ]
    services.post(key=f"{subject}:x", legs=legs, subject=subject, actor="test", at=AT)
    (single,) = reports.subject_reports(EVER, reports.single_tournaments(EVER, most=500))
    assert single.figures == Figures(
        entries=1, players=1, stakes=500, winnings=900, rake=60, promotion=-500, liability=40
    )
    assert (single.open, single.rules) == (40, "")
    assert reports.tournament_total(EVER) == single.figures
    assert reports.game_reports(EVER) == []


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (datetime(2026, 3, 28, 23, 59, 59, 999_999, tzinfo=UTC), 28),
        (datetime(2026, 3, 29, 0, 0, tzinfo=UTC), 29),
        (datetime(2026, 3, 29, 22, 59, 59, tzinfo=UTC), 29),
        (datetime(2026, 3, 29, 23, 0, tzinfo=UTC), 30),
        (datetime(2026, 3, 29, 23, 0, 0, 1, tzinfo=UTC), 30),
    ],
)
def test_days_are_those_of_the_installations_time_zone(
    settings: LazySettings, at: datetime, day: int
) -> None:
    settings.RACECARD_TIME_ZONE = "Europe/London"
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    services.post(key="k", legs=[Leg(outside, cash(uuid4()), 7, "paid in")], actor="test", at=at)
    found = {each.day.date.day: each.deposits for each in days(date(2026, 3, 28), date(2026, 3, 30))}
    assert found == {28: 0, 29: 0, 30: 0, day: 7}
    assert days(date(2026, 3, 29), date(2026, 3, 29))[0].deposits == found[29]


def test_every_stake_table_is_reported_with_its_bank(vegas: StakeTable) -> None:
    found: dict[str, Any] = {each.table: each for each in reports.table_reports(EVER)}
    assert set(found) >= {"vegas-classic", "race-bets"}
    assert (found["vegas-classic"].bank, found["vegas-classic"].reserved) == (1_000_000, 0)
    assert found["race-bets"].figures == Figures()
