"""REST of what happens in a tournament: its rounds, its standings, its events."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from api.budgets import BudgetedView
from api.pagination import whole_number
from api.query import query
from api.schema import describe
from eventstore.chain import LARGEST_INTEGER
from eventstore.store import PAGE
from tournaments import access, brackets, selectors
from tournaments.serializers import (
    BracketOutput,
    EventsOutput,
    ReckoningsOutput,
    RoundOutput,
    RoundsOutput,
    StandingsOutput,
)


class Rounds(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe("tournament_rounds_list", "The rounds so far, and how far each has come", response=RoundsOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": selectors.rounds(tournament)})


class RoundView(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_rounds_get", "A round's tables; scores once it has been closed", response=RoundOutput
    )
    def get(self, request: Request, tournament_id: UUID, number: int) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response(selectors.round_document(tournament, number, request.user, now=timezone.now()))


class BracketView(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_bracket",
        "The bracket of a knockout: who meets whom, and where winners and losers go",
        response=BracketOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response(brackets.document(tournament, request.user))


AT = OpenApiParameter("at", OpenApiTypes.INT, description="version of an event of the tournament")


def asked_version(request: Request) -> int | None:
    text = query(request, "at").get("at")
    return None if text is None else whole_number(text, "at", least=1, most=LARGEST_INTEGER)


class Standings(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_standings",
        "The standings, now or as of an event",
        response=StandingsOutput,
        parameters=[AT],
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return Response(selectors.standings(tournament, request.user, at=at))


class Arithmetic(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_standings_entry",
        "What each column of an entrant's standing is made of, now or as of an event",
        response=ReckoningsOutput,
        parameters=[AT],
    )
    def get(self, request: Request, tournament_id: UUID, entry: int) -> Response:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return Response(selectors.arithmetic(tournament, entry, at=at))


class Events(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_events",
        "What has happened, event by event",
        response=EventsOutput,
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
