"""REST endpoints of ratings."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypedDict
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import NameShown, name_for
from accounts.roles import sees_all_names
from rest.documents import Uuid
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope
from tournaments import access, models
from tournaments import ratings as selectors
from tournaments.access import Viewer
from tournaments.formats.scoring import ratings

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class BeliefOutput(TypedDict):
    rating: Annotated[int, "mu - 3 sigma in whole points: the conservative estimate"]
    mu: Annotated[int, "thousandths of a point"]
    sigma: Annotated[int, "its uncertainty, in thousandths of a point"]


def _belief(mu: int, sigma: int) -> BeliefOutput:
    return {"rating": ratings.Rating(mu, sigma).points, "mu": mu, "sigma": sigma}


class Rating(BeliefOutput):
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it"]
    rules: str
    tables: Annotated[int, "number of rated tables"]
    changed_at: datetime


class RatingsOutput(TypedDict):
    results: list[Rating]


def _rating(row: WithAnnotations[models.Rating, selectors.Named], viewer: Viewer) -> Rating:
    """Return a rating. A player who has entered a tournament anonymously is named to themselves and to staff only."""
    shown = NameShown.ANONYMOUS if row.anonymous else NameShown.MEMBERS
    return {
        "player": str(row.player_id),
        "name": name_for(viewer, row.player, shown, sees_all=sees_all_names(viewer)),
        "rules": row.rules,
        **_belief(row.mu, row.sigma),
        "tables": row.tables,
        "changed_at": row.changed_at,
    }


class RatingChange(TypedDict):
    number: Annotated[int, "of the player's rated tables of this game, from 1"]
    tournament: Uuid
    round: int
    table: int
    version: Annotated[int, "the tournament's event `round-closed`"]
    place: Annotated[int, "the place among the people at the table"]
    before: BeliefOutput
    after: BeliefOutput
    at: datetime


def _change(change: models.RatingChange) -> RatingChange:
    return {
        "number": change.number,
        "tournament": str(change.tournament_id),
        "round": change.round,
        "table": change.table,
        "version": change.version,
        "place": change.place,
        "before": _belief(change.mu_before, change.sigma_before),
        "after": _belief(change.mu, change.sigma),
        "at": change.at,
    }


class TournamentRatingChange(TypedDict):
    player: Uuid
    tables: Annotated[int, "number of rated tables in this tournament"]
    before: Annotated[BeliefOutput, "the first of them"]
    after: Annotated[BeliefOutput, "the last so far"]


class TournamentRatingChangesOutput(TypedDict):
    results: list[TournamentRatingChange]


def _moved(first: models.RatingChange, last: models.RatingChange) -> TournamentRatingChange:
    return {
        "player": str(first.player_id),
        "tables": last.number - first.number + 1,
        "before": _belief(first.mu_before, first.sigma_before),
        "after": _belief(last.mu, last.sigma),
    }


class Ratings(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-worth", "id")

    @describe(
        "ratings_list",
        "List the ratings of a game, best first",
        scope=Scope.READ,
        response=list[Rating],
        parameters=[
            OpenApiParameter("rules", OpenApiTypes.STR, required=True),
        ],
    )
    def get(self, request: Request) -> Response:
        found = selectors.best_first(query(request, "rules", *PAGE).get("rules", ""))
        return self.page(found, lambda row: _rating(row, request.user))


class TournamentRatings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_ratings",
        "List the rating changes of a tournament; empty if it is unrated",
        scope=Scope.READ,
        response=TournamentRatingChangesOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        moved = selectors.first_and_last(access.visible(request.user, tournament_id))
        return Response({"results": [_moved(first, last) for first, last in moved]})


class PlayerRatings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("player_ratings", "Get a player's ratings by game", scope=Scope.READ, response=RatingsOutput)
    def get(self, request: Request, player_id: UUID) -> Response:
        query(request)
        rows = selectors.of_player(player_id)
        return Response({"results": [_rating(row, request.user) for row in rows]})


class PlayerRatingChanges(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-number",)

    @describe(
        "player_rating_changes",
        "List the changes of a player's rating, newest first",
        scope=Scope.READ,
        response=list[RatingChange],
        filters=False,
    )
    def get(self, request: Request, player_id: UUID, rules: str) -> Response:
        query(request, *PAGE)
        return self.page(selectors.changes(player_id, rules), _change)
