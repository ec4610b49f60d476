from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.tasks import job
from ledger import holding


@job(holding.EXPIRE)
def expire_holds(payload: dict[str, Any], *, now: datetime) -> None:
    holding.expire(hold=UUID(payload["hold"]), now=now)
