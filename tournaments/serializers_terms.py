"""The terms of a tournament as they are sent: one serializer, whoever asks - the API, a file, the draft's form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import (
    ObjectField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from games.serializers import MOST_SEATS
from tournaments import formats
from tournaments.formats import staged, tiebreaks, times
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_ROUND,
    MOST_BANK,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_GUARANTEE,
    MOST_ROUNDS,
    Count,
    Seeding,
)
from tournaments.models_waiting import MOST_WAITING
from tournaments.terms import Terms


@extend_schema_field({"type": "string", "examples": ["2027-03-28T19:00", "2027-03-28T17:00:00Z"]})
class WallTimeField(serializers.Field[Any, Any, Any, Any]):
    """ISO 8601 text; without an offset it is wall time in the tournament's zone, and a naive datetime here."""

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str):
            raise serializers.ValidationError("A text is needed, such as 2027-03-28T19:00.")
        try:
            return times.parse(data)
        except times.BadTime as error:
            raise serializers.ValidationError(f"{error}.") from None


class RoundTimeInput(StrictSerializer):
    round = StrictIntegerField(min=2, max=MOST_ROUNDS)
    opens_at = WallTimeField()


class StageInput(StrictSerializer):
    format = StrictChoiceField(
        choices=[*staged.FIRST, *staged.SECOND],
        help_text="of the first a swiss or a round-robin, of the second a knockout or a double-knockout",
    )
    rounds = StrictIntegerField(
        min=0, max=MOST_ROUNDS, required=False, help_text="of the first; 0: one cycle of the largest group"
    )
    groups = StrictIntegerField(
        min=1, max=MOST_ENTRANTS, required=False, help_text="of a round-robin, each its own; 1 if not given"
    )
    qualify = StrictIntegerField(
        min=2, max=MOST_ENTRANTS, required=False, help_text="of the first: how many of all go on"
    )


class TermsInput(StrictSerializer):
    name = StrictTextField(max_length=100)
    format = StrictChoiceField(choices=[known.slug for known in formats.catalogue()])
    rules = StrictTextField(max_length=40)
    config = ObjectField()
    rounds = StrictIntegerField(
        min=0,
        max=MOST_ROUNDS,
        default=0,
        help_text="0: as many as it takes, where the format knows (knockouts, round robins, stages)",
    )
    seats = StrictIntegerField(min=0, max=MOST_SEATS, required=False, help_text="seats a table should have")
    sizes = StrictListField(
        child=StrictIntegerField(min=1, max=MOST_SEATS),
        max_length=MOST_SEATS,
        required=False,
        help_text="seats a table may have where the field does not divide",
    )
    through = StrictIntegerField(
        min=0, max=MOST_SEATS, required=False, help_text="how many of a knockout's table go on"
    )
    count = StrictChoiceField(
        choices=Count.choices, required=False, help_text="what the results of a shared deal come to"
    )
    tie_breaks = StrictListField(
        child=StrictChoiceField(choices=[known.name for known in tiebreaks.catalogue()]),
        max_length=len(tiebreaks.catalogue()),
        required=False,
        help_text="what parts the field, in this order",
    )
    stages = StageInput(many=True, required=False, help_text="of the format stages: the two, in their order")
    seeding = StrictChoiceField(choices=Seeding.choices, required=False)
    seeded_by = StrictUUIDField(required=False, allow_null=True, help_text="for the seeding by standing")
    rated = StrictBooleanField(required=False, allow_null=True, help_text="null: where opponents meet")
    games = StrictIntegerField(min=1, max=MOST_GAMES, required=False)
    bank = StrictIntegerField(
        min=0,
        max=MOST_BANK,
        required=False,
        help_text="of a meeting: pence of play money that everybody bets with",
    )
    opens_at = WallTimeField(
        required=False, allow_null=True, help_text="wall time in `time_zone`, or with an offset"
    )
    time_zone = StrictTextField(
        max_length=64, required=False, help_text="IANA name, such as Europe/Berlin; the house's unless given"
    )
    check_in_at = WallTimeField(
        required=False, allow_null=True, help_text="when the check-in begins, instead of check_in_seconds"
    )
    round_times = RoundTimeInput(
        many=True,
        required=False,
        help_text="rounds that open at a time of their own, whatever gap_seconds say",
    )
    round_seconds = StrictIntegerField(min=1, max=LONGEST_ROUND, required=False)
    gap_seconds = StrictIntegerField(min=0, max=LONGEST_ROUND, required=False)
    no_show_seconds = StrictIntegerField(
        min=0,
        max=LONGEST_ROUND,
        required=False,
        help_text="who has not moved when a game has waited so long forfeits the table; 0: nobody does",
    )
    check_in_seconds = StrictIntegerField(
        min=0,
        max=LONGEST_ROUND,
        required=False,
        help_text="before opens_at, in which entrants say that they are there; 0: they need not",
    )
    late_until = StrictIntegerField(
        min=0, max=MOST_ROUNDS, required=False, help_text="the last round that can be entered late; 0: none"
    )
    capacity = StrictIntegerField(min=2, max=MOST_ENTRANTS, required=False)
    waiting_list = StrictIntegerField(
        min=0, max=MOST_WAITING, required=False, help_text="how many may wait for a place; 0: nobody"
    )
    fewest = StrictIntegerField(min=2, max=MOST_ENTRANTS, required=False)
    fill_to = StrictIntegerField(min=0, max=MOST_ENTRANTS, required=False)
    fee = StrictIntegerField(min=0, max=10**9, required=False)
    currency = StrictTextField(max_length=3, required=False)
    prizes = StrictListField(
        child=StrictIntegerField(min=1, max=BASIS_POINTS), min_length=1, max_length=1000, required=False
    )
    rake = StrictIntegerField(min=0, max=BASIS_POINTS - 1, required=False)
    amounts = StrictListField(
        child=StrictIntegerField(min=1, max=MOST_GUARANTEE),
        max_length=1000,
        required=False,
        help_text="fixed prizes by place, in pence; `prizes` are then the shares of the rest",
    )
    guarantee = StrictIntegerField(
        min=0,
        max=MOST_GUARANTEE,
        required=False,
        help_text="pence that the prizes come to at least; the house adds what the fees do not bring",
    )


def terms_of(given: Mapping[str, Any]) -> Terms:
    """What `TermsInput` has found valid, in the currency of the house unless another is given."""
    times = [(one["round"], one["opens_at"]) for one in given.get("round_times", ())]
    told = {"currency": settings.RACECARD_CURRENCY, **given, "round_times": times}
    return Terms(**{field.name: told[field.name] for field in fields(Terms) if field.name in told})
