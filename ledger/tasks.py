from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.kinds import MAINTENANCE, MONEY, every, job
from ledger.betting import settlements
from ledger.core import holds
from ledger.reconciliation.services import reconcile_and_store
from ledger.reports import rollups


@job(holds.EXPIRE, queue=MONEY)
def expire_holds(payload: dict[str, Any], *, now: datetime) -> None:
    holds.expire(hold=UUID(payload["hold"]), now=now)


def pay_bets(payload: dict[str, Any], *, now: datetime) -> None:
    settlements.carry_on(settlement=UUID(payload["settlement"]), at=now)


# Each step is a transaction, so after a crash the next worker continues with the first step that is missing.
@job(settlements.SETTLE, lease=600, prepare=pay_bets, queue=MONEY)
def settle_market(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The work is done in `pay_bets`."""


def _reconcile(payload: dict[str, Any], *, now: datetime) -> None:
    reconcile_and_store(at=now)


# Outside the job's transaction: it reads one snapshot, and on SQLite must not block writers.
@every("ledger.reconcile", seconds=24 * 3600, lease=3600, prepare=_reconcile, queue=MAINTENANCE)
def reconcile(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The work is done in `_reconcile`."""


def _roll_up(payload: dict[str, Any], *, now: datetime) -> None:
    rollups.follow()


@every("ledger.rollups", seconds=30, lease=600, prepare=_roll_up, queue=MONEY)
def roll_up(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The work is done in `_roll_up`, in batches that commit one by one."""
