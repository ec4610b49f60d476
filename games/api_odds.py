"""REST of the odds of a race."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.query import query
from api.schema import describe
from games.api import INVITE, visible_game
from games.rules.cards import SUITS
from games.selectors_odds import odds_of


class FairReturnOutput(serializers.Serializer[Any]):
    """What a unit must bring, the unit included, for neither side to gain; null where the suit cannot win."""

    lose = serializers.CharField(allow_null=True, help_text="where a race without a winner loses the bet")
    refund = serializers.CharField(allow_null=True, help_text="where it gives the bet back")


class SuitOddsOutput(serializers.Serializer[Any]):
    p = serializers.CharField(help_text="the exact chance, as n/d")
    fair_return = FairReturnOutput()


class SuitsOddsOutput(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {suit: SuitOddsOutput() for suit in SUITS}


class OddsOutput(serializers.Serializer[Any]):
    suits = SuitsOddsOutput()
    no_winner = serializers.CharField(help_text="the exact chance of a race without a winner, as n/d")
    version = serializers.IntegerField(help_text="of the game that the odds are of")


class RaceOdds(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_odds",
        "The exact chances of a race as it stands, and what a unit on each suit must bring to be fair",
        response=OddsOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "invite")
        shown = odds_of(visible_game(request, game_id, **wanted))
        return Response(shown, headers={"ETag": f'"{shown["version"]}"'})
