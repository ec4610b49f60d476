"""What audits tell the back office: that the last one found something, or that there has been none for too long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.urls import reverse

from audit.models import AuditReport, Scope
from ledger.models import Transfer
from ledger.office.alarms import Alarm, check

AUDITED_WITHIN = timedelta(days=2)
MAY_LOOK = "audit.view_auditreport"


@check
def audits_that_need_somebody(now: datetime) -> Iterator[Alarm]:
    last = AuditReport.objects.defer("report").filter(scope=Scope.INSTALLATION, since=None).first()
    listed = reverse("admin:audit_auditreport_changelist")
    if last is not None and not last.ok:
        title = f"The audit of {last.at:%d %b %H:%M} found faults: {last.faults}"
        yield Alarm(title, "", reverse("admin:audit_auditreport_change", args=[last.pk]), MAY_LOOK)
    first = Transfer.objects.order_by("position").values_list("at", flat=True).first()
    since = first if last is None else last.at
    if since is not None and since < now - AUDITED_WITHIN:
        told = "never" if last is None else f"last on {last.at:%d %b %H:%M}"
        yield Alarm(
            "The installation has not been audited for two days",
            f"It was {told}. Is the ticker running? `racecard audit` looks now.",
            listed,
            MAY_LOOK,
        )
