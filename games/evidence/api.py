"""REST views of a game's evidence and of its recording."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from core.errors import InvalidInput
from games.access import require_evidence
from games.api import INVITE, LOOK_REASON, me, reason_of, visible_game
from games.evidence import selectors
from games.evidence.recording import RecordingOutput, recording
from games.evidence.selectors import EvidenceEventOutput, EvidenceOutput, ReceivedOutput, RefusedCommandOutput
from games.evidence.verification import EvidencePage, single
from games.models import GameRecord, RefusedCommand
from games.play.api import LAST_VERSION, MOST_EVENTS, perspective
from rest.budgets import BudgetedView
from rest.pagination import PAGE, PagedView, query, whole_number
from rest.schema import describe
from rest.scopes import Scope


class Evidence(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_list",
        "The events of a game with verdict, request metadata, and money of each; before the end for auditors only",
        scope=Scope.READ,
        response=EvidenceOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            LOOK_REASON,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "after", "limit", "reason")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LAST_VERSION)
        limit = whole_number(wanted.get("limit", str(MOST_EVENTS)), "limit", least=1, most=MOST_EVENTS)
        game = _evidence_of(request, game_id, wanted)
        found = EvidencePage(game, now=timezone.now(), after=after, limit=limit)
        self.caused = found.caused
        shown = selectors.overview(found, me(request))
        more = shown["version"] > after + limit
        address = replace_query_param(request.build_absolute_uri(), "after", after + limit)
        page: EvidenceOutput = {**shown, "next": address if more else None}
        return Response(page)


class EvidenceEvent(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_read",
        "An event of a game with the table before and after it, all cards, and the changes",
        scope=Scope.READ,
        response=EvidenceEventOutput,
        parameters=[LOOK_REASON],
    )
    def get(self, request: Request, game_id: UUID, version: str) -> Response:
        wanted = query(request, "reason")
        number = whole_number(version, "version", least=1, most=LAST_VERSION)
        game = _evidence_of(request, game_id, wanted)
        page = single(game, number, now=timezone.now())
        self.caused = page.caused
        return Response(selectors.one_event(page, me(request)))


class RefusedCommands(PagedView):
    permission_classes = [IsAuthenticated]
    ordering = ("-id",)

    @describe(
        "evidence_refused",
        "The refused moves of a game, newest first",
        scope=Scope.READ,
        response=list[RefusedCommandOutput],
        parameters=[LOOK_REASON],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        game = _evidence_of(request, game_id, query(request, *PAGE, "reason"))
        return self.page_with(
            RefusedCommand.objects.filter(game=game),
            lambda page: selectors.refused(game, me(request), page),
        )


class Received(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "evidence_received",
        "The bytes that a seat received for a version, recomputed, with their hash",
        scope=Scope.READ,
        response=ReceivedOutput,
        parameters=[
            OpenApiParameter("at", int, required=True, description="The version."),
            OpenApiParameter("seat", int, description="None: who only looked on."),
            LOOK_REASON,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "at", "seat", "reason")
        game = _evidence_of(request, game_id, wanted)
        if "at" not in wanted:
            raise InvalidInput("at: the version is needed.")
        at = whole_number(wanted["at"], "at", least=1, most=LAST_VERSION)
        seat = None
        if "seat" in wanted:
            seat = whole_number(wanted["seat"], "seat", least=0, most=max(game.seats, 1) - 1)
        return Response(selectors.received(game, at=at, seat=seat))


def _evidence_of(request: Request, game_id: UUID, wanted: dict[str, str]) -> GameRecord:
    game = visible_game(request, game_id)
    require_evidence(me(request), game, reason=reason_of(wanted), now=timezone.now())
    return game


@method_decorator(gzip_page, name="dispatch")
class Recording(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "games_recording",
        "The whole game: its events, and the table after each",
        scope=Scope.READ,
        response=RecordingOutput,
        parameters=[
            OpenApiParameter("after", int, description="Only later versions."),
            OpenApiParameter("limit", int, description=f"At most {MOST_EVENTS}."),
            OpenApiParameter(
                "all",
                bool,
                description="Every card too: after the end, or for an auditor, whose early access is recorded.",
            ),
            OpenApiParameter(
                "seat", int, description="As this seat saw it then; of another's seat as `all`."
            ),
            LOOK_REASON,
            INVITE,
        ],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "after", "limit", "all", "seat", "invite", "reason")
        game = visible_game(request, game_id, invite=wanted.get("invite", ""))
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LAST_VERSION)
        limit = whole_number(wanted.get("limit", str(MOST_EVENTS)), "limit", least=1, most=MOST_EVENTS)
        everything, of_seat = perspective(request, game, wanted, None)
        shown = recording(
            request.user, game, everything=everything, of_seat=of_seat, after=after, limit=limit
        )
        more = shown["version"] > after + limit
        address = replace_query_param(request.build_absolute_uri(), "after", after + limit)
        page: RecordingOutput = {**shown, "next": address if more else None}
        return Response(page)
