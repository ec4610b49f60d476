"""A lease is held by one process at a time, by the clock of the database."""

from __future__ import annotations

import datetime as dt

import pytest

from config.celery import carry_out
from jobs import services, ticker
from jobs.models import Heartbeat, Lease
from jobs.ticker import Ticker

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)


def take(holder: str, now: dt.datetime) -> bool:
    return services.take_lease(name="test", holder=holder, now=now, lasting=5 * SECOND)


def holder(now: dt.datetime) -> str | None:
    return services.holder_of(name="test", now=now, lasting=5 * SECOND)


@pytest.mark.both_databases
def test_one_holds_a_lease_until_it_ends() -> None:
    assert take("a", NOON)
    assert not take("b", NOON + 4 * SECOND)
    assert holder(NOON + 4 * SECOND) == "a"
    assert holder(NOON + 6 * SECOND) is None
    assert take("b", NOON + 6 * SECOND)
    assert not take("a", NOON + 7 * SECOND)
    assert Lease.objects.get().holder == "b"


@pytest.mark.both_databases
def test_a_lease_from_the_future_is_not_valid() -> None:
    assert take("a", NOON + 5 * SECOND)  # within the leeway between clocks
    assert holder(NOON) == "a"
    assert not take("b", NOON)
    assert take("a", NOON + dt.timedelta(days=1))
    assert holder(NOON) is None
    assert take("b", NOON)
    assert holder(NOON) == "b"


@pytest.mark.both_databases
def test_the_holder_prolongs_it_and_gives_it_up() -> None:
    assert take("a", NOON)
    assert take("a", NOON + 3 * SECOND)
    assert not take("b", NOON + 7 * SECOND)
    services.give_up_lease(name="test", holder="b")
    assert not take("b", NOON + 7 * SECOND)
    services.give_up_lease(name="test", holder="a")
    assert take("b", NOON + 7 * SECOND)


class Site:
    """Two tickers, and the clock of their database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.monotonic = NOON, 1000.0
        monkeypatch.setattr(ticker, "database_now", lambda: self.now)
        monkeypatch.setattr(ticker, "close_old_connections", lambda: None)  # the test's transaction is on it
        monkeypatch.setattr(ticker.time, "monotonic", lambda: self.monotonic)
        monkeypatch.setattr(Ticker, "_notice_a_step", lambda self, now: None)
        self.one, self.other = Ticker(carry_out), Ticker(carry_out)

    def after(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)
        self.monotonic += seconds


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(monkeypatch)


def leader() -> str:
    return Lease.objects.get(name=services.HEARTBEAT).holder


@pytest.mark.both_databases
def test_of_two_tickers_one_acts_and_the_other_takes_its_place(site: Site) -> None:
    def beat() -> dt.datetime:
        return Heartbeat.objects.get(name=services.HEARTBEAT).at

    site.one.tick()
    site.other.tick()
    assert leader() == site.one._me
    for _ in range(10):
        site.after(1.5)
        site.one.tick()
        site.other.tick()
    assert leader() == site.one._me
    last = beat()
    site.after(4)
    site.other.tick()
    assert (leader(), beat()) == (site.one._me, last)
    site.after(1.5)
    site.other.tick()
    assert (leader(), beat()) == (site.other._me, site.now)
    site.one.tick()
    assert leader() == site.other._me


def test_a_clock_that_was_ahead_stops_no_ticker(site: Site) -> None:
    site.now += dt.timedelta(days=1)
    site.one.tick()
    site.now -= dt.timedelta(days=1)
    site.other.tick()
    assert leader() == site.other._me


def test_a_ticker_that_is_stopped_leaves_its_place_at_once(site: Site) -> None:
    site.one.tick()
    site.one.stop()
    site.other.tick()
    assert leader() == site.other._me


def test_a_ticker_that_was_suspended_does_not_act_before_it_has_asked(site: Site) -> None:
    site.one.tick()
    site.after(60)
    site.other.tick()
    assert not site.one._leads(site.now)
    assert leader() == site.other._me
