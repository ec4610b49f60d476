"""REST API of markets and bets, for players and for administrators who rule on markets."""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypedDict
from uuid import UUID

from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger import services
from ledger.betting import actions, bets, ladder, markets, prices
from ledger.betting.documents import (
    BetOutput,
    MarketDetailOutput,
    MarketOutput,
    bet_document,
    market_detail_document,
    market_document,
)
from ledger.betting.models import BET_SEED_LENGTH, Market, MarketStatus
from ledger.betting.terms import MOST_RUNNERS
from ledger.callers import action_view, command_key, own_id, plain_text
from ledger.serializers import ReasonField
from rest.fast_path import ApiRequest, FastPathView
from rest.fields import (
    PenceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent, idempotent_locking, key_in_form, named
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope


class BetInput(StrictSerializer):
    currency = StrictTextField(max_length=3, required=False, help_text="if given, must be the market's")
    runner = StrictTextField(max_length=64)
    stake = PenceField()
    price = StrictTextField(
        max_length=prices.LONGEST,
        required=False,
        help_text="fixed odds: the displayed price as odds, such as 5/2, or `price_hundredths`; not in a pool",
    )
    price_hundredths = StrictIntegerField(
        min=ladder.LOWEST,
        max=ladder.HIGHEST,
        required=False,
        help_text="fixed odds: the displayed price in hundredths, such as 350",
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


class VoidedBetOutput(TypedDict):
    bet: Annotated[BetOutput | None, "the cancelled bet; null if it has not arrived, then it will be refused"]


class Markets(PagedView):
    ordering = ("-opened_at", "-pk")

    @describe(
        "markets_list",
        "Markets with the prices or stakes of their selections, newest first",
        scope=Scope.READ,
        response=list[MarketOutput],
        parameters=[
            OpenApiParameter("subject", description="such as game:…"),
            OpenApiParameter("status", enum=MarketStatus.values),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "subject", "status", *PAGE)
        found = markets.markets()
        if "subject" in wanted:
            found = found.filter(subject=plain_text(wanted["subject"]))
        if "status" in wanted:
            if wanted["status"] not in MarketStatus.values:
                raise InvalidInput(f"status: one of {', '.join(MarketStatus.values)} is needed.")
            found = found.filter(status=wanted["status"])
        return self.page(found, market_document)


class OneMarket(APIView):
    @describe("market", "A market with its settlements", scope=Scope.READ, response=MarketDetailOutput)
    def get(self, request: Request, market_id: UUID) -> Response:
        return Response(_shown(market_id))


class MarketBets(FastPathView, PagedView):
    acts_on_claims = True
    ordering = ("-placed_at", "-pk")

    @describe(
        "market_bets",
        "The caller's bets in a market, newest first",
        scope=Scope.BET,
        response=list[BetOutput],
    )
    def get(self, request: Request, market_id: UUID) -> Response:
        query(request, *PAGE)
        own = bets.bets_of(own_id(request)).filter(market=markets.market(market_id))
        return self.page(own, bet_document)

    @describe(
        "market_bets_create",
        "Bet on a selection, at the displayed price or into the pool",
        scope=Scope.BET,
        request=BetInput,
        response=BetOutput,
        status=201,
    )
    @idempotent_locking(Market, "market_id")
    def post(self, request: ApiRequest, market_id: UUID) -> Response:
        given = checked(BetInput, request)
        bet = services.place_bet(
            market=market_id,
            player=own_id(request),
            key=command_key(request),
            at=timezone.now(),
            market_locked=True,
            **given,
        )
        return Response(
            bet_document(bet),
            status=201,
            headers={"Location": address_of("bet", args=[bet.pk])},
        )


class VoidBet(APIView):
    @describe(
        "market_bets_void",
        "Cancel the bet of an Idempotency-Key, or refuse it if it arrives later",
        scope=Scope.BET,
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
        voided: VoidedBetOutput = {"bet": None if bet is None else bet_document(bet)}
        return Response(voided)


class Bets(PagedView):
    ordering = ("-placed_at", "-pk")

    @describe("bets_list", "The caller's bets, newest first", scope=Scope.BET, response=list[BetOutput])
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(bets.bets_of(own_id(request)), bet_document)


class OneBet(APIView):
    @describe("bet", "A bet of the caller", scope=Scope.BET, response=BetOutput)
    def get(self, request: Request, bet_id: UUID) -> Response:
        return Response(bet_document(bets.bet(player=own_id(request), id=bet_id)))


class CancelBet(APIView):
    @describe(
        "bet_cancel",
        "Cancel a bet before betting closes, if the market's terms allow it",
        scope=Scope.BET,
        request=StrictSerializer,
        response=BetOutput,
    )
    @idempotent
    def post(self, request: Request, bet_id: UUID) -> Response:
        checked(StrictSerializer, request)
        services.cancel_bet(bet=bet_id, player=own_id(request), key=command_key(request), at=timezone.now())
        return Response(bet_document(bets.bet(player=own_id(request), id=bet_id)))


# --- rulings -----------------------------------------------------------------------------------------


def _shown(market_id: UUID) -> MarketDetailOutput:
    return market_detail_document(markets.market(market_id))


_ruling = partial(action_view, response=MarketDetailOutput, document=lambda made: _shown(made.pk))
SettleMarket = _ruling(
    actions.Settle, "Settle a closed market that nothing else settles (administrators)", takes=RulingInput
)
ResettleMarket = _ruling(
    actions.SettleAgain,
    "Reverse a settlement after a ruling and settle again (administrators)",
    takes=NewRulingInput,
)
VoidMarket = _ruling(
    actions.Void, "Void an unsettled market and refund every stake (administrators)", takes=VoidMarketInput
)
