"""REST API of audits: audit a game or tournament directly, request other audits, and read stored reports."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import services
from audit.actions import RequestAudit
from audit.models import AuditReport as StoredReport
from audit.models import Scope
from audit.report import AuditDocument, document
from core.errors import NotFound
from games.api import me
from ledger.callers import MayKeepBooks, command_key
from rest.budgets import BudgetedView
from rest.documents import Moment, Uuid, moment, one_of, uuid_text
from rest.fields import StrictChoiceField, StrictIntegerField, StrictSerializer, StrictUUIDField, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import STAFF
from staff.actions import perform

LARGEST_ID = 2**63 - 1


@extend_schema_serializer(component_name="AuditInput")
class AuditInput(StrictSerializer):
    scope = StrictChoiceField(choices=Scope.choices, default=Scope.INSTALLATION)
    subject = StrictUUIDField(required=False, help_text="the id of the game or tournament")
    since = StrictIntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_ID,
        help_text="check only data after the checkpoint of this number; for the installation",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a subject for games and tournaments, and only for them."""
        of_one = attrs["scope"] in (Scope.GAME, Scope.TOURNAMENT)
        if of_one != ("subject" in attrs):
            why = "is required for a game or a tournament" if of_one else "is only for a game or a tournament"
            raise serializers.ValidationError({"subject": [f"This {why}."]})
        if "since" in attrs and attrs["scope"] != Scope.INSTALLATION:
            raise serializers.ValidationError({"since": ["This is only for the whole installation."]})
        return attrs


AuditScope = Annotated[str, one_of(Scope)]


class AuditRequested(TypedDict):
    scope: AuditScope
    subject: Uuid | None
    since: int | None


class AuditReportSummary(TypedDict):
    id: int
    at: Annotated[Moment, "the start of the audit"]
    seconds: Annotated[int, "the duration of the audit"]
    scope: AuditScope
    subject: Uuid | None
    since: int | None
    requested_by: Annotated[Uuid | None, "null for the nightly audit"]
    ok: bool
    events: Annotated[int, "the number of events checked"]
    faults: int


def summary(stored: StoredReport) -> AuditReportSummary:
    return {
        "id": stored.pk,
        "at": moment(stored.at),
        "seconds": stored.seconds,
        "scope": stored.scope,
        "subject": uuid_text(stored.subject),
        "since": stored.since,
        "requested_by": uuid_text(stored.asked_by_id),
        "ok": stored.ok,
        "events": stored.events,
        "faults": stored.faults,
    }


class AuditReport(AuditReportSummary):
    report: AuditDocument


VIEW = "audit.view_auditreport"
REQUEST = "audit.ask_auditreport"


class Reports(PagedView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": VIEW, "POST": REQUEST}
    ordering = ("-at", "-pk")

    @describe(
        "audit_reports_list",
        "List the reports of nightly and requested audits, newest first (auditors, administrators)",
        scope=STAFF,
        response=list[AuditReportSummary],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(StoredReport.objects.defer("report"), summary)

    @describe(
        "audit_reports_create",
        "Request an audit by a job; its report joins the list (auditors, administrators)",
        scope=STAFF,
        request=AuditInput,
        response=AuditRequested,
        status=202,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(AuditInput, request)
        perform(RequestAudit.open(me(request)), given, key=command_key(request))
        requested: AuditRequested = {
            "scope": given["scope"],
            "subject": uuid_text(given.get("subject")),
            "since": given.get("since"),
        }
        return Response(requested, status=status.HTTP_202_ACCEPTED)


class ReportView(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": VIEW}

    @describe(
        "audit_reports_get",
        "Get a stored report (auditors, administrators)",
        scope=STAFF,
        response=AuditReport,
    )
    def get(self, request: Request, report_id: int) -> Response:
        query(request)
        found = StoredReport.objects.filter(pk=report_id).first() if report_id <= LARGEST_ID else None
        if found is None:
            raise NotFound
        report: AuditReport = {**summary(found), "report": found.report}
        return Response(report)


class GameAudit(BudgetedView):
    permission_classes = [MayKeepBooks]
    budget = "history"
    may: ClassVar = {"GET": REQUEST}

    @describe(
        "audit_game",
        "Audit a game and its projections now (auditors, administrators)",
        scope=STAFF,
        response=AuditDocument,
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        report = services.audit_game(game_id)
        return Response(document(report, scope=Scope.GAME.value, subject=f"game:{game_id}"))


class TournamentAudit(BudgetedView):
    permission_classes = [MayKeepBooks]
    budget = "history"
    may: ClassVar = {"GET": REQUEST}

    @describe(
        "audit_tournament",
        "Audit a tournament and its games now (auditors, administrators)",
        scope=STAFF,
        response=AuditDocument,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        report = services.audit_tournament(tournament_id)
        return Response(document(report, scope=Scope.TOURNAMENT.value, subject=f"tournament:{tournament_id}"))
