"""Forms of the staff actions on disputes. Rulings name the players, and offer what the game can be judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from disputes import states
from disputes.models import NOTE_LENGTH, REASON_LENGTH
from disputes.rulings.services import BadDecision, Decision
from games.evidence.naming import people_at
from games.models import GameRecord
from games.rules import registry
from games.rules.manifest import Decides
from staff.actions import SHORT_REASON, FormData, ReasonForm
from tournaments.actions.rows import ScoreRows, current_scores, entrants_at, measures_of
from tournaments.models import TableGame

Groups = list[tuple[str, list[forms.BoundField]]]


class DisputeActionForm(ReasonForm):
    """A reason, and the version of the dispute when the form was opened."""

    reason = forms.CharField(
        min_length=3,
        max_length=REASON_LENGTH,
        error_messages=SHORT_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Stored permanently and shown to all parties of the dispute.",
    )
    events = forms.IntegerField(widget=forms.HiddenInput)


class PinForm(DisputeActionForm):
    reason = forms.CharField(
        min_length=3,
        max_length=NOTE_LENGTH,
        label="What it shows",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown to all parties of the dispute.",
    )
    version = forms.IntegerField(min_value=1, label="Event", help_text="The number of the event.")
    # Another game of the same deal, match, or tournament; its evidence pages link to this form.
    game = forms.UUIDField(required=False, widget=forms.HiddenInput)
    field_order = ("version", "reason")


# --- rulings ---------------------------------------------------------------------------------------------

UPHELD = [(states.UPHELD, "The claim is upheld"), (states.PARTLY, "The claim is upheld in part")]


class RulingForm(DisputeActionForm):
    """The form of a ruling. Subclasses turn their further fields into the terms of the remedy."""

    finding = forms.ChoiceField(choices=UPHELD)
    token = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)
    remedy = ""
    field_order = ("finding", "version", "reason")

    @classmethod
    def of(cls, game: GameRecord) -> type[RulingForm]:
        """Return the form for a game."""
        return cls

    @classmethod
    def first(cls, game: GameRecord, query: Mapping[str, str]) -> FormData:
        """Return the initial values for a game and a query string."""
        return {}

    def terms(self, data: FormData) -> dict[str, Any]:
        return {}

    def clean(self) -> FormData:
        data = super().clean() or {}
        if self.errors:
            return data
        try:
            data["decision"] = Decision(
                finding=data["finding"], remedy=self.remedy, reason=data["reason"], terms=self.terms(data)
            )
        except BadDecision as bad:
            raise forms.ValidationError(str(bad)) from None
        return data


class DismissForm(RulingForm):
    remedy = states.DISMISSED
    finding = forms.ChoiceField(choices=[(states.REJECTED, "The claim is rejected")])


class VoidForm(RulingForm):
    remedy = states.VOID


class ReplayForm(RulingForm):
    remedy = states.REPLAY
    version = forms.IntegerField(
        min_value=1,
        required=False,
        label="From event",
        help_text="For a suspended game: it continues as a new game from this event, with the same remaining cards. "
        "Leave empty for a game that has ended: it is replayed with a new deal.",
    )

    @classmethod
    def first(cls, game: GameRecord, query: Mapping[str, str]) -> FormData:
        return {"version": query.get("version", "")}

    def terms(self, data: FormData) -> dict[str, Any]:
        return {} if data["version"] is None else {"version": data["version"]}


class PointsForm(ScoreRows, RulingForm):
    remedy = states.POINTS
    way = forms.ChoiceField(
        label="Method",
        choices=[
            ("score", "Set the scores"),
            ("forfeit", "Forfeit the chosen players"),
            ("swap", "Swap the results of two players"),
        ],
    )

    @classmethod
    def of(cls, game: GameRecord) -> type[RulingForm]:
        """Return the form with a row for each player; a game outside a tournament has none, and is refused."""
        if (played := _played(game)) is None:
            return cls
        rows = {"entrants": entrants_at(played), "measures": measures_of(played.table.round.tournament)}
        return type("PointsOfGame", (cls,), rows)

    @classmethod
    def first(cls, game: GameRecord, query: Mapping[str, str]) -> FormData:
        if (played := _played(game)) is None:
            return {}
        return ScoreRows.initial_scores(current_scores(played.table.round.tournament, played))

    def groups(self) -> Groups:
        ruling = [self["finding"], self["way"], self["entries"]]
        return [("Ruling", ruling), *self.rows(), ("Record", [self["reason"]])]

    def terms(self, data: FormData) -> dict[str, Any]:
        if data["way"] == "score":
            scores = self.scores(data)
            return {
                "way": "score",
                "scores": [{"entry": entry, "score": list(score)} for entry, score in scores.items()],
            }
        return {"way": data["way"], "entries": data["entries"]}


def _played(game: GameRecord) -> TableGame | None:
    return TableGame.objects.select_related("table__round__tournament").filter(game=game.pk).first()


# --- a corrected result -----------------------------------------------------------------------------------

DECIDE, JUDGE = "decide", "judge"
AS_PLAYED = ""


class CorrectForm(RulingForm):
    """The decided part of the outcome, as the game declares it, or the options to judge the moves again by."""

    remedy = states.CORRECTED
    part: ClassVar[Decides | None] = None
    people: ClassVar[Mapping[int, str]] = {}
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    played_under: ClassVar[Mapping[str, Any]] = {}

    way = forms.ChoiceField(
        label="Method", choices=[(DECIDE, "Decide the result"), (JUDGE, "Judge the recorded moves again")]
    )

    @classmethod
    def of(cls, game: GameRecord) -> type[RulingForm]:
        about = registry.manifest(game.rules)
        played = about.rules(game.rules_version)
        of_game = {
            "part": about.decides,
            "people": people_at(game),
            "options": {key: played.config_schema["properties"][key] for key in registry.options(played)},
            "played_under": game.config,
        }
        return type("CorrectionOfGame", (cls,), of_game)

    @classmethod
    def first(cls, game: GameRecord, query: Mapping[str, str]) -> FormData:
        part = registry.manifest(game.rules).decides
        if part is None or game.outcome is None or part.name not in game.outcome:
            return {}
        return _initial(part, game.outcome[part.name])

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if self.part is None:
            method = self.fields["way"]
            assert isinstance(method, forms.ChoiceField)
            method.choices = [(JUDGE, "Judge the recorded moves again")]
        else:
            self.fields.update(_part_fields(self.part, self.people))
        for key, schema in self.options.items():
            self.fields[f"option_{key}"] = _option_field(schema, self.played_under.get(key))

    def groups(self) -> Groups:
        part = self.part
        decided = [] if part is None else [self[name] for name in _part_fields(part, self.people)]
        options = [self[f"option_{key}"] for key in self.options]
        found = [
            ("Ruling", [self["finding"], self["way"]]),
            (_heading(part), decided),
            ("Judge again under", options),
            ("Record", [self["reason"]]),
        ]
        return [(title, fields) for title, fields in found if fields]

    def terms(self, data: FormData) -> dict[str, Any]:
        if data["way"] == DECIDE:
            assert self.part is not None
            return {"outcome": {self.part.name: _decided(self.part, self.people, data)}}
        given = {key: data[f"option_{key}"] for key in self.options}
        return {"options": {key: value for key, value in given.items() if value not in (AS_PLAYED, None)}}


def _heading(part: Decides | None) -> str:
    if part is not None and part.kind == "places":
        return "Decided place of each player, from 1; equal places are shared"
    return "Decided result"


def _part_fields(part: Decides, people: Mapping[int, str]) -> dict[str, forms.Field]:
    if part.kind == "choice":
        choices = [(str(place), words) for place, (_, words) in enumerate(part.choices)]
        return {"decided": forms.ChoiceField(label=part.label, choices=choices)}
    if part.kind == "number":
        bounds = f"{part.least} to {part.most}"
        return {"decided": _number(part.label, part.least, part.most, help_text=bounds)}
    least, most = (1, len(people)) if part.kind == "places" else (part.least, part.most)
    return {
        f"decided_{seat}": _number(f"{part.label} of {name}", least, most) for seat, name in people.items()
    }


def _number(label: str, least: int, most: int, help_text: str = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=least, max_value=most, required=False, help_text=help_text
    )


def _initial(part: Decides, value: Any) -> FormData:
    """Return the values of the fields for the recorded part of an outcome."""
    if part.kind == "choice":
        return {
            "decided": next((str(at) for at, (known, _) in enumerate(part.choices) if known == value), "0")
        }
    if part.kind == "number":
        return {"decided": value}
    if part.kind == "numbers":
        return {f"decided_{seat}": number for seat, number in enumerate(value)}
    shared = [(seat, place) for place, seats in enumerate(value, 1) for seat in seats]
    return {f"decided_{seat}": place for seat, place in shared}


def _decided(part: Decides, people: Mapping[int, str], data: FormData) -> Any:
    """Return the part of the outcome that the fields give. Raises ValidationError if one is empty."""
    given: list[Any] = [data.get(name) for name in _part_fields(part, people)]
    if any(value in (None, "") for value in given):
        raise forms.ValidationError("Enter the decided result.")
    if part.kind == "choice":
        return part.choices[int(given[0])][0]
    if part.kind == "number":
        return given[0]
    if part.kind == "numbers":
        return given
    by_place = dict(zip(people, given, strict=True))
    return [[seat for seat in people if by_place[seat] == place] for place in sorted(set(by_place.values()))]


def _option_field(schema: Mapping[str, Any], now: Any) -> forms.Field:
    """Return the field of an option of the rules; empty stands for the option of the game."""
    labels, label = schema.get("x-labels", {}), schema["title"]
    values = schema.get("enum") or _range(schema)
    played = f"as played: {labels.get(now, now)}"
    if values:
        choices = [(AS_PLAYED, played), *((str(value), labels.get(value, value)) for value in values)]
        by_text = {str(value): value for value in values}
        return forms.TypedChoiceField(
            label=label, choices=choices, coerce=by_text.__getitem__, empty_value=AS_PLAYED, required=False
        )
    return forms.CharField(label=label, required=False, max_length=40, help_text=f"Empty: {played}.")


def _range(schema: Mapping[str, Any]) -> Sequence[int]:
    if schema.get("type") != "integer" or "minimum" not in schema or "maximum" not in schema:
        return ()
    return range(schema["minimum"], schema["maximum"] + 1)


FORMS: Mapping[str, type[RulingForm]] = {
    form.remedy: form for form in (DismissForm, CorrectForm, VoidForm, PointsForm, ReplayForm)
}
