"""Admin of audit reports: read them, request an audit, and the alarms on faults and overdue audits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from audit.actions import RequestAudit
from audit.models import AuditReport, Scope
from ledger.models import Transfer
from staff.admin import ActionAdmin
from staff.columns import span, state, subject_column
from staff.dashboard import Alarm, register_alarms
from staff.lists import named_filter
from staff.pages import AUDIT, ListedTable, list_table

SUBJECT = subject_column(
    "subject", of=lambda report: f"{report.scope}:{report.subject}" if report.subject else ""
)


@admin.register(AuditReport)
class AuditReportAdmin(ActionAdmin):
    list_actions = [RequestAudit]
    list_display = ("at", "scope", SUBJECT, "since", "result", "faults", "events", "took", "asked_by")
    list_filter = ("scope", named_filter("ok", "no faults"))
    list_select_related = ("asked_by",)
    search_fields = ("=subject",)
    change_form_template = "audit/admin/report.html"
    fields = readonly_fields = (
        *("at", "took", "scope", SUBJECT, "since", "asked_by", "result", "events", "faults"),
    )

    @admin.display(description="took")
    def took(self, report: AuditReport) -> str:
        return span(report.seconds) if report.seconds else "less than a second"

    @admin.display(description="result")
    def result(self, report: AuditReport) -> SafeString:
        return state("no faults" if report.ok else "faults" if report.faults else "nothing checked")

    def subtitle(self, row: AuditReport) -> str:
        return f"{row.get_scope_display()}, {row.at:%d %b %Y %H:%M}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditReport]:
        return super().get_queryset(request).order_by("-at", "-pk")

    def row_context(self, request: HttpRequest, row: AuditReport) -> dict[str, Any]:
        return {**super().row_context(request, row), "document": row.report}


list_table(ListedTable("Audits", "audit_auditreport_changelist", 20, "audit.view_auditreport", AUDIT))


AUDIT_PERIOD = timedelta(days=2)
VIEW = "audit.view_auditreport"


@register_alarms(50)
def audit_alarms(now: datetime) -> Iterator[Alarm]:
    """Yield alarms if the last audit found faults, or if there was none for two days."""
    last = AuditReport.objects.defer("report").filter(scope=Scope.INSTALLATION, since=None).first()
    listed = reverse("admin:audit_auditreport_changelist")
    if last is not None and not last.ok:
        title = f"Faults found by the audit of {last.at:%d %b %H:%M}: {last.faults}"
        yield Alarm(title, "", reverse("admin:audit_auditreport_change", args=[last.pk]), VIEW)
    first = Transfer.objects.order_by("position").values_list("at", flat=True).first()
    since = first if last is None else last.at
    if since is not None and since < now - AUDIT_PERIOD:
        ran = "It has never run." if last is None else f"The last one ran on {last.at:%d %b %H:%M}."
        yield Alarm(
            "No audit for two days",
            f"{ran} Check that the ticker runs, or run `racecard audit`.",
            listed,
            VIEW,
        )
