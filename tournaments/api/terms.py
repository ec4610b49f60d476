"""The terms of a tournament as input. The API, the command line, and the draft form use the same serializer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.serializers import MOST_SEATS
from rest.fields import (
    ObjectField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from tournaments import formats
from tournaments.formats import staged, times
from tournaments.formats.scoring import tiebreaks
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_ROUND,
    MOST_BANK,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_GUARANTEE,
    MOST_ROUNDS,
    MOST_WAITING,
    Count,
    Seeding,
)
from tournaments.terms import Terms


@extend_schema_field({"type": "string", "examples": ["2027-03-28T19:00", "2027-03-28T17:00:00Z"]})
class WallTimeField(serializers.Field[Any, Any, Any, Any]):
    """A time in ISO 8601.

    A time without an offset is wall time in the tournament's zone and becomes a naive datetime.
    """

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str):
            raise serializers.ValidationError("Enter a text such as 2027-03-28T19:00.")
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
        help_text="first stage: swiss or round-robin; second stage: knockout or double-knockout",
    )
    rounds = StrictIntegerField(
        min=0, max=MOST_ROUNDS, required=False, help_text="first stage; 0: one cycle of the largest group"
    )
    groups = StrictIntegerField(
        min=1, max=MOST_ENTRANTS, required=False, help_text="groups of a round-robin; 1 by default"
    )
    qualify = StrictIntegerField(
        min=2, max=MOST_ENTRANTS, required=False, help_text="first stage: how many entrants qualify in all"
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
        help_text="0: as many as the format needs (knockouts, round robins, stages)",
    )
    seats = StrictIntegerField(
        min=0, max=MOST_SEATS, required=False, help_text="the desired number of seats of a table"
    )
    sizes = StrictListField(
        child=StrictIntegerField(min=1, max=MOST_SEATS),
        max_length=MOST_SEATS,
        required=False,
        help_text="further possible numbers of seats, if the field does not divide",
    )
    through = StrictIntegerField(
        min=0, max=MOST_SEATS, required=False, help_text="how many advance from a knockout's table"
    )
    count = StrictChoiceField(choices=Count.choices, required=False, help_text="the scoring of a shared deal")
    tie_breaks = StrictListField(
        child=StrictChoiceField(choices=[known.name for known in tiebreaks.catalogue()]),
        max_length=len(tiebreaks.catalogue()),
        required=False,
        help_text="the tie-breaks, in this order",
    )
    stages = StageInput(many=True, required=False, help_text="the two stages of the format `stages`")
    seeding = StrictChoiceField(choices=Seeding.choices, required=False)
    seeded_by = StrictUUIDField(required=False, allow_null=True, help_text="for the seeding by standing")
    rated = StrictBooleanField(required=False, allow_null=True, help_text="null: where opponents meet")
    games = StrictIntegerField(min=1, max=MOST_GAMES, required=False)
    bank = StrictIntegerField(
        min=0,
        max=MOST_BANK,
        required=False,
        help_text="of a meeting: each entrant's play money, in pence",
    )
    opens_at = WallTimeField(
        required=False, allow_null=True, help_text="wall time in `time_zone`, or with an offset"
    )
    time_zone = StrictTextField(
        max_length=64, required=False, help_text="IANA name, such as Europe/Berlin; the site's by default"
    )
    check_in_at = WallTimeField(
        required=False, allow_null=True, help_text="when the check-in begins, instead of check_in_seconds"
    )
    round_times = RoundTimeInput(
        many=True,
        required=False,
        help_text="rounds with a fixed opening time, regardless of gap_seconds",
    )
    round_seconds = StrictIntegerField(min=1, max=LONGEST_ROUND, required=False)
    gap_seconds = StrictIntegerField(min=0, max=LONGEST_ROUND, required=False)
    no_show_seconds = StrictIntegerField(
        min=0,
        max=LONGEST_ROUND,
        required=False,
        help_text="how long a game waits for an absent entrant before they forfeit the table; 0: no forfeits",
    )
    check_in_seconds = StrictIntegerField(
        min=0,
        max=LONGEST_ROUND,
        required=False,
        help_text="the length of the check-in before opens_at; 0: no check-in",
    )
    late_until = StrictIntegerField(
        min=0,
        max=MOST_ROUNDS,
        required=False,
        help_text="the last round that late entrants can begin with; 0: none",
    )
    capacity = StrictIntegerField(min=2, max=MOST_ENTRANTS, required=False)
    waiting_list = StrictIntegerField(
        min=0, max=MOST_WAITING, required=False, help_text="the size of the waiting list; 0: none"
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
        help_text="fixed prizes by place, in pence; `prizes` are the shares of the rest",
    )
    guarantee = StrictIntegerField(
        min=0,
        max=MOST_GUARANTEE,
        required=False,
        help_text="the least sum of the prizes in pence; the bank adds what the fees do not cover",
    )


def terms_of(given: Mapping[str, Any]) -> Terms:
    """Return the terms of validated `TermsInput` data. The currency defaults to that of the site."""
    times = [(one["round"], one["opens_at"]) for one in given.get("round_times", ())]
    values = {"currency": settings.RACECARD_CURRENCY, **given, "round_times": times}
    return Terms(**{field.name: values[field.name] for field in fields(Terms) if field.name in values})
