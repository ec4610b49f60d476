"""REST of markets and bets: for whoever bets, and for administrators who must rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.fields import StrictSerializer, checked
from api.idempotency import idempotent, key_in_form, named
from api.query import PAGE, query
from api.schema import describe
from ledger import services
from ledger.betting import selectors, serializers
from ledger.betting.models import Bet, Market, MarketStatus
from ledger.callers import MayKeepBooks, command_key, decided, own_id, plain_text


class Markets(ListAPIView[Market]):
    serializer_class = serializers.MarketOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[Market]:
        wanted = query(self.request, "subject", "status", *PAGE)
        found = selectors.markets()
        if "subject" in wanted:
            found = found.filter(subject=plain_text(wanted["subject"]))
        if "status" in wanted:
            if wanted["status"] not in MarketStatus.values:
                raise InvalidInput(f"status: one of {', '.join(MarketStatus.values)} is needed.")
            found = found.filter(status=wanted["status"])
        return found

    @describe(
        "markets_list",
        "Markets, newest first, with the prices or stakes of their runners",
        response=serializers.MarketOutput(many=True),
        parameters=[
            OpenApiParameter("subject", description="such as game:…"),
            OpenApiParameter("status", enum=MarketStatus.values),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class OneMarket(APIView):
    @describe("market", "A market with its settlements", response=serializers.MarketDetailOutput)
    def get(self, request: Request, market_id: UUID) -> Response:
        return Response(_shown(market_id))


class MarketBets(ListAPIView[Bet]):
    serializer_class = serializers.BetOutput
    ordering = ("-placed_at", "-pk")

    def get_queryset(self) -> QuerySet[Bet]:
        return selectors.bets_of(own_id(self.request)).filter(
            market=selectors.market(self.kwargs["market_id"])
        )

    @describe(
        "market_bets",
        "The caller's bets in a market, newest first",
        response=serializers.BetOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "market_bets_create",
        "Bet on a runner, at the price that was seen or into the pool",
        request=serializers.BetInput,
        response=serializers.BetOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, market_id: UUID) -> Response:
        given = checked(serializers.BetInput, request)
        selectors.check_currency(market_id, given.pop("currency", None))
        bet = services.place_bet(
            market=market_id, player=own_id(request), key=command_key(request), at=timezone.now(), **given
        )
        return Response(
            serializers.BetOutput(bet).data,
            status=201,
            headers={"Location": address_of("bet", args=[bet.pk])},
        )


class VoidBet(APIView):
    @describe(
        "market_bets_void",
        "Cancel the bet of an Idempotency-Key, or have it refused should it still arrive",
        request=serializers.VoidBetInput,
        response=serializers.VoidedBetOutput,
    )
    @idempotent
    def post(self, request: Request, market_id: UUID) -> Response:
        sent = key_in_form(checked(serializers.VoidBetInput, request)["key"])
        placing = f"POST {address_of('market-bets', args=[market_id])}"
        bet = services.void_bet(
            market=market_id,
            player=own_id(request),
            bet_key=f"client:{named(request, placing, sent)}",
            key=command_key(request),
            at=timezone.now(),
        )
        return Response(serializers.VoidedBetOutput({"bet": bet}).data)


class Bets(ListAPIView[Bet]):
    serializer_class = serializers.BetOutput
    ordering = ("-placed_at", "-pk")

    def get_queryset(self) -> QuerySet[Bet]:
        return selectors.bets_of(own_id(self.request))

    @describe("bets_list", "The caller's bets, newest first", response=serializers.BetOutput(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)


class OneBet(APIView):
    @describe("bet", "A bet of the caller's", response=serializers.BetOutput)
    def get(self, request: Request, bet_id: UUID) -> Response:
        return Response(serializers.BetOutput(selectors.bet(player=own_id(request), id=bet_id)).data)


class CancelBet(APIView):
    @describe(
        "bet_cancel",
        "Take a bet back before betting closes, where the market's terms allow it",
        request=StrictSerializer,
        response=serializers.BetOutput,
    )
    @idempotent
    def post(self, request: Request, bet_id: UUID) -> Response:
        checked(StrictSerializer, request)
        services.cancel_bet(bet=bet_id, player=own_id(request), key=command_key(request), at=timezone.now())
        return Response(serializers.BetOutput(selectors.bet(player=own_id(request), id=bet_id)).data)


# --- rulings -----------------------------------------------------------------------------------------


def _ruling(
    operation: str, summary: str, rule: Callable[..., Market], takes: type[StrictSerializer]
) -> type[APIView]:
    """What an administrator rules about a market; answers the market as it is then."""

    class Ruling(APIView):
        permission_classes = [MayKeepBooks]
        may: ClassVar = {"POST": "ledger.rule_market"}

        @describe(operation, summary, request=takes, response=serializers.MarketDetailOutput)
        @idempotent
        def post(self, request: Request, market_id: UUID) -> Response:
            given = checked(takes, request)
            rule(market=market_id, **given, **decided(request))
            return Response(_shown(market_id))

    return Ruling


SettleMarket = _ruling(
    "market_settle",
    "Settle a closed market whose result nothing else brings (administrators)",
    services.settle_market,
    serializers.RulingInput,
)
ResettleMarket = _ruling(
    "market_resettle",
    "Reverse a settlement after a ruling and settle anew (administrators)",
    services.resettle_market,
    serializers.NewRulingInput,
)
VoidMarket = _ruling(
    "market_void",
    "Void a market that is not settled: every stake goes back (administrators)",
    services.void_market,
    serializers.VoidMarketInput,
)


def _shown(market_id: UUID) -> Any:
    return serializers.MarketDetailOutput(selectors.market(market_id)).data
