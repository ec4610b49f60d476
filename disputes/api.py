"""REST of disputes: who may see which is `access`, what happens is `services`."""

from __future__ import annotations

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

from api.errors import InvalidInput
from api.fields import checked
from api.idempotency import idempotent
from api.pagination import Cursor, whole_number
from api.query import PAGE, query
from api.schema import describe
from disputes import access, appeals, selectors, services
from disputes.decisions import BadDecision, Decision
from disputes.errors import BadRemedy
from disputes.models import Dispute, DisputeStatus
from disputes.serializers import (
    DisputeApprovalInput,
    DisputeDecisionInput,
    DisputeEventOutput,
    DisputeInput,
    DisputeLineOutput,
    DisputeOutput,
    DisputeReasonInput,
    DisputeRulingInput,
    OwnDisputeOutput,
    PinInput,
    RulingPreviewOutput,
)
from eventstore.chain import LARGEST_INTEGER
from games.api import flag, me, visible_game
from games.serializers import NothingInput

MINE = OpenApiParameter("mine", bool, description="Only disputes that the caller opened.")
STATUS = OpenApiParameter("status", str, enum=DisputeStatus.values)


class NewestFirst(Cursor):
    ordering = ("-opened_at", "-id")


def _shown(request: Request, dispute: Dispute, code: int = status.HTTP_200_OK) -> Response:
    """As the caller may see it; `dispute` has been found for them, or is theirs."""
    shown = selectors.document(dispute, request.user, now=timezone.now())
    made = code == status.HTTP_201_CREATED
    headers = {"Location": reverse("dispute", args=[dispute.pk])} if made else {}
    return Response(shown, status=code, headers=headers)


def _page(request: Request, view: APIView, **of: Any) -> Response:
    wanted = query(request, "status", "mine", *PAGE)
    found = selectors.queue(request.user).filter(**of)
    if "status" in wanted:
        if wanted["status"] not in DisputeStatus.values:
            raise InvalidInput(f"status: one of {', '.join(DisputeStatus.values)}.")
        found = found.filter(status=wanted["status"])
    if flag(wanted.get("mine"), "mine"):
        found = found.filter(opener=me(request))
    pages = NewestFirst()
    rows = pages.paginate_queryset(found, request, view=view) or []
    return pages.get_paginated_response(selectors.lines(rows, request.user))


class Disputes(APIView):
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirst

    @describe(
        "disputes_list",
        "Disputes that concern the caller, newest first; auditors have the queue of all",
        response=DisputeLineOutput(many=True),
        parameters=[STATUS, MINE],
    )
    def get(self, request: Request) -> Response:
        return _page(request, self)


class GameDisputes(APIView):
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirst

    @describe(
        "game_disputes_list",
        "Disputes of a game that concern the caller, newest first",
        response=DisputeLineOutput(many=True),
        parameters=[STATUS, MINE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        return _page(request, self, game=visible_game(request, game_id))

    @describe(
        "game_disputes_create",
        "Dispute a game from one of its versions on (who sits in it, or the organizer of its tournament)",
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
        "Whether the caller can dispute the game now, until when, why not, and their last dispute of it",
        response=OwnDisputeOutput,
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        game = visible_game(request, game_id)
        return Response(selectors.mine(game, me(request), now=timezone.now()))


class OneDispute(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_read",
        "A dispute with its evidence and rulings; an auditor's reading of a running game is recorded",
        response=DisputeOutput,
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        return _shown(request, access.visible_dispute(request.user, dispute_id))


class DisputeEvents(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_events",
        "What has happened in a dispute, behind a version",
        response=DisputeEventOutput(many=True),
        parameters=[OpenApiParameter("after", int)],
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        wanted = query(request, "after")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LARGEST_INTEGER)
        return Response(selectors.events_for(request.user, dispute_id, after))


class Withdrawal(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_withdraw",
        "Take a claim back that nobody has ruled on",
        request=NothingInput,
        response=DisputeOutput,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.visible_dispute(request.user, dispute_id)
        checked(NothingInput, request)
        done = services.withdraw(dispute_id=found.pk, actor=me(request), now=timezone.now())
        return _shown(request, done)


class Evidence(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_pin",
        "Pin an event as evidence (auditors)",
        request=PinInput,
        response=DisputeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        access.audited(me(request), dispute_id)
        given = checked(PinInput, request)
        found = access.looked_into(me(request), dispute_id, other=given["game"])
        services.pin(
            dispute_id=found.pk,
            actor=me(request),
            version=given["version"],
            game_id=given["game"],
            note=given["note"],
            now=timezone.now(),
        )
        found.refresh_from_db()
        return _shown(request, found, status.HTTP_201_CREATED)


class Suspension(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_suspend",
        "Stop the disputed game and its clocks until it is resumed or ruled on (auditors)",
        request=DisputeReasonInput,
        response=DisputeOutput,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.audited(me(request), dispute_id)
        given = checked(DisputeReasonInput, request)
        done = services.suspend(
            dispute_id=found.pk, actor=me(request), reason=given["reason"], now=timezone.now()
        )
        return _shown(request, done)


class Resumption(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_resume",
        "Let a game that was suspended for a dispute go on as it stands (auditors)",
        request=DisputeReasonInput,
        response=DisputeOutput,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.audited(me(request), dispute_id)
        given = checked(DisputeReasonInput, request)
        services.resume(dispute_id=found.pk, actor=me(request), reason=given["reason"], now=timezone.now())
        found.refresh_from_db()
        return _shown(request, found)


class RulingPreview(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_ruling_preview",
        "What a ruling would do; nothing is done (auditors)",
        request=DisputeDecisionInput,
        response=RulingPreviewOutput,
        idempotency=False,
    )
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.looked_into(me(request), dispute_id)
        decision = _decision(checked(DisputeDecisionInput, request))
        shown = services.preview(
            dispute_id=found.pk, decision=decision, actor=me(request), now=timezone.now()
        )
        return Response(selectors.previewed(shown))


class Ruling(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_rule",
        "Rule on a dispute as a preview has shown it; much money waits for a second person (auditors)",
        request=DisputeRulingInput,
        response=DisputeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.looked_into(me(request), dispute_id)
        given = checked(DisputeRulingInput, request)
        token = given.pop("token")
        decision = _decision(given)
        services.rule(
            dispute_id=found.pk, decision=decision, token=token, actor=me(request), now=timezone.now()
        )
        found.refresh_from_db()
        return _shown(request, found, status.HTTP_201_CREATED)


class Approval(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_ruling_approve",
        "Let a proposed ruling take effect (an auditor or administrator other than who proposed it)",
        request=DisputeApprovalInput,
        response=DisputeOutput,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.visible_dispute(request.user, dispute_id)
        access.require_approver(me(request), found)
        given = checked(DisputeApprovalInput, request)
        services.approve(dispute_id=found.pk, actor=me(request), reason=given["reason"], now=timezone.now())
        found.refresh_from_db()
        return _shown(request, found)


class Refusal(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_ruling_refuse",
        "Send a proposed ruling back (an auditor or administrator other than who proposed it)",
        request=DisputeReasonInput,
        response=DisputeOutput,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.visible_dispute(request.user, dispute_id)
        access.require_approver(me(request), found)
        given = checked(DisputeReasonInput, request)
        services.refuse(dispute_id=found.pk, actor=me(request), reason=given["reason"], now=timezone.now())
        found.refresh_from_db()
        return _shown(request, found)


class Appeal(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_appeal",
        "Appeal a ruling to another auditor, once (whom it concerns)",
        request=DisputeReasonInput,
        response=DisputeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.visible_dispute(request.user, dispute_id)
        appeals.require_concerned(found, me(request))
        given = checked(DisputeReasonInput, request)
        done = services.appeal(
            dispute_id=found.pk, actor=me(request), reason=given["reason"], now=timezone.now()
        )
        return _shown(request, done, status.HTTP_201_CREATED)


def _decision(given: dict[str, Any]) -> Decision:
    """Raises BadRemedy."""
    try:
        return Decision(**given)
    except BadDecision as error:
        raise BadRemedy(str(error)) from None
