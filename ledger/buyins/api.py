"""REST of pots: a player's own buy-ins, the pots for those who keep the books, rulings for administrators."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.query import PAGE, query
from api.schema import describe
from ledger import services
from ledger.buyins import selectors, serializers
from ledger.buyins.models import BuyIn, Pot
from ledger.callers import MayKeepBooks, own_id, plain_text
from ledger.models import OwnerKind


class BuyIns(ListAPIView[BuyIn]):
    serializer_class = serializers.BuyInOutput
    ordering = ("-taken_at", "-pk")

    def get_queryset(self) -> QuerySet[BuyIn]:
        return selectors.buy_ins_of(own_id(self.request))

    @describe(
        "buy_ins_list", "The caller's buy-ins, newest first", response=serializers.BuyInOutput(many=True)
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)


class Pots(ListAPIView[Pot]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = serializers.PotAccountsOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[Pot]:
        wanted = query(self.request, "subject", *PAGE)
        found = selectors.pots()
        return found.filter(subject=plain_text(wanted["subject"])) if "subject" in wanted else found

    @describe(
        "pots_list",
        "Pots with their buy-ins and divisions, newest first (auditors, administrators)",
        response=serializers.PotAccountsOutput(many=True),
        parameters=[OpenApiParameter("subject", description="such as game:…")],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class OnePot(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "pot",
        "A pot with its buy-ins and divisions (auditors, administrators)",
        response=serializers.PotAccountsOutput,
    )
    def get(self, request: Request, pot_id: UUID) -> Response:
        return Response(_shown(pot_id))


class ResettlePot(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.rule_pot"}

    @describe(
        "pot_resettle",
        "Take back what a pot paid, after a ruling, and divide it anew (administrators)",
        request=serializers.PotRulingInput,
        response=serializers.PotAccountsOutput,
    )
    @idempotent
    def post(self, request: Request, pot_id: UUID) -> Response:
        given, me = checked(serializers.PotRulingInput, request), own_id(request)
        pot = selectors.pot(pot_id)
        services.resettle_pot(
            subject=pot.subject, actor=f"{OwnerKind.PLAYER}:{me}", at=timezone.now(), **given
        )
        return Response(_shown(pot_id))


def _shown(pot_id: UUID) -> Any:
    return serializers.PotAccountsOutput(selectors.pot(pot_id)).data
