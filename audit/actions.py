"""The staff action that requests an audit."""

from __future__ import annotations

from datetime import datetime

from django.urls import reverse

from audit import services
from audit.models import AuditReport, Scope
from games.models import GameRecord
from staff.actions import ActionForm, Done, FormData, Preview, StaffAction
from staff.lists import COUNTED


class RequestAudit(StaffAction[None]):
    """Have a job audit the whole installation; over REST also the ledger, a game, or a tournament."""

    name, label, page = "ask-for-audit", "Audit the installation", "audit_auditreport_ask"
    route = "ask/"
    permission = "audit.ask_auditreport"
    operations = ("audit_reports_create",)
    form = ActionForm
    lead = "A job checks all games, checkpoints, and transfers. It changes nothing."
    button = "Request audit"

    def preview(self, data: FormData) -> Preview:
        last = AuditReport.objects.filter(scope=Scope.INSTALLATION).order_by("-at", "-pk").first()
        pending = services.pending_audits()
        result = "none yet" if last is None else f"{last.at:%d %b %Y %H:%M} UTC, {_result(last)}"
        games = GameRecord.objects.order_by()[: COUNTED + 1].count()
        facts = [
            ("Games to check", f"more than {COUNTED}" if games > COUNTED else str(games)),
            ("Last audit of the installation", result),
        ]
        warnings = [f"{pending} requested audits have not ended yet."] if pending else ()
        return Preview(facts=facts, warnings=warnings)

    def carry_out(self, data: FormData, key: str, now: datetime) -> str:
        scope, subject = Scope(data.get("scope", Scope.INSTALLATION)), data.get("subject")
        services.request_audit(
            scope=scope, subject=subject, since=data.get("since"), by=self.actor, key=key, now=now
        )
        return f"{scope}:{subject}" if subject else str(scope)

    def done(self, made: str) -> Done:
        message = "Audit requested. Its report will appear in this list."
        return Done(message, made, reverse("admin:audit_auditreport_changelist"))


def _result(report: AuditReport) -> str:
    faults = "no faults" if report.ok else f"{report.faults} faults"
    return f"{report.events} events in {report.seconds} s: {faults}"
