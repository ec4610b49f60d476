from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.tasks import every, job
from ledger import holding
from ledger.betting import settlements
from ledger.reconciliation.run import reconcile_and_keep


@job(holding.EXPIRE)
def expire_holds(payload: dict[str, Any], *, now: datetime) -> None:
    holding.expire(hold=UUID(payload["hold"]), now=now)


def pay_bets(payload: dict[str, Any], *, now: datetime) -> None:
    settlements.carry_on(settlement=UUID(payload["settlement"]), at=now)


# Each step commits by itself, so what a killed worker has paid stays paid and the next one goes on from there.
@job(settlements.SETTLE, lease=600, prepare=pay_bets)
def settle_market(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """All the work is in the steps."""


def _reconcile(payload: dict[str, Any], *, now: datetime) -> None:
    reconcile_and_keep(at=now)


# Outside of the job's own transaction: it reads all of one moment, and on SQLite it must not keep the writers out.
@every("ledger.reconcile", seconds=24 * 3600, lease=3600, prepare=_reconcile)
def reconcile(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The report is kept already."""
