"""The reality figures as every answer gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class FiguresOutput(serializers.Serializer[Any]):
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    seconds = serializers.IntegerField(help_text="between cash in and cash out")
    stakes = serializers.IntegerField(help_text="games, bets and entries that were not taken back")
    staked = serializers.IntegerField()
    returned = serializers.IntegerField()
    net = serializers.IntegerField(help_text="open stakes count as lost until they are settled")
