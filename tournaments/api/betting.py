"""REST endpoints of outright markets and meetings. Bets are placed at the ledger's `markets/{id}/bets/`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player, name_for
from core.errors import refusal_of
from games.api import me
from ledger.betting.serializers import MarketDetailOutput, PoolTermsInput
from ledger.models import Market, MarketStatus
from ledger.selectors import market as whole_market
from ledger.services import Terms, allowed_terms
from rest.fields import checked
from rest.idempotency import idempotent
from rest.problems import problem_document
from rest.schema import describe
from tournaments import access, selectors
from tournaments.api.serializers import MeetingOutput, OutrightOutput, OutrightsOutput
from tournaments.betting import meetings, outrights, participants
from tournaments.models import Tournament


class Outrights(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_markets_list",
        "Get the market on the winner, as `markets/{id}/` shows it; empty without one",
        response=OutrightsOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        market = outrights.market_on(tournament.pk)
        found = [] if market is None else [_shown(request, tournament, market)]
        return Response({"results": found})

    @describe(
        "tournament_markets_create",
        "Open a pool on the winner before the start (administrators; the organizer up to a cap)",
        request=PoolTermsInput,
        response=OutrightOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.managed(request.user, tournament_id)
        terms = allowed_terms(request.user, Terms(**checked(PoolTermsInput, request)))
        market = outrights.open_market(
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
            "runner": outrights.runner_of(entry.number),
            "entry": entry.number,
            "player": str(entry.player_id),
            "name": name_for(request.user, entry.player),
        }
        for entry in selectors.entries(tournament)
    ]
    shown = MarketDetailOutput(whole_market(market.pk)).data
    return {**shown, "field": field, **_for_caller(request, tournament, market)}


def _for_caller(request: Request, tournament: Tournament, market: Market) -> dict[str, Any]:
    """Return what would prevent the caller from betting, while bets are taken."""
    if not request.user.is_authenticated or market.status != MarketStatus.OPEN:
        return {"obstacle": None, "only_runner": None}
    player = me(request).pk
    refused = refusal_of(lambda: participants.precheck_bet(market, player, timezone.now()))
    return {
        "obstacle": None if refused is None else problem_document(refused),
        "only_runner": participants.backs_alone(tournament.pk, player),
    }


# --- meetings ----------------------------------------------------------------------------------------


class MeetingView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_meeting",
        "Get the races of a meeting with their markets, and the caller's bank",
        response=MeetingOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        player = request.user.pk if isinstance(request.user, Player) else None
        return Response(meetings.document(tournament, player))
