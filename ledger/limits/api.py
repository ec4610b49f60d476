"""REST of a player's own protection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.fields import checked
from api.idempotency import idempotent
from api.query import PAGE, query
from api.schema import describe
from ledger.callers import command_key, own_id
from ledger.limits import reality, selectors, serializers, services
from ledger.limits.models import PlayStop, StopKind
from ledger.models import OwnerKind


def shown_limit(player: UUID, kind: str, period: str) -> Any:
    found = selectors.protection(player, timezone.now())
    [limit] = [limit for limit in found.limits if (limit.kind, limit.period) == (kind, period)]
    return serializers.LimitOutput(limit).data


class Limits(APIView):
    @describe(
        "wallet_limits",
        "The caller's limits: in force, pending, used and left",
        response=serializers.LimitsOutput,
    )
    def get(self, request: Request) -> Response:
        query(request)
        found = selectors.protection(own_id(request), timezone.now())
        return Response(serializers.LimitsOutput(found).data)

    @describe(
        "wallet_limits_create",
        "Ask for a limit: lower is in force at once, higher or none after a day",
        request=serializers.LimitInput,
        response=serializers.LimitOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.LimitInput, request)
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
        "Withdraw a change that is pending, so that the limit in force stays",
        response=serializers.LimitOutput,
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
    serializer_class = serializers.StopOutput
    ordering = ("-at", "-pk")
    kind: StopKind

    def get_queryset(self) -> QuerySet[PlayStop]:
        return selectors.stops_of(own_id(self.request)).filter(kind=self.kind)


class TimeOuts(_Stops):
    kind = StopKind.TIME_OUT

    @describe(
        "wallet_time_outs",
        "The caller's time-outs, newest first",
        response=serializers.StopOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "wallet_time_outs_create",
        "Take a time-out of 1 to 1008 hours, which cannot be shortened",
        request=serializers.TimeOutInput,
        response=serializers.StopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.TimeOutInput, request)
        me = own_id(request)
        stop = services.take_time_out(
            player=me, key=command_key(request), actor=f"{OwnerKind.PLAYER}:{me}", at=timezone.now(), **given
        )
        return Response(serializers.StopOutput(stop).data, status=201)


class SelfExclusion(_Stops):
    kind = StopKind.EXCLUSION

    @describe(
        "wallet_self_exclusion",
        "The caller's self-exclusions, newest first",
        response=serializers.StopOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "wallet_self_exclusion_create",
        "Exclude oneself from play for 6 to 60 months or for ever, which nobody can lift",
        request=serializers.SelfExclusionInput,
        response=serializers.StopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.SelfExclusionInput, request)
        me = own_id(request)
        stop = services.exclude(
            player=me,
            months=given["months"],
            key=command_key(request),
            actor=f"{OwnerKind.PLAYER}:{me}",
            at=timezone.now(),
        )
        return Response(serializers.StopOutput(stop).data, status=201)


class Reality(APIView):
    @describe(
        "wallet_reality",
        "What the caller's play came to: time, stakes, returns, net",
        response=serializers.RealityOutput,
        parameters=[OpenApiParameter("since", datetime, description="ISO 8601 with a time zone")],
    )
    def get(self, request: Request) -> Response:
        wanted, now = query(request, "since"), timezone.now()
        since = _moment(wanted["since"], now) if "since" in wanted else None
        found = reality.of_player(player=own_id(request), now=now, since=since)
        return Response(serializers.RealityOutput({"currency": settings.RACECARD_CURRENCY, **found}).data)


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
