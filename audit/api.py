"""REST of audits: a game or tournament at once, everything by a job, and the reports that were kept."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.budgets import BudgetedView
from api.errors import NotFound
from api.fields import checked
from api.idempotency import command, idempotent
from api.query import PAGE, query
from api.schema import describe
from audit import keeping, services
from audit.models import AuditReport, Scope
from audit.report import document
from audit.serializers import (
    LARGEST_ID,
    AskedOutput,
    AuditInput,
    DocumentOutput,
    ReportOutput,
    SummaryOutput,
)
from games.api import me
from ledger.callers import MayKeepBooks

SEE = "audit.view_auditreport"
ASK = "audit.ask_auditreport"


class Reports(ListAPIView[AuditReport]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": SEE, "POST": ASK}
    serializer_class = SummaryOutput
    queryset = AuditReport.objects.defer("report")
    ordering = ("-at", "-pk")

    @describe(
        "audit_reports_list",
        "The reports of the nightly audit and of those that were asked for, newest first (auditors, administrators)",
        response=SummaryOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "audit_reports_create",
        "Have an audit made; its report will be in the list (auditors, administrators)",
        request=AuditInput,
        response=AskedOutput,
        status=202,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(AuditInput, request)
        asked: dict[str, Any] = {
            "scope": Scope(given["scope"]),
            "subject": given.get("subject"),
            "since": given.get("since"),
        }
        keeping.ask(**asked, by=me(request), key=command(request).id, now=timezone.now())
        return Response(AskedOutput(asked).data, status=status.HTTP_202_ACCEPTED)


class ReportView(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": SEE}

    @describe(
        "audit_reports_get", "One report that was kept (auditors, administrators)", response=ReportOutput
    )
    def get(self, request: Request, report_id: int) -> Response:
        query(request)
        found = AuditReport.objects.filter(pk=report_id).first() if report_id <= LARGEST_ID else None
        if found is None:
            raise NotFound
        return Response(ReportOutput(found).data)


class GameAudit(BudgetedView):
    permission_classes = [MayKeepBooks]
    budget = "history"
    may: ClassVar = {"GET": ASK}

    @describe(
        "audit_game",
        "Every check of a game and of all that stands beside it, now (auditors, administrators)",
        response=DocumentOutput,
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        report = services.audit_game(game_id)
        return Response(document(report, scope=Scope.GAME.value, subject=f"game:{game_id}"))


class TournamentAudit(BudgetedView):
    permission_classes = [MayKeepBooks]
    budget = "history"
    may: ClassVar = {"GET": ASK}

    @describe(
        "audit_tournament",
        "Every check of a tournament and of its games, now (auditors, administrators)",
        response=DocumentOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        report = services.audit_tournament(tournament_id)
        return Response(document(report, scope=Scope.TOURNAMENT.value, subject=f"tournament:{tournament_id}"))
