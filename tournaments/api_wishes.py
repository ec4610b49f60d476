"""REST of what organizers say of pairs of entrants before a round is laid out."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictChoiceField, StrictIntegerField, StrictListField, StrictTextField, checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from tournaments import access, wishes
from tournaments.formats.wishes import APART, TOGETHER
from tournaments.models import MOST_ENTRANTS, MOST_ROUNDS
from tournaments.serializers import ReasonInput


class PairInput(ReasonInput):
    wish = StrictChoiceField(choices=[APART, TOGETHER])
    entries = StrictListField(
        child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS), min_length=2, max_length=2
    )
    reason = StrictTextField(max_length=200, help_text="stands in the events, which everybody may read")


class WishInput(PairInput):
    first = StrictIntegerField(
        min=1,
        max=MOST_ROUNDS,
        required=False,
        help_text="of `apart`: the first round it holds for; unless given the next that is laid out",
    )


class WishOutput(serializers.Serializer[Any]):
    wish = serializers.ChoiceField(choices=[APART, TOGETHER])
    entries = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    first = serializers.IntegerField(help_text="the first round it holds for")
    last = serializers.IntegerField(allow_null=True, help_text="the last one; null: until it is taken back")


class WishesOutput(serializers.Serializer[Any]):
    results = WishOutput(many=True)


def _shown(request: Request, tournament_id: UUID, *, status: int = status.HTTP_200_OK) -> Response:
    tournament = access.visible(request.user, tournament_id)
    return Response({"results": wishes.said(tournament)}, status=status)


class Pairs(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournament_pairs_list", "Who is kept apart and who must meet", response=WishesOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        return _shown(request, tournament_id)

    @describe(
        "tournament_pairs_create",
        "Keep two entrants apart, or have them meet in the next round (organizer)",
        request=WishInput,
        response=WishesOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(WishInput, request)
        said = {
            "tournament_id": tournament_id,
            "entries": given["entries"],
            "actor": me(request),
            "reason": given["reason"],
            "now": timezone.now(),
        }
        if given["wish"] == APART:
            wishes.keep_apart(first=given.get("first"), **said)
        elif "first" in given:
            raise serializers.ValidationError({"first": ["Two meet in the next round that is laid out."]})
        else:
            wishes.bring_together(**said)
        return _shown(request, tournament_id, status=status.HTTP_201_CREATED)


class ReleasePair(APIView):
    @describe(
        "tournament_pairs_release",
        "Take back what was said of two entrants, for the rounds to come (organizer)",
        request=PairInput,
        response=WishesOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(PairInput, request)
        wishes.release(
            tournament_id=tournament_id,
            what=given["wish"],
            entries=given["entries"],
            actor=me(request),
            reason=given["reason"],
            now=timezone.now(),
        )
        return _shown(request, tournament_id)
