"""What disputes tell the back office: their names, and which have waited too long."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from django.urls import reverse

from disputes import states
from disputes.models import Dispute
from ledger.office import subjects
from ledger.office.alarms import MOST_NAMED, Alarm, check

DECIDED_WITHIN = timedelta(days=2)
MAY_LOOK = "disputes.view_dispute"


def _names(keys: Collection[str]) -> dict[str, str]:
    known = Dispute.objects.filter(pk__in=subjects.uuids(keys)).values_list("pk", flat=True)
    return {str(key): f"Dispute {str(key)[:8]}" for key in known}


subjects.register("dispute", view="admin:dispute_page", names=_names)


@check
def disputes_that_wait(now: datetime) -> Iterator[Alarm]:
    """Those that nobody has decided for two days: what the games paid is held meanwhile."""
    waiting = Dispute.objects.filter(status__in=states.PENDING, opened_at__lt=now - DECIDED_WITHIN)
    found = list(waiting.order_by("opened_at").values_list("pk", "opened_at")[:MOST_NAMED])
    if found:
        oldest = f"The oldest was opened on {found[0][1]:%d %b %H:%M}."
        address = reverse("admin:disputes_dispute_changelist")
        yield Alarm(f"Disputes that wait longer than two days: {len(found)}", oldest, address, MAY_LOOK)
