"""The reports of audits in the back office: to be read, and to be asked for."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone

from api.deeds import BareForm, Commands, Done, Given, Preview
from audit import alarms, keeping  # noqa: F401 - the first page shows the alarms
from audit.models import AuditReport, Scope
from games.models import GameRecord
from games.office.deeds import person
from ledger.office.pages import AUDIT, ListedTable, list_table

ASK = "audit.ask_auditreport"


@admin.register(AuditReport)
class AuditReportAdmin(Commands):
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
        asked = path("ask/", self.admin_site.admin_view(self.ask), name="audit_auditreport_ask")
        return [asked, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_ask = request.user.has_perm(ASK)
        return super().changelist_view(request, {**(extra_context or {}), "may_ask": may_ask})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        report = self.get_object(request, object_id)
        told = {} if report is None else report.report
        shown = {**(extra_context or {}), "told": told, "show_close": True}
        return super().change_view(request, object_id, form_url, shown)

    def ask(self, request: HttpRequest) -> HttpResponse:
        """Have the whole installation audited by a job."""
        if not request.user.has_perm(ASK):
            raise PermissionDenied

        def carry_out(given: Given, key: str) -> Done:
            keeping.ask(
                scope=Scope.INSTALLATION,
                subject=None,
                since=None,
                by=person(request),
                key=key,
                now=timezone.now(),
            )
            said = "The audit begins as soon as a worker is free; its report will stand here."
            return Done(said, Scope.INSTALLATION, self.list_address())

        return self.command(
            request,
            title="Audit everything now",
            action="ask-for-audit",
            form_class=BareForm,
            preview=lambda given: _preview(),
            deed=carry_out,
            button="Audit everything",
            lead="All that has been played, signed and booked is checked anew by a job; nothing is changed by it.",
        )


def _preview() -> Preview:
    last = AuditReport.objects.filter(scope=Scope.INSTALLATION).order_by("-at", "-pk").first()
    asked = keeping.asked()
    facts = [
        ("Games to be checked", str(GameRecord.objects.count())),
        (
            "The last such audit",
            "none yet" if last is None else f"{last.at:%d %b %Y %H:%M} UTC, {_told(last)}",
        ),
    ]
    return Preview(
        facts=facts, warnings=[f"{asked} audits that were asked for have not ended yet."] if asked else ()
    )


def _told(report: AuditReport) -> str:
    found = "nothing wrong" if report.ok else f"{report.faults} faults"
    return f"of {report.events} events in {report.seconds} s: {found}"


list_table(ListedTable("Audits", "audit_auditreport_changelist", 20, "audit.view_auditreport", AUDIT))
