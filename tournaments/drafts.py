"""The preview of terms before they are stored: what is wrong with them, the timetable, and the prizes.

Everything is computed from the terms. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict

from games import rules
from rest.fields import StrictIntegerField
from tournaments import formats, schedules, selectors
from tournaments.errors import BadTerms
from tournaments.formats import times
from tournaments.formats.protocol import Format, Snapshot, Stage
from tournaments.formats.scoring import game_scores
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import MOST_ENTRANTS, MOST_ROUNDS, Count
from tournaments.selectors import PrizePlanOutput
from tournaments.terms import Terms, TermsInput, terms_of
from tournaments.validation import agree


class TermsPreviewInput(TermsInput):
    """Terms that may still lack a name, and the number of entrants that the organizer expects."""

    entrants = StrictIntegerField(
        min=2,
        max=MOST_ENTRANTS,
        required=False,
        help_text="raised to `fewest` and lowered to `capacity`, which is the default",
    )

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        found["name"].required = False
        return {**found, "entrants": deepcopy(self._declared_fields["entrants"])}


class TermsFaultOutput(TypedDict):
    field: Annotated[str, "the term, or `entrants`"]
    message: str


class SlotOutput(TypedDict):
    round: int
    opens_at: datetime
    closes_at: Annotated[datetime, "if every round takes its whole time"]


class TermsPreviewOutput(TypedDict):
    faults: Annotated[list[TermsFaultOutput], "why the terms cannot be published; empty if they can"]
    rounds: Annotated[int | None, "the most rounds that the entrants need; null with faults"]
    timetable: Annotated[list[SlotOutput], "from the start by the terms, or from now if they have none"]
    prize_plan: Annotated[PrizePlanOutput | None, "null with faults"]


class Unplayable(Exception):
    """Terms with faults."""

    def __init__(self, faults: list[TermsFaultOutput]) -> None:
        super().__init__(faults)
        self.faults = faults


def preview(given: Any, *, now: datetime) -> TermsPreviewOutput:
    """Return the preview of terms as REST receives them. All faults of form are found at once, the others singly."""
    try:
        terms, entrants = _read(given)
        schedules.check_ahead(terms.opens_at, dict(terms.round_times), now=now)
        rounds = rounds_of(terms, entrants)
    except Unplayable as error:
        return _unplayable(error.faults)
    except BadTerms as error:
        return _unplayable([{"field": error.field, "message": error.why}])
    slots = times.timetable(
        rounds,
        start=terms.opens_at or now,
        length=timedelta(seconds=terms.round_seconds),
        gap=timedelta(seconds=terms.gap_seconds),
        fixed=dict(terms.round_times),
    )
    return {
        "faults": [],
        "rounds": rounds,
        "timetable": [
            {"round": slot.round, "opens_at": slot.opens, "closes_at": slot.closes} for slot in slots
        ],
        "prize_plan": selectors.planned_prizes(terms, paid=entrants, entrants=entrants),
    }


def _unplayable(faults: list[TermsFaultOutput]) -> TermsPreviewOutput:
    return {"faults": faults, "rounds": None, "timetable": [], "prize_plan": None}


def _read(given: Any) -> tuple[Terms, int]:
    """Return the agreed terms and the number of entrants. Raises Unplayable, BadTerms."""
    read = TermsPreviewInput(data={"name": "-", **given} if isinstance(given, Mapping) else given)
    if not read.is_valid():
        raise Unplayable([{"field": name, "message": _first(errors)} for name, errors in read.errors.items()])
    data = dict(read.validated_data)
    asked = data.pop("entrants", MOST_ENTRANTS)
    terms = agree(terms_of(data)).terms
    return terms, min(terms.capacity, max(terms.fewest, asked))


def rounds_of(terms: Terms, entrants: int) -> int:
    """Return the most rounds that a field of this size needs. Raises BadTerms for the field `entrants`."""
    stages = tuple(Stage(**stage) for stage in terms.stages)
    known = Snapshot(
        (),
        terms.rounds,
        terms.games,
        (),
        sizes=tuple(terms.sizes),
        preferred=terms.seats,
        through=terms.through,
        stages=stages,
    )
    try:
        rounds = formats.get(terms.format).rounds(entrants, asked=terms.rounds, snapshot=known)
    except CannotBeSeated as error:
        raise BadTerms("entrants", f"{error}.") from None
    if rounds > MOST_ROUNDS:
        raise BadTerms("entrants", f"{entrants} entrants need {rounds} rounds; {MOST_ROUNDS} is the most.")
    return rounds


def _first(errors: Any) -> str:
    """Return the first message of a field, however nested."""
    if isinstance(errors, Mapping):
        errors = list(errors.values())
    return _first(next(one for one in errors if one)) if isinstance(errors, list | tuple) else str(errors)


# --- formats ------------------------------------------------------------------------------------------


class FormatGameOutput(TypedDict):
    rules: str
    seats: Annotated[list[int], "the seats that a table may have; 0: a race without seats"]


class FormatOutput(TypedDict):
    slug: str
    name: str
    fewest_entrants: int
    needs_rounds: Annotated[bool, "whether the organizer sets the number of rounds"]
    knocks_out: bool
    on_bets: Annotated[bool, "whether entrants bet on races instead of playing"]
    counts_points: Annotated[bool, "whether the organizer may order the tie-breaks"]
    counts: Annotated[list[str], "the scorings of a shared deal"]
    games: list[FormatGameOutput]


class FormatsOutput(TypedDict):
    results: list[FormatOutput]


def catalogue() -> list[FormatOutput]:
    """Return every format with the games that can be played in it."""
    return [_format(form) for form in formats.catalogue()]


def _format(form: Format) -> FormatOutput:
    games: list[FormatGameOutput] = []
    for slug in (slug for slug in game_scores.known() if game_scores.get(slug).on_bets == form.on_bets):
        possible = rules.get(slug).seats
        seats = [seats for seats in possible if form.suits((seats,))] if form.suits(possible) else []
        if seats:
            games.append({"rules": slug, "seats": seats})
    return {
        "slug": form.slug,
        "name": form.name,
        "fewest_entrants": form.fewest_entrants,
        "needs_rounds": form.fewest_rounds > 0,
        "knocks_out": form.knocks_out,
        "on_bets": form.on_bets,
        "counts_points": form.counts_points,
        "counts": [str(Count(count)) for count in form.counts],
        "games": games,
    }
