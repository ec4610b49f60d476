"""REST of stake tables."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from api.query import PAGE, query
from api.schema import describe
from ledger.stakes import selectors
from ledger.stakes.models import StakeTable
from ledger.stakes.serializers import StakeTableOutput


class Stakes(ListAPIView[StakeTable]):
    serializer_class = StakeTableOutput
    queryset = StakeTable.objects.all()
    ordering = ("slug",)

    @describe("stakes", "Stake tables: limits and pay tables", response=StakeTableOutput(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        now = timezone.now()
        page = self.paginate_queryset(self.get_queryset()) or []
        shown = StakeTableOutput([selectors.terms_at(table, now) for table in page], many=True)
        return self.get_paginated_response(shown.data)
