"""REST API of audits: audit a game or tournament directly, request other audits, and read stored reports."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import services, stored_reports
from audit.models import AuditReport, Scope
from audit.report import FORMAT, document
from core.errors import NotFound
from games.api import me
from ledger.callers import MayKeepBooks
from rest.budgets import BudgetedView
from rest.fields import StrictChoiceField, StrictIntegerField, StrictSerializer, StrictUUIDField, checked
from rest.idempotency import command, idempotent
from rest.pagination import PAGE, query
from rest.schema import describe

VERDICTS = ("passed", "failed", "in-part", "not-run")
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


@extend_schema_serializer(component_name="AuditRequested")
class RequestedOutput(serializers.Serializer[Any]):
    scope = serializers.ChoiceField(choices=Scope.choices)
    subject = serializers.UUIDField(allow_null=True)
    since = serializers.IntegerField(allow_null=True)


@extend_schema_serializer(component_name="AuditFault")
class FaultOutput(serializers.Serializer[Any]):
    part = serializers.CharField()
    check = serializers.CharField()
    subject = serializers.CharField(help_text="for example game:ID; empty without a subject")
    why = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="the version in the subject's stream")
    checkpoint = serializers.IntegerField(allow_null=True)


@extend_schema_serializer(component_name="AuditWhyNot")
class WhyNotOutput(serializers.Serializer[Any]):
    why = serializers.CharField()
    number = serializers.IntegerField()


@extend_schema_serializer(component_name="AuditCheck")
class CheckOutput(serializers.Serializer[Any]):
    part = serializers.CharField(
        help_text="database, checkpoints, streams, games, tournaments, disputes, early-access, suspensions, or ledger"
    )
    check = serializers.CharField()
    about = serializers.CharField(help_text="what the check verifies; empty for checks of the ledger")
    verdict = serializers.ChoiceField(choices=VERDICTS)
    passed = serializers.IntegerField(help_text="the number of subjects that passed")
    failed = serializers.IntegerField()
    not_run = serializers.IntegerField()
    why_not = WhyNotOutput(many=True)
    first_fault = FaultOutput(allow_null=True)


@extend_schema_serializer(component_name="AuditDocument")
class DocumentOutput(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=[FORMAT])
    scope = serializers.CharField()
    subject = serializers.CharField()
    ok = serializers.BooleanField(help_text="no faults, and at least one check was run")
    counted = serializers.DictField(
        child=serializers.IntegerField(), help_text="the number of checked items by kind"
    )
    checks = CheckOutput(many=True)
    faults = FaultOutput(many=True, help_text="the first thousand faults")
    fault_count = serializers.IntegerField(help_text="the number of all faults")


@extend_schema_serializer(component_name="AuditReportSummary")
class SummaryOutput(serializers.Serializer[AuditReport]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField(help_text="the start of the audit")
    seconds = serializers.IntegerField(help_text="the duration of the audit")
    scope = serializers.ChoiceField(choices=Scope.choices)
    subject = serializers.UUIDField(allow_null=True)
    since = serializers.IntegerField(allow_null=True)
    requested_by = serializers.UUIDField(
        source="asked_by_id", allow_null=True, help_text="null for the nightly audit"
    )
    ok = serializers.BooleanField()
    events = serializers.IntegerField(help_text="the number of events checked")
    faults = serializers.IntegerField()


@extend_schema_serializer(component_name="AuditReport")
class ReportOutput(SummaryOutput):
    report = DocumentOutput()


VIEW = "audit.view_auditreport"
REQUEST = "audit.ask_auditreport"


class Reports(ListAPIView[AuditReport]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": VIEW, "POST": REQUEST}
    serializer_class = SummaryOutput
    queryset = AuditReport.objects.defer("report")
    ordering = ("-at", "-pk")

    @describe(
        "audit_reports_list",
        "List the reports of nightly and requested audits, newest first (auditors, administrators)",
        response=SummaryOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "audit_reports_create",
        "Request an audit by a job; its report joins the list (auditors, administrators)",
        request=AuditInput,
        response=RequestedOutput,
        status=202,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(AuditInput, request)
        requested: dict[str, Any] = {
            "scope": Scope(given["scope"]),
            "subject": given.get("subject"),
            "since": given.get("since"),
        }
        stored_reports.request(**requested, by=me(request), key=command(request).id, now=timezone.now())
        return Response(RequestedOutput(requested).data, status=status.HTTP_202_ACCEPTED)


class ReportView(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": VIEW}

    @describe("audit_reports_get", "Get a stored report (auditors, administrators)", response=ReportOutput)
    def get(self, request: Request, report_id: int) -> Response:
        query(request)
        found = AuditReport.objects.filter(pk=report_id).first() if report_id <= LARGEST_ID else None
        if found is None:
            raise NotFound
        return Response(ReportOutput(found).data)


class GameAudit(BudgetedView):
    permission_classes = [MayKeepBooks]
    budget = "history"
    may: ClassVar = {"GET": REQUEST}

    @describe(
        "audit_game",
        "Audit a game and its projections now (auditors, administrators)",
        response=DocumentOutput,
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
        response=DocumentOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        report = services.audit_tournament(tournament_id)
        return Response(document(report, scope=Scope.TOURNAMENT.value, subject=f"tournament:{tournament_id}"))
