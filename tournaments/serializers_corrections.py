"""What the views of corrections take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
)
from eventstore.chain import LARGEST_INTEGER
from games.serializers import MOST_SEATS
from tournaments.models import MOST_ENTRANTS, MOST_GAMES, MOST_ROUNDS
from tournaments.serializers import RelaxedOutput

WAYS = ("score", "void", "forfeit", "swap")
"""How a result is corrected: new measures for everybody, worth nothing, forfeited by some, exchanged between two."""
MOST_MEASURE = 10**9
MOST_MEASURES = 10


class ScoreInput(StrictSerializer):
    entry = StrictIntegerField(min=1, max=2 * MOST_ENTRANTS)
    score = StrictListField(
        child=StrictIntegerField(min=-MOST_MEASURE, max=MOST_MEASURE),
        min_length=1,
        max_length=MOST_MEASURES,
        help_text="a number for each measure of the tournament, in their order",
    )


class EvidenceInput(StrictSerializer):
    version = StrictIntegerField(min=1, max=LARGEST_INTEGER)
    hash = StrictTextField(max_length=64)


class PreviewInput(StrictSerializer):
    round = StrictIntegerField(min=1, max=MOST_ROUNDS)
    table = StrictIntegerField(min=1, max=MOST_ENTRANTS)
    number = StrictIntegerField(
        min=1, max=MOST_GAMES, required=False, default=1, help_text="of the table's games in the round"
    )
    way = StrictChoiceField(choices=WAYS)
    scores = StrictListField(
        child=ScoreInput(),
        max_length=MOST_SEATS,
        required=False,
        default=[],
        help_text="of `score`: everybody's",
    )
    entries = StrictListField(
        child=StrictIntegerField(min=1, max=2 * MOST_ENTRANTS),
        max_length=MOST_SEATS,
        required=False,
        default=[],
        help_text="of `forfeit`: who forfeited; of `swap`: the two whose results change places",
    )
    reason = StrictTextField(max_length=200, help_text="stands in the events, which everybody may read")
    evidence = EvidenceInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="an event of the game that shows what was wrong",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = {"score": ("scores",), "void": (), "forfeit": ("entries",), "swap": ("entries",)}[
            attrs["way"]
        ]
        for field in ("scores", "entries"):
            if bool(attrs[field]) != (field in needed):
                told = "is needed" if field in needed else "has no meaning"
                raise serializers.ValidationError({field: [f"With this way it {told}."]})
        return attrs


class CorrectionInput(PreviewInput):
    token = StrictTextField(max_length=100, help_text="of the preview: what was shown is what is done")


class WorthOutput(serializers.Serializer[Any]):
    ended = serializers.ChoiceField(choices=["finished", "expired", "void", "forfeit"])
    score = serializers.ListField(child=serializers.IntegerField())


class CorrectedOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    was = WorthOutput()

    def get_fields(self) -> dict[str, Any]:
        # A keyword of Python cannot be declared as an attribute.
        return {**super().get_fields(), "is": WorthOutput()}


class CorrectionBase(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="counts the corrections of the tournament, from 1")
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    deal = serializers.IntegerField()
    results = CorrectedOutput(many=True)


@extend_schema_serializer(component_name="TournamentCorrectionEvidence")
class EvidenceOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    hash = serializers.CharField()


@extend_schema_serializer(component_name="TournamentCorrection")
class CorrectionOutput(CorrectionBase):
    version = serializers.IntegerField(help_text="of the event that tells it")
    at = serializers.CharField()
    game = serializers.UUIDField()
    reason = serializers.CharField()
    by = serializers.UUIDField()
    evidence = EvidenceOutput(allow_null=True)


@extend_schema_serializer(component_name="TournamentCorrections")
class CorrectionsOutput(serializers.Serializer[Any]):
    results = CorrectionOutput(many=True)


class PlacedOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    totals = serializers.ListField(child=serializers.IntegerField())


class MovedOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    was = PlacedOutput()
    would_be = PlacedOutput()


class LaidOutOutput(serializers.Serializer[Any]):
    tables = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    byes = serializers.ListField(child=serializers.IntegerField())
    relaxed = RelaxedOutput(many=True)


class OtherwiseOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    was = LaidOutOutput()
    would_be = LaidOutOutput(allow_null=True, help_text="null: it could not have been laid out at all")


class PrizeOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    was = serializers.IntegerField(help_text="pence")
    would_be = serializers.IntegerField(help_text="pence")


class BetChangedOutput(serializers.Serializer[Any]):
    bet = serializers.UUIDField()
    runner = serializers.CharField()
    stake = serializers.IntegerField(help_text="pence")
    was = serializers.IntegerField(help_text="pence that it returned")
    would_be = serializers.IntegerField(help_text="pence")


@extend_schema_serializer(component_name="TournamentCorrectionPreview")
class PreviewOutput(serializers.Serializer[Any]):
    token = serializers.CharField()
    version = serializers.IntegerField(
        help_text="of the tournament's last event: the token ends with the next"
    )
    correction = CorrectionBase()
    standings = MovedOutput(many=True, help_text="who would stand otherwise")
    pairings = OtherwiseOutput(
        many=True, help_text="rounds that the engine would have laid out otherwise; they stay as they are"
    )
    prizes = PrizeOutput(many=True, help_text="of a finished tournament, those that would change")
    outright = BetChangedOutput(
        many=True, allow_null=True, help_text="bets on the winner that would change; null: nothing follows"
    )
    ratings_stay = serializers.BooleanField(help_text="true: the table moved ratings, which stay as they are")
