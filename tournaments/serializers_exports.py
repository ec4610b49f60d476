"""What the exports answer where they are JSON."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class PairingOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    table = serializers.IntegerField(allow_null=True, help_text="null: a bye")
    seat = serializers.IntegerField(allow_null=True)
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    number = serializers.IntegerField(allow_null=True, help_text="of the table's games in the round")
    deal = serializers.IntegerField(allow_null=True)
    game = serializers.UUIDField(allow_null=True)
    ended = serializers.CharField(
        allow_null=True, help_text="null: not yet; bye: sat out; otherwise how the game ended"
    )
    correction = serializers.IntegerField(
        allow_null=True, help_text="the number of the last correction of the game; null: as it was played"
    )
    stage = serializers.IntegerField(allow_null=True, help_text="1 or 2 in the format stages")
    group = serializers.IntegerField(allow_null=True, help_text="of a first stage in groups, from 1")
    score = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="null until the round has been closed"
    )


class PairingsOutput(serializers.Serializer[Any]):
    measures = serializers.ListField(child=serializers.CharField(), help_text="what a score is made of")
    results = PairingOutput(many=True)
