"""REST endpoints of corrections."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from eventstore.chain import LARGEST_INTEGER
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
from staff.actions import perform
from tournaments import access
from tournaments.actions.corrections import CorrectResult
from tournaments.corrections import services as corrections
from tournaments.corrections.services import (
    CorrectionRequest,
    Evidence,
    TournamentCorrectionPreview,
    TournamentCorrections,
)
from tournaments.errors import NotAtTable
from tournaments.formats.corrections import Game, Way, way
from tournaments.models import MOST_ENTRANTS, MOST_GAMES, MOST_ROUNDS

WAYS = ("score", "void", "forfeit", "swap")
"""Ways to correct a result: new measures, void, forfeits, or two results exchanged."""
MOST_MEASURE = 10**9
MOST_MEASURES = 10


class ScoreInput(StrictSerializer):
    entry = StrictIntegerField(min=1, max=2 * MOST_ENTRANTS)
    score = StrictListField(
        child=StrictIntegerField(min=-MOST_MEASURE, max=MOST_MEASURE),
        min_length=1,
        max_length=MOST_MEASURES,
        help_text="a number for each measure of the tournament, in their order",
    )


class EvidenceInput(StrictSerializer):
    version = StrictIntegerField(min=1, max=LARGEST_INTEGER)
    hash = StrictTextField(max_length=64)


class PreviewInput(StrictSerializer):
    round = StrictIntegerField(min=1, max=MOST_ROUNDS)
    table = StrictIntegerField(min=1, max=MOST_ENTRANTS)
    number = StrictIntegerField(
        min=1,
        max=MOST_GAMES,
        required=False,
        default=1,
        help_text="the game's number at the table in the round",
    )
    way = StrictChoiceField(choices=WAYS)
    scores = StrictListField(
        child=ScoreInput(),
        max_length=MOST_SEATS,
        required=False,
        default=[],
        help_text="for `score`: the measures of every entrant at the table",
    )
    entries = StrictListField(
        child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS),
        max_length=MOST_SEATS,
        required=False,
        default=[],
        help_text="for `forfeit`: the entries that forfeited; for `swap`: the two whose results are exchanged",
    )
    reason = StrictTextField(max_length=200, help_text="recorded in the events, which are public")
    evidence = EvidenceInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="an event of the game that shows the error",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = {"score": ("scores",), "void": (), "forfeit": ("entries",), "swap": ("entries",)}[
            attrs["way"]
        ]
        for field in ("scores", "entries"):
            if bool(attrs[field]) != (field in needed):
                fault = "is needed" if field in needed else "has no meaning"
                raise serializers.ValidationError({field: [f"For this way it {fault}."]})
        return attrs


class CorrectionInput(PreviewInput):
    token = StrictTextField(max_length=100, help_text="the token of the preview")


class Corrections(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_corrections_list",
        "List the corrections of a tournament",
        scope=Scope.READ,
        response=TournamentCorrections,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": corrections.made(tournament)})

    @describe(
        "tournament_corrections_create",
        "Correct a result as previewed (organizer, judges)",
        scope=Scope.ORGANIZE,
        request=CorrectionInput,
        response=TournamentCorrectionPreview,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.ruled(request.user, tournament_id)
        given = checked(CorrectionInput, request)
        asked = _asked(given)
        action = CorrectResult(me(request), tournament)
        action.game = asked.game
        done, _ = perform(action, {**given, "asked": asked}, key=command_key(request))
        return Response(corrections.previewed(done), status=201)


class CorrectionPreview(APIView):
    @describe(
        "tournament_corrections_preview",
        "Preview the effects of a correction (organizer, judges)",
        scope=Scope.ORGANIZE,
        request=PreviewInput,
        response=TournamentCorrectionPreview,
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.ruled(request.user, tournament_id)
        shown = corrections.preview(
            tournament_id=tournament_id,
            asked=_asked(checked(PreviewInput, request)),
            actor=me(request),
            now=timezone.now(),
        )
        return Response(corrections.previewed(shown))


def _asked(given: dict[str, Any]) -> CorrectionRequest:
    evidence = given["evidence"]
    return CorrectionRequest(
        game=Game(given["round"], given["table"], given["number"]),
        way=_way(given),
        reason=given["reason"],
        evidence=None if evidence is None else Evidence(evidence["version"], evidence["hash"]),
    )


def _way(given: dict[str, Any]) -> Way:
    scores = {row["entry"]: tuple(row["score"]) for row in given["scores"]}
    if len(scores) != len(given["scores"]):
        raise NotAtTable("Name each entry once.")
    return way(given["way"], scores=scores, entries=given["entries"])
