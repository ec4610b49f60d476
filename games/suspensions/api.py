"""REST views of suspensions: suspending and resuming a running game."""

from __future__ import annotations

from typing import Annotated, TypedDict
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from eventstore.chain import format_at
from games import access, models
from games.api import me, visible_game
from games.models import GameRecord, Lifted
from games.selectors import exact_moment
from games.suspensions import services as suspensions
from games.suspensions.records import REASON_LENGTH
from rest.documents import Moment, Uuid, one_of, uuid_text
from rest.fields import StrictSerializer, StrictTextField, checked
from rest.idempotency import idempotent
from rest.pagination import query
from rest.schema import describe
from rest.scopes import Scope


class SuspensionInput(StrictSerializer):
    reason = StrictTextField(max_length=REASON_LENGTH)


class SuspensionOutput(TypedDict):
    game: Uuid
    version: Annotated[int | None, "of the game; null for a caller who may suspend the game but not see it"]
    since: Moment
    by: Annotated[Uuid | None, "null: the server"]
    reason: str
    lifted_at: Moment | None
    lifted: Annotated[str, one_of(Lifted)] | None
    lifted_by: Uuid | None
    lifted_reason: str | None


class ResumedOutput(TypedDict):
    game: Annotated[Uuid, "the resumed game: a new one if its rules count time from the deal"]


class Suspension(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_suspensions",
        "The suspensions of a game with authors and reasons, newest first",
        scope=Scope.READ,
        response=list[SuspensionOutput],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        return Response(suspensions_of(visible_game(request, game_id)))

    @describe(
        "games_suspend",
        "Suspend a running game and its clocks (auditors and those who rule on its tournament; no participants)",
        scope=(Scope.ORGANIZE, Scope.AUDITOR),
        request=SuspensionInput,
        response=SuspensionOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        suspensions.require_may_suspend(me(request), game_id)
        given = checked(SuspensionInput, request)
        made = suspensions.suspend(game_id, by=me(request), now=timezone.now(), **given)
        headers = {"Location": reverse("game-suspension", args=[game_id])}
        shown = document(made)
        # An organizer must not learn how far other games with a running deal have come.
        if not access.visible_games(request.user).filter(pk=game_id).exists():
            shown = {**shown, "version": None}
        return Response(shown, status.HTTP_201_CREATED, headers=headers)


class Resumption(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_resume",
        "Resume a suspended game and its clocks (as for suspending)",
        scope=(Scope.ORGANIZE, Scope.AUDITOR),
        request=SuspensionInput,
        response=ResumedOutput,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        suspensions.require_may_suspend(me(request), game_id)
        given = checked(SuspensionInput, request)
        game = suspensions.resume(game_id, by=me(request), now=timezone.now(), **given)
        resumed: ResumedOutput = {"game": str(game.pk)}
        return Response(resumed)


def suspensions_of(game: GameRecord) -> list[SuspensionOutput]:
    """Return the suspensions of a game, latest first."""
    return [document(one) for one in game.suspensions.order_by("-since", "-pk")]


def document(one: models.Suspension) -> SuspensionOutput:
    return {
        "game": str(one.game_id),
        "version": one.version,
        "since": format_at(one.since),
        "by": uuid_text(one.by_id),
        "reason": one.reason,
        "lifted_at": exact_moment(one.lifted_at),
        "lifted": one.lifted or None,
        "lifted_by": uuid_text(one.lifted_by_id),
        "lifted_reason": one.lifted_reason or None,
    }
