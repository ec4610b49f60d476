"""REST views of a running game: moves, events, replay, verification, and bundle."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from core.commands import Claim
from core.errors import InvalidInput
from eventstore import store
from games import access, early_access, selectors, services
from games.api import (
    CLIENT_TIME,
    INVITE,
    LOOK_REASON,
    flag,
    me,
    reason_of,
    visible_game,
)
from games.evidence import verification
from games.evidence.proof import BundleOutput, ProofRequest, written_bundle
from games.evidence.verification import VerificationOutput, VerificationPendingOutput
from games.models import GameRecord
from games.play.bots import hint_for
from games.selectors import EventsOutput, HintOutput, PlayedOutput, ReplayOutput
from games.serializers import MoveInput
from rest.budgets import BudgetedView
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, conditional, digest, if_match
from rest.fast_path import ApiRequest, FastPathView, json_response
from rest.idempotency import recorded_command
from rest.pagination import query, whole_number
from rest.schema import describe
from rest.scopes import Scope
from rest.throttles import HintThrottle, MoveThrottle

MOST_EVENTS = store.PAGE
LAST_VERSION = 2**53 - 1
VERIFICATION_RETRY = 3
"""Seconds after which a client requests a pending report again."""


class Moves(FastPathView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [MoveThrottle]
    acts_on_claims = True

    @describe(
        "moves_create",
        "Make a move; version and hash are the receipt",
        scope=Scope.PLAY,
        request=MoveInput,
        response=PlayedOutput,
        status=201,
        idempotency=True,
        parameters=[
            OpenApiParameter(
                "If-Match",
                str,
                OpenApiParameter.HEADER,
                description="Refuse the move (412) unless the game is at this version.",
            ),
            CLIENT_TIME,
        ],
    )
    def post(self, request: ApiRequest, game_id: UUID) -> HttpResponse:
        asked = recorded_command(request)
        played = services.play(
            game_id=game_id,
            player=me(request),
            move=_move_in(request.data),
            command=asked,
            if_match=if_match(request),
            claim=request.auth if isinstance(request.auth, Claim) else None,
            now=timezone.now(),
        )
        body: PlayedOutput = {
            "version": played.version,
            "hash": played.hash,
            "events": played.events,
            "view": played.view,
            "legal_moves": played.legal_moves,
        }
        headers = {
            "Location": f"{request.path.removesuffix('moves/')}replay/?at={played.version}",
            "ETag": f'"{played.version}"',
        }
        if played.replayed:
            headers["Idempotent-Replay"] = "true"
        return json_response(body, status.HTTP_201_CREATED, headers)


def _move_in(body: Any) -> Any:
    """Return the move in the body; the rules check its form."""
    if isinstance(body, dict) and body.keys() == {"move"}:
        return body["move"]
    wanted = MoveInput(data=body)
    wanted.is_valid(raise_exception=True)
    return wanted.validated_data["move"]


class LegalMoves(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "moves_legal",
        "The caller's legal moves",
        scope=Scope.READ,
        response={"type": "array", "items": {"type": "object"}},
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        version, moves = selectors.legal_moves(request.user, visible_game(request, game_id))
        return Response(moves, headers={"ETag": f'"{version}"'})


class Hint(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "hints"
    throttle_classes = [HintThrottle]

    @describe(
        "games_hint",
        "The move that the strongest bot would make in the caller's place",
        scope=Scope.PLAY,
        response=HintOutput,
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        found = hint_for(game=visible_game(request, game_id), player=me(request))
        shown: HintOutput = {"move": found.move, "legal": True, "version": found.version}
        return Response(shown, headers={"ETag": f'"{found.version}"'})


class Events(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "events_list",
        "The events of a game as the caller may see them; live with Accept: text/event-stream",
        scope=Scope.READ,
        response=EventsOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            INVITE,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "after", "limit", "invite")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LAST_VERSION)
        limit = whole_number(wanted.get("limit", str(MOST_EVENTS)), "limit", least=1, most=MOST_EVENTS)
        found = selectors.events_for(
            request.user, game_id, after, limit=limit, invite=wanted.get("invite", ""), now=timezone.now()
        )
        more = len(found) == limit
        page: EventsOutput = {"results": found, "next": _next(request, after + limit) if more else None}
        return Response(page)


def _next(request: Request, after: int) -> str:
    return str(replace_query_param(request.build_absolute_uri(), "after", after))


class Replay(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_replay",
        "The game after a version",
        scope=Scope.READ,
        response=ReplayOutput,
        parameters=[
            OpenApiParameter("at", int, description="The version; the latest unless given."),
            OpenApiParameter(
                "all",
                bool,
                description="Every seat's view and every card: after the end, or for an auditor, whose early access is "
                "recorded.",
            ),
            OpenApiParameter(
                "seat",
                int,
                description="As this seat saw it then; of another's seat as `all`.",
            ),
            LOOK_REASON,
            INVITE,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "at", "all", "seat", "invite", "reason")
        game = visible_game(request, game_id, invite=wanted.get("invite", ""))
        at = None
        if "at" in wanted:
            at = whole_number(wanted["at"], "at", least=1, most=LAST_VERSION)
        everything, of_seat = perspective(request, game, wanted, at)
        return Response(selectors.replay(request.user, game, at=at, everything=everything, of_seat=of_seat))


def perspective(
    request: Request, game: GameRecord, wanted: dict[str, str], at: int | None
) -> tuple[bool, int | None]:
    """Return whether every card is requested, and of which seat, after checking that both may be shown.

    An auditor's early access is recorded. Raises GameInPlay, DealInPlay, InterestedParty.
    """
    everything = flag(wanted.get("all"), "all")
    of_seat = None
    if "seat" in wanted:
        of_seat = whole_number(wanted["seat"], "seat", least=0, most=max(game.seats, 1) - 1)
    anothers = of_seat is not None and of_seat != selectors.own_seat(request.user, game)
    if (everything or anothers) and not _looks_early(request, game, "replay", at, reason_of(wanted)):
        access.require_disclosed(game)
    return everything, of_seat


class Verification(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_verification",
        "Every check of the game that is possible now; 202 until the report of a long game exists",
        scope=Scope.READ,
        response=VerificationOutput,
        also={
            202: (
                VerificationPendingOutput,
                "The game is long; a job makes its report. Ask again after Retry-After.",
            )
        },
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        query(request)
        game = visible_game(request, game_id)
        report, self.caused = verification.report(game, now=timezone.now())
        if report is None:
            pending: VerificationPendingOutput = {"game": str(game.pk), "pending": True}
            headers = {"Retry-After": str(VERIFICATION_RETRY)}
            return Response(pending, status=status.HTTP_202_ACCEPTED, headers=headers)
        return Response(report)


class Bundle(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_bundle",
        "The bundle of a game that has ended; an auditor's early access is recorded",
        scope=Scope.READ,
        response=BundleOutput,
        also=NOT_MODIFIED,
        parameters=[
            IF_NONE_MATCH,
            OpenApiParameter(
                "proof",
                str,
                enum=["1", "true", "false"],
                description="With the proof that a signed checkpoint covers it.",
            ),
            OpenApiParameter(
                "known",
                int,
                description="The number of a checkpoint that the reader keeps; the proof reaches as far.",
            ),
            INVITE,
            LOOK_REASON,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> HttpResponse:
        wanted = query(request, "proof", "known", "invite", "reason")
        proof = _wanted_proof(wanted)
        game = visible_game(request, game_id, invite=wanted.get("invite", ""))
        early = _looks_early(request, game, "bundle", None, reason_of(wanted))
        shown = written_bundle(game, request.user, early=early, proof=proof)
        headers = {"Content-Disposition": f'inline; filename="{game_id}.json"'}
        return conditional(request, digest(shown.rest, shown.head.encode()), shown.write, headers)


def _wanted_proof(wanted: dict[str, str]) -> ProofRequest | None:
    asked = wanted.get("proof")
    if asked != "1" and not flag(asked, "proof"):
        if "known" in wanted:
            raise InvalidInput("known: only with proof=1.")
        return None
    known = wanted.get("known")
    return ProofRequest(None if known is None else whole_number(known, "known", least=1, most=LAST_VERSION))


def _looks_early(request: Request, game: GameRecord, what: str, version: int | None, reason: str) -> bool:
    """Return whether the caller is an auditor with early access now; then it has been recorded."""
    if not access.may_access_early(request.user, game):
        return False
    viewer, now = me(request), timezone.now()
    early_access.record(viewer=viewer, game=game, what=what, version=version, reason=reason, now=now)
    return True
