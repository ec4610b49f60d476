"""REST of the win market on a race. Bets on it are the ledger's: `markets/{id}/bets/`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictBooleanField, StrictChoiceField, StrictIntegerField, checked
from api.idempotency import idempotent
from api.query import query
from api.schema import describe
from games import markets
from games.api import INVITE, me, visible_game
from games.errors import NoMarket
from ledger.betting.access import allowed_terms
from ledger.betting.selectors import market as whole_market
from ledger.betting.serializers import MarketDetailOutput, PoolTermsInput
from ledger.betting.terms import KINDS
from ledger.betting.wagers import ON_DRAW
from ledger.services import Terms
from ledger.splits import WHOLE

STANDARD = Terms()


class RaceMarketInput(PoolTermsInput):
    kind = StrictChoiceField(choices=KINDS)
    margin = StrictIntegerField(
        min=0, max=WHOLE - 1, required=False, default=0, help_text="fixed odds: basis points"
    )
    on_draw = StrictChoiceField(choices=ON_DRAW, required=False, default=STANDARD.on_draw)
    in_running = StrictBooleanField(
        required=False, default=False, help_text="fixed odds: opens again after each draw, at new prices"
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
        "Open betting on the suit that wins a race not yet dealt (administrators; organizers up to a cap)",
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
