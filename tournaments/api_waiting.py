"""REST of the waiting list of a tournament. One gets into it by entering while all places are taken."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from tournaments import access, selectors, waiting
from tournaments.serializers import NothingInput, OwnWaitingOutput


class WaiterOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField(help_text="in line, from 1")
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    since = serializers.DateTimeField()
    checked_in = serializers.BooleanField()


class WaitingLineOutput(serializers.Serializer[Any]):
    results = WaiterOutput(many=True)


class Line(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournament_waiting_list", "Who waits for a place, in their order", response=WaitingLineOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": selectors.line_documents(tournament, request.user)})

    @describe("tournament_waiting_leave", "Wait for a place no longer", status=204)
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        waiting.leave(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class WaitingCheckIn(APIView):
    @describe(
        "tournament_waiting_check_in",
        "Say that one is there while waiting, to take the place of somebody who is not",
        request=NothingInput,
        response=OwnWaitingOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        checked(NothingInput, request)
        waits = waiting.is_there(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(waiting.document(waits))
