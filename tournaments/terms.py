"""The terms of a tournament, each declared once.

`Terms` declares a term: its name, type, and default, and the field that reads it, with its bounds. The input of REST,
of the command line, and of the draft form follow from it, as do the checks of bounds, the columns, and the data of
the first event. `TournamentTerms` declares how the term is published; its descriptions are also those of the input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache
from typing import Annotated, Any, TypedDict, cast, get_args, get_type_hints
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from eventstore.chain import format_at
from games.serializers import MOST_SEATS
from rest.documents import Uuid, descriptions, one_of
from rest.fields import (
    ObjectField,
    PenceField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from tournaments import formats, models, schedules
from tournaments.errors import BadTerms
from tournaments.formats import staged, times
from tournaments.formats.protocol import TOTAL, Count
from tournaments.formats.scoring import tiebreaks
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_DESCRIPTION,
    LONGEST_ROUND,
    MOST_BANK,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_GUARANTEE,
    MOST_ROUNDS,
    MOST_WAITING,
    Seeding,
    Tournament,
)

Field = serializers.Field[Any, Any, Any, Any]


def format_names() -> list[str]:
    """Return the names of all formats, those of plug-ins too."""
    return [known.slug for known in formats.catalogue()]


@extend_schema_field({"type": "string", "examples": ["2027-03-28T19:00", "2027-03-28T17:00:00Z"]})
class WallTimeField(Field):
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


Stages = Sequence[Mapping[str, Any]]
"""Each has a `format`; the first also `qualify` and optionally `rounds` and `groups`."""

Seconds = Annotated[int, StrictIntegerField(min=0, max=LONGEST_ROUND)]
Seats = Annotated[int, StrictIntegerField(min=0, max=MOST_SEATS)]
WallTime = Annotated[datetime | None, WallTimeField(help_text="wall time in `time_zone`, or with an offset")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms: money in pence, prizes and rake in basis points, times in seconds.

    A term without a default must be given. The draft form has the terms in this order.

    `seats` 0 stands for the fewest seats of the game, `sizes` empty for all its sizes, `through` 0 for half a table,
    `currency` and `time_zone` empty for those of the installation, `prizes` empty for shares in proportion to the
    amounts, and without these for all to the first.
    """

    name: Annotated[str, StrictTextField(max_length=100)]
    description: Annotated[str, StrictTextField(max_length=LONGEST_DESCRIPTION, allow_blank=True)] = ""
    format: Annotated[str, StrictChoiceField(choices=format_names())]
    rules: Annotated[str, StrictTextField(max_length=40, help_text="the game")]
    config: Annotated[Mapping[str, Any], ObjectField(help_text="the game's own options, as JSON")]
    rounds: Annotated[
        int,
        StrictIntegerField(
            min=0,
            max=MOST_ROUNDS,
            help_text="0: as many as the format needs (knockouts, round robins, stages)",
        ),
    ] = 0
    games: Annotated[int, StrictIntegerField(min=1, max=MOST_GAMES)] = 1
    bank: Annotated[int, StrictIntegerField(min=0, max=MOST_BANK)] = 0
    stages: Annotated[Stages, StageInput(many=True)] = ()
    seats: Seats = 0
    sizes: Annotated[
        Sequence[int],
        StrictListField(child=StrictIntegerField(min=1, max=MOST_SEATS), max_length=MOST_SEATS),
    ] = ()
    through: Seats = 0
    count: Annotated[Count, StrictChoiceField(choices=models.Count.choices)] = TOTAL
    tie_breaks: Annotated[
        Sequence[str],
        StrictListField(
            child=StrictChoiceField(choices=[known.name for known in tiebreaks.catalogue()]),
            max_length=len(tiebreaks.catalogue()),
        ),
    ] = ()
    seeding: Annotated[str, StrictChoiceField(choices=Seeding.choices)] = Seeding.ENTRY
    seeded_by: Annotated[UUID | None, StrictUUIDField()] = None
    rated: Annotated[bool | None, StrictBooleanField(help_text="null: where opponents meet")] = None
    capacity: Annotated[int, StrictIntegerField(min=2, max=MOST_ENTRANTS)] = 1000
    waiting_list: Annotated[int, StrictIntegerField(min=0, max=MOST_WAITING)] = 0
    fewest: Annotated[int, StrictIntegerField(min=2, max=MOST_ENTRANTS)] = 2
    fill_to: Annotated[int, StrictIntegerField(min=0, max=MOST_ENTRANTS)] = 0
    late_until: Annotated[int, StrictIntegerField(min=0, max=MOST_ROUNDS)] = 0
    opens_at: WallTime = None
    time_zone: Annotated[
        str,
        StrictTextField(max_length=64, help_text="IANA name, such as Europe/Berlin; the site's by default"),
    ] = ""
    round_seconds: Annotated[int, StrictIntegerField(min=1, max=LONGEST_ROUND)] = 3600
    gap_seconds: Seconds = 0
    round_times: Annotated[
        Sequence[tuple[int, datetime]],
        RoundTimeInput(many=True, help_text="rounds with a fixed opening time, regardless of gap_seconds"),
    ] = ()
    check_in_at: Annotated[
        datetime | None, WallTimeField(help_text="when the check-in begins, instead of check_in_seconds")
    ] = None
    check_in_seconds: Seconds = 0
    no_show_seconds: Seconds = 0
    fee: Annotated[int, PenceField(min=0, max=10**9)] = 0
    currency: Annotated[str, StrictTextField(max_length=3)] = ""
    rake: Annotated[int, StrictIntegerField(min=0, max=BASIS_POINTS - 1)] = 0
    prizes: Annotated[
        Sequence[int],
        StrictListField(child=StrictIntegerField(min=1, max=BASIS_POINTS), min_length=1, max_length=1000),
    ] = ()
    amounts: Annotated[
        Sequence[int], StrictListField(child=PenceField(min=1, max=MOST_GUARANTEE), max_length=1000)
    ] = ()
    guarantee: Annotated[int, PenceField(min=0, max=MOST_GUARANTEE)] = 0


STORED = tuple(term.name for term in fields(Terms) if term.name != "check_in_at")
"""The terms that are columns of a tournament. The start of the check-in is stored as its length."""


class StageOutput(TypedDict):
    format: str
    rounds: Annotated[int, "0: as many as the format needs"]
    groups: int
    qualify: Annotated[int, "how many entrants qualify in all; 0 for the last stage"]


class TournamentTerms(TypedDict):
    """The terms that a tournament's line in a list and its schedule do not have."""

    description: Annotated[str, "what the organizer tells players, in plain text"]
    seats: Annotated[int, "the desired number of seats of a table"]
    sizes: Annotated[list[int], "the possible numbers of seats of a table, if the field does not divide"]
    through: Annotated[int, "how many advance from a knockout's table"]
    count: Annotated[str, one_of(models.Count), "the scoring of a shared deal"]
    tie_breaks: Annotated[list[str], "the tie-breaks, in this order"]
    stages: Annotated[list[StageOutput], "the two stages of the format `stages`; empty in others"]
    seeding: Annotated[str, one_of(Seeding)]
    seeded_by: Annotated[Uuid | None, "the tournament whose standings seed this one"]
    rated: Annotated[bool, "whether its tables change ratings"]
    bank: Annotated[int, "each entrant's play money in a meeting, in pence"]
    check_in_seconds: Annotated[int, "the length of the check-in before opens_at; 0: none"]
    late_until: Annotated[int, "the last round that late entrants can begin with; 0: none"]
    waiting_list: Annotated[int, "the size of the waiting list; 0: none"]
    fewest: int
    fill_to: Annotated[int, "the number of entrants up to which bots enter at the start"]
    round_seconds: int
    gap_seconds: Annotated[int, "between two rounds"]
    no_show_seconds: Annotated[
        int, "how long a game waits for an absent entrant before they forfeit the table; 0: no forfeits"
    ]
    prizes: Annotated[
        list[int], "shares by place in basis points, 10000 in all, of the pool without the fixed amounts"
    ]
    rake: Annotated[int, "basis points of the fees, to the site"]
    amounts: Annotated[list[int], "fixed prizes by place, in pence; `prizes` are the shares of the rest"]
    guarantee: Annotated[
        int, "the least sum of the prizes in pence; the bank adds what the fees do not cover"
    ]


# --- input -------------------------------------------------------------------------------------------


@cache
def declared_fields() -> dict[str, Field]:
    """Return the field that reads each term."""
    hints = get_type_hints(Terms, include_extras=True)
    return {term.name: hints[term.name].__metadata__[0] for term in fields(Terms)}


class TermsInput(StrictSerializer):
    """Terms as the API, the command line, and the draft form receive them."""

    def get_fields(self) -> dict[str, Field]:
        types, notes = get_type_hints(Terms), descriptions(TournamentTerms)
        found = {}
        for term in fields(Terms):
            field = deepcopy(declared_fields()[term.name])
            field.required = term.default is MISSING
            field.allow_null = type(None) in get_args(types[term.name])
            field.help_text = field.help_text or notes.get(term.name)
            if type(term.default) is int:
                field.default = term.default
            found[term.name] = field
        return found


def terms_of(given: Mapping[str, Any]) -> Terms:
    """Return the terms of validated `TermsInput` data."""
    round_times = [(one["round"], one["opens_at"]) for one in given.get("round_times", ())]
    return Terms(**{**given, "round_times": round_times})


# --- what is stored and published --------------------------------------------------------------------


def columns(terms: Terms) -> dict[str, Any]:
    """Return validated terms as columns of a tournament."""
    values = {name: getattr(terms, name) for name in STORED}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    round_times = [{"round": number, "opens_at": format_at(at)} for number, at in terms.round_times]
    return {**values, **lists, "round_times": round_times}


def event_data(tournament: Tournament) -> dict[str, Any]:
    """Return the terms for the first event. The organizer's words are left out, since they may be offensive."""
    data = {name: getattr(tournament, name) for name in STORED if name not in ("name", "description")}
    if not tournament.stages:
        del data["stages"]
    data["seeded_by"] = str(tournament.seeded_by_id) if tournament.seeded_by_id else None
    data["opens_at"] = format_at(tournament.opens_at) if tournament.opens_at else None
    return data


def document(tournament: Tournament) -> TournamentTerms:
    members = {name: getattr(tournament, name) for name in TournamentTerms.__annotations__}
    seeded_by = str(tournament.seeded_by_id) if tournament.seeded_by_id else None
    # The members are columns of the same names; `tests/tournaments/test_terms.py` compares their types.
    return cast("TournamentTerms", {**members, "seeded_by": seeded_by})


def copied(tournament: Tournament, *, now: datetime) -> Terms:
    """Return the terms for another tournament like this one, not yet validated; a start in the past is moved to the
    same time of the week. Raises BadTerms if its format is no longer installed.
    """
    try:
        form = formats.get(tournament.format)
    except formats.UnknownFormat as error:
        raise BadTerms("format", f"{error}.") from None
    opens_at, round_times = schedules.ahead(tournament, now=now)
    stages = [*tournament.stages[:1], *({"format": later["format"]} for later in tournament.stages[1:])]
    values: dict[str, Any] = {name: getattr(tournament, name) for name in STORED}
    values |= {"opens_at": opens_at, "round_times": round_times, "stages": stages, "currency": ""}
    values |= {"seeded_by": tournament.seeded_by_id}
    if opens_at is None:
        values["check_in_seconds"] = 0
    if tournament.started_at is not None and not form.fewest_rounds:
        values["rounds"] = 0  # The start has fixed what the format needs.
    if not form.knocks_out:
        values["through"] = 0
    if form.on_bets:
        values |= {"seats": 0, "sizes": ()}
    return Terms(**values)
