"""What the views of markets and bets take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
)
from ledger.betting import prices
from ledger.betting.models import BET_SEED_LENGTH, Bet, BetStatus, Market, MarketKind, MarketStatus, Runner
from ledger.betting.terms import MOST_RUNNERS, Terms
from ledger.serializers import ReasonField
from ledger.splits import WHOLE

STANDARD = Terms()


class PoolTermsInput(StrictSerializer):
    """The terms that a pool has; other markets add theirs."""

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


class BetInput(StrictSerializer):
    currency = StrictTextField(max_length=3, required=False, help_text="if given, the market's")
    runner = StrictTextField(max_length=64)
    stake = PenceField()
    price = StrictTextField(
        max_length=prices.LONGEST,
        required=False,
        help_text="fixed odds: the price that was seen, such as 5/2; not in a pool",
    )
    client_seed = StrictTextField(max_length=BET_SEED_LENGTH, required=False, allow_blank=True, default="")


class VoidBetInput(StrictSerializer):
    key = StrictTextField(
        max_length=128, help_text="the Idempotency-Key that the bet was or will be sent with"
    )


class RulingInput(StrictSerializer):
    winners = StrictListField(
        child=StrictTextField(max_length=64),
        max_length=MOST_RUNNERS,
        help_text="several tied; none: nobody won",
    )
    reason = ReasonField()


class NewRulingInput(RulingInput):
    winners = StrictListField(
        child=StrictTextField(max_length=64),
        max_length=MOST_RUNNERS,
        allow_null=True,
        help_text="null: every stake goes back",
    )


class VoidMarketInput(StrictSerializer):
    reason = ReasonField()


class RunnerOutput(serializers.Serializer[Any]):
    runner = serializers.CharField(source="name")
    price = serializers.SerializerMethodField(
        help_text="odds to one as a fraction; null: not offered, or a pool"
    )
    decimal = serializers.SerializerMethodField(help_text="what a unit returns with its stake, rounded down")
    staked = serializers.SerializerMethodField(help_text="pool: pence on this runner; null at fixed odds")
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="no bets since; those on it are refunded"
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
        source="stake_table.slug", allow_null=True, help_text="null where play money is bet"
    )
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    stake_step = serializers.IntegerField()


class MarketOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject = serializers.CharField(help_text="what it is about, such as game:…")
    kind = serializers.ChoiceField(choices=MarketKind.choices)
    currency = serializers.CharField()
    status = serializers.ChoiceField(choices=MarketStatus.choices)
    version = serializers.IntegerField()
    round = serializers.IntegerField(help_text="how often it has been open")
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
    settlements = SettlementOutput(many=True, help_text="the last one stands")


class BetOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    market = serializers.UUIDField(source="market_id")
    subject = serializers.CharField(source="market.subject")
    number = serializers.IntegerField(help_text="its place in the order of betting")
    round = serializers.IntegerField()
    runner = serializers.CharField(source="runner.name")
    stake = serializers.IntegerField()
    currency = serializers.CharField(source="market.currency")
    price = serializers.SerializerMethodField()
    most = serializers.IntegerField(
        allow_null=True, help_text="fixed odds: what it returns if its runner wins alone"
    )
    client_seed = serializers.CharField()
    placed_at = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=BetStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    net = serializers.IntegerField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)

    def get_price(self, bet: Bet) -> str | None:
        return bet.price or None


class VoidedBetOutput(serializers.Serializer[Any]):
    bet = BetOutput(
        allow_null=True, help_text="the bet that was cancelled; null: it will be refused when it comes"
    )
