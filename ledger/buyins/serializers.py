"""What the views of pots and buy-ins take and answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictListField, StrictSerializer, StrictUUIDField
from ledger.buyins.models import BuyInStatus, PotStatus
from ledger.serializers import ReasonField

MOST_SEATS = 64


class PotRulingInput(StrictSerializer):
    places = StrictListField(
        child=StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST_SEATS),
        max_length=MOST_SEATS,
        allow_null=True,
        help_text="players by place, those of one shared it; null: every buy-in goes back",
    )
    reason = ReasonField()


class BuyInOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject = serializers.CharField(source="pot.subject", help_text="what it is for, such as game:…")
    amount = serializers.IntegerField(help_text="pence")
    currency = serializers.CharField(source="pot.currency")
    status = serializers.ChoiceField(choices=BuyInStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    net = serializers.IntegerField(allow_null=True)
    taken_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PotBuyInOutput(serializers.Serializer[Any]):
    player = serializers.UUIDField()
    event = serializers.IntegerField(help_text="version of the seating")
    amount = serializers.IntegerField()
    status = serializers.ChoiceField(choices=BuyInStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    division = serializers.IntegerField()


class DivisionOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    void = serializers.BooleanField()
    places = serializers.ListField(child=serializers.ListField(child=serializers.UUIDField()))
    gross = serializers.IntegerField()
    rake = serializers.IntegerField()
    reason = serializers.CharField()
    actor = serializers.CharField()
    at = serializers.DateTimeField()


class PotAccountsOutput(serializers.Serializer[Any]):
    """Amounts in pence; `rake` and `split` are the terms, in basis points."""

    id = serializers.UUIDField()
    subject = serializers.CharField()
    currency = serializers.CharField()
    amount = serializers.IntegerField(help_text="of one buy-in")
    stake_table = serializers.CharField(source="stake_table.slug")
    rake = serializers.IntegerField()
    split = serializers.ListField(child=serializers.IntegerField())
    status = serializers.ChoiceField(choices=PotStatus.choices)
    opened_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    buy_ins = PotBuyInOutput(many=True)
    divisions = DivisionOutput(many=True, help_text="the last one stands")
