"""REST endpoints of outright markets and meetings. Bets are placed at the ledger's `markets/{id}/bets/`."""

from __future__ import annotations

from typing import Annotated, TypedDict
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import refusal_of
from games.api import me
from ledger.betting.documents import MarketDetailOutput, market_detail_document
from ledger.callers import command_key
from ledger.models import Market, MarketStatus
from ledger.selectors import market as whole_market
from ledger.serializers import PoolTermsInput
from ledger.services import Terms
from rest.documents import Object, Uuid
from rest.fields import checked
from rest.idempotency import idempotent
from rest.problems import problem_document
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import perform
from tournaments import access, selectors
from tournaments.actions.commands import OpenOutright
from tournaments.betting import meetings, outrights, participants
from tournaments.betting.meetings import MeetingOutput
from tournaments.models import Tournament


class RunnerEntryOutput(TypedDict):
    runner: str
    entry: int
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it"]


class OutrightOutput(MarketDetailOutput):
    field: Annotated[list[RunnerEntryOutput], "the runners, without withdrawn ones"]
    obstacle: Annotated[
        Object | None,
        "why the smallest bet of the caller would be refused now; null if nothing prevents it, if bets are "
        "not taken, or if the caller has not signed in",
    ]
    only_runner: Annotated[
        str | None, "the only runner that the caller may back, as an entrant; null: any runner"
    ]


class OutrightsOutput(TypedDict):
    results: list[OutrightOutput]


class Outrights(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_markets_list",
        "Get the market on the winner, as `markets/{id}/` shows it; empty without one",
        scope=Scope.READ,
        response=OutrightsOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        market = outrights.market_on(tournament.pk)
        found: OutrightsOutput = {"results": [] if market is None else [_shown(request, tournament, market)]}
        return Response(found)

    @describe(
        "tournament_markets_create",
        "Open a pool on the winner before the start (administrators; the organizer up to a cap)",
        scope=(Scope.ORGANIZE, Scope.ADMINISTRATOR),
        request=PoolTermsInput,
        response=OutrightOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.managed(request.user, tournament_id)
        data = {"terms": Terms(**checked(PoolTermsInput, request))}
        action = OpenOutright(me(request), tournament)
        market, _ = perform(action, data, key=command_key(request))
        return Response(
            _shown(request, tournament, market),
            status=201,
            headers={"Location": reverse("market", args=[market.pk])},
        )


def _shown(request: Request, tournament: Tournament, market: Market) -> OutrightOutput:
    names = access.Names(request.user, tournament)
    field: list[RunnerEntryOutput] = [
        {
            "runner": outrights.runner_of(entry.number),
            "entry": entry.number,
            "player": str(entry.player_id),
            "name": names.of(entry),
        }
        for entry in selectors.entries(tournament)
    ]
    shown = market_detail_document(whole_market(market.pk))
    obstacle, only_runner = _for_caller(request, tournament, market)
    return {**shown, "field": field, "obstacle": obstacle, "only_runner": only_runner}


def _for_caller(request: Request, tournament: Tournament, market: Market) -> tuple[Object | None, str | None]:
    """Return what would prevent the caller from betting, and the only runner, while bets are taken."""
    if not request.user.is_authenticated or market.status != MarketStatus.OPEN:
        return None, None
    player = me(request).pk
    refused = refusal_of(lambda: participants.precheck_bet(market, player, timezone.now()))
    obstacle = None if refused is None else problem_document(refused)
    return obstacle, participants.backs_alone(tournament.pk, player)


# --- meetings ----------------------------------------------------------------------------------------


class MeetingView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_meeting",
        "Get the races of a meeting with their markets, and the caller's bank",
        scope=Scope.READ,
        response=MeetingOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        player = request.user.pk if isinstance(request.user, Player) else None
        return Response(meetings.document(tournament, player))
