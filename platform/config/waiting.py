"""What waits for a player, as one document: games in which they are to act, open challenges, and check-ins, and the
number of unread notifications.

The event stream of the same address (`config.streams.waiting`) sends it and its changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, NamedTuple, TypedDict
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api import me
from games import waiting as games
from games.challenges.api import ChallengeOutput
from games.challenges.api import documents as challenge_documents
from games.challenges.services import open_challenges
from games.models import Challenge
from games.waiting import RunningGame, WaitingGameOutput
from notifications.services import MOST_UNREAD, unread_of
from rest.pagination import query
from rest.schema import describe
from rest.scopes import Scope
from tournaments import waiting as tournaments
from tournaments.waiting import WaitingTournamentOutput


class WaitingOutput(TypedDict):
    games: list[WaitingGameOutput]
    challenges: list[ChallengeOutput]
    tournaments: list[WaitingTournamentOutput]
    more: Annotated[bool, "whether the player is in more running games than are looked at, the oldest first"]
    unread: Annotated[int, f"unread notifications; {MOST_UNREAD} means so many or more"]


class Waiting(NamedTuple):
    """What may wait for a player. The document is built only if this differs from the last time."""

    player: UUID
    running: list[RunningGame]
    challenges: list[Challenge]
    check_ins: list[WaitingTournamentOutput]
    unread: int

    def mark(self) -> object:
        asked = [
            (one.pk, [answer.accepted_at for answer in one.invitations.all()]) for one in self.challenges
        ]
        return games.mark(self.running), asked, self.check_ins, self.unread

    def document(self) -> WaitingOutput:
        return {
            "games": games.waiting_games(self.running[: games.MOST]),
            "challenges": challenge_documents(self.challenges, self.player),
            "tournaments": self.check_ins,
            "more": len(self.running) > games.MOST,
            "unread": self.unread,
        }


def waiting(players: Collection[UUID], *, now: datetime) -> Mapping[UUID, Waiting]:
    """Read what may wait for the players. The number of statements does not depend on what they have played."""
    running, check_ins = games.running_games(players), tournaments.open_check_ins(players, now=now)
    challenges, unread = open_challenges(players), unread_of(players)
    return {
        player: Waiting(player, running[player], challenges[player], check_ins[player], unread[player])
        for player in players
    }


class WaitingView(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "players_me_waiting",
        "What waits for the caller: moves, challenges, check-ins, and unread notifications; also as an event stream",
        scope=Scope.READ,
        response=WaitingOutput,
        parameters=[
            OpenApiParameter(
                "Last-Event-ID",
                str,
                location="header",
                description="Of the stream (`Accept: text/event-stream`): the id of the last message received.",
            )
        ],
    )
    def get(self, request: Request) -> Response:
        query(request)
        player = me(request).pk
        return Response(waiting([player], now=timezone.now())[player].document())
