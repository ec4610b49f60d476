"""REST views of the win market on a race and of its odds. Bets are in the ledger: `markets/{id}/bets/`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games import state
from games.api import INVITE, me, visible_game
from games.errors import NoMarket, NoOdds
from games.models import GameRecord
from games.money import markets
from games.rules.cards import SUITS
from games.rules.racing_aces.game import State
from games.rules.racing_aces.odds import fair_return, odds
from ledger.betting.serializers import MarketDetailOutput, PoolTermsInput
from ledger.betting.terms import KINDS, ON_DRAW
from ledger.selectors import market as whole_market
from ledger.services import Terms, allowed_terms
from ledger.splits import WHOLE
from rest.fields import StrictBooleanField, StrictChoiceField, StrictIntegerField, checked
from rest.idempotency import idempotent
from rest.pagination import query
from rest.schema import describe

STANDARD = Terms()


class RaceMarketInput(PoolTermsInput):
    kind = StrictChoiceField(choices=KINDS)
    margin = StrictIntegerField(
        min=0, max=WHOLE - 1, required=False, default=0, help_text="fixed odds: basis points"
    )
    on_draw = StrictChoiceField(choices=ON_DRAW, required=False, default=STANDARD.on_draw)
    in_running = StrictBooleanField(
        required=False, default=False, help_text="fixed odds: reopens after each draw at new prices"
    )


class RaceMarket(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_market",
        "The win market on a race, as `markets/{id}/` shows it",
        response=MarketDetailOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "invite")
        market = markets.market_on(visible_game(request, game_id, **wanted).pk)
        if market is None:
            raise NoMarket
        return Response(_shown(market.pk))

    @describe(
        "games_market_create",
        "Open the win market of a race before the deal (administrators; organizers up to a cap)",
        request=RaceMarketInput,
        response=MarketDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        given = checked(RaceMarketInput, request)
        kind = given.pop("kind")
        terms = allowed_terms(request.user, Terms(**given))
        market = markets.open_market(
            game=visible_game(request, game_id),
            kind=kind,
            terms=terms,
            opened_by=f"player:{me(request).pk}",
            now=timezone.now(),
        )
        return Response(
            _shown(market.pk), status=201, headers={"Location": reverse("market", args=[market.pk])}
        )


def _shown(market_id: UUID) -> Any:
    return MarketDetailOutput(whole_market(market_id)).data


class FairReturnOutput(serializers.Serializer[Any]):
    """The fair return on one unit, including the unit; null if the suit cannot win."""

    lose = serializers.CharField(allow_null=True, help_text="if a race without a winner loses the bet")
    refund = serializers.CharField(allow_null=True, help_text="if it refunds the bet")


class SuitOddsOutput(serializers.Serializer[Any]):
    probability = serializers.CharField(help_text="the exact probability, as n/d")
    fair_return = FairReturnOutput()


class SuitsOddsOutput(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {suit: SuitOddsOutput() for suit in SUITS}


class OddsOutput(serializers.Serializer[Any]):
    suits = SuitsOddsOutput()
    no_winner = serializers.CharField(help_text="the exact probability of a race without a winner, as n/d")
    version = serializers.IntegerField(help_text="version of the game")


class RaceOdds(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_odds",
        "The exact probabilities of a race now, with the fair return of each suit",
        response=OddsOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "invite")
        shown = odds_of(visible_game(request, game_id, **wanted))
        return Response(shown, headers={"ETag": f'"{shown["version"]}"'})


def odds_of(game: GameRecord) -> dict[str, Any]:
    """Return the present odds of a race, fractions as text. The caller may see the game. Raises NoOdds."""
    head, table = state.load(game.pk)
    if not isinstance(table.state, State) or table.status == "void":
        raise NoOdds
    found = odds(table.state)
    return {
        "suits": {
            letter: {
                "probability": _fraction(found.suits[suit]),
                "fair_return": {
                    "lose": _fraction(fair_return(found, suit, on_draw="lose")),
                    "refund": _fraction(fair_return(found, suit, on_draw="refund")),
                },
            }
            for suit, letter in enumerate(SUITS)
        },
        "no_winner": _fraction(found.no_winner),
        "version": head.version,
    }


def _fraction(number: Fraction | None) -> str | None:
    return None if number is None else f"{number.numerator}/{number.denominator}"
