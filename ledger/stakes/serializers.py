"""What the views of stake tables take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
)
from ledger.serializers import ReasonField, _InOwnCurrency
from ledger.splits import WHOLE
from ledger.stakes.figures import MOST_PLACES, WINNER_TAKES_ALL, is_split

WINNER = "winner"


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": [WINNER]},
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
    """`"winner"`, or basis points by place, 10,000 together."""

    default_error_messages = {
        "invalid": f'"{WINNER}", or basis points by place, {WHOLE} together, are needed.'
    }

    def to_representation(self, value: Any) -> Any:
        return WINNER if tuple(value) == WINNER_TAKES_ALL else list(value)

    def to_internal_value(self, data: Any) -> tuple[int, ...]:
        if data == WINNER:
            return WINNER_TAKES_ALL
        if not isinstance(data, list) or not is_split(tuple(data)):
            self.fail("invalid")
        return tuple(data)


class StrictMomentField(serializers.DateTimeField):
    """An RFC 3339 moment with its offset from UTC."""

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not (value.endswith(("Z", "z")) or value[-6:-5] in ("+", "-")):
            self.fail("invalid", format="RFC 3339 with an offset, such as 2026-03-01T12:00:00Z")
        return super().to_internal_value(value)


def _asked(required: bool) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    return {
        **{name: PenceField(required=required) for name in ("minimum", "maximum", "step", "default")},
        "win_rate": StrictTextField(max_length=20, required=False, allow_blank=True),
        "bank_limit": PenceField(min=0, required=False, allow_null=True),
        "open": StrictBooleanField(required=False),
        "rake": StrictIntegerField(min=0, max=WHOLE - 1, required=False),
        "split": SplitField(required=False),
    }


class _FiguresInput(StrictSerializer):
    """The figures of a table. What is left out stays as it would be without the change."""

    figures_required = False

    def get_fields(self) -> dict[str, Any]:
        return {**_asked(self.figures_required), **super().get_fields()}

    @property
    def figures(self) -> dict[str, Any]:
        """Those that were given."""
        return {name: self.validated_data[name] for name in _asked(False) if name in self.validated_data}


class StakeTableInput(_InOwnCurrency, _FiguresInput):
    """What a table offers at once. What is left out: no pay table, all the bank has, open, no rake, winner."""

    figures_required = True
    slug = StrictTextField(max_length=40)
    rules = StrictTextField(max_length=40)
    mode = StrictTextField(max_length=80, required=False, allow_blank=True, default="")
    reason = ReasonField()


class StakeTermsInput(_FiguresInput):
    expected = StrictIntegerField(min=1, max=2**31 - 1, help_text="`newest` of the table as it was seen")
    effective_from = StrictMomentField(
        required=False, allow_null=True, default=None, help_text="from when; null: from now"
    )
    reason = ReasonField()


class FundingInput(StrictSerializer):
    amount = PenceField()
    reason = ReasonField()


class FiguresOutput(serializers.Serializer[Any]):
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    step = serializers.IntegerField()
    default = serializers.IntegerField()
    win_rate = serializers.CharField(help_text="the pay table; empty where the game has none")
    bank_limit = serializers.IntegerField(allow_null=True)
    rake = serializers.IntegerField(help_text="basis points of a pool of buy-ins")
    split = SplitField(help_text="winner, or basis points by place")
    open = serializers.BooleanField()


class ProspectsOutput(serializers.Serializer[Any]):
    """What a stake can come to and whether the caller could make it now. Amounts in pence."""

    amount = serializers.IntegerField()
    currency = serializers.CharField()
    card = serializers.IntegerField(allow_null=True, help_text="against the house: what each card pays")
    most = serializers.IntegerField(allow_null=True, help_text="against the house: what all cards pay")
    even_at = serializers.IntegerField(
        allow_null=True, help_text="against the house: as many cards give the stake back"
    )
    pot = serializers.IntegerField(allow_null=True, help_text="among players: what all seats put in")
    rake = serializers.IntegerField(allow_null=True, help_text="what the house keeps of the pot")
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="what first place gets, second …, if none is shared"
    )
    left = serializers.IntegerField(
        allow_null=True, help_text="what the caller would have left of what it is paid from; null: not enough"
    )
    obstacle = serializers.DictField(
        allow_null=True, help_text="the problem that the stake would be refused with now"
    )


class AnnouncedOutput(FiguresOutput):
    number = serializers.IntegerField()
    effective_from = serializers.DateTimeField()


class StakeTableOutput(FiguresOutput):
    """A table with the terms in force, and those announced."""

    slug = serializers.CharField(source="table.slug")
    rules = serializers.CharField(source="table.rules")
    mode = serializers.CharField(source="table.mode", help_text="such as draw=3; empty: any")
    currency = serializers.CharField(source="table.currency")
    terms = serializers.IntegerField(source="number", help_text="the number of the terms in force")
    effective_from = serializers.DateTimeField(help_text="since when they are")
    newest = serializers.IntegerField(
        help_text="the number of the newest terms, announced or withdrawn ones too"
    )
    announced = AnnouncedOutput(many=True)


class StakeTermsOutput(AnnouncedOutput):
    standing = serializers.ChoiceField(choices=["in-force", "announced", "past", "withdrawn"])


class AccountedTermsOutput(StakeTermsOutput):
    """As those see them who may see the books."""

    asked_at = serializers.DateTimeField()
    actor = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class ChangedTermsOutput(AccountedTermsOutput):
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="what the bank could not cover now"
    )
    withdrawn = serializers.ListField(
        child=serializers.IntegerField(), help_text="numbers of announced terms that this change withdraws"
    )


class OpenedTableOutput(StakeTableOutput):
    warnings = serializers.ListField(child=serializers.CharField())
