"""REST endpoints of manual pairings and pairing constraints."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.api import me
from games.serializers import MOST_SEATS
from ledger.callers import command_key
from rest.fields import (
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import AlreadyDone, perform, resource_key
from tournaments import access
from tournaments.actions.manual_pairing import AddConstraint, DropPairing, PairManually, ReleaseConstraint
from tournaments.api.serializers import ReasonInput
from tournaments.formats.constraints import APART, TOGETHER
from tournaments.models import MOST_ENTRANTS, MOST_ROUNDS
from tournaments.rounds import manual_pairing
from tournaments.rounds.manual_pairing import ManualPairingPreview, PairingConstraintsOutput


def _entries(most: int, **more: Any) -> StrictListField:
    return StrictListField(child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS), max_length=most, **more)


class ManualPairingInput(StrictSerializer):
    tables = StrictListField(
        child=_entries(MOST_SEATS), max_length=MOST_ENTRANTS, help_text="entries of each table, from seat 0"
    )
    byes = _entries(MOST_ENTRANTS, help_text="entries with a bye")


class RecordedManualPairingInput(ManualPairingInput):
    token = StrictTextField(max_length=64, help_text="the token of this pairing's preview")
    reason = StrictTextField(max_length=200, help_text="recorded in the events, which are public")


class PreviewPairing(APIView):
    @describe(
        "tournament_pairing_preview",
        "Preview a manual pairing of the next round, compared with the engine's (organizer)",
        scope=Scope.ORGANIZE,
        request=ManualPairingInput,
        response=ManualPairingPreview,
    )
    def post(self, request: Request, tournament_id: UUID, number: int) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(ManualPairingInput, request)
        seen = manual_pairing.preview(tournament_id=tournament_id, number=number, actor=me(request), **given)
        return Response(seen.document())


class Pairing(APIView):
    @describe(
        "tournament_pairing_set",
        "Record a manual pairing of the next round, as previewed (organizer)",
        scope=Scope.ORGANIZE,
        request=RecordedManualPairingInput,
        response=ManualPairingPreview,
    )
    def put(self, request: Request, tournament_id: UUID, number: int) -> Response:
        action = PairManually.open(me(request), tournament_id, number=number)
        given = checked(RecordedManualPairingInput, request)
        try:
            recorded, _ = perform(action, given, key=resource_key(action, action.row.subject, given))
        except AlreadyDone:
            recorded = manual_pairing.preview(**action.pairing(given))
        return Response(recorded.document())

    @describe(
        "tournament_pairing_delete",
        "Drop a manual pairing, so that the engine pairs the round (organizer)",
        scope=Scope.ORGANIZE,
        status=204,
    )
    def delete(self, request: Request, tournament_id: UUID, number: int) -> Response:
        action = DropPairing.open(me(request), tournament_id, number=number)
        with suppress(AlreadyDone):
            perform(action, {}, key=resource_key(action, action.row.subject, {"round": number}))
        return Response(status=status.HTTP_204_NO_CONTENT)


# --- pairing constraints -----------------------------------------------------------------------------


class PairingConstraintInput(ReasonInput):
    constraint = StrictChoiceField(choices=[APART, TOGETHER])
    entries = StrictListField(
        child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS), min_length=2, max_length=2
    )
    reason = StrictTextField(max_length=200, help_text="recorded in the events, which are public")


class NewPairingConstraintInput(PairingConstraintInput):
    first = StrictIntegerField(
        min=1,
        max=MOST_ROUNDS,
        required=False,
        help_text="for `apart`: the first round of the constraint; by default the next that is paired",
    )


def _shown(request: Request, tournament_id: UUID, *, status: int = status.HTTP_200_OK) -> Response:
    tournament = access.visible(request.user, tournament_id)
    return Response({"results": manual_pairing.constraints_in(tournament)}, status=status)


class Pairs(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_pairs_list",
        "List the pairing constraints",
        scope=Scope.READ,
        response=PairingConstraintsOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        return _shown(request, tournament_id)

    @describe(
        "tournament_pairs_create",
        "Keep two entrants apart, or make them meet in the next round (organizer)",
        scope=Scope.ORGANIZE,
        request=NewPairingConstraintInput,
        response=PairingConstraintsOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        action = AddConstraint.open(me(request), tournament_id)
        given = checked(NewPairingConstraintInput, request)
        if given["constraint"] == TOGETHER and "first" in given:
            raise serializers.ValidationError(
                {"first": ["A required meeting applies to the next round that is paired."]}
            )
        perform(action, given, key=command_key(request))
        return _shown(request, tournament_id, status=status.HTTP_201_CREATED)


class ReleasePair(APIView):
    @describe(
        "tournament_pairs_release",
        "Release a pair from a constraint for future rounds (organizer)",
        scope=Scope.ORGANIZE,
        request=PairingConstraintInput,
        response=PairingConstraintsOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        action = ReleaseConstraint.open(me(request), tournament_id)
        perform(action, checked(PairingConstraintInput, request), key=command_key(request))
        return _shown(request, tournament_id)
