"""REST views of tables: the rules, the lobby, opening, sitting down, and starting."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import AllowAny, IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput, NotFound
from games import access, rules, selectors, services
from games.access import GameTable
from games.api import (
    CLIENT_TIME,
    INVITE,
    flag,
    me,
    visible_game,
)
from games.challenges.records import is_challenged
from games.errors import ChallengeTable, TournamentTable
from games.matches import services as matches
from games.models import GameQuerySet, GameRecord, Status
from games.rules import results
from games.selectors import GameLineOutput, GameOutput, RulesOutput
from games.serializers import (
    GameInput,
    GameStartInput,
    PairingInput,
    RematchInput,
    SeatedBotInput,
    SeatInput,
)
from games.tables import mine
from games.tables.joining import JoinCheck
from games.tables.mine import Wanted
from games.tables.rematch import rematch
from ledger.errors import UnknownSession
from ledger.models import PlaySession
from ledger.selectors import stake_table as find_stake_table
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, conditional, digest, document
from rest.fast_path import ApiRequest, FastPathView
from rest.fields import checked
from rest.idempotency import idempotent, recorded_command, unnamed_command
from rest.pagination import PAGE, PagedView, choice, query
from rest.schema import describe
from rest.scopes import Scope
from rest.throttles import PairingThrottle, RequestThrottle

FILTERS = ("rules", "status", "mine", "free", "stake", "tournament", "result")


def game_response(
    game: GameRecord, request: ApiRequest, code: int = status.HTTP_200_OK, **known: Any
) -> Response:
    """Return the response with the game; `known` as in `selectors.envelope`."""
    shown = selectors.envelope(game, request.user, now=timezone.now(), **known)
    headers = {"ETag": f'"{shown["version"]}"'}
    if code == status.HTTP_201_CREATED:
        headers["Location"] = reverse("game", args=[game.pk])
    return Response(shown, status=code, headers=headers)


class Rules(APIView):
    permission_classes = [AllowAny]

    @describe(
        "rules_list",
        "The games: seats, configs, moves, rulings, options, refusals, bots",
        scope=Scope.READ,
        response=list[RulesOutput],
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request) -> HttpResponse:
        return document(request, selectors.catalogue())


class Games(FastPathView, PagedView):
    acts_on_claims = True
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-created_at", "-id")

    @describe(
        "games_list",
        "Games that the caller may see, newest first",
        scope=Scope.READ,
        response=list[GameLineOutput],
        parameters=[
            OpenApiParameter("rules", str),
            OpenApiParameter("status", str, enum=Status.values),
            OpenApiParameter("mine", bool, description="Only games in which the caller sits."),
            OpenApiParameter("free", bool, description="Only tables with a free seat."),
            OpenApiParameter(
                "stake",
                str,
                enum=["points", "money"],
                description="Only games for nothing but points, or only those with a stake or a buy-in.",
            ),
            OpenApiParameter(
                "you",
                bool,
                description="Say of each game what the caller could do there: `you` is null otherwise.",
            ),
            OpenApiParameter("tournament", UUID),
            OpenApiParameter(
                "result",
                str,
                enum=results.NAMES,
                description="With `mine`: only games with this result for the caller. Pages can be short or empty "
                "although `next` continues.",
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, *FILTERS, "you", *PAGE)
        join_check = None
        if flag(wanted.get("you"), "you") and request.user.is_authenticated:
            join_check = JoinCheck(me(request), now=timezone.now())
        filters = _filters(wanted)
        if not flag(wanted.get("mine"), "mine"):
            if filters.result is not None:
                raise InvalidInput("result: only with mine=true.")
            games = _visible(request, filters)
            return self.page_with(games, lambda page: selectors.summaries(page, request.user, join_check))
        player = me(request) if request.user.is_authenticated else None
        pages = self.pagination_class()
        page = pages.paginate_after(
            lambda last, most: mine.page(player.pk, filters, last, most) if player else [],
            GameRecord,
            self.ordering,
            request,
        )
        own = mine.documents(page, player.pk) if player else {}
        return pages.get_paginated_response(selectors.summaries(page, request.user, join_check, own))

    @describe(
        "games_create",
        "Open a table",
        scope=Scope.PLAY,
        request=GameInput,
        response=GameOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        given = checked(GameInput, request)
        game = _open(me(request), command=recorded_command(request), **given)
        read = None if given["bots"] else GameTable(game)
        return game_response(game, request, status.HTTP_201_CREATED, read=read, may_play=True)


def _filters(wanted: dict[str, str]) -> Wanted:
    """Raises InvalidInput, and UnknownGame for `rules`."""
    tournament = None
    if "tournament" in wanted:
        try:
            tournament = UUID(wanted["tournament"])
        except ValueError:
            raise InvalidInput("tournament: an id is needed.") from None
    return Wanted(
        rules=rules.get(wanted["rules"]).slug if "rules" in wanted else None,
        status=choice(wanted, "status", Status.values),
        result=choice(wanted, "result", results.NAMES),
        stake=choice(wanted, "stake", mine.STAKES),
        tournament=tournament,
        free=flag(wanted.get("free"), "free"),
    )


def _visible(request: Request, wanted: Wanted) -> GameQuerySet:
    games = access.visible_games(request.user)
    if wanted.rules is not None:
        games = games.filter(rules=wanted.rules)
    if wanted.status is not None:
        games = games.filter(status=wanted.status)
    if wanted.free:
        games = games.with_free_seats()
    if wanted.stake is not None:
        games = games.for_points() if wanted.stake == "points" else games.for_money()
    if wanted.tournament is not None:
        games = games.filter(tournament=wanted.tournament)
    return games.select_related("stake_table").prefetch_related("seatings__player__owner")


def _open(player: Player, *, seats: int | None = None, **wanted: Any) -> GameRecord:
    session, table = wanted.pop("play_session"), wanted.pop("stake_table")
    return services.create_game(
        creator=player,
        seats=min(rules.get(wanted["rules"]).seats) if seats is None else seats,
        play_session=None if session is None else _own_session(player, session),
        stake_table=None if table is None else find_stake_table(table),
        most_open=settings.OPEN_TABLES_PER_PLAYER,
        now=timezone.now(),
        **wanted,
    )


class QuickPairing(APIView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [RequestThrottle, PairingThrottle]

    @describe(
        "games_pair",
        "Join a public table on the same terms, or open one; the last player to sit down starts the game",
        scope=Scope.PLAY,
        request=PairingInput,
        response=GameOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given, asked = checked(PairingInput, request), recorded_command(request)
        table = given.pop("stake_table")
        game = services.pair(
            player=me(request),
            stake_table=None if table is None else find_stake_table(table),
            most_open=settings.OPEN_TABLES_PER_PLAYER,
            command=asked,
            now=timezone.now(),
            **given,
        )
        return game_response(game, request, status.HTTP_201_CREATED)


def _own_session(player: Player, session: UUID) -> PlaySession:
    found = PlaySession.objects.filter(pk=session, player=player.pk).first()
    if found is None:
        raise UnknownSession
    return found


class Game(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_read",
        "A game with the caller's view and legal moves",
        scope=Scope.READ,
        response=GameOutput,
        also=NOT_MODIFIED,
        parameters=[INVITE, IF_NONE_MATCH],
    )
    def get(self, request: Request, game_id: UUID) -> HttpResponseBase:
        invite = query(request, "invite").get("invite", "")
        read = access.visible_table(request.user, game_id, invite=invite, now=timezone.now())
        response = game_response(read.game, request, invite=invite, read=read)
        if not read.game.ended:
            return response
        # No move can be made any more, so the tag need not be the version. It leaves out the server's time.
        shown = {name: value for name, value in response.data.items() if name != "clock"}
        tag = digest(orjson.dumps(shown, default=str))
        return conditional(request, tag, lambda: orjson.dumps(response.data, default=str), weak=True)


class Seats(FastPathView):
    acts_on_claims = True
    permission_classes = [IsAuthenticated]

    @describe(
        "seats_take",
        "Take a seat and contribute a client seed to the deal",
        scope=Scope.PLAY,
        request=SeatInput,
        response=GameOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: ApiRequest, game_id: UUID) -> Response:
        given = checked(SeatInput, request)
        invite = given.pop("invite")
        asked, now = recorded_command(request), timezone.now()
        table = access.locked_table(request.user, game_id, invite=invite, now=now)
        game = table.game
        _require_own_table(game)
        _require_invited(game, me(request), invite)
        player = table.viewer or me(request)
        taken = services.take_seat(game=game, player=player, head=table.head, command=asked, now=now, **given)
        matches.deal_when_seated(game=game, now=timezone.now())
        seatings = {**table.seatings, taken.seat: taken}
        return game_response(
            game, request, status.HTTP_201_CREATED, read=table._replace(head=None, seatings=seatings)
        )


class OwnSeat(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "seats_leave", "Leave a seat before the deal", scope=Scope.PLAY, status=204, parameters=[CLIENT_TIME]
    )
    def delete(self, request: Request, game_id: UUID) -> Response:
        game = visible_game(request, game_id)
        _require_own_table(game)
        asked = unnamed_command(request)
        services.leave_seat(game=game, player=me(request), command=asked, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class Bots(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "seats_add_bot",
        "Seat a bot in the lowest free seat (who opened the table, and its players)",
        scope=Scope.PLAY,
        request=SeatedBotInput,
        response=GameOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        given, asked = checked(SeatedBotInput, request), recorded_command(request)
        game = visible_game(request, game_id)
        _require_own_table(game)
        services.add_bot(game=game, actor=me(request), command=asked, now=timezone.now(), **given)
        return game_response(game, request, status.HTTP_201_CREATED)


class Start(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_start",
        "Make the deal when every seat is taken, at once or after a countdown, and take the stake; a race with a "
        "market makes its first draw",
        scope=Scope.PLAY,
        request=GameStartInput,
        response=GameOutput,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        seconds = checked(GameStartInput, request)["countdown"]
        game = visible_game(request, game_id)
        _require_own_table(game)
        actor, asked, now = me(request), recorded_command(request), timezone.now()
        # No player can make a countdown shorter for the others.
        if seconds or (game.starts_at is not None and game.starts_at > now):
            game = services.count_down(game=game, actor=actor, seconds=seconds, now=now)
        elif game.starts_at is not None and not game.ended:
            services.deal_after_countdown(game_id=game.pk, actor=actor, command=asked, now=now)
            game.refresh_from_db()
        else:
            game = services.start_game(game=game, actor=actor, command=asked, now=now)
        return game_response(game, request)


class Rematch(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "games_rematch",
        "Take a seat at the rematch of a finished game; the first player to ask opens its table",
        scope=Scope.PLAY,
        request=RematchInput,
        response=GameOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        given = checked(RematchInput, request)
        ended = visible_game(request, game_id)
        asked = recorded_command(request)
        table = rematch(ended=ended, player=me(request), command=asked, now=timezone.now(), **given)
        return game_response(table, request, status.HTTP_201_CREATED, may_play=True)


def _require_invited(game: GameRecord, player: Player, invite: str) -> None:
    """Raise NotFound unless the player is invited: an auditor who sees a private table may not join it."""
    if game.private and invite != game.invite and not access.is_expected(game, player):
        raise NotFound


def _require_own_table(game: GameRecord) -> None:
    """Raises TournamentTable, ChallengeTable."""
    if game.tournament is not None:
        raise TournamentTable
    if game.private and is_challenged(game.pk):
        raise ChallengeTable
