"""REST views of matches."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput
from games import access, models, rules
from games.api import CLIENT_TIME, INVITE, flag, me
from games.matches import selectors
from games.matches import services as matches
from games.matches.selectors import MatchLineOutput, MatchOutput
from games.matches.services import LONGEST_PAUSE, MOST_DEALS, PAUSE, SHORTEST_PAUSE
from games.models import MatchStatus
from games.play.clocks import LONGEST_GAME, LONGEST_MOVE, SHORTEST_GAME, SHORTEST_MOVE
from games.serializers import MOST_SEATS, BotSeatField
from ledger.selectors import stake_table as find_stake_table
from rest.fields import (
    ObjectField,
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent, recorded_command
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe


class MatchInput(StrictSerializer):
    rules = StrictTextField(max_length=40)
    config = ObjectField(required=False, default=dict)
    seats = StrictIntegerField(min=0, max=MOST_SEATS, required=False)
    deals = StrictIntegerField(min=1, max=MOST_DEALS)
    pause = StrictIntegerField(min=SHORTEST_PAUSE, max=LONGEST_PAUSE, required=False, default=PAUSE)
    private = StrictBooleanField(required=False, default=False)
    bots = StrictListField(child=BotSeatField(), max_length=MOST_SEATS, required=False, default=list)
    move_limit = StrictIntegerField(
        min=SHORTEST_MOVE, max=LONGEST_MOVE, required=False, allow_null=True, default=None
    )
    game_limit = StrictIntegerField(
        min=SHORTEST_GAME, max=LONGEST_GAME, required=False, allow_null=True, default=None
    )
    stake_table = StrictTextField(max_length=40, required=False, allow_null=True, default=None)
    buy_in = PenceField(required=False, allow_null=True, default=None)


class Matches(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-created_at", "-id")

    @describe(
        "matches_list",
        "Matches that the caller may see, newest first",
        response=list[MatchLineOutput],
        parameters=[
            OpenApiParameter("status", str, enum=MatchStatus.values),
            OpenApiParameter("mine", bool, description="Only matches in which the caller plays."),
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
        found = found.select_related("stake_table").prefetch_related("games__seatings__player")
        return self.page(found, lambda match: selectors.line(match, request.user))

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
        match = _open(me(request), command=recorded_command(request), **checked(MatchInput, request))
        shown = selectors.document(match, request.user)
        return Response(
            shown, status=status.HTTP_201_CREATED, headers={"Location": reverse("match", args=[match.pk])}
        )


def _played_by(request: Request) -> Any:
    if not request.user.is_authenticated:
        return []
    return models.Seat.objects.filter(player=request.user, game__match__isnull=False).values("game__match")


def _open(player: Player, *, seats: int | None = None, **wanted: Any) -> models.Match:
    table = wanted.pop("stake_table")
    return matches.open_match(
        stake_table=None if table is None else find_stake_table(table),
        creator=player,
        seats=min(rules.get(wanted["rules"]).seats) if seats is None else seats,
        most_open=settings.OPEN_TABLES_PER_PLAYER,
        now=timezone.now(),
        **wanted,
    )


class Match(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "matches_read",
        "A match with its deals and standings",
        response=MatchOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, match_id: UUID) -> Response:
        wanted = query(request, "invite")
        match = access.visible_match(request.user, match_id, **wanted)
        return Response(selectors.document(match, request.user))
