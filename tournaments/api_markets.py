"""REST of the market on a tournament's winner. Bets on it are the ledger's: `markets/{id}/bets/`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.names import name_for
from api.errors import refusal_of
from api.fields import checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from ledger.betting.access import allowed_terms
from ledger.betting.models import Market, MarketStatus
from ledger.betting.selectors import market as whole_market
from ledger.betting.serializers import MarketDetailOutput, PoolTermsInput
from ledger.services import Terms
from tournaments import access, markets, parts, selectors
from tournaments.models import Tournament
from tournaments.serializers import OutrightOutput, OutrightsOutput


class Outrights(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_markets_list",
        "The market on the winner, as `markets/{id}/` shows it, and who its runners are; none if none was opened",
        response=OutrightsOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        market = markets.market_on(tournament.pk)
        found = [] if market is None else [_shown(request, tournament, market)]
        return Response({"results": found})

    @describe(
        "tournament_markets_create",
        "Open betting on the winner before the start: a pool (administrators; the organizer up to a cap)",
        request=PoolTermsInput,
        response=OutrightOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.managed(request.user, tournament_id)
        terms = allowed_terms(request.user, Terms(**checked(PoolTermsInput, request)))
        market = markets.open_market(
            tournament_id=tournament.pk,
            terms=terms,
            opened_by=f"player:{me(request).pk}",
            now=timezone.now(),
        )
        return Response(
            _shown(request, tournament, market),
            status=201,
            headers={"Location": reverse("market", args=[market.pk])},
        )


def _shown(request: Request, tournament: Tournament, market: Market) -> dict[str, Any]:
    field = [
        {
            "runner": markets.runner_of(entry.number),
            "entry": entry.number,
            "player": str(entry.player_id),
            "name": name_for(request.user, entry.player),
        }
        for entry in selectors.entries(tournament)
    ]
    shown = MarketDetailOutput(whole_market(market.pk)).data
    return {**shown, "field": field, **_for_caller(request, tournament, market)}


def _for_caller(request: Request, tournament: Tournament, market: Market) -> dict[str, Any]:
    """What would stand in the way of a bet of theirs, while bets are taken."""
    if not request.user.is_authenticated or market.status != MarketStatus.OPEN:
        return {"obstacle": None, "alone": None}
    player = me(request).pk
    refused = refusal_of(lambda: parts.foresee_bet(market, player, timezone.now()))
    return {
        "obstacle": None if refused is None else refused.document(),
        "alone": parts.backs_alone(tournament.pk, player),
    }
