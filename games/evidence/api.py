"""REST views of a game's evidence and of its recording."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from core.errors import InvalidInput
from games.access import require_evidence
from games.api import INVITE, LOOK_REASON, me, reason_of, visible_game
from games.evidence import selectors
from games.evidence.models import RefusedCommand
from games.evidence.page import EvidencePage, single
from games.evidence.recording import recording
from games.models import GameRecord
from games.play.api import LAST_VERSION, MOST_EVENTS, perspective
from games.serializers import EventOutput
from rest.budgets import BudgetedView
from rest.fields import ObjectField
from rest.pagination import PAGE, Cursor, query, whole_number
from rest.schema import describe


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
    text = serializers.CharField()
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
    seed_revealed = serializers.BooleanField(
        help_text="whether the seed is shown, so that the deal is judged too"
    )
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
    text = serializers.CharField()


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
    response = ObjectField(allow_null=True, help_text="to the seat's own move")
    bytes = ObjectField(help_text="length and SHA-256 of each as it is sent")


class Evidence(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_list",
        "The events of a game with verdict, request metadata, and money of each; before the end for auditors only",
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
        page = EvidencePage(game, now=timezone.now(), after=after, limit=limit)
        self.caused = page.caused
        shown = selectors.overview(page, me(request))
        more = shown["version"] > after + limit
        address = replace_query_param(request.build_absolute_uri(), "after", after + limit)
        return Response({**shown, "next": address if more else None})


class EvidenceEvent(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_read",
        "An event of a game with the table before and after it, all cards, and the changes",
        response=EvidenceEventOutput,
        parameters=[LOOK_REASON],
    )
    def get(self, request: Request, game_id: UUID, version: str) -> Response:
        wanted = query(request, "reason")
        number = whole_number(version, "version", least=1, most=LAST_VERSION)
        game = _evidence_of(request, game_id, wanted)
        page = single(game, number, now=timezone.now())
        self.caused = page.caused
        return Response(selectors.one_event(page, me(request)))


class RefusedCommands(APIView):
    permission_classes = [IsAuthenticated]
    pagination_class = Cursor
    ordering = ("-id",)

    @describe(
        "evidence_refused",
        "The refused moves of a game, newest first",
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
        "The bytes that a seat received for a version, recomputed, with their hash",
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


class TableStateOutput(serializers.Serializer[Any]):
    """The state after one event; all null if the events cannot be folded."""

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
    state = TableStateOutput(required=False)
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
        many=True, help_text="after each of the events; every 25th in full, the others as changes"
    )
    next = serializers.URLField(allow_null=True)


@method_decorator(gzip_page, name="dispatch")
class Recording(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_recording",
        "The whole game: its events, and the table after each",
        response=RecordingOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            OpenApiParameter(
                "all",
                bool,
                description="Every card too: after the end, or for an auditor, whose early access is recorded.",
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
