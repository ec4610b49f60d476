"""REST API of disputes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput
from disputes import access, selectors, services, states
from disputes.errors import BadRemedy
from disputes.models import CLAIM_LENGTH, NOTE_LENGTH, REASON_LENGTH, Dispute, DisputeStatus, Party
from disputes.rulings import services as rulings
from disputes.rulings.services import BadDecision, Decision
from disputes.selectors import (
    DisputeEventOutput,
    DisputeLineOutput,
    DisputeOutput,
    OwnDisputeOutput,
    RulingPreviewOutput,
)
from disputes.staff import actions
from eventstore.chain import LARGEST_INTEGER
from games.api import flag, me, visible_game
from ledger.callers import command_key
from rest.fields import (
    NothingInput,
    ObjectField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query, whole_number
from rest.schema import describe
from rest.scopes import STAFF, Scope, Scopes
from staff.actions import perform

TOKEN_LENGTH = 100


class DisputeInput(StrictSerializer):
    version = StrictIntegerField(min=1, max=LARGEST_INTEGER, help_text="the version of the disputed event")
    claim = StrictTextField(max_length=CLAIM_LENGTH)


class PinInput(StrictSerializer):
    version = StrictIntegerField(min=1, max=LARGEST_INTEGER)
    game = StrictUUIDField(
        required=False,
        allow_null=True,
        default=None,
        help_text="another game of the same deal, match, or tournament",
    )
    note = StrictTextField(max_length=NOTE_LENGTH, required=False, allow_blank=True, default="")


class DisputeReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=REASON_LENGTH)


class DisputeApprovalInput(StrictSerializer):
    reason = StrictTextField(
        max_length=REASON_LENGTH,
        required=False,
        allow_blank=True,
        default="",
        help_text="shown with the ruling",
    )


class DisputeDecisionInput(StrictSerializer):
    finding = StrictChoiceField(choices=states.FINDINGS)
    remedy = StrictChoiceField(choices=states.REMEDIES)
    reason = StrictTextField(max_length=REASON_LENGTH)
    terms = ObjectField(
        required=False, default=dict, help_text="the terms of the remedy; see docs/disputes.md"
    )


class DisputeRulingInput(DisputeDecisionInput):
    token = StrictTextField(
        max_length=TOKEN_LENGTH,
        required=False,
        allow_blank=True,
        default="",
        help_text="the token of the preview; required if the ruling changes anything",
    )


MINE = OpenApiParameter("mine", bool, description="Only disputes opened by the caller.")
STATUS = OpenApiParameter("status", str, enum=DisputeStatus.values)


def _shown(request: Request, dispute: Dispute, code: int = status.HTTP_200_OK) -> Response:
    """Return a dispute as the caller may see it. The caller's access to it has been checked."""
    shown = selectors.document(dispute, request.user, now=timezone.now())
    made = code == status.HTTP_201_CREATED
    headers = {"Location": reverse("dispute", args=[dispute.pk])} if made else {}
    return Response(shown, status=code, headers=headers)


class _Newest(PagedView):
    permission_classes = [IsAuthenticated]
    ordering = ("-opened_at", "-id")

    def found(self, request: Request, **of: Any) -> Response:
        wanted = query(request, "status", "mine", *PAGE)
        if "status" in wanted and wanted["status"] not in DisputeStatus.values:
            raise InvalidInput(f"status: one of {', '.join(DisputeStatus.values)}.")
        if flag(wanted.get("mine"), "mine"):
            found = access.opened_by(me(request)).filter(**of)
        elif of or access.sees_all(me(request)):
            found = access.visible_disputes(request.user).filter(**of)
        else:
            pages = self.pagination_class()
            fetch = partial(Party.objects.newest, me(request).pk, wanted.get("status"))
            newest = pages.paginate_after(fetch, Dispute, self.ordering, request)
            return pages.get_paginated_response(selectors.lines(newest, request.user))
        if "status" in wanted:
            found = found.filter(status=wanted["status"])
        return self.page_with(found, lambda page: selectors.lines(page, request.user))


class Disputes(_Newest):
    @describe(
        "disputes_list",
        "List the caller's disputes, newest first; auditors see all",
        scope=Scope.READ,
        response=list[DisputeLineOutput],
        parameters=[STATUS, MINE],
    )
    def get(self, request: Request) -> Response:
        return self.found(request)


class GameDisputes(_Newest):
    @describe(
        "game_disputes_list",
        "List the disputes of a game that the caller may see, newest first",
        scope=Scope.READ,
        response=list[DisputeLineOutput],
        parameters=[STATUS, MINE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        return self.found(request, game=visible_game(request, game_id))

    @describe(
        "game_disputes_create",
        "Dispute a game from a version on (players of the game and the organizer)",
        scope=(Scope.PLAY, Scope.ORGANIZE),
        request=DisputeInput,
        response=DisputeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        game = visible_game(request, game_id)
        given = checked(DisputeInput, request)
        made = services.open_dispute(game_id=game.pk, actor=me(request), now=timezone.now(), **given)
        return _shown(request, made, status.HTTP_201_CREATED)


class OwnDispute(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "game_disputes_mine",
        "Get whether the caller can dispute the game, until when, and their last dispute of it",
        scope=Scope.READ,
        response=OwnDisputeOutput,
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        game = visible_game(request, game_id)
        return Response(selectors.mine(game, me(request), now=timezone.now()))


class OneDispute(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_read",
        "Get a dispute with its evidence and rulings; an auditor's early access is recorded",
        scope=Scope.READ,
        response=DisputeOutput,
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        return _shown(request, access.visible_dispute(request.user, dispute_id))


class DisputeEvents(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_events",
        "List the events of a dispute after a version",
        scope=Scope.READ,
        response=list[DisputeEventOutput],
        parameters=[OpenApiParameter("after", int)],
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        wanted = query(request, "after")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LARGEST_INTEGER)
        return Response(selectors.events_for(request.user, dispute_id, after))


def _command(
    operation: str,
    summary: str,
    carry_out: Callable[[Request, Dispute, dict[str, Any]], object],
    *,
    scope: Scope | Scopes = Scope.AUDITOR,
    takes: type[StrictSerializer] = DisputeReasonInput,
    require: Callable[[Player, Dispute], object] = access.require_auditor,
    code: int = status.HTTP_200_OK,
) -> type[APIView]:
    """Return a view that runs a command and responds with the dispute afterwards."""

    class Command(APIView):
        permission_classes = [IsAuthenticated]

        @describe(operation, summary, scope=scope, request=takes, response=DisputeOutput, status=code)
        @idempotent
        def post(self, request: Request, dispute_id: UUID) -> Response:
            found = access.visible_dispute(request.user, dispute_id)
            require(me(request), found)
            carry_out(request, found, checked(takes, request))
            found.refresh_from_db()
            return _shown(request, found, code)

    return Command


def _staff_command(
    action: type[actions.DisputeAction],
    summary: str,
    *,
    data: Callable[[Request, Dispute, dict[str, Any]], dict[str, Any]] = lambda request, dispute, given: (
        given
    ),
    **options: Any,
) -> type[APIView]:
    """Return a view that performs a staff action. `data` makes the data of the action from the body."""
    [operation] = action.operations

    def carry_out(request: Request, dispute: Dispute, given: dict[str, Any]) -> None:
        perform(action(me(request), dispute), data(request, dispute, given), key=command_key(request))

    return _command(operation, summary, carry_out, **options)


def _call(service: Callable[..., object]) -> Callable[[Request, Dispute, dict[str, Any]], object]:
    return lambda request, dispute, given: service(
        dispute_id=dispute.pk, actor=me(request), now=timezone.now(), **given
    )


Withdrawal = _command(
    "disputes_withdraw",
    "Withdraw a dispute before a ruling",
    _call(services.withdraw),
    scope=(Scope.PLAY, Scope.ORGANIZE),
    takes=NothingInput,
    require=lambda caller, dispute: None,
)
Suspension = _staff_command(actions.Suspend, "Suspend the disputed game and its clocks (auditors)")
Resumption = _staff_command(actions.Resume, "Resume a game that was suspended for a dispute (auditors)")
Approval = _staff_command(
    actions.Approve,
    "Approve a proposed ruling (another auditor or an administrator)",
    scope=STAFF,
    takes=DisputeApprovalInput,
    require=access.require_approver,
)
Refusal = _staff_command(
    actions.Refuse,
    "Refuse a proposed ruling (another auditor or an administrator)",
    scope=STAFF,
    require=access.require_approver,
)
Appeal = _command(
    "disputes_appeal",
    "Appeal a ruling, once (players of the game and the organizer)",
    _call(rulings.appeal),
    scope=(Scope.PLAY, Scope.ORGANIZE),
    require=rulings.require_concerned,
    code=status.HTTP_201_CREATED,
)


def _pinned(request: Request, dispute: Dispute, given: dict[str, Any]) -> dict[str, Any]:
    access.require_reading_auditor(me(request), dispute, other=given["game"])
    return {**given, "reason": given["note"]}


def _ruled(request: Request, dispute: Dispute, given: dict[str, Any]) -> dict[str, Any]:
    token = given.pop("token")
    return {"decision": _decision(given), "token": token, "reason": given["reason"]}


def _decision(given: dict[str, Any]) -> Decision:
    """Raises BadRemedy."""
    try:
        return Decision(**given)
    except BadDecision as error:
        raise BadRemedy(str(error)) from None


Evidence = _staff_command(
    actions.PinEvidence,
    "Pin an event as evidence (auditors)",
    data=_pinned,
    takes=PinInput,
    code=status.HTTP_201_CREATED,
)
Ruling = _staff_command(
    actions.Rule,
    "Rule on a dispute as previewed; large amounts need a second person (auditors)",
    data=_ruled,
    takes=DisputeRulingInput,
    require=access.require_reading_auditor,
    code=status.HTTP_201_CREATED,
)


class RulingPreview(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_ruling_preview",
        "Preview the effects of a ruling (auditors)",
        scope=Scope.AUDITOR,
        request=DisputeDecisionInput,
        response=RulingPreviewOutput,
    )
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.visible_dispute(request.user, dispute_id)
        access.require_reading_auditor(me(request), found)
        decision = _decision(checked(DisputeDecisionInput, request))
        shown = rulings.preview(dispute_id=found.pk, decision=decision, actor=me(request), now=timezone.now())
        return Response(selectors.previewed(shown))
