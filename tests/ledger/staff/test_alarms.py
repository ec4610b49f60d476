"""Each alarm reports its own fault only, names the subject, and links to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from jobs import services as jobs
from jobs.models import Job, Pause
from ledger import services
from ledger.core.holds import EXPIRE
from ledger.models import PurposeSum, StakeTable
from ledger.payouts.requests import request_withdrawal
from ledger.reconciliation.models import Difference
from staff.dashboard import Alarm, alarms, shown_to
from tests.ledger.betting.markets import bank, bet, open_fixed, settle
from tests.ledger.staff.conftest import Office, deal, kept, play, session_of
from tests.money import CURRENCY, cash, fresh_key, fund
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@contextmanager
def forged(*statements: str) -> Iterator[None]:
    """Change rows without the triggers, and undo it afterwards."""
    with transaction.atomic():
        for statement in statements:
            tamper(statement)
        yield
        transaction.set_rollback(True)


def ringing(now: datetime) -> list[Alarm]:
    return alarms(now=now)


def titles(now: datetime) -> list[str]:
    return [alarm.title for alarm in ringing(now)]


def test_without_a_fault_there_is_no_alarm(vegas: StakeTable, now: datetime) -> None:
    session = session_of(uuid4(), at=now)
    play(session, vegas, at=now, winnings=208)
    deal(session, vegas, at=now)
    bank()
    bet(open_fixed(), "H", 100)
    settle(open_fixed(), "H")
    assert ringing(now) == []


def test_sums_that_do_not_balance_raise_an_alarm(now: datetime) -> None:
    fund(cash(uuid4()), 500)
    PurposeSum.objects.create(currency=CURRENCY, kind="player", purpose="cash", debits=0, credits=7)
    (alarm,) = ringing(now)
    assert alarm.title == "The trial balance in play money is not zero"
    assert "0.07" in alarm.detail


@pytest.mark.both_databases
@pytest.mark.parametrize("status", ["settled", "refunded"])
def test_money_in_the_escrow_of_an_ended_game_raises_an_alarm(
    vegas: StakeTable, now: datetime, status: str
) -> None:
    deal(session_of(uuid4(), at=now), vegas, at=now)
    winnings = "0" if status == "settled" else "NULL"
    ended = f"status = '{status}', winnings = {winnings}, ended_at = staked_at"
    with forged(f"UPDATE ledger_gamestake SET {ended}"):
        found = ringing(now)
        assert found[0].title == "The escrow of an ended game is not empty"
        assert "stakes of 1.04 play money" in found[0].detail
        assert "does not hold its worst case" in found[1].title


@pytest.mark.both_databases
def test_money_in_the_escrow_of_an_ended_market_raises_an_alarm(now: datetime) -> None:
    bank()
    market = open_fixed()
    settle(market, "H")
    account = cash(uuid4())
    fund(account, 500)
    with forged():
        services.post(
            key="lost", legs=[services.Leg(account, market.escrow, 5, "lost")], actor="test", at=now
        )
        assert titles(now) == ["The escrow of an ended market is not empty"]


@pytest.mark.both_databases
def test_a_bank_that_holds_less_than_its_worst_case_raises_an_alarm(vegas: StakeTable, now: datetime) -> None:
    deal(session_of(uuid4(), at=now), vegas, at=now)
    with forged("UPDATE ledger_account SET held = held - 1 WHERE purpose = 'bank' AND held > 0"):
        (alarm,) = ringing(now)
        assert alarm.title == "The bank of Vegas classic does not hold its worst case"
        assert "It holds 3.11 play money; open games and markets can cost 3.12 play money." in alarm.detail


@pytest.mark.both_databases
def test_an_expired_hold_raises_an_alarm(now: datetime) -> None:
    account = cash(uuid4())
    fund(account, 500)
    for minutes, key in ((-10, "late"), (10, "early"), (-1, "just now")):
        services.hold(
            key=key, account=account, amount=5, subject=f"trial:{key}", expires_at=now + timedelta(minutes=minutes),
            actor="test", at=now - timedelta(hours=1),
        )  # fmt: skip
    Job.objects.all().delete()  # the job that releases them is late as well
    (alarm,) = ringing(now)
    assert alarm.title == "Holds are not released after their expiry"
    assert "trial late" in alarm.detail
    assert "trial early" not in alarm.detail


def test_differences_raise_an_alarm(now: datetime) -> None:
    kept(now, Difference("player:ann/cash", "XTS", "credits", 5, 7, "game:1", 3))
    (alarm,) = ringing(now)
    assert alarm.title.startswith("The reconciliation of ")
    assert alarm.title.endswith("found differences: 1")
    assert "player:ann/cash XTS" in alarm.detail
    kept(now + timedelta(seconds=1))
    assert ringing(now) == []


def test_missing_reconciliation_raises_an_alarm(now: datetime) -> None:
    assert "The ledger has not been reconciled for two days" in titles(now + timedelta(days=3))
    assert titles(now + timedelta(hours=47)) == []


def test_a_payout_that_waits_for_more_than_a_day_raises_an_alarm(now: datetime) -> None:
    player = uuid4()
    fund(cash(player), 900)
    for hours, amount in ((25, 500), (23, 400)):
        request_withdrawal(
            player=player, amount=amount, currency=CURRENCY, destination="her bank", key=fresh_key(),
            at=now - timedelta(hours=hours),
        )  # fmt: skip
    (alarm,) = ringing(now)
    assert alarm.title == "Payouts waiting for more than a day: 1"
    assert "5.00 play money, requested" in alarm.detail


def test_late_failed_and_paused_jobs_raise_alarms(now: datetime) -> None:
    Job.objects.all().delete()
    for key, due in (("soon", now), ("late", now - timedelta(minutes=5)), ("lost", now - timedelta(hours=5))):
        jobs.schedule(kind=EXPIRE, key=key, payload={}, due=due)
    Job.objects.filter(key="lost").update(failed=now, last_error="it broke")
    assert titles(now) == ["Jobs given up: 1", "Late jobs: 1"]
    Pause.objects.create(since=now, reason="a restore")
    assert titles(now)[0] == "All jobs are paused"


def test_an_alarm_links_only_to_pages_that_its_reader_may_see(administrator: Player, auditor: Player) -> None:
    alarm = Alarm("Jobs given up: 1", url=reverse("admin:jobs_job_changelist"), permission="jobs.view_job")
    assert shown_to(administrator, [alarm]) == [alarm]
    assert shown_to(auditor, [alarm])[0].url == ""


@pytest.mark.both_databases
def test_page_lists_alarms(staff_client: Office, auditor: Player, vegas: StakeTable, now: datetime) -> None:
    deal(session_of(uuid4(), at=now), vegas, at=now)
    with forged("UPDATE ledger_account SET held = held - 1 WHERE purpose = 'bank' AND held > 0"):
        shown = staff_client(auditor).get(reverse("admin:staff_banks")).content.decode()
    assert "All clear" not in shown
    assert "does not hold its worst case" in shown
