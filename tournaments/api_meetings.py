"""REST of a meeting: its card, and one's own bank. Bets are made in the races' markets, as all bets are."""

from __future__ import annotations

from uuid import UUID

from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from api.schema import describe
from tournaments import access, meetings
from tournaments.serializers import MeetingOutput


class MeetingView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_meeting",
        "A meeting's races with their markets, and what the caller has to bet with",
        response=MeetingOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        player = request.user.pk if isinstance(request.user, Player) else None
        return Response(meetings.document(tournament, player))
