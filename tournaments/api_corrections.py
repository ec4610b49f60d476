"""REST of results that are corrected: what it would change, doing it, and what was corrected."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from tournaments import access, corrections, selectors_corrections
from tournaments.corrections import Asked, Evidence
from tournaments.formats.corrections import Game, Way, way
from tournaments.problems import NotAtTable
from tournaments.serializers_corrections import (
    CorrectionInput,
    CorrectionsOutput,
    PreviewInput,
    PreviewOutput,
)


class Corrections(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_corrections_list", "What was corrected, by whom and why", response=CorrectionsOutput
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": selectors_corrections.made(tournament)})

    @describe(
        "tournament_corrections_create",
        "Correct a result as a preview has shown it (organizer, judges)",
        request=CorrectionInput,
        response=PreviewOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.ruled(request.user, tournament_id)
        given = checked(CorrectionInput, request)
        done = corrections.correct(
            tournament_id=tournament_id,
            asked=_asked(given),
            token=given["token"],
            actor=me(request),
            now=timezone.now(),
        )
        return Response(selectors_corrections.previewed(done), status=201)


class CorrectionPreview(APIView):
    @describe(
        "tournament_corrections_preview",
        "What a correction would change; nothing is done (organizer, judges)",
        request=PreviewInput,
        response=PreviewOutput,
        idempotency=False,
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.ruled(request.user, tournament_id)
        shown = corrections.preview(
            tournament_id=tournament_id,
            asked=_asked(checked(PreviewInput, request)),
            actor=me(request),
            now=timezone.now(),
        )
        return Response(selectors_corrections.previewed(shown))


def _asked(given: dict[str, Any]) -> Asked:
    evidence = given["evidence"]
    return Asked(
        game=Game(given["round"], given["table"], given["number"]),
        way=_way(given),
        reason=given["reason"],
        evidence=None if evidence is None else Evidence(evidence["version"], evidence["hash"]),
    )


def _way(given: dict[str, Any]) -> Way:
    scores = {row["entry"]: tuple(row["score"]) for row in given["scores"]}
    if len(scores) != len(given["scores"]):
        raise NotAtTable("Each is named once.")
    return way(given["way"], scores=scores, entries=given["entries"])
