"""Admin of audit reports: read them, request an audit, and the alarms on faults and overdue audits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from audit import admin as alarms  # noqa: F401 - the first page shows the alarms
from audit import stored_reports
from audit.models import AuditReport, Scope
from games.models import GameRecord
from games.staff.actions import person
from ledger.models import Transfer
from ledger.staff.alarms import Alarm, register_alarm
from ledger.staff.pages import AUDIT, ListedTable, list_table
from staff.actions import ActionAdmin, ActionForm, Done, FormData, Preview

REQUEST = "audit.ask_auditreport"


@admin.register(AuditReport)
class AuditReportAdmin(ActionAdmin):
    list_display = ("at", "scope", "subject", "since", "ok", "faults", "events", "seconds", "asked_by")
    list_filter = ("scope", "ok")
    list_select_related = ("asked_by",)
    search_fields = ("=subject",)
    change_list_template = "audit/admin/reports.html"
    change_form_template = "audit/admin/report.html"
    fields = readonly_fields = (
        *("at", "seconds", "scope", "subject", "since", "asked_by", "ok", "events", "faults"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditReport]:
        return super().get_queryset(request).order_by("-at", "-pk")

    def get_urls(self) -> list[URLPattern]:
        page = path("ask/", self.admin_site.admin_view(self.request_audit), name="audit_auditreport_ask")
        return [page, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_request = request.user.has_perm(REQUEST)
        return super().changelist_view(request, {**(extra_context or {}), "may_request": may_request})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        report = self.get_object(request, object_id)
        document = {} if report is None else report.report
        context = {**(extra_context or {}), "document": document, "show_close": True}
        return super().change_view(request, object_id, form_url, context)

    def request_audit(self, request: HttpRequest) -> HttpResponse:
        """Have a job audit the whole installation."""
        if not request.user.has_perm(REQUEST):
            raise PermissionDenied

        def carry_out(data: FormData, key: str) -> Done:
            stored_reports.request(
                scope=Scope.INSTALLATION,
                subject=None,
                since=None,
                by=person(request),
                key=key,
                now=timezone.now(),
            )
            message = "Audit requested. Its report will appear in this list."
            return Done(message, Scope.INSTALLATION, self.list_address())

        return self.run_action(
            request,
            title="Audit the installation",
            action="ask-for-audit",
            form_class=ActionForm,
            preview=lambda data: _preview(),
            perform=carry_out,
            button="Request audit",
            lead="A job checks all games, checkpoints, and transfers. It changes nothing.",
        )


def _preview() -> Preview:
    last = AuditReport.objects.filter(scope=Scope.INSTALLATION).order_by("-at", "-pk").first()
    pending = stored_reports.pending()
    facts = [
        ("Games to check", str(GameRecord.objects.count())),
        (
            "Last audit of the installation",
            "none yet" if last is None else f"{last.at:%d %b %Y %H:%M} UTC, {_result(last)}",
        ),
    ]
    return Preview(
        facts=facts, warnings=[f"{pending} requested audits have not ended yet."] if pending else ()
    )


def _result(report: AuditReport) -> str:
    faults = "no faults" if report.ok else f"{report.faults} faults"
    return f"{report.events} events in {report.seconds} s: {faults}"


list_table(ListedTable("Audits", "audit_auditreport_changelist", 20, "audit.view_auditreport", AUDIT))


AUDIT_PERIOD = timedelta(days=2)
VIEW = "audit.view_auditreport"


@register_alarm
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
