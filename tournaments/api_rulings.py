"""REST of what organizers and judges rule."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from tournaments import access, rulings, selectors
from tournaments.serializers import EntryOutput, ReasonInput


class Disqualify(APIView):
    @describe(
        "tournament_entries_disqualify",
        "Take an entrant out: before the start with the fee back, afterwards without a prize (organizer, judges)",
        request=ReasonInput,
        response=EntryOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID, entry: int) -> Response:
        access.ruled(request.user, tournament_id)
        given = checked(ReasonInput, request)
        ruled = rulings.disqualify(
            tournament_id=tournament_id,
            number=entry,
            actor=me(request),
            reason=given["reason"],
            now=timezone.now(),
        )
        return Response(selectors.entry_document(ruled, request.user))
