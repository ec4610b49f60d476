"""REST of the reconciliations: the reports that were kept, for those who keep or audit the books."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from api.query import PAGE, query
from api.schema import describe
from ledger.callers import MayKeepBooks
from ledger.reconciliation.models import Reconciliation
from ledger.reconciliation.serializers import ReconciliationOutput


class Reconciliations(ListAPIView[Reconciliation]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = ReconciliationOutput
    queryset = Reconciliation.objects.all()
    ordering = ("-at", "-pk")

    @describe(
        "reconciliations",
        "The reports of the nightly reconciliation and of those made by hand, newest first (administrators, auditors)",
        response=ReconciliationOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)
