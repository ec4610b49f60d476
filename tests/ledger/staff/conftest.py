"""Staff, players, and games for the staff pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from audit.models import AuditReport, Scope
from ledger import services
from ledger.models import GameStake, PlaySession, StakeTable
from ledger.reconciliation.models import Difference, Reconciliation
from tests.ledger.offices import signed_in
from tests.money import CURRENCY, cash, fresh_key, fund

Office = Callable[[Player | None], Client]


@pytest.fixture(autouse=True)
def reconciled(db: None) -> Reconciliation:
    """Store a recent reconciliation without differences."""
    now = timezone.now()
    AuditReport.objects.create(
        at=now, seconds=1, scope=Scope.INSTALLATION, ok=True, events=0, faults=0, report={}
    )
    return kept(now)


def kept(at: datetime, *differences: Difference) -> Reconciliation:
    report = {"checked": [], "not_checked": [], "differences": [_document(each) for each in differences]}
    return Reconciliation.objects.create(
        at=at, seconds=1, replayed=False, differences=len(differences), report=report
    )


def _document(each: Difference) -> dict[str, object]:
    reported = asdict(each)
    return {**reported, "found": reported.pop("recorded"), "expected": reported.pop("derived")}


@pytest.fixture
def staff_client() -> Office:
    """`staff_client(person)`: a browser with their session; for None, one without a session."""

    return lambda who: Client() if who is None else signed_in(who)


def session_of(player: UUID, *, at: datetime, amount: int = 10_000) -> PlaySession:
    fund(cash(player), amount)
    return services.open_session(player=player, amount=amount, currency=CURRENCY, key=fresh_key(), at=at)


def deal(session: PlaySession, table: StakeTable, *, at: datetime, stake: int = 104) -> GameStake:
    """Deal a staked game whose maximum win is four times the stake."""
    return services.take_stake(
        session=session, game=uuid4(), stake=stake, max_win=4 * stake, stake_table=table, event=1, at=at
    )


def play(
    session: PlaySession, table: StakeTable, *, at: datetime, stake: int = 104, winnings: int = 0
) -> GameStake:
    dealt = deal(session, table, at=at, stake=stake)
    return services.settle_stake(game=dealt.game, winnings=winnings, event=9, at=at)
