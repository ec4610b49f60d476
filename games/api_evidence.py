"""REST of a game's evidence: its events with a verdict on each, what was refused, what each seat received."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from api.budgets import BudgetedView
from api.errors import InvalidInput
from api.fields import ObjectField
from api.pagination import Cursor, whole_number
from api.query import PAGE, query
from api.schema import describe
from games.api import LOOK_REASON, me, reason_of, visible_game
from games.api_play import LAST_VERSION, MOST_EVENTS
from games.evidence import selectors
from games.evidence.access import require_evidence
from games.evidence.models import RefusedCommand
from games.evidence.reading import Reading, single
from games.models import GameRecord
from games.serializers import EventOutput


class TokenOfOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]


class OriginOutput(serializers.Serializer[Any]):
    command = serializers.CharField(help_text="SHA-256 of actor, endpoint and Idempotency-Key")
    first = serializers.IntegerField(help_text="first event of the command")
    last = serializers.IntegerField()
    actor = serializers.UUIDField(allow_null=True)
    client_at = serializers.CharField(allow_null=True, help_text="by the client's own clock")
    token = TokenOfOutput(allow_null=True)


class EventPostingOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    debit = serializers.CharField()
    credit = serializers.CharField()
    amount = serializers.IntegerField(help_text="pence")
    currency = serializers.CharField()
    reason = serializers.CharField()
    event = serializers.IntegerField()


class EvidenceLineOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    type = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    at = serializers.CharField(help_text="the server's time")
    hash = serializers.CharField()
    words = serializers.CharField()
    chain = serializers.ChoiceField(["passed", "failed", "not-run"])
    rules = serializers.ChoiceField(["passed", "failed", "not-run"])
    check = serializers.CharField(allow_null=True, help_text="the check that fails here first")
    why = serializers.CharField(allow_null=True)
    origin = OriginOutput(allow_null=True)
    postings = EventPostingOutput(many=True)
    event = EventOutput()


class DivergenceOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    check = serializers.CharField()
    why = serializers.CharField()


class EvidenceOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    rules = serializers.CharField()
    status = serializers.ChoiceField(["open", "active", "finished", "void"])
    version = serializers.IntegerField()
    opened = serializers.BooleanField(help_text="whether the seed is shown, so that the deal is judged too")
    verified_at = serializers.CharField(
        allow_null=True,
        help_text="when the verdicts were made; null: a job is making those of this long game, ask again",
    )
    divergence = DivergenceOutput(allow_null=True)
    refused = serializers.IntegerField(help_text="how many refused commands are kept")
    results = EvidenceLineOutput(many=True)
    next = serializers.URLField(allow_null=True)


class TableChangeOutput(serializers.Serializer[Any]):
    path = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    words = serializers.CharField()


class EvidenceEventOutput(EvidenceLineOutput):
    before = ObjectField(allow_null=True)
    after = ObjectField(allow_null=True)
    differences = TableChangeOutput(many=True)


class RefusedCommandOutput(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.UUIDField()
    seat = serializers.IntegerField(allow_null=True)
    version = serializers.IntegerField(help_text="of the game, against which it was judged")
    code = serializers.CharField()
    rule = serializers.CharField(allow_null=True)
    ruling = serializers.CharField(allow_null=True, help_text="key of the rule in `GET rules/`")
    fact = serializers.CharField(allow_null=True)
    move = serializers.JSONField(allow_null=True)
    command = serializers.CharField(allow_null=True)
    client_at = serializers.CharField(allow_null=True)
    token = TokenOfOutput(allow_null=True)


class ReceivedOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    player = serializers.UUIDField(allow_null=True)
    event = EventOutput()
    view = ObjectField(allow_null=True)
    legal_moves = serializers.ListField(child=ObjectField())
    answer = ObjectField(allow_null=True, help_text="to the seat's own move")
    bytes = ObjectField(help_text="length and SHA-256 of each as it is sent")


class Evidence(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_list",
        "The events of a game with a verdict, an origin and the money of each; before the end for auditors alone",
        response=EvidenceOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            LOOK_REASON,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "after", "limit", "reason")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LAST_VERSION)
        limit = whole_number(wanted.get("limit", str(MOST_EVENTS)), "limit", least=1, most=MOST_EVENTS)
        game = _evidence_of(request, game_id, wanted)
        reading = Reading(game, now=timezone.now(), after=after, limit=limit)
        self.caused = reading.caused
        shown = selectors.overview(reading, me(request))
        more = shown["version"] > after + limit
        address = replace_query_param(request.build_absolute_uri(), "after", after + limit)
        return Response({**shown, "next": address if more else None})


class EvidenceEvent(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_read",
        "An event of a game with the table before and after it, every card shown, and what changed",
        response=EvidenceEventOutput,
        parameters=[LOOK_REASON],
    )
    def get(self, request: Request, game_id: UUID, version: str) -> Response:
        wanted = query(request, "reason")
        number = whole_number(version, "version", least=1, most=LAST_VERSION)
        game = _evidence_of(request, game_id, wanted)
        reading = single(game, number, now=timezone.now())
        self.caused = reading.caused
        return Response(selectors.one_event(reading, me(request)))


class RefusedCommands(APIView):
    permission_classes = [IsAuthenticated]
    pagination_class = Cursor
    ordering = ("-id",)

    @describe(
        "evidence_refused",
        "The moves in a game that were not accepted, the latest first",
        response=RefusedCommandOutput(many=True),
        parameters=[LOOK_REASON],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        game = _evidence_of(request, game_id, query(request, *PAGE, "reason"))
        pages = Cursor()
        found = pages.paginate_queryset(RefusedCommand.objects.filter(game=game), request, view=self)
        return pages.get_paginated_response(selectors.refused(game, me(request), found))


class Received(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_received",
        "What a seat was sent of a version, worked out again, with the hash of its bytes",
        response=ReceivedOutput,
        parameters=[
            OpenApiParameter("at", int, required=True, description="The version."),
            OpenApiParameter("seat", int, description="None: who only looked on."),
            LOOK_REASON,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "at", "seat", "reason")
        game = _evidence_of(request, game_id, wanted)
        if "at" not in wanted:
            raise InvalidInput("at: the version is needed.")
        at = whole_number(wanted["at"], "at", least=1, most=LAST_VERSION)
        seat = None
        if "seat" in wanted:
            seat = whole_number(wanted["seat"], "seat", least=0, most=max(game.seats, 1) - 1)
        return Response(selectors.received(game, at=at, seat=seat))


def _evidence_of(request: Request, game_id: UUID, wanted: dict[str, str]) -> GameRecord:
    game = visible_game(request, game_id)
    require_evidence(me(request), game, reason=reason_of(wanted), now=timezone.now())
    return game
