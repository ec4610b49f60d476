"""REST of rounds that organizers lay out by hand."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictIntegerField, StrictListField, StrictSerializer, StrictTextField, checked
from api.schema import describe
from games.api import me
from games.serializers import MOST_SEATS
from tournaments import access, by_hand
from tournaments.formats.protocol import RELAXATIONS
from tournaments.models import MOST_ENTRANTS
from tournaments.serializers import RelaxedOutput


def _entries(most: int, **more: Any) -> StrictListField:
    return StrictListField(child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS), max_length=most, **more)


class LayoutInput(StrictSerializer):
    tables = StrictListField(
        child=_entries(MOST_SEATS), max_length=MOST_ENTRANTS, help_text="entries of each table, from seat 0"
    )
    byes = _entries(MOST_ENTRANTS, help_text="entries that sit out")


class RecordedLayoutInput(LayoutInput):
    token = StrictTextField(max_length=64, help_text="of the preview of this layout")
    reason = StrictTextField(max_length=200, help_text="stands in the events, which everybody may read")


class CautionOutput(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=[*RELAXATIONS, "split", "more-byes"])
    entries = serializers.ListField(child=serializers.IntegerField())
    says = serializers.CharField()


class EnginePairingOutput(serializers.Serializer[Any]):
    algorithm = serializers.CharField()
    tables = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    byes = serializers.ListField(child=serializers.IntegerField())
    relaxed = RelaxedOutput(many=True)


class ComparisonOutput(serializers.Serializer[Any]):
    alike = serializers.IntegerField(help_text="tables at which the same sit")
    only_here = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="pairs that meet here alone"
    )
    only_engine = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="pairs that would meet as the engine lays it out",
    )
    byes_only_here = serializers.ListField(child=serializers.IntegerField())
    byes_only_engine = serializers.ListField(child=serializers.IntegerField())


class LayoutPreview(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    faults = serializers.ListField(
        child=serializers.CharField(), help_text="why it cannot be played so; empty if it can"
    )
    warnings = CautionOutput(many=True)
    engine = EnginePairingOutput(allow_null=True, help_text="null: the engine finds no way")
    comparison = ComparisonOutput(allow_null=True)
    token = serializers.CharField(allow_null=True, help_text="to record it with; null where it has faults")


class PreviewPairing(APIView):
    @describe(
        "tournament_pairing_preview",
        "What laying the next round out by hand would mean, beside the engine's own (organizer)",
        request=LayoutInput,
        response=LayoutPreview,
    )
    def post(self, request: Request, tournament_id: UUID, number: int) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(LayoutInput, request)
        seen = by_hand.preview(tournament_id=tournament_id, number=number, actor=me(request), **given)
        return Response(seen.document())


class Pairing(APIView):
    @describe(
        "tournament_pairing_lay_out",
        "Lay the next round out by hand, as previewed (organizer)",
        request=RecordedLayoutInput,
        response=LayoutPreview,
    )
    def put(self, request: Request, tournament_id: UUID, number: int) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(RecordedLayoutInput, request)
        laid_out = by_hand.lay_out(
            tournament_id=tournament_id, number=number, actor=me(request), now=timezone.now(), **given
        )
        return Response(laid_out.document())

    @describe(
        "tournament_pairing_give_back",
        "Leave a round that was laid out by hand to the engine after all (organizer)",
        status=204,
    )
    def delete(self, request: Request, tournament_id: UUID, number: int) -> Response:
        access.managed(request.user, tournament_id)
        by_hand.give_back(tournament_id=tournament_id, number=number, actor=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
