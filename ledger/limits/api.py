"""REST API of player protection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger.callers import StaffView, command_key, decided, own_id
from ledger.errors import NotConfirmed, UnknownPlayer
from ledger.limits import protection, services, usage
from ledger.limits.models import LimitKind, Period, PlayStop, StopKind
from ledger.models import OwnerKind
from ledger.serializers import FiguresOutput, ReasonField
from rest.fields import (
    PenceField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, query
from rest.schema import describe

CONFIRMATION = "exclude me"


class LimitInput(StrictSerializer):
    kind = StrictChoiceField(choices=LimitKind.choices)
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


class PendingOutput(serializers.Serializer[Any]):
    amount = serializers.IntegerField(allow_null=True, help_text="null: no limit")
    requested_at = serializers.DateTimeField(source="at")
    effective_at = serializers.DateTimeField()


class LimitOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    period = serializers.CharField(help_text="the last 24 hours, 7 or 30 days")
    amount = serializers.IntegerField(allow_null=True, help_text="in force; null: no limit")
    used = serializers.IntegerField()
    remaining = serializers.IntegerField(allow_null=True)
    pending = PendingOutput(allow_null=True)


class StopOutput(serializers.Serializer[PlayStop]):
    kind = serializers.CharField()
    at = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True, help_text="null: permanent")
    in_force = serializers.SerializerMethodField()

    def get_in_force(self, stop: PlayStop) -> bool:
        return stop.until is None or stop.until > timezone.now()


class LimitsOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    limits = LimitOutput(many=True)


class ChangeOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    period = serializers.CharField()
    amount = serializers.IntegerField(allow_null=True)
    was = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    effective_at = serializers.DateTimeField()
    actor = serializers.CharField()
    reason = serializers.CharField()


class StaffStopOutput(StopOutput):
    actor = serializers.CharField()
    reason = serializers.CharField()


class ProtectionOutput(LimitsOutput):
    player = serializers.UUIDField()
    stop = StaffStopOutput(allow_null=True, help_text="the stop in force")
    changes = ChangeOutput(many=True, help_text="changes of limits, newest first")
    stops = StaffStopOutput(many=True, help_text="newest first")


class RealityOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    session = FiguresOutput(allow_null=True, help_text="the open play session")
    day = FiguresOutput(help_text="the last 24 hours")
    week = FiguresOutput(help_text="the last 7 days")
    month = FiguresOutput(help_text="the last 30 days")
    since = FiguresOutput(allow_null=True, help_text="since the requested time")


def shown_limit(player: UUID, kind: str, period: str) -> Any:
    found = protection.protection(player, timezone.now())
    [limit] = [limit for limit in found.limits if (limit.kind, limit.period) == (kind, period)]
    return LimitOutput(limit).data


class Limits(APIView):
    @describe(
        "wallet_limits",
        "The caller's limits: current, pending, used, and remaining",
        response=LimitsOutput,
    )
    def get(self, request: Request) -> Response:
        query(request)
        found = protection.protection(own_id(request), timezone.now())
        return Response(LimitsOutput(found).data)

    @describe(
        "wallet_limits_create",
        "Set a limit; a lower one applies at once, a higher one or none after a day",
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
            actor=f"{OwnerKind.PLAYER}:{me}",
            at=timezone.now(),
            **given,
        )
        return Response(shown_limit(me, given["kind"], given["period"]), status=201)


class Pending(APIView):
    @describe(
        "wallet_limit_pending_withdraw",
        "Cancel a pending change of a limit",
        response=LimitOutput,
    )
    def delete(self, request: Request, kind: str, period: str) -> Response:
        me = own_id(request)
        services.withdraw_change(
            player=me,
            kind=kind,
            period=period,
            currency=settings.RACECARD_CURRENCY,
            actor=f"{OwnerKind.PLAYER}:{me}",
            at=timezone.now(),
        )
        return Response(shown_limit(me, kind, period))


class _Stops(ListAPIView[PlayStop]):
    serializer_class = StopOutput
    ordering = ("-at", "-pk")
    kind: StopKind

    def get_queryset(self) -> QuerySet[PlayStop]:
        return protection.stops_of(own_id(self.request)).filter(kind=self.kind)


class TimeOuts(_Stops):
    kind = StopKind.TIME_OUT

    @describe(
        "wallet_time_outs",
        "The caller's time-outs, newest first",
        response=StopOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "wallet_time_outs_create",
        "Take a time-out of 1 to 1008 hours, which cannot be shortened",
        request=TimeOutInput,
        response=StopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(TimeOutInput, request)
        me = own_id(request)
        stop = services.take_time_out(
            player=me, key=command_key(request), actor=f"{OwnerKind.PLAYER}:{me}", at=timezone.now(), **given
        )
        return Response(StopOutput(stop).data, status=201)


class SelfExclusion(_Stops):
    kind = StopKind.EXCLUSION

    @describe(
        "wallet_self_exclusion",
        "The caller's self-exclusions, newest first",
        response=StopOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "wallet_self_exclusion_create",
        "Exclude the caller from play for 6 to 60 months or permanently; it cannot be lifted",
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
            actor=f"{OwnerKind.PLAYER}:{me}",
            at=timezone.now(),
        )
        return Response(StopOutput(stop).data, status=201)


class Reality(APIView):
    @describe(
        "wallet_reality",
        "The time, stakes, returns, and net result of the caller's play",
        response=RealityOutput,
        parameters=[OpenApiParameter("since", datetime, description="ISO 8601 with a time zone")],
    )
    def get(self, request: Request) -> Response:
        wanted, now = query(request, "since"), timezone.now()
        since = _moment(wanted["since"], now) if "since" in wanted else None
        found = usage.of_player(player=own_id(request), now=now, since=since)
        return Response(RealityOutput({"currency": settings.RACECARD_CURRENCY, **found}).data)


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


def _order(request: Request) -> dict[str, Any]:
    return {"key": command_key(request), **decided(request)}


class PlayerProtection(StaffView):
    @describe(
        "player_protection",
        "A player's limits, time-outs, and exclusions with their history (administrators, auditors)",
        response=ProtectionOutput,
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        query(request)
        if not get_user_model().objects.filter(pk=player_id).exists():
            raise UnknownPlayer()
        found = protection.protection(player_id, timezone.now())
        shown = {
            "player": player_id,
            "currency": found.currency,
            "limits": found.limits,
            "stop": found.stop,
            "changes": protection.changes_of(player_id).order_by("-pk"),
            "stops": protection.stops_of(player_id).order_by("-pk"),
        }
        return Response(ProtectionOutput(shown).data)


class _Adding(StaffView):
    may: ClassVar = {"POST": "ledger.protect"}


class PlayerLimits(_Adding):
    @describe(
        "player_limits_create",
        "Set a limit for a player; a lower one applies at once, a higher one or none after a day (administrators)",
        request=PlayerLimitInput,
        response=LimitOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(PlayerLimitInput, request)
        services.set_limit(player=player_id, currency=settings.RACECARD_CURRENCY, **given, **_order(request))
        return Response(shown_limit(player_id, given["kind"], given["period"]), status=201)


class PlayerTimeOuts(_Adding):
    @describe(
        "player_time_outs_create",
        "Set a time-out for a player, which cannot be shortened (administrators)",
        request=PlayerTimeOutInput,
        response=StaffStopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(PlayerTimeOutInput, request)
        stop = services.take_time_out(player=player_id, **given, **_order(request))
        return Response(StaffStopOutput(stop).data, status=201)


class PlayerExclusions(_Adding):
    @describe(
        "player_exclusions_create",
        "Exclude a player from play; it cannot be lifted (administrators)",
        request=PlayerExclusionInput,
        response=StaffStopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(PlayerExclusionInput, request)
        stop = services.exclude(player=player_id, **given, **_order(request))
        return Response(StaffStopOutput(stop).data, status=201)
