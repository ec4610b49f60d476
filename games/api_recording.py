"""REST of a whole replay in one answer, to be stepped through without asking again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from api.budgets import BudgetedView
from api.fields import ObjectField
from api.pagination import whole_number
from api.query import query
from api.schema import describe
from games.api import INVITE, LOOK_REASON, visible_game
from games.api_play import LAST_VERSION, MOST_EVENTS, perspective
from games.evidence.recording import recording
from games.serializers import EventOutput


class TableStateOutput(serializers.Serializer[Any]):
    """After one event; all null where the events can no longer be folded."""

    status = serializers.ChoiceField(["open", "active", "finished", "void"], allow_null=True)
    to_act = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    view = ObjectField(allow_null=True)
    cards = ObjectField(allow_null=True, help_text="with `all`: every card where it lay")
    outcome = ObjectField(allow_null=True)


class PatchOutput(serializers.Serializer[Any]):
    at = serializers.ListField(
        child=serializers.JSONField(), help_text="keys and places from the root of the state"
    )
    to = serializers.JSONField(required=False, allow_null=True, help_text="missing: the key is gone")


class RecordedStateOutput(serializers.Serializer[Any]):
    whole = TableStateOutput(required=False)
    changes = PatchOutput(many=True, required=False)


class RecordingOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    rules = serializers.CharField()
    version = serializers.IntegerField(help_text="of the last event of the game")
    seat = serializers.IntegerField(allow_null=True)
    events = EventOutput(many=True)
    undone = serializers.ListField(
        child=serializers.IntegerField(), help_text="versions of moves that were taken back"
    )
    states = RecordedStateOutput(
        many=True, help_text="after each of the events; every 25th whole, others as changes"
    )
    next = serializers.URLField(allow_null=True)


@method_decorator(gzip_page, name="dispatch")
class Recording(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_recording",
        "The whole game to step through: its events, and how the table lay after each",
        response=RecordingOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            OpenApiParameter(
                "all",
                bool,
                description="Every card too: after the end, or for an auditor, whose early look is recorded.",
            ),
            OpenApiParameter(
                "seat", int, description="As this seat saw it then; of another's seat as `all`."
            ),
            LOOK_REASON,
            INVITE,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "after", "limit", "all", "seat", "invite", "reason")
        game = visible_game(request, game_id, invite=wanted.get("invite", ""))
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LAST_VERSION)
        limit = whole_number(wanted.get("limit", str(MOST_EVENTS)), "limit", least=1, most=MOST_EVENTS)
        everything, of_seat = perspective(request, game, wanted, None)
        shown = recording(
            request.user, game, everything=everything, of_seat=of_seat, after=after, limit=limit
        )
        more = shown["version"] > after + limit
        address = replace_query_param(request.build_absolute_uri(), "after", after + limit)
        return Response({**shown, "next": address if more else None})
