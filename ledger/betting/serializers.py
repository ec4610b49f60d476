"""Input and output of the endpoints of markets and bets."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ledger.betting import prices
from ledger.betting.models import Market, MarketKind, MarketStatus, Runner
from ledger.betting.terms import Terms
from ledger.splits import WHOLE
from rest.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
)

STANDARD = Terms()


class PoolTermsInput(StrictSerializer):
    """The terms of a pool; other kinds of market add theirs."""

    takeout = StrictIntegerField(
        min=0, max=WHOLE - 1, required=False, default=0, help_text="pool: basis points"
    )
    step = StrictIntegerField(
        min=0,
        max=10,
        required=False,
        default=0,
        help_text="pool: a dividend is rounded down to 1 or 10 pence",
    )
    cancellable = StrictBooleanField(required=False, default=STANDARD.cancellable)
    cap = PenceField(required=False, allow_null=True, default=None)
    stake_table = StrictTextField(max_length=40, required=False, default=STANDARD.stake_table)


class RunnerOutput(serializers.Serializer[Any]):
    runner = serializers.CharField(source="name")
    price = serializers.SerializerMethodField(
        help_text="odds to one as a fraction; null: not offered, or a pool"
    )
    decimal = serializers.SerializerMethodField(
        help_text="the return of one unit including the stake, rounded down"
    )
    staked = serializers.SerializerMethodField(help_text="pool: pence on this runner; null at fixed odds")
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="no bets are taken after this; bets on it are refunded"
    )

    def get_price(self, runner: Runner) -> str | None:
        return runner.price or None

    def get_decimal(self, runner: Runner) -> str | None:
        return prices.as_decimal(prices.parse(runner.price)) if runner.price else None

    def get_staked(self, runner: Runner) -> int | None:
        return runner.stakes if self.context["kind"] == MarketKind.POOL else None


class TermsOutput(serializers.Serializer[Any]):
    margin = serializers.IntegerField(help_text="fixed odds: basis points")
    takeout = serializers.IntegerField(help_text="pool: basis points")
    step = serializers.IntegerField(
        help_text="pool: pence to which a dividend is rounded down; 0: not at all"
    )
    on_draw = serializers.CharField()
    cancellable = serializers.BooleanField()
    in_running = serializers.BooleanField()
    cap = serializers.IntegerField(allow_null=True)
    stake_table = serializers.CharField(
        source="stake_table.slug", allow_null=True, help_text="null for markets in play money"
    )
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    stake_step = serializers.IntegerField()


class MarketOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject = serializers.CharField(help_text="the subject that is bet on, such as game:…")
    kind = serializers.ChoiceField(choices=MarketKind.choices)
    currency = serializers.CharField()
    status = serializers.ChoiceField(choices=MarketStatus.choices)
    version = serializers.IntegerField()
    round = serializers.IntegerField(help_text="the number of the betting round")
    terms = TermsOutput(source="*")
    runners = serializers.SerializerMethodField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(RunnerOutput(many=True))
    def get_runners(self, market: Market) -> Any:
        return RunnerOutput(market.runners.all(), many=True, context={"kind": market.kind}).data


class SettlementOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    void = serializers.BooleanField()
    winners = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()
    at = serializers.DateTimeField()
    done_at = serializers.DateTimeField(allow_null=True)
    gross = serializers.IntegerField(allow_null=True)
    paid = serializers.IntegerField(allow_null=True)
    takeout = serializers.IntegerField(allow_null=True)
    breakage = serializers.IntegerField(allow_null=True)
    reversed_at = serializers.DateTimeField(allow_null=True)


class MarketDetailOutput(MarketOutput):
    settlements = SettlementOutput(many=True, help_text="the last one is in effect")
