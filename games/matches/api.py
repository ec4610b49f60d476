"""REST views of matches, and their documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput
from eventstore.chain import format_at
from games import access, models, rules
from games.access import Viewer
from games.api import CLIENT_TIME, INVITE, flag, me
from games.matches import services as matches
from games.matches.services import LONGEST_PAUSE, MOST_DEALS, PAUSE, SHORTEST_PAUSE
from games.models import GameRecord, MatchStatus, Seat, Status
from games.money import buy_ins
from games.money.buy_ins import PotOutput
from games.rules import match_rules
from games.selectors import GameStatus, SeatOutput, exact_moment, seat_document
from games.serializers import TableInput
from ledger.selectors import stake_table as find_stake_table
from rest import conditional
from rest.documents import Moment, Object, Uuid, one_of
from rest.fields import StrictIntegerField, checked
from rest.idempotency import idempotent, recorded_command
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope


class MatchInput(TableInput):
    deals = StrictIntegerField(min=1, max=MOST_DEALS)
    pause = StrictIntegerField(min=SHORTEST_PAUSE, max=LONGEST_PAUSE, required=False, default=PAUSE)


class MatchLineOutput(TypedDict):
    id: Uuid
    rules: str
    config: Object
    deals: int
    played: int
    status: Annotated[str, one_of(MatchStatus)]
    seats: list[SeatOutput]
    game: Uuid
    private: bool
    pause: int
    move_limit: int | None
    game_limit: int | None
    stake_table: str | None
    buy_in: Annotated[int | None, "pence that each seat pays at the first deal for all of them"]
    created_at: Moment
    ended_at: Moment | None


def line(match: models.Match, viewer: Viewer) -> MatchLineOutput:
    """Return a line of the list. `match.games`, with their seats' players, should be prefetched."""
    games = _in_order(match)
    return {
        "id": str(match.pk),
        "rules": match.rules,
        "config": match.config,
        "deals": match.deals,
        "played": sum(game.status == Status.FINISHED for game in games),
        "status": match.status,
        "seats": _seats(match, games, viewer),
        "game": str(games[-1].pk),
        "private": match.private,
        "pause": match.pause,
        "move_limit": match.move_limit,
        "game_limit": match.game_limit,
        "stake_table": match.stake_table.slug if match.stake_table else None,
        "buy_in": match.buy_in or None,
        "created_at": format_at(match.created_at),
        "ended_at": exact_moment(match.ended_at),
    }


class MatchGameOutput(TypedDict):
    number: int
    game: Uuid
    status: GameStatus
    outcome: Object | None


class MatchStandingOutput(TypedDict):
    seat: int
    place: int
    wins: int
    cards: int


class MatchOutput(MatchLineOutput):
    invite: str | None
    games: list[MatchGameOutput]
    standings: list[MatchStandingOutput]
    pot: PotOutput | None


def document(match: models.Match, viewer: Viewer) -> MatchOutput:
    """Return the match with its deals and the standings after the finished ones."""
    games = _in_order(match)
    shown = line(match, viewer)
    outcomes = [game.outcome for game in games if game.outcome is not None]
    standings = match_rules(match.rules).standings(outcomes, match.seats)
    return {
        **shown,
        "invite": (match.invite or None) if _is_own(match, shown["seats"], viewer) else None,
        "games": [
            {
                "number": game.match_number,
                "game": str(game.pk),
                "status": game.status,
                "outcome": game.outcome,
            }
            for game in games
            if game.match_number is not None
        ],
        "standings": [standing._asdict() for standing in standings],
        "pot": buy_ins.document(match, {seating.seat: seating for seating in games[0].seatings.all()}),
    }


def _in_order(match: models.Match) -> list[GameRecord]:
    return sorted(match.games.all(), key=lambda game: game.match_number or 0)


def _seats(match: models.Match, games: Sequence[GameRecord], viewer: Viewer) -> list[SeatOutput]:
    """Who plays: those who sat at the first deal keep their seats."""
    taken: dict[int, Seat] = {seating.seat: seating for seating in games[0].seatings.all()}
    return [seat_document(seat, taken.get(seat), viewer) for seat in range(match.seats)]


def _is_own(match: models.Match, seats: Sequence[SeatOutput], viewer: Viewer) -> bool:
    if not isinstance(viewer, Player):
        return False
    return match.creator_id == viewer.pk or any(seat["player"] == str(viewer.pk) for seat in seats)


class Matches(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-created_at", "-id")

    @describe(
        "matches_list",
        "Matches that the caller may see, newest first",
        scope=Scope.READ,
        response=list[MatchLineOutput],
        parameters=[
            OpenApiParameter("status", str, enum=MatchStatus.values),
            OpenApiParameter("mine", bool, description="Only matches in which the caller plays."),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "status", "mine", *PAGE)
        found = access.visible_matches(request.user)
        if "status" in wanted:
            if wanted["status"] not in MatchStatus.values:
                raise InvalidInput(f"status: one of {', '.join(MatchStatus.values)}.")
            found = found.filter(status=wanted["status"])
        if flag(wanted.get("mine"), "mine"):
            found = found.filter(pk__in=_played_by(request))
        found = found.select_related("stake_table").prefetch_related("games__seatings__player__owner")
        return self.page(found, lambda match: line(match, request.user))

    @describe(
        "matches_create",
        "Open a match and the table of its first deal",
        scope=Scope.PLAY,
        request=MatchInput,
        response=MatchOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        match = _open(me(request), command=recorded_command(request), **checked(MatchInput, request))
        shown = document(match, request.user)
        return Response(
            shown, status=status.HTTP_201_CREATED, headers={"Location": reverse("match", args=[match.pk])}
        )


def _played_by(request: Request) -> Any:
    if not request.user.is_authenticated:
        return []
    return Seat.objects.filter(player=request.user, game__match__isnull=False).values("game__match")


def _open(player: Player, *, seats: int | None = None, **wanted: Any) -> models.Match:
    table = wanted.pop("stake_table")
    return matches.open_match(
        stake_table=None if table is None else find_stake_table(table),
        creator=player,
        seats=min(rules.get(wanted["rules"]).seats) if seats is None else seats,
        most_open=settings.OPEN_TABLES_PER_PLAYER,
        now=timezone.now(),
        **wanted,
    )


class Match(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "matches_read",
        "A match with its deals and standings",
        scope=Scope.READ,
        response=MatchOutput,
        also=conditional.NOT_MODIFIED,
        parameters=[INVITE, conditional.IF_NONE_MATCH],
    )
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        wanted = query(request, "invite")
        match = access.visible_match(request.user, match_id, **wanted)
        return conditional.document(request, document(match, request.user))
