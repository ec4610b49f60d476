"""REST API of disputes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput
from disputes import access, selectors, services, states
from disputes.errors import BadRemedy
from disputes.models import CLAIM_LENGTH, NOTE_LENGTH, REASON_LENGTH, Dispute, DisputeStatus
from disputes.rulings import appeals
from disputes.rulings import services as rulings
from disputes.rulings.services import BadDecision, Decision
from disputes.selectors import ACTIONS
from eventstore.chain import LARGEST_INTEGER
from games.api import flag, me, visible_game
from games.serializers import EventOutput, NothingInput
from rest.fields import (
    ObjectField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, Cursor, query, whole_number
from rest.schema import describe

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


class DisputeLineOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    game = serializers.UUIDField()
    rules = serializers.CharField()
    tournament = serializers.UUIDField(allow_null=True)
    by = serializers.UUIDField()
    seat = serializers.IntegerField(allow_null=True, help_text="null for the organizer")
    version = serializers.IntegerField(
        allow_null=True,
        help_text="the version of the disputed event; null while it is hidden from the caller",
    )
    status = serializers.ChoiceField(["open", "proposed", "ruled", "appealed", "withdrawn"])
    instance = serializers.IntegerField(help_text="1, or 2 on appeal")
    finding = serializers.ChoiceField(
        list(states.FINDINGS),
        allow_null=True,
        help_text="the finding of the ruling in effect; null without one",
    )
    remedy = serializers.ChoiceField(list(states.REMEDIES), allow_null=True)
    suspends = serializers.BooleanField(help_text="whether the game is suspended for the dispute")
    opened_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    appeal_until = serializers.DateTimeField(allow_null=True)


class DisputeEvidenceOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    version = serializers.IntegerField(
        allow_null=True, help_text="null, like the hash, while it is hidden from the caller"
    )
    hash = serializers.CharField(allow_null=True)
    note = serializers.CharField()
    by = serializers.UUIDField()
    at = serializers.DateTimeField()


class RulingMoneyOutput(serializers.Serializer[Any]):
    owner = serializers.CharField(help_text="player:…, house, house:…")
    currency = serializers.CharField()
    change = serializers.IntegerField(help_text="pence")


class ResultChangeOutput(serializers.Serializer[Any]):
    was = ObjectField()
    becomes = ObjectField()


class RulingEffectsOutput(serializers.Serializer[Any]):
    result = ResultChangeOutput()
    money = RulingMoneyOutput(many=True)
    tournament = ObjectField(
        allow_null=True, help_text="the changes of standings, pairings, prizes, and bets"
    )
    plays = serializers.CharField(
        allow_null=True, help_text="`continued`, `new-deal`, or `called-off`; null otherwise"
    )
    bets_paid_later = serializers.IntegerField()


class DisputeRulingOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    number = serializers.IntegerField()
    instance = serializers.IntegerField()
    state = serializers.ChoiceField(["proposed", "standing", "refused", "superseded"])
    finding = serializers.ChoiceField(list(states.FINDINGS))
    remedy = serializers.ChoiceField(list(states.REMEDIES))
    terms = ObjectField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    auditor = serializers.UUIDField()
    rules = serializers.CharField()
    rules_version = serializers.IntegerField()
    evidence = serializers.ListField(child=ObjectField(), allow_null=True)
    effects = RulingEffectsOutput(allow_null=True)
    amount = serializers.IntegerField(help_text="the amount that changes hands, in pence")
    second_person = serializers.BooleanField()
    ruled_at = serializers.DateTimeField()
    decided_by = serializers.UUIDField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField(allow_null=True, help_text="the second person's reason")
    game = serializers.UUIDField(allow_null=True, help_text="the game that continues the disputed one")


class RefusedActionOutput(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="the code of the problem; see docs/errors.md")
    detail = serializers.CharField()


class DisputeActionOutput(serializers.Serializer[Any]):
    action = serializers.ChoiceField(list(ACTIONS))
    why_not = RefusedActionOutput(allow_null=True, help_text="null if the caller can do it now")


class DisputeOutput(DisputeLineOutput):
    hash = serializers.CharField(
        allow_null=True, help_text="the hash of the disputed event; null if `version` is null"
    )
    claim = serializers.CharField(allow_null=True, help_text="null while it is hidden from the caller")
    events = serializers.IntegerField()
    evidence = DisputeEvidenceOutput(many=True, allow_null=True)
    rulings = DisputeRulingOutput(many=True)
    held_since = serializers.DateTimeField(
        allow_null=True, help_text="the start of the hold on what the game paid; null without a hold"
    )
    actions = DisputeActionOutput(many=True, help_text="the caller's actions in this state")


class OwnDisputeOutput(serializers.Serializer[Any]):
    can_open = serializers.BooleanField(help_text="whether the caller can dispute the game now")
    why_not = RefusedActionOutput(allow_null=True)
    seat = serializers.IntegerField(allow_null=True, help_text="the caller's seat; null without one")
    until = serializers.DateTimeField(
        allow_null=True, help_text="the end of the dispute period; null while the game is in play"
    )
    days = serializers.IntegerField(help_text="the length of the dispute period in days")
    dispute = DisputeLineOutput(allow_null=True, help_text="the caller's last dispute of the game")


class DisputeEventOutput(EventOutput):
    """An event. `prev` and `hash` are null if data is redacted, because a guess could be tested against them."""

    prev = serializers.CharField(allow_null=True)
    hash = serializers.CharField(allow_null=True)


class RulingPreviewOutput(serializers.Serializer[Any]):
    token = serializers.CharField()
    effects = RulingEffectsOutput()
    amounts = serializers.DictField(
        child=serializers.IntegerField(), help_text="the amount that changes hands, in pence by currency"
    )
    second_person = serializers.BooleanField(help_text="whether the ruling needs a second person's approval")


MINE = OpenApiParameter("mine", bool, description="Only disputes opened by the caller.")
STATUS = OpenApiParameter("status", str, enum=DisputeStatus.values)


class NewestFirst(Cursor):
    ordering = ("-opened_at", "-id")


def _shown(request: Request, dispute: Dispute, code: int = status.HTTP_200_OK) -> Response:
    """Return a dispute as the caller may see it. The caller's access to it has been checked."""
    shown = selectors.document(dispute, request.user, now=timezone.now())
    made = code == status.HTTP_201_CREATED
    headers = {"Location": reverse("dispute", args=[dispute.pk])} if made else {}
    return Response(shown, status=code, headers=headers)


def _page(request: Request, view: APIView, **of: Any) -> Response:
    wanted = query(request, "status", "mine", *PAGE)
    found = access.visible_disputes(request.user).filter(**of)
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
        "List the caller's disputes, newest first; auditors see all",
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
        "List the disputes of a game that the caller may see, newest first",
        response=DisputeLineOutput(many=True),
        parameters=[STATUS, MINE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        return _page(request, self, game=visible_game(request, game_id))

    @describe(
        "game_disputes_create",
        "Dispute a game from a version on (players of the game and the organizer)",
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
        response=DisputeOutput,
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        return _shown(request, access.visible_dispute(request.user, dispute_id))


class DisputeEvents(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_events",
        "List the events of a dispute after a version",
        response=DisputeEventOutput(many=True),
        parameters=[OpenApiParameter("after", int)],
    )
    def get(self, request: Request, dispute_id: UUID) -> Response:
        wanted = query(request, "after")
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LARGEST_INTEGER)
        return Response(selectors.events_for(request.user, dispute_id, after))


def _command(
    operation: str,
    summary: str,
    service: Callable[..., object],
    *,
    takes: type[StrictSerializer] = DisputeReasonInput,
    require: Callable[[Player, Dispute], object] = access.require_auditor,
    code: int = status.HTTP_200_OK,
) -> type[APIView]:
    """Return a view that runs a command and responds with the dispute afterwards."""

    class Command(APIView):
        permission_classes = [IsAuthenticated]

        @describe(operation, summary, request=takes, response=DisputeOutput, status=code)
        @idempotent
        def post(self, request: Request, dispute_id: UUID) -> Response:
            found = access.visible_dispute(request.user, dispute_id)
            require(me(request), found)
            given = checked(takes, request)
            service(dispute_id=found.pk, actor=me(request), now=timezone.now(), **given)
            found.refresh_from_db()
            return _shown(request, found, code)

    return Command


Withdrawal = _command(
    "disputes_withdraw",
    "Withdraw a dispute before a ruling",
    services.withdraw,
    takes=NothingInput,
    require=lambda caller, dispute: None,
)
Suspension = _command(
    "disputes_suspend", "Suspend the disputed game and its clocks (auditors)", services.suspend
)
Resumption = _command(
    "disputes_resume", "Resume a game that was suspended for a dispute (auditors)", services.resume
)
Approval = _command(
    "disputes_ruling_approve",
    "Approve a proposed ruling (another auditor or an administrator)",
    rulings.approve,
    takes=DisputeApprovalInput,
    require=access.require_approver,
)
Refusal = _command(
    "disputes_ruling_refuse",
    "Refuse a proposed ruling (another auditor or an administrator)",
    rulings.refuse,
    require=access.require_approver,
)
Appeal = _command(
    "disputes_appeal",
    "Appeal a ruling, once (players of the game and the organizer)",
    appeals.appeal,
    require=appeals.require_concerned,
    code=status.HTTP_201_CREATED,
)


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
        access.dispute_for_auditor(me(request), dispute_id)
        given = checked(PinInput, request)
        found = access.dispute_read_by_auditor(me(request), dispute_id, other=given["game"])
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


class RulingPreview(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_ruling_preview",
        "Preview the effects of a ruling (auditors)",
        request=DisputeDecisionInput,
        response=RulingPreviewOutput,
        idempotency=False,
    )
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.dispute_read_by_auditor(me(request), dispute_id)
        decision = _decision(checked(DisputeDecisionInput, request))
        shown = rulings.preview(dispute_id=found.pk, decision=decision, actor=me(request), now=timezone.now())
        return Response(selectors.previewed(shown))


class Ruling(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "disputes_rule",
        "Rule on a dispute as previewed; large amounts need a second person (auditors)",
        request=DisputeRulingInput,
        response=DisputeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, dispute_id: UUID) -> Response:
        found = access.dispute_read_by_auditor(me(request), dispute_id)
        given = checked(DisputeRulingInput, request)
        token = given.pop("token")
        decision = _decision(given)
        rulings.rule(
            dispute_id=found.pk, decision=decision, token=token, actor=me(request), now=timezone.now()
        )
        found.refresh_from_db()
        return _shown(request, found, status.HTTP_201_CREATED)


def _decision(given: dict[str, Any]) -> Decision:
    """Raises BadRemedy."""
    try:
        return Decision(**given)
    except BadDecision as error:
        raise BadRemedy(str(error)) from None
