"""The rollups of betting histories while bets are placed: PostgreSQL, whose writers do not wait for each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ledger.models import StakeLine
from ledger.reconciliation.models import Checked
from ledger.reports import history, rollups
from ledger.reports.progress import execute
from tests.concurrency import at_once
from tests.ledger.betting.markets import bank, bet, bettor, open_pool
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def test_a_bet_that_is_placed_meanwhile_is_in_the_sums_and_the_lines_or_in_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bank()
    market, player = open_pool(), bettor()
    bet(market, "H", 300, player)
    wait_until_final()

    def and_a_bet(sql: str, given: Sequence[Any]) -> None:
        execute(sql, given)
        at_once(lambda: bet(market, "H", 5, player))

    monkeypatch.setattr(history, "execute", and_a_bet)
    rollups.advance()
    assert [found for found in history.check() if not isinstance(found, Checked)] == []
    monkeypatch.undo()
    wait_until_final()
    rollups.follow()
    assert [found for found in history.check() if not isinstance(found, Checked)] == []
    assert StakeLine.objects.filter(player=player).count() == 2
