"""Test that pages, reports, and postings agree on the bank's result after rulings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from accounts.models import Player
from disputes.rulings import services as rulings
from games import services as games
from games.models import GameRecord
from ledger.models import PlaySession, Transfer
from ledger.reports.reports import day_reports
from ledger.selectors import time_zone, today
from ledger.staff.banks import Result, banks
from ledger.staff.reports import newest_days
from tests.disputes.conftest import LATER, Opens, decide, ruled
from tests.games.conftest import cashed_in, classic, staked  # noqa: F401
from tests.games.staked import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CURRENCY, BANK = "XTS", "house:vegas-classic/bank"
Staked = Callable[..., tuple[GameRecord, PlaySession]]


def posted() -> int:
    """Return the bank's result from games by its postings."""
    total = 0
    for one in Transfer.objects.with_accounts().filter(subject__startswith="game:"):
        total += one.amount * ((one.credit.text == BANK) - (one.debit.text == BANK))
    return total


def shown(now: datetime = LATER) -> Result:
    [currency_total] = [one for one in banks(now=now) if one.currency == CURRENCY]
    [line] = [one for one in currency_total.lines if one.table.slug == "vegas-classic"]
    assert currency_total.result == line.result
    return line.result


def all_say(result: int) -> None:
    assert posted() == result
    assert shown() == Result(result, result, result)
    [day] = newest_days(currency=CURRENCY, last=today(LATER, time_zone()), count=1)
    assert day.figures.bank == result
    [day] = day_reports(currency=CURRENCY, first=NOON.date(), last=NOON.date())
    assert day.figures.bank == result


@pytest.fixture
def collected(staked: Staked, player: Player) -> GameRecord:  # noqa: F811
    """Return a game with a stake of 520 pence and no cards collected."""
    game, _ = staked(player)
    games.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return GameRecord.objects.get(pk=game.pk)


def test_void_game_leaves_bank_without_result(
    collected: GameRecord, player: Player, auditor: Player, opened: Opens
) -> None:
    all_say(520)
    ruled(opened(collected, player), auditor, decide("void"))
    all_say(0)


def test_correction_and_appeal_count_in_bank_result(
    collected: GameRecord, player: Player, auditor: Player, other_auditor: Player, opened: Opens
) -> None:
    dispute = opened(collected, player)
    ruled(dispute, auditor, decide("corrected", outcome={"cards": 20}))
    all_say(520 - 20 * 40)
    rulings.appeal(dispute_id=dispute.pk, actor=player, reason="there were 21", now=LATER)
    ruled(dispute, other_auditor, decide("corrected", outcome={"cards": 21}))
    all_say(520 - 21 * 40)


def test_dismissed_appeal_restores_bank_result(
    collected: GameRecord, player: Player, auditor: Player, other_auditor: Player, opened: Opens
) -> None:
    dispute = opened(collected, player)
    ruled(dispute, auditor, decide("void"))
    rulings.appeal(dispute_id=dispute.pk, actor=player, reason="it counts", now=LATER)
    ruled(dispute, other_auditor, decide("dismissed"))
    all_say(520)


def test_ruling_counts_in_its_own_period(
    collected: GameRecord, player: Player, auditor: Player, opened: Opens
) -> None:
    dispute, later = opened(collected, player), LATER + timedelta(days=40)
    ruled(dispute, auditor, decide("corrected", outcome={"cards": 20}), now=later)
    assert shown(later) == Result(-800, -800, -800)
    assert shown(later + timedelta(days=10)) == Result(0, 0, -800)
    assert shown(LATER) == Result(520, 520, 520)
    [day] = day_reports(currency=CURRENCY, first=later.date(), last=later.date())
    assert day.figures.bank == -800
