"""Rollups: a report equals the sum over the transfers, however far the rollups have come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ledger.limits import usage
from ledger.models import (
    Account,
    AccountDay,
    FlowRollup,
    PlayerCount,
    PlayerDay,
    PurposeSum,
    RollupProgress,
    StakeDay,
    StakeLine,
    SubjectDay,
    Transfer,
)
from ledger.reconciliation.models import Checked
from ledger.reports import history, reports, rollups
from ledger.reports.history import Filters
from ledger.reports.purposes import trial_balances
from ledger.reports.rollups import Period
from tests.ledger.reports.worlds import World
from tests.money import CURRENCY
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

FIRST, LAST = date(2026, 2, 10), date(2026, 3, 20)
HOURS = timedelta(hours=30)
SOME = Period(CURRENCY, FIRST + timedelta(days=14), LAST - timedelta(days=12))


def everything() -> list[Any]:
    """Return every report that reads rollups, ever and of a period."""
    return [
        reports.day_reports(currency=CURRENCY, first=FIRST, last=LAST),
        *(
            report(period)
            for period in (
                Period(CURRENCY),
                SOME,
                Period(CURRENCY, first=SOME.first),
                Period(CURRENCY, last=SOME.last),
                Period(CURRENCY, SOME.first, SOME.first),
            )
            for report in (
                reports.game_reports,
                reports.table_reports,
                reports.tournament_total,
                single_reports,
            )
        ),
        trial_balances(),
        *(of_player(UUID(key)) for key in sorted(players())[:2]),
    ]


def single_reports(period: Period) -> list[Any]:
    """Return all single games and tournaments of a period, from pages of three."""
    found: list[Any] = []
    for single in (partial(reports.single_games, rules="vegas-solitaire"), reports.single_tournaments):
        after = None
        while page := single(period, after=after, most=3):
            found += reports.subject_reports(period, page)
            after = page[-1]
    return found


def players() -> set[str]:
    return set(Account.objects.filter(kind="player").values_list("key", flat=True))


def of_player(player: UUID) -> list[Any]:
    """Return the history, the totals, the figures, and the use of limits of a player."""
    middle = Transfer.objects.order_by("position")[Transfer.objects.count() // 2].at
    found: list[Any] = []
    for begins, until in ((None, None), (middle, None), (None, middle), (middle - HOURS, middle + HOURS)):
        found.append(usage.of_range(player=player, since=begins, until=until, now=middle + HOURS))
        filters = Filters(player, CURRENCY, begins=begins, until=until)
        found += [history.totals(filters), rows := list(history.every(filters))]
        assert pages(filters) == rows
        assert found[-2]["stake"] == sum(row.stake for row in rows)
    for filter in (
        *({"kind": kind} for kind in history.KINDS),
        *({"state": state} for state in history.STATES),
    ):
        some = Filters(player, CURRENCY, **filter)
        found += [history.totals(some), list(history.every(some))]
    starts = {(kind, str(n)): middle - n * HOURS for kind in ("deposit", "stake", "loss") for n in range(3)}
    return [*found, usage.used(player=player, currency=CURRENCY, starts=starts)]


def pages(filters: Filters) -> list[history.Staked]:
    found: list[history.Staked] = []
    while page := history.page(filters, after=(found[-1].at, found[-1].key) if found else None, most=2):
        found += page
    return found


def live() -> list[Any]:
    """Return the same reports from the transfers alone."""
    rollups.delete()
    RollupProgress.objects.all().delete()
    return everything()


def differences() -> list[Any]:
    return [found for found in rollups.check() if not isinstance(found, Checked)]


@settings(max_examples=2, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(
    seed=st.integers(0, 2**32),
    batches=st.lists(st.integers(1, 30), max_size=3),
    zone=st.sampled_from(["UTC", "Europe/London", "Pacific/Kiritimati"]),
)
def test_a_report_equals_the_sum_over_the_transfers(
    settings: LazySettings, seed: int, batches: list[int], zone: str
) -> None:
    settings.RACECARD_TIME_ZONE = zone
    world = World(seed)
    for batch in batches:
        world.do(2)
        wait_until_final()
        rollups.advance(batch)
        assert differences() == []
    world.do(1)
    behind = everything()
    wait_until_final()
    rollups.follow()
    assert differences() == []
    caught_up = everything()
    assert behind == caught_up == live()


@pytest.fixture
def rolled_up() -> None:
    World(7).do(6)
    wait_until_final()
    rollups.follow()


@pytest.mark.usefixtures("rolled_up")
def test_after_a_change_of_the_time_zone_the_rollups_are_made_again(settings: LazySettings) -> None:
    settings.RACECARD_TIME_ZONE = "Pacific/Kiritimati"
    before = everything()
    rollups.follow()
    assert RollupProgress.objects.get().zone == "Pacific/Kiritimati"
    assert differences() == []
    assert before == everything()


@pytest.mark.usefixtures("rolled_up")
def test_the_command_makes_equal_rollups_again(capsys: pytest.CaptureFixture[str]) -> None:
    def kept() -> list[Any]:
        return sorted(
            [*FlowRollup.objects.values_list("currency", "day", "stake_table", "payer", "receiver", "amount")]
        )

    before = kept()
    FlowRollup.objects.filter(payer="players").update(amount=1)
    for _ in range(2):
        call_command("rollups")
        assert kept() == before
    assert f"{len(before)} daily sums" in capsys.readouterr().out


CHANGES: dict[str, Callable[[], Any]] = {
    "a pence more": lambda: FlowRollup.objects.filter(day__gt=rollups.EVER, payer="players").update(amount=1),
    "another total": lambda: FlowRollup.objects.filter(day=rollups.EVER, payer="players").update(amount=1),
    "another count of games": lambda: FlowRollup.objects.filter(payer="players").update(games=99),
    "a missing day": lambda: FlowRollup.objects.filter(day__gt=rollups.EVER, payer="external").delete(),
    "a missing player": lambda: PlayerDay.objects.all()[:1].get().delete(),
    "another player": lambda: PlayerDay.objects.create(
        currency=CURRENCY, kind="play", key="", day=FIRST, previous=rollups.EVER, player="x"
    ),
    "another previous day": lambda: PlayerDay.objects.filter(previous__gt=rollups.EVER).update(
        previous=rollups.EVER
    ),
    "another number of players": lambda: PlayerCount.objects.filter(day__gt=rollups.EVER).update(players=99),
    "another number of all players": lambda: PlayerCount.objects.filter(day=rollups.EVER).update(players=99),
    "another sum of a purpose": lambda: PurposeSum.objects.filter(purpose="cash").update(debits=1),
    "a missing purpose": lambda: PurposeSum.objects.filter(purpose="escrow").delete(),
    "another sum of an account": lambda: AccountDay.objects.filter(staked__gt=0).update(staked=1),
    "a missing day of an account": lambda: AccountDay.objects.all()[:1].get().delete(),
    "a missing escrow": lambda: SubjectDay.objects.all()[:1].get().delete(),
    "a line with another stake": lambda: StakeLine.objects.update(stake=F("stake") + 1),
    "a missing line": lambda: StakeLine.objects.all()[:1].get().delete(),
    "another day of a history": lambda: StakeDay.objects.filter(day=rollups.EVER).update(lines=99),
}


@pytest.mark.usefixtures("rolled_up")
def test_reconciliation_finds_a_changed_rollup(subtests: pytest.Subtests) -> None:
    assert differences() == []
    for name, change in CHANGES.items():
        with subtests.test(change=name), transaction.atomic():
            change()
            assert differences()
            transaction.set_rollback(True)
    assert differences() == []


@pytest.mark.usefixtures("rolled_up")
def test_a_report_reads_no_transfer_that_is_rolled_up() -> None:
    last = RollupProgress.objects.get().position
    assert last == Transfer.objects.order_by("-position").values_list("position", flat=True).first()
    with CaptureQueriesContext(connection) as asked:
        reports.game_reports(Period(CURRENCY))
    assert len(asked) <= 12
    read = [query["sql"] for query in asked if "ledger_flowrollup" in query["sql"]]
    assert read
    for sql in read:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
                plan = [row[3] for row in cursor.fetchall()]
            steps = [step for step in plan if step.split()[1] == "t"]
            assert steps
            assert all("PRIMARY KEY (rowid>?)" in step for step in steps), steps
        else:
            assert "> (" in sql
