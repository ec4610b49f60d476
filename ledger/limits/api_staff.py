"""REST of a player's protection for staff: read by those who see the books, added to by administrators."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.query import query
from api.schema import describe
from ledger.callers import MayKeepBooks, command_key, decided
from ledger.errors import UnknownPlayer
from ledger.limits import selectors, serializers, services
from ledger.limits.api import shown_limit


def _order(request: Request) -> dict[str, Any]:
    return {"key": command_key(request), **decided(request)}


class PlayerProtection(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "player_protection",
        "A player's limits, time-outs and exclusions with their history (administrators, auditors)",
        response=serializers.ProtectionOutput,
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        query(request)
        if not get_user_model().objects.filter(pk=player_id).exists():
            raise UnknownPlayer()
        found = selectors.protection(player_id, timezone.now())
        shown = {
            "player": player_id,
            "currency": found.currency,
            "limits": found.limits,
            "stop": found.stop,
            "changes": selectors.changes_of(player_id).order_by("-pk"),
            "stops": selectors.stops_of(player_id).order_by("-pk"),
        }
        return Response(serializers.ProtectionOutput(shown).data)


class _Adding(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.protect"}


class PlayerLimits(_Adding):
    @describe(
        "player_limits_create",
        "Ask for a limit for a player: lower at once, higher or none after a day (administrators)",
        request=serializers.PlayerLimitInput,
        response=serializers.LimitOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(serializers.PlayerLimitInput, request)
        services.set_limit(player=player_id, currency=settings.RACECARD_CURRENCY, **given, **_order(request))
        return Response(shown_limit(player_id, given["kind"], given["period"]), status=201)


class PlayerTimeOuts(_Adding):
    @describe(
        "player_time_outs_create",
        "Give a player a time-out, which cannot be shortened (administrators)",
        request=serializers.PlayerTimeOutInput,
        response=serializers.StaffStopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(serializers.PlayerTimeOutInput, request)
        stop = services.take_time_out(player=player_id, **given, **_order(request))
        return Response(serializers.StaffStopOutput(stop).data, status=201)


class PlayerExclusions(_Adding):
    @describe(
        "player_exclusions_create",
        "Exclude a player from play, which nobody can lift (administrators)",
        request=serializers.PlayerExclusionInput,
        response=serializers.StaffStopOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(serializers.PlayerExclusionInput, request)
        stop = services.exclude(player=player_id, **given, **_order(request))
        return Response(serializers.StaffStopOutput(stop).data, status=201)
