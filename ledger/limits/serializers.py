"""What the views of protection take and answer."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from api.fields import (
    PenceField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
)
from ledger.limits.errors import NotConfirmed
from ledger.limits.models import LimitKind, Period, PlayStop
from ledger.limits.serializers_figures import FiguresOutput
from ledger.serializers import ReasonField

CONFIRMATION = "exclude me"


class LimitInput(StrictSerializer):
    kind = StrictChoiceField(choices=LimitKind.choices)
    period = StrictChoiceField(choices=Period.choices)
    amount = PenceField(min=0, allow_null=True, help_text="null: no limit")


class TimeOutInput(StrictSerializer):
    hours = StrictIntegerField(min=1, max=1008)


class ExclusionInput(StrictSerializer):
    months = StrictIntegerField(min=6, max=60, allow_null=True, help_text="null: without end")


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
    asked_at = serializers.DateTimeField(source="at")
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
    until = serializers.DateTimeField(allow_null=True, help_text="null: without end")
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
    stop = StaffStopOutput(allow_null=True, help_text="what stops play now")
    changes = ChangeOutput(many=True, help_text="of limits, newest first")
    stops = StaffStopOutput(many=True, help_text="newest first")


class RealityOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    session = FiguresOutput(allow_null=True, help_text="the open play session")
    day = FiguresOutput(help_text="the last 24 hours")
    week = FiguresOutput(help_text="the last 7 days")
    month = FiguresOutput(help_text="the last 30 days")
    since = FiguresOutput(allow_null=True, help_text="since the time that was asked for")
