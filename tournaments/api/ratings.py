"""REST endpoints of ratings."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_serializer
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rest.pagination import PAGE, Cursor, query
from rest.schema import describe
from tournaments import access
from tournaments import ratings as selectors


class BeliefOutput(serializers.Serializer[Any]):
    rating = serializers.IntegerField(help_text="mu - 3 sigma in whole points: the conservative estimate")
    mu = serializers.IntegerField(help_text="thousandths of a point")
    sigma = serializers.IntegerField(help_text="its uncertainty, in thousandths of a point")


@extend_schema_serializer(component_name="Rating")
class RatingOutput(BeliefOutput):
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")
    rules = serializers.CharField()
    tables = serializers.IntegerField(help_text="number of rated tables")
    changed_at = serializers.DateTimeField()


class RatingsOutput(serializers.Serializer[Any]):
    results = RatingOutput(many=True)


@extend_schema_serializer(component_name="RatingChange")
class RatingChangeOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="of the player's rated tables of this game, from 1")
    tournament = serializers.UUIDField()
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    version = serializers.IntegerField(help_text="the tournament's event `round-closed`")
    place = serializers.IntegerField(help_text="the place among the people at the table")
    before = BeliefOutput()
    after = BeliefOutput()
    at = serializers.DateTimeField()


class TournamentRatingChange(serializers.Serializer[Any]):
    player = serializers.UUIDField()
    tables = serializers.IntegerField(help_text="number of rated tables in this tournament")
    before = BeliefOutput(help_text="the first of them")
    after = BeliefOutput(help_text="the last so far")


class TournamentRatingChangesOutput(serializers.Serializer[Any]):
    results = TournamentRatingChange(many=True)


class BestFirst(Cursor):
    ordering = ("-worth", "id")


class NewestFirst(Cursor):
    ordering = ("-number",)


class Ratings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    pagination_class = BestFirst

    @describe(
        "ratings_list",
        "List the ratings of a game, best first",
        response=RatingOutput(many=True),
        parameters=[
            OpenApiParameter("rules", OpenApiTypes.STR, required=True),
            *Cursor().get_schema_operation_parameters(None),
        ],
    )
    def get(self, request: Request) -> Response:
        found = selectors.best_first(query(request, "rules", *PAGE).get("rules", ""))
        pages = BestFirst()
        page = pages.paginate_queryset(found, request, self)
        return pages.get_paginated_response([selectors.document(row, request.user) for row in page])


class TournamentRatings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_ratings",
        "List the rating changes of a tournament; empty if it is unrated",
        response=TournamentRatingChangesOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        return Response({"results": selectors.moved_in(access.visible(request.user, tournament_id))})


class PlayerRatings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("player_ratings", "Get a player's ratings by game", response=RatingsOutput)
    def get(self, request: Request, player_id: UUID) -> Response:
        query(request)
        rows = selectors.of_player(player_id)
        return Response({"results": [selectors.document(row, request.user) for row in rows]})


class PlayerRatingChanges(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    pagination_class = NewestFirst

    @describe(
        "player_rating_changes",
        "List the changes of a player's rating, newest first",
        response=RatingChangeOutput(many=True),
        parameters=Cursor().get_schema_operation_parameters(None),
        filters=False,
    )
    def get(self, request: Request, player_id: UUID, rules: str) -> Response:
        query(request, *PAGE)
        pages = NewestFirst()
        page = pages.paginate_queryset(selectors.changes(player_id, rules), request, self)
        return pages.get_paginated_response([selectors.change_document(change) for change in page])
