"""REST of matches: several deals at one table."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from api.errors import InvalidInput
from api.fields import checked
from api.idempotency import idempotent
from api.pagination import Cursor
from api.query import PAGE, query
from api.schema import describe
from games import access, limits, matches, models, origins, rules, selectors_matches
from games.api import CLIENT_TIME, INVITE, flag, me
from games.models import MatchStatus
from games.serializers_matches import MatchInput, MatchLineOutput, MatchOutput
from ledger.selectors import stake_table as find_stake_table


class Matches(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    pagination_class = Cursor
    ordering = ("-created_at", "-id")

    @describe(
        "matches_list",
        "Matches that the caller may see, newest first",
        response=MatchLineOutput(many=True),
        parameters=[
            OpenApiParameter("status", str, enum=MatchStatus.values),
            OpenApiParameter("mine", bool, description="Only matches in which the caller plays."),
            OpenApiParameter(
                "cursor", str, description="Where to go on; taken from `next` of the page before."
            ),
            OpenApiParameter("limit", int),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "status", "mine", *PAGE)
        found = access.visible_matches(request.user)
        if "status" in wanted:
            if wanted["status"] not in MatchStatus.values:
                raise InvalidInput(f"status: one of {', '.join(MatchStatus.values)}.")
            found = found.filter(status=wanted["status"])
        if flag(wanted.get("mine"), "mine"):
            found = found.filter(pk__in=_played_by(request))
        pages = Cursor()
        found = found.select_related("stake_table").prefetch_related("games__seatings__player")
        rows = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response([selectors_matches.line(match, request.user) for match in rows])

    @describe(
        "matches_create",
        "Open a match and the table of its first deal",
        request=MatchInput,
        response=MatchOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        match = _open(me(request), command=origins.command(request), **checked(MatchInput, request))
        shown = selectors_matches.document(match, request.user)
        return Response(
            shown, status=status.HTTP_201_CREATED, headers={"Location": reverse("match", args=[match.pk])}
        )


def _played_by(request: Request) -> Any:
    if not request.user.is_authenticated:
        return []
    return models.Seat.objects.filter(player=request.user, game__match__isnull=False).values("game__match")


def _open(player: Player, *, seats: int | None = None, **wanted: Any) -> models.Match:
    limits.take_place(player)
    table = wanted.pop("stake_table")
    return matches.open_match(
        stake_table=None if table is None else find_stake_table(table),
        creator=player,
        seats=min(rules.get(wanted["rules"]).seats) if seats is None else seats,
        now=timezone.now(),
        **wanted,
    )


class Match(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "matches_read",
        "A match with its deals and how the seats stand",
        response=MatchOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, match_id: UUID) -> Response:
        wanted = query(request, "invite")
        match = access.visible_match(request.user, match_id, **wanted)
        return Response(selectors_matches.document(match, request.user))
