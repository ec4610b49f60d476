"""REST API of markets and bets, for players and for administrators who rule on markets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger import services
from ledger.betting import bets, markets, prices
from ledger.betting.models import BET_SEED_LENGTH, Bet, BetStatus, Market, MarketStatus
from ledger.betting.serializers import MarketDetailOutput, MarketOutput
from ledger.betting.terms import MOST_RUNNERS
from ledger.callers import StaffView, command_key, decided, own_id, plain_text
from ledger.serializers import ReasonField
from rest.fields import PenceField, StrictListField, StrictSerializer, StrictTextField, checked
from rest.idempotency import idempotent, key_in_form, named
from rest.pagination import PAGE, query
from rest.schema import describe


class BetInput(StrictSerializer):
    currency = StrictTextField(max_length=3, required=False, help_text="if given, must be the market's")
    runner = StrictTextField(max_length=64)
    stake = PenceField()
    price = StrictTextField(
        max_length=prices.LONGEST,
        required=False,
        help_text="fixed odds: the displayed price, such as 5/2; not in a pool",
    )
    client_seed = StrictTextField(max_length=BET_SEED_LENGTH, required=False, allow_blank=True, default="")


class VoidBetInput(StrictSerializer):
    key = StrictTextField(max_length=128, help_text="the Idempotency-Key of the bet")


class RulingInput(StrictSerializer):
    winners = StrictListField(
        child=StrictTextField(max_length=64),
        max_length=MOST_RUNNERS,
        help_text="several if they tied; none if no runner won",
    )
    reason = ReasonField()


class NewRulingInput(RulingInput):
    winners = StrictListField(
        child=StrictTextField(max_length=64),
        max_length=MOST_RUNNERS,
        allow_null=True,
        help_text="null refunds every stake",
    )


class VoidMarketInput(StrictSerializer):
    reason = ReasonField()


class BetOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    market = serializers.UUIDField(source="market_id")
    subject = serializers.CharField(source="market.subject")
    number = serializers.IntegerField(help_text="the position in the order of betting")
    round = serializers.IntegerField()
    runner = serializers.CharField(source="runner.name")
    stake = serializers.IntegerField()
    currency = serializers.CharField(source="market.currency")
    price = serializers.SerializerMethodField()
    max_return = serializers.IntegerField(
        source="most", allow_null=True, help_text="fixed odds: the return if the runner wins alone"
    )
    client_seed = serializers.CharField()
    placed_at = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=BetStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    net = serializers.IntegerField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)

    def get_price(self, bet: Bet) -> str | None:
        return bet.price or None


class VoidedBetOutput(serializers.Serializer[Any]):
    bet = BetOutput(
        allow_null=True, help_text="the cancelled bet; null if it has not arrived, then it will be refused"
    )


class Markets(ListAPIView[Market]):
    serializer_class = MarketOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[Market]:
        wanted = query(self.request, "subject", "status", *PAGE)
        found = markets.markets()
        if "subject" in wanted:
            found = found.filter(subject=plain_text(wanted["subject"]))
        if "status" in wanted:
            if wanted["status"] not in MarketStatus.values:
                raise InvalidInput(f"status: one of {', '.join(MarketStatus.values)} is needed.")
            found = found.filter(status=wanted["status"])
        return found

    @describe(
        "markets_list",
        "Markets with the prices or stakes of their selections, newest first",
        response=MarketOutput(many=True),
        parameters=[
            OpenApiParameter("subject", description="such as game:…"),
            OpenApiParameter("status", enum=MarketStatus.values),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class OneMarket(APIView):
    @describe("market", "A market with its settlements", response=MarketDetailOutput)
    def get(self, request: Request, market_id: UUID) -> Response:
        return Response(_shown(market_id))


class MarketBets(ListAPIView[Bet]):
    serializer_class = BetOutput
    ordering = ("-placed_at", "-pk")

    def get_queryset(self) -> QuerySet[Bet]:
        return bets.bets_of(own_id(self.request)).filter(market=markets.market(self.kwargs["market_id"]))

    @describe(
        "market_bets",
        "The caller's bets in a market, newest first",
        response=BetOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "market_bets_create",
        "Bet on a selection, at the displayed price or into the pool",
        request=BetInput,
        response=BetOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, market_id: UUID) -> Response:
        given = checked(BetInput, request)
        bet = services.place_bet(
            market=market_id, player=own_id(request), key=command_key(request), at=timezone.now(), **given
        )
        return Response(
            BetOutput(bet).data,
            status=201,
            headers={"Location": address_of("bet", args=[bet.pk])},
        )


class VoidBet(APIView):
    @describe(
        "market_bets_void",
        "Cancel the bet of an Idempotency-Key, or refuse it if it arrives later",
        request=VoidBetInput,
        response=VoidedBetOutput,
    )
    @idempotent
    def post(self, request: Request, market_id: UUID) -> Response:
        sent = key_in_form(checked(VoidBetInput, request)["key"])
        placing = f"POST {address_of('market-bets', args=[market_id])}"
        bet = services.void_bet(
            market=market_id,
            player=own_id(request),
            bet_key=f"client:{named(request, placing, sent)}",
            key=command_key(request),
            at=timezone.now(),
        )
        return Response(VoidedBetOutput({"bet": bet}).data)


class Bets(ListAPIView[Bet]):
    serializer_class = BetOutput
    ordering = ("-placed_at", "-pk")

    def get_queryset(self) -> QuerySet[Bet]:
        return bets.bets_of(own_id(self.request))

    @describe("bets_list", "The caller's bets, newest first", response=BetOutput(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)


class OneBet(APIView):
    @describe("bet", "A bet of the caller", response=BetOutput)
    def get(self, request: Request, bet_id: UUID) -> Response:
        return Response(BetOutput(bets.bet(player=own_id(request), id=bet_id)).data)


class CancelBet(APIView):
    @describe(
        "bet_cancel",
        "Cancel a bet before betting closes, if the market's terms allow it",
        request=StrictSerializer,
        response=BetOutput,
    )
    @idempotent
    def post(self, request: Request, bet_id: UUID) -> Response:
        checked(StrictSerializer, request)
        services.cancel_bet(bet=bet_id, player=own_id(request), key=command_key(request), at=timezone.now())
        return Response(BetOutput(bets.bet(player=own_id(request), id=bet_id)).data)


# --- rulings -----------------------------------------------------------------------------------------


def _ruling(
    operation: str, summary: str, rule: Callable[..., Market], takes: type[StrictSerializer]
) -> type[APIView]:
    """Carry out an administrator's ruling and return the market."""

    class Ruling(StaffView):
        may: ClassVar = {"POST": "ledger.rule_market"}

        @describe(operation, summary, request=takes, response=MarketDetailOutput)
        @idempotent
        def post(self, request: Request, market_id: UUID) -> Response:
            given = checked(takes, request)
            rule(market=market_id, **given, **decided(request))
            return Response(_shown(market_id))

    return Ruling


SettleMarket = _ruling(
    "market_settle",
    "Settle a closed market that nothing else settles (administrators)",
    services.settle_market,
    RulingInput,
)
ResettleMarket = _ruling(
    "market_resettle",
    "Reverse a settlement after a ruling and settle again (administrators)",
    services.resettle_market,
    NewRulingInput,
)
VoidMarket = _ruling(
    "market_void",
    "Void an unsettled market and refund every stake (administrators)",
    services.void_market,
    VoidMarketInput,
)


def _shown(market_id: UUID) -> Any:
    return MarketDetailOutput(markets.market(market_id)).data
