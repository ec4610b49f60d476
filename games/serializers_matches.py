"""What the API of matches takes, and the shape of what it answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import (
    ObjectField,
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
)
from games.clocks import LONGEST_GAME, LONGEST_MOVE, SHORTEST_GAME, SHORTEST_MOVE
from games.matches import LONGEST_PAUSE, MOST_DEALS, PAUSE, SHORTEST_PAUSE
from games.serializers import MOST_SEATS, BotSeatField, PotOutput, SeatOutput


class MatchInput(StrictSerializer):
    rules = StrictTextField(max_length=40)
    config = ObjectField(required=False, default=dict)
    seats = StrictIntegerField(min=0, max=MOST_SEATS, required=False)
    deals = StrictIntegerField(min=1, max=MOST_DEALS)
    pause = StrictIntegerField(min=SHORTEST_PAUSE, max=LONGEST_PAUSE, required=False, default=PAUSE)
    private = StrictBooleanField(required=False, default=False)
    bots = StrictListField(child=BotSeatField(), max_length=MOST_SEATS, required=False, default=list)
    move_limit = StrictIntegerField(
        min=SHORTEST_MOVE, max=LONGEST_MOVE, required=False, allow_null=True, default=None
    )
    game_limit = StrictIntegerField(
        min=SHORTEST_GAME, max=LONGEST_GAME, required=False, allow_null=True, default=None
    )
    stake_table = StrictTextField(max_length=40, required=False, allow_null=True, default=None)
    buy_in = PenceField(required=False, allow_null=True, default=None)


class MatchGameOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    game = serializers.UUIDField()
    status = serializers.ChoiceField(["open", "active", "finished", "void"])
    outcome = ObjectField(allow_null=True)


class MatchStandingOutput(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    place = serializers.IntegerField()
    wins = serializers.IntegerField()
    cards = serializers.IntegerField()


class MatchLineOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    rules = serializers.CharField()
    config = ObjectField()
    deals = serializers.IntegerField()
    played = serializers.IntegerField()
    status = serializers.ChoiceField(["running", "finished", "void"])
    seats = SeatOutput(many=True)
    game = serializers.UUIDField()
    private = serializers.BooleanField()
    pause = serializers.IntegerField()
    move_limit = serializers.IntegerField(allow_null=True)
    game_limit = serializers.IntegerField(allow_null=True)
    stake_table = serializers.CharField(allow_null=True)
    buy_in = serializers.IntegerField(
        allow_null=True, help_text="pence that each seat pays at the first deal for all of them"
    )
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class MatchOutput(MatchLineOutput):
    invite = serializers.CharField(allow_null=True)
    games = MatchGameOutput(many=True)
    standings = MatchStandingOutput(many=True)
    pot = PotOutput(allow_null=True)
