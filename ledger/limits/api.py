"""REST API of player protection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, ClassVar, TypedDict
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger.callers import StaffView, actor, command_key, own_id
from ledger.documents import FiguresOutput, figures_document
from ledger.errors import NotConfirmed, UnknownPlayer
from ledger.limits import protection, services, usage
from ledger.limits.actions import Protection, SetLimit, StopPlay
from ledger.limits.models import LimitChange, Period, PlayStop, StopKind
from ledger.limits.terms import CHOICES
from ledger.serializers import ReasonField
from rest.documents import Moment, Uuid, moment
from rest.fields import (
    PenceField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import STAFF, Scope
from staff.actions import perform

CONFIRMATION = "exclude me"


class LimitInput(StrictSerializer):
    kind = StrictChoiceField(choices=CHOICES)
    period = StrictChoiceField(choices=Period.choices)
    amount = PenceField(min=0, allow_null=True, help_text="null: no limit")


class TimeOutInput(StrictSerializer):
    hours = StrictIntegerField(min=1, max=1008)


class ExclusionInput(StrictSerializer):
    months = StrictIntegerField(min=6, max=60, allow_null=True, help_text="null: permanent")


class SelfExclusionInput(ExclusionInput):
    confirm = StrictTextField(max_length=40, help_text=f'"{CONFIRMATION}"')

    def validate_confirm(self, confirm: str) -> str:
        if confirm != CONFIRMATION:
            raise NotConfirmed(f'Send confirm: "{CONFIRMATION}".', confirm=CONFIRMATION)
        return confirm


class PlayerLimitInput(LimitInput):
    reason = ReasonField()


class PlayerTimeOutInput(TimeOutInput):
    reason = ReasonField()


class PlayerExclusionInput(ExclusionInput):
    reason = ReasonField()


class PendingOutput(TypedDict):
    amount: Annotated[int | None, "null: no limit"]
    requested_at: Moment
    effective_at: Moment


class LimitOutput(TypedDict):
    kind: str
    period: Annotated[str, "the last 24 hours, 7 or 30 days"]
    amount: Annotated[int | None, "in force; null: no limit"]
    used: int
    remaining: int | None
    pending: PendingOutput | None


def limit_document(limit: protection.Limit) -> LimitOutput:
    pending = limit.pending
    return {
        "kind": limit.kind,
        "period": limit.period,
        "amount": limit.amount,
        "used": limit.used,
        "remaining": limit.remaining,
        "pending": None
        if pending is None
        else {
            "amount": pending.amount,
            "requested_at": moment(pending.at),
            "effective_at": moment(pending.effective_at),
        },
    }


def changed_limit(player: UUID, kind: str, period: str) -> LimitOutput:
    found = protection.protection(player, timezone.now())
    [limit] = [limit for limit in found.limits if (limit.kind, limit.period) == (kind, period)]
    return limit_document(limit)


class LimitsOutput(TypedDict):
    currency: str
    limits: list[LimitOutput]


def limits_document(found: protection.Protection) -> LimitsOutput:
    return {"currency": found.currency, "limits": [limit_document(limit) for limit in found.limits]}


class StopOutput(TypedDict):
    kind: str
    at: Moment
    until: Annotated[Moment | None, "null: permanent"]
    in_force: bool


def stop_document(stop: PlayStop) -> StopOutput:
    return {
        "kind": stop.kind,
        "at": moment(stop.at),
        "until": moment(stop.until),
        "in_force": stop.until is None or stop.until > timezone.now(),
    }


class StaffStopOutput(StopOutput):
    actor: str
    reason: str


def staff_stop_document(stop: PlayStop) -> StaffStopOutput:
    return {**stop_document(stop), "actor": stop.actor, "reason": stop.reason}


class ChangeOutput(TypedDict):
    kind: str
    period: str
    amount: int | None
    was: int | None
    at: Moment
    effective_at: Moment
    actor: str
    reason: str


def change_document(change: LimitChange) -> ChangeOutput:
    return {
        "kind": change.kind,
        "period": change.period,
        "amount": change.amount,
        "was": change.was,
        "at": moment(change.at),
        "effective_at": moment(change.effective_at),
        "actor": change.actor,
        "reason": change.reason,
    }


class Limits(APIView):
    @describe(
        "wallet_limits",
        "The caller's limits: current, pending, used, and remaining",
        scope=Scope.WALLET,
        response=LimitsOutput,
    )
    def get(self, request: Request) -> Response:
        query(request)
        found = protection.protection(own_id(request), timezone.now())
        return Response(limits_document(found))

    @describe(
        "wallet_limits_create",
        "Set a limit; a lower one applies at once, a higher one or none after a day",
        scope=Scope.WALLET,
        request=LimitInput,
        response=LimitOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(LimitInput, request)
        me = own_id(request)
        services.set_limit(
            player=me,
            currency=settings.RACECARD_CURRENCY,
            key=command_key(request),
            actor=actor(request),
            at=timezone.now(),
            **given,
        )
        return Response(changed_limit(me, given["kind"], given["period"]), status=201)


class Pending(APIView):
    @describe(
        "wallet_limit_pending_withdraw",
        "Cancel a pending change of a limit",
        scope=Scope.WALLET,
        response=LimitOutput,
    )
    def delete(self, request: Request, kind: str, period: str) -> Response:
        me = own_id(request)
        services.withdraw_change(
            player=me,
            kind=kind,
            period=period,
            currency=settings.RACECARD_CURRENCY,
            actor=actor(request),
            at=timezone.now(),
        )
        return Response(changed_limit(me, kind, period))


class _Stops(PagedView):
    ordering = ("-at", "-pk")

    def stops(self, request: Request, kind: StopKind) -> Response:
        query(request, *PAGE)
        return self.page(protection.stops_of(own_id(request)).filter(kind=kind), stop_document)


class TimeOuts(_Stops):
    @describe(
        "wallet_time_outs",
        "The caller's time-outs, newest first",
        scope=Scope.WALLET,
        response=list[StopOutput],
    )
    def get(self, request: Request) -> Response:
        return self.stops(request, StopKind.TIME_OUT)

    @describe(
        "wallet_time_outs_create",
        "Take a time-out of 1 to 1008 hours, which cannot be shortened",
        scope=Scope.WALLET,
        request=TimeOutInput,
        response=StopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(TimeOutInput, request)
        me = own_id(request)
        stop = services.take_time_out(
            player=me, key=command_key(request), actor=actor(request), at=timezone.now(), **given
        )
        return Response(stop_document(stop), status=201)


class SelfExclusion(_Stops):
    @describe(
        "wallet_self_exclusion",
        "The caller's self-exclusions, newest first",
        scope=Scope.WALLET,
        response=list[StopOutput],
    )
    def get(self, request: Request) -> Response:
        return self.stops(request, StopKind.EXCLUSION)

    @describe(
        "wallet_self_exclusion_create",
        "Exclude the caller from play for 6 to 60 months or permanently; it cannot be lifted",
        scope=Scope.WALLET,
        request=SelfExclusionInput,
        response=StopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(SelfExclusionInput, request)
        me = own_id(request)
        stop = services.exclude(
            player=me,
            months=given["months"],
            key=command_key(request),
            actor=actor(request),
            at=timezone.now(),
        )
        return Response(stop_document(stop), status=201)


class RealityOutput(TypedDict):
    currency: str
    session: Annotated[FiguresOutput | None, "the open play session"]
    day: Annotated[FiguresOutput, "the last 24 hours"]
    week: Annotated[FiguresOutput, "the last 7 days"]
    month: Annotated[FiguresOutput, "the last 30 days"]
    since: Annotated[FiguresOutput | None, "since the requested time"]


class Reality(APIView):
    @describe(
        "wallet_reality",
        "The time, stakes, returns, and net result of the caller's play",
        scope=Scope.WALLET,
        response=RealityOutput,
        parameters=[OpenApiParameter("since", datetime, description="ISO 8601 with a time zone")],
    )
    def get(self, request: Request) -> Response:
        wanted, now = query(request, "since"), timezone.now()
        since = _moment(wanted["since"], now) if "since" in wanted else None
        found = usage.of_player(player=own_id(request), now=now, since=since)
        reality: RealityOutput = {
            "currency": settings.RACECARD_CURRENCY,
            "session": None if found.session is None else figures_document(found.session),
            "day": figures_document(found.day),
            "week": figures_document(found.week),
            "month": figures_document(found.month),
            "since": None if found.since is None else figures_document(found.since),
        }
        return Response(reality)


def _moment(text: str, now: datetime) -> datetime:
    try:
        # A plus sign in an address that was not encoded arrives as a space.
        at = parse_datetime(text.replace(" ", "+"))
        moment = None if at is None or at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or not datetime(1970, 1, 1, tzinfo=UTC) <= moment <= now:
        raise InvalidInput("since: a past time with its zone is needed, such as 2026-03-01T12:00:00Z.")
    return moment


class ProtectionOutput(LimitsOutput):
    player: Uuid
    stop: Annotated[StaffStopOutput | None, "the stop in force"]
    changes: Annotated[list[ChangeOutput], "changes of limits, newest first"]
    stops: Annotated[list[StaffStopOutput], "newest first"]


class PlayerProtection(StaffView):
    @describe(
        "player_protection",
        "A player's limits, time-outs, and exclusions with their history (administrators, auditors)",
        scope=STAFF,
        response=ProtectionOutput,
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        query(request)
        if not get_user_model().objects.filter(pk=player_id).exists():
            raise UnknownPlayer()
        found = protection.protection(player_id, timezone.now())
        shown: ProtectionOutput = {
            **limits_document(found),
            "player": str(player_id),
            "stop": None if found.stop is None else staff_stop_document(found.stop),
            "changes": [
                change_document(change) for change in protection.changes_of(player_id).order_by("-pk")
            ],
            "stops": [staff_stop_document(stop) for stop in protection.stops_of(player_id).order_by("-pk")],
        }
        return Response(shown)


class PlayerLimits(StaffView):
    may: ClassVar = {"POST": Protection.permission}

    @describe(
        "player_limits_create",
        "Set a limit for a player; a lower one applies at once, a higher one or none after a day (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=PlayerLimitInput,
        response=LimitOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(PlayerLimitInput, request)
        perform(SetLimit.open(request.user), {"player": player_id, **given}, key=command_key(request))
        return Response(changed_limit(player_id, given["kind"], given["period"]), status=201)


def _stop(kind: StopKind, operation: str, summary: str, takes: type[StrictSerializer]) -> type[StaffView]:
    """Return the view by which staff stop a player's play."""

    class Stop(StaffView):
        may: ClassVar = {"POST": Protection.permission}

        @describe(
            operation, summary, scope=Scope.ADMINISTRATOR, request=takes, response=StaffStopOutput, status=201
        )
        @idempotent
        def post(self, request: Request, player_id: UUID) -> Response:
            given = {"player": player_id, "kind": kind, **checked(takes, request)}
            stop, _ = perform(StopPlay.open(request.user), given, key=command_key(request))
            return Response(staff_stop_document(stop), status=201)

    return Stop


PlayerTimeOuts = _stop(
    StopKind.TIME_OUT,
    "player_time_outs_create",
    "Set a time-out for a player, which cannot be shortened (administrators)",
    PlayerTimeOutInput,
)
PlayerExclusions = _stop(
    StopKind.EXCLUSION,
    "player_exclusions_create",
    "Exclude a player from play; it cannot be lifted (administrators)",
    PlayerExclusionInput,
)
