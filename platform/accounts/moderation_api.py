"""REST of moderation: blocks and reports by players, and what staff do about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import hooks, moderation
from accounts.api import PlayerOutput, known_player, me, player_document
from accounts.models import Block, NameShown, Player, PlayerReport, ReportOutcome, ReportReason, name_for
from accounts.names import LONGEST_USERNAME
from accounts.roles import IsAdministrator, sees_all_names
from accounts.staff import CloseReport, PlayerAction, Reinstate, Rename, Suspend
from rest.documents import Moment, Uuid, moment, one_of, uuid_text
from rest.fields import StrictChoiceField, StrictSerializer, StrictTextField, StrictUUIDField, checked
from rest.idempotency import command, idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import AlreadyDone, perform, resource_key


class BlockOutput(TypedDict):
    player: Uuid
    name: Annotated[str | None, "null for a player with an anonymous entry in a tournament"]
    since: Moment


def block_documents(blocks: Sequence[Block], viewer: Player) -> list[BlockOutput]:
    anonymous, sees_all = hooks.anonymous({one.blocked_id for one in blocks}), sees_all_names(viewer)
    return [
        {
            "player": str(one.blocked_id),
            "name": name_for(
                viewer,
                one.blocked,
                NameShown.ANONYMOUS if one.blocked_id in anonymous else NameShown.MEMBERS,
                sees_all=sees_all,
            ),
            "since": moment(one.created),
        }
        for one in blocks
    ]


class Blocks(APIView):
    @describe(
        "players_me_blocks",
        "The players whom the caller has blocked",
        scope=Scope.ACCOUNT,
        response=list[BlockOutput],
    )
    def get(self, request: Request) -> Response:
        player = me(request)
        return Response(block_documents(moderation.blocks_of(player), player))


class OneBlock(APIView):
    @describe("players_me_block", "Block a player", scope=Scope.ACCOUNT, status=204)
    def put(self, request: Request, player_id: UUID) -> Response:
        moderation.block(player=me(request), other=player_id, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @describe("players_me_unblock", "No longer block a player", scope=Scope.ACCOUNT, status=204)
    def delete(self, request: Request, player_id: UUID) -> Response:
        moderation.unblock(player=me(request), other=player_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PlayerReportInput(StrictSerializer):
    reason = StrictChoiceField(choices=ReportReason.choices)
    text = StrictTextField(max_length=1000, required=False, allow_blank=True, default="")
    game = StrictUUIDField(required=False, help_text="the game that it is about")


class OwnReportOutput(TypedDict):
    id: int
    player: Uuid
    reason: Annotated[str, one_of(ReportReason)]
    created: Moment


def own_report_document(report: PlayerReport) -> OwnReportOutput:
    return {
        "id": report.pk,
        "player": str(report.player_id),
        "reason": report.reason,
        "created": moment(report.created),
    }


class PlayerReports(APIView):
    @describe(
        "players_report",
        "Report a player to the staff",
        scope=Scope.ACCOUNT,
        request=PlayerReportInput,
        response=OwnReportOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(PlayerReportInput, request)
        made = moderation.report(
            reporter=me(request),
            other=player_id,
            reason=ReportReason(given["reason"]),
            text=given["text"],
            game=given.get("game"),
            now=timezone.now(),
        )
        return Response(own_report_document(made), status=status.HTTP_201_CREATED)


class PlayerReportOutput(OwnReportOutput):
    """A report as staff see it."""

    reporter: Uuid
    text: str
    game: Uuid | None
    closed: Moment | None
    outcome: Annotated[str | None, one_of(ReportOutcome)]


def report_document(report: PlayerReport) -> PlayerReportOutput:
    return {
        **own_report_document(report),
        "reporter": str(report.reporter_id),
        "text": report.text,
        "game": uuid_text(report.game),
        "closed": moment(report.closed),
        "outcome": report.outcome or None,
    }


class Reports(PagedView):
    permission_classes = [IsAdministrator]
    ordering = ("-created", "-pk")

    @describe(
        "player_reports_list",
        "List reports of players, newest first (administrators)",
        scope=Scope.ADMINISTRATOR,
        response=list[PlayerReportOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(PlayerReport.objects.all(), report_document)


class CloseInput(StrictSerializer):
    outcome = StrictChoiceField(choices=ReportOutcome.choices)
    reason = StrictTextField(max_length=200)


class ReportClosing(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "player_reports_close",
        "Close a report of a player (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=CloseInput,
        response=PlayerReportOutput,
    )
    @idempotent
    def post(self, request: Request, player_report_id: int) -> Response:
        given = checked(CloseInput, request)
        action = CloseReport.open(me(request), player_report_id)
        perform(action, given, key=f"client:{command(request).id}")
        action.row.refresh_from_db()
        return Response(report_document(action.row))


class NamesInput(StrictSerializer):
    username = StrictTextField(max_length=LONGEST_USERNAME)
    display_name = StrictTextField(max_length=60, required=False, allow_blank=True, default="")
    reason = StrictTextField(max_length=200)


class Names(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_rename",
        "Give a player other names (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=NamesInput,
        response=PlayerOutput,
    )
    def put(self, request: Request, player_id: UUID) -> Response:
        return _done(Rename.open(me(request), player_id), checked(NamesInput, request))


class SuspendInput(StrictSerializer):
    reason = StrictTextField(max_length=200, help_text="which the player reads when signing in")


class Suspension(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_suspend",
        "Suspend a player (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=SuspendInput,
        response=PlayerOutput,
    )
    def put(self, request: Request, player_id: UUID) -> Response:
        return _done(Suspend.open(me(request), player_id), checked(SuspendInput, request))

    @describe(
        "players_reinstate",
        "Lift the suspension of a player (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=SuspendInput,
        response=PlayerOutput,
    )
    def delete(self, request: Request, player_id: UUID) -> Response:
        return _done(Reinstate.open(me(request), player_id), checked(SuspendInput, request))


def _done(action: PlayerAction, given: dict[str, Any]) -> Response:
    """Perform the action, unless the player is in that state already."""
    with suppress(AlreadyDone):
        perform(action, given, key=resource_key(action, action.subject, given))
    return Response(player_document(known_player(action.row.pk)))
