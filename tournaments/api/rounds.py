"""REST endpoints of rounds, brackets, standings, and events."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from eventstore.chain import LARGEST_INTEGER
from eventstore.store import PAGE
from rest.budgets import BudgetedView
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, document
from rest.pagination import query, whole_number
from rest.schema import describe
from rest.scopes import Scope
from tournaments import access, selectors
from tournaments.attention import AttentionOutput, attention
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds.selectors import (
    BracketOutput,
    RoundOutput,
    RoundsOutput,
    StandingBreakdownOutput,
    StandingsOutput,
)
from tournaments.selectors import TournamentEvents


class Rounds(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_rounds_list",
        "List the rounds that were paired, with their progress",
        scope=Scope.READ,
        response=RoundsOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": round_selectors.rounds(tournament)})


class RoundView(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_rounds_get",
        "Get a round with its tables, and with its scores once it is closed",
        scope=Scope.READ,
        response=RoundOutput,
    )
    def get(self, request: Request, tournament_id: UUID, number: int) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response(round_selectors.round_document(tournament, number, request.user, now=timezone.now()))


class BracketView(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_bracket",
        "Get the bracket of a knockout",
        scope=Scope.READ,
        response=BracketOutput,
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponse:
        tournament = access.visible(request.user, tournament_id)
        return document(request, round_selectors.bracket(tournament, request.user))


AT = OpenApiParameter("at", OpenApiTypes.INT, description="version of an event of the tournament")


def asked_version(request: Request) -> int | None:
    text = query(request, "at").get("at")
    return None if text is None else whole_number(text, "at", least=1, most=LARGEST_INTEGER)


class Standings(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_standings",
        "Get the standings, now or at an event",
        scope=Scope.READ,
        response=StandingsOutput,
        also=NOT_MODIFIED,
        parameters=[AT, IF_NONE_MATCH],
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponse:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return document(request, round_selectors.standings(tournament, request.user, at=at))


class Arithmetic(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_standings_entry",
        "Get the arithmetic of an entrant's standing, now or at an event",
        scope=Scope.READ,
        response=StandingBreakdownOutput,
        parameters=[AT],
    )
    def get(self, request: Request, tournament_id: UUID, entry: int) -> Response:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return Response(round_selectors.arithmetic(tournament, entry, at=at))


class Events(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_events",
        "List the events of a tournament",
        scope=Scope.READ,
        response=TournamentEvents,
        parameters=[
            OpenApiParameter("after", OpenApiTypes.INT, description="version of the last event seen")
        ],
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        after = whole_number(
            query(request, "after").get("after", "0"), "after", least=0, most=LARGEST_INTEGER
        )
        events = selectors.events_for(request.user, tournament_id, after, limit=PAGE)
        more = len(events) == PAGE
        return Response({"events": events, "next": events[-1]["version"] if more else None})


class Attention(APIView):
    @describe(
        "tournament_attention",
        "Get what needs the organizer: missing check-ins and tables without progress (organizer, judges, helpers)",
        scope=Scope.ORGANIZE,
        response=AttentionOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.assisted(request.user, tournament_id)
        return Response(attention(tournament, request.user, now=timezone.now()))
