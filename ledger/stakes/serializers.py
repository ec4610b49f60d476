"""What the views of stake tables take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ledger.splits import WHOLE
from ledger.stakes.figures import MOST_PLACES, WINNER_TAKES_ALL


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": ["winner"]},
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": WHOLE},
                "minItems": 1,
                "maxItems": MOST_PLACES,
            },
        ]
    }
)
class SplitField(serializers.Field[Any, Any, Any, Any]):
    """`"winner"`, or basis points by place."""

    def to_representation(self, value: Any) -> Any:
        return "winner" if tuple(value) == WINNER_TAKES_ALL else list(value)


class StakeTableOutput(serializers.Serializer[Any]):
    """A table with the terms in force."""

    slug = serializers.CharField(source="table.slug")
    rules = serializers.CharField(source="table.rules")
    mode = serializers.CharField(source="table.mode")
    currency = serializers.CharField(source="table.currency")
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    step = serializers.IntegerField()
    default = serializers.IntegerField()
    win_rate = serializers.CharField()
    rake = serializers.IntegerField(help_text="basis points of a pool of buy-ins")
    split = SplitField(help_text="winner, or basis points by place")
    open = serializers.BooleanField()
    terms = serializers.IntegerField(source="number", help_text="the number of the terms in force")
