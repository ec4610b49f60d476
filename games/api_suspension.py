"""REST of suspensions: stopping a running game, and letting it go on."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictSerializer, StrictTextField, checked
from api.idempotency import idempotent
from api.query import query
from api.schema import describe
from games import access, places, selectors_suspension, suspension
from games.api import me, visible_game
from games.models import Lifted
from games.standstill import REASON_LENGTH


class StandstillInput(StrictSerializer):
    reason = StrictTextField(max_length=REASON_LENGTH)


class SuspensionOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    version = serializers.IntegerField(
        allow_null=True, help_text="of the game, all the while; null to who may stop it but not see it"
    )
    since = serializers.DateTimeField()
    by = serializers.UUIDField(allow_null=True, help_text="null: the server")
    reason = serializers.CharField()
    lifted_at = serializers.DateTimeField(allow_null=True)
    lifted = serializers.ChoiceField(Lifted.choices, allow_null=True)
    lifted_by = serializers.UUIDField(allow_null=True)
    lifted_reason = serializers.CharField(allow_null=True)


class ResumedOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField(
        help_text="that goes on: another than was suspended where its rules count time from the deal"
    )


class Suspension(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_suspensions",
        "When the game was stopped, by whom and why; the last first",
        response=SuspensionOutput(many=True),
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        return Response(selectors_suspension.suspensions(visible_game(request, game_id)))

    @describe(
        "games_suspend",
        "Stop a running game: no moves, no clocks (auditors and those who rule on its tournament; no participants)",
        request=StandstillInput,
        response=SuspensionOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        places.require_may_stop(me(request), game_id)
        given = checked(StandstillInput, request)
        made = suspension.suspend(game_id, by=me(request), now=timezone.now(), **given)
        headers = {"Location": reverse("game-suspension", args=[game_id])}
        shown = selectors_suspension.document(made)
        # How far others have come with a deal that is still in play is not told to who runs the tournament either.
        if not access.visible_games(request.user).filter(pk=game_id).exists():
            shown = {**shown, "version": None}
        return Response(shown, status.HTTP_201_CREATED, headers=headers)


class Resumption(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_resume",
        "Let a suspended game go on, with its clocks as they were (as suspending)",
        request=StandstillInput,
        response=ResumedOutput,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        places.require_may_stop(me(request), game_id)
        given = checked(StandstillInput, request)
        game = suspension.resume(game_id, by=me(request), now=timezone.now(), **given)
        return Response({"game": str(game.pk)})
