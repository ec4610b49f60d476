"""The form of a draft. It has every term of the API and the same validation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.utils import timezone
from rest_framework import serializers

from core.errors import refusal_of
from core.transactions import dry_run
from games.evidence.words import as_text
from games.rules import get, title
from ledger.money import money
from ledger.staff.actions import MoneyField, PercentField
from ledger.templatetags.staff import percent
from rest.fields import PenceField
from staff.actions import ActionForm, Done, FormData, Preview, StaffAction
from staff.columns import span
from tournaments import access, formats, services
from tournaments.actions.base import address
from tournaments.formats.scoring import game_scores
from tournaments.models import LONGEST_ROUND, Tournament
from tournaments.terms import Field, Terms, TermsInput, declared_fields, terms_of

HEADINGS = {
    "name": "Game",
    "stages": "Tables",
    "capacity": "The field",
    "opens_at": "Time",
    "fee": "Money",
}
"""Headings of the form, by the first term below each."""

MINUTE = 60
"""Seconds."""

LINE = 200
"""Characters of a text that is entered in one line."""

INITIAL = {
    "format": "duplicate",
    "rules": "vegas-solitaire",
    "config": {"draw": 3, "stake": 0},
    "rounds": 3,
    "round_seconds": 3600,
    "capacity": 100,
    "prizes": "50, 30, 20",
}

LABELS = {
    "rules": "Game",
    "config": "Options of the game",
    "bank": "Play money of an entrant",
    "sizes": "Table sizes",
    "through": "Advancing",
    "count": "Scoring of a shared deal",
    "tie_breaks": "Tie-breaks",
    "seeded_by": "Seeded by the standings of",
    "fewest": "Minimum of players",
    "capacity": "Maximum of players",
    "fill_to": "Filled with bots up to",
    "late_until": "Late entry until round",
    "opens_at": "Start",
    "check_in_at": "Start of the check-in",
    "check_in_seconds": "Check-in",
    "round_times": "Rounds with a fixed start",
    "round_seconds": "Length of a round",
    "gap_seconds": "Break between rounds",
    "no_show_seconds": "Forfeit after",
    "amounts": "Fixed prizes",
}
"""What the form and the record of a tournament call a term, if not by its own name."""

MINUTES = {
    "check_in_seconds": "Check-in, minutes before the start",
    "round_seconds": "Minutes per round",
    "gap_seconds": "Break between rounds, in minutes",
    "no_show_seconds": "Forfeit after, in minutes",
}
"""What the form calls the terms that it takes in minutes, as the wizard does."""

HELP = {
    "bank": "each entrant's money in a race meeting, such as 100.00",
    "check_in_at": "instead of its length",
    "check_in_seconds": "0: no check-in; players who have not checked in by the start are removed and refunded",
    "round_seconds": "a round ends earlier when all its games are over",
    "gap_seconds": "0: the next round follows at once",
    "no_show_seconds": "0: no forfeits; a player who does not come to the table in this time loses it",
    "rules": "",
    "opens_at": "such as 2027-03-28 19:00 in the time zone; empty: started by you",
    "round_times": "one line for each round with a fixed opening time: 2 2027-03-29 19:00",
    "config": "the game's own options, one a line, such as draw: 3",
    "stages": "for the format in stages, one a line, such as swiss: rounds 3, qualify 8, and then knockout",
    "prizes": "percent of the pool by place, such as 50, 30, 20",
    "rake": "the site's share of the pool in percent",
    "rated": "default: if opponents meet",
    "amounts": "fixed prizes by place, such as 50.00, 20.00",
}
"""How a term is written in the form, if the description of the API does not say it."""


class TermsForm(ActionForm):
    """The form of `TermsInput`. Empty fields use the defaults; `cleaned_data` has the `terms`."""

    # The id of the draft, so that a form that is sent twice creates one tournament.
    key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in TermsInput().fields.items():
            if name != "currency":
                self.fields[name] = _asked(name, field)
                self.fields[name].initial = INITIAL.get(name)
                self.fields[name].label = MINUTES.get(name) or LABELS.get(name, self.fields[name].label)
                _show_usual(self.fields[name], field.default)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields by heading."""
        found: list[tuple[str, list[forms.BoundField]]] = []
        for name in (name for name in self.fields if name != "key"):
            if name in HEADINGS:
                found.append((HEADINGS[name], []))
            found[-1][1].append(self[name])
        return found

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        said = {name: value for name, value in cleaned.items() if name != "key" and value not in (None, "")}
        judged = TermsInput(data=said)
        if not judged.is_valid():
            for name, errors in judged.errors.items():
                if name not in self.errors:
                    self.add_error(name if name in self.fields else None, list(_flat(errors)))
        if not self.errors:
            cleaned["terms"] = terms_of(judged.validated_data)
        return cleaned


class DraftTournament(StaffAction[None]):
    name, label, page = "draft-tournament", "Draft a tournament", "tournaments_tournament_add"
    route = "add/"
    operations = ("tournaments_create", "tournaments_duplicate")
    form = TermsForm
    lead = "Only you and the staff see a draft. Its terms cannot be changed after publication."
    button = "Save the draft"

    @classmethod
    def may(cls, actor: Any) -> bool:
        return refusal_of(lambda: access.require_organizer(actor)) is None

    def preview(self, data: FormData) -> Preview:
        """Return the terms that differ from the defaults, after checking that the draft would not be refused."""
        dry_run(lambda: self.carry_out(data, "", timezone.now()))
        terms, currency = data["terms"], settings.RACECARD_CURRENCY
        said = [term for term in fields(Terms) if getattr(terms, term.name) != term.default]
        facts = [
            (
                term_label(term.name),
                shown_term(term.name, getattr(terms, term.name), currency),
            )
            for term in said
        ]
        return Preview(facts=[(name, shown) for name, shown in facts if shown])

    def carry_out(self, data: FormData, key: str, now: datetime) -> Tournament:
        return services.create(organizer=self.actor, terms=data["terms"], tournament_id=data["key"], now=now)

    def done(self, made: Tournament) -> Done:
        return Done(f"{made.name} is drafted.", made.subject, address("tournament_console", made))


def term_label(name: str) -> str:
    """
    >>> term_label("round_seconds"), term_label("time_zone")
    ('Length of a round', 'Time zone')
    """
    return LABELS.get(name) or name.replace("_", " ").capitalize()


def shown_term(name: str, value: Any, currency: str) -> str:
    """Return a term in words: money with its unit, shares in percent, times as `1 hour 30 minutes`."""
    match name, declared_fields()[name]:
        case "bank", _:
            return money(value, settings.PLAY_MONEY)
        case (("rake" | "prizes"), _):
            return ", ".join(
                percent(share) for share in (value if isinstance(value, list | tuple) else [value])
            )
        case "rules", _:
            return title(value)
        case "format", _:
            return formats.get(value).name
        case _, PenceField():
            return money(value, currency)
        case _, serializers.ListField(child=PenceField()):
            return ", ".join(money(amount, currency) for amount in value)
    if name in MINUTES:
        return span(value)
    if isinstance(value, Mapping | bool):
        return as_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)


def _flat(errors: Any) -> Iterable[str]:
    """Return the messages of a serializer error, however nested."""
    if isinstance(errors, Mapping):
        errors = errors.values()
    elif isinstance(errors, str):
        yield str(errors)
        return
    for each in errors:
        yield from _flat(each)


# --- how each kind of term is asked for ----------------------------------------------------------------


def _asked(name: str, field: Field) -> forms.Field:
    help_text = HELP.get(name, str(field.help_text or ""))
    options: dict[str, Any] = {"required": field.required, "help_text": help_text[:1].upper() + help_text[1:]}
    if name == "rules":
        return forms.ChoiceField(choices=[(slug, get(slug).name) for slug in game_scores.known()], **options)
    if name == "format":
        return forms.ChoiceField(choices=[(each.slug, each.name) for each in formats.catalogue()], **options)
    if name in MINUTES:
        assert isinstance(field, serializers.IntegerField)
        return MinutesField(field.min_value or 0, **options)
    if name in SPECIAL:
        return SPECIAL[name](**{**options, "required": False})
    return _of_kind(field, options)


def _show_usual(field: forms.Field, usual: Any) -> None:
    if type(usual) is int and field.initial is None:
        field.widget.attrs["placeholder"] = str(field.prepare_value(usual))


def _of_kind(field: Field, options: dict[str, Any]) -> forms.Field:
    match field:
        case PenceField():
            return MoneyField(least=0, required=field.required)
        case serializers.ListField(child=PenceField()):
            return MoneyListField(**options)
        case serializers.ChoiceField():
            usual = [] if field.required else [("", "default")]
            return forms.ChoiceField(choices=[*usual, *field.choices.items()], **options)
        case serializers.BooleanField():
            yes_or_no = (("", "default"), ("true", "yes"), ("false", "no"))
            return forms.TypedChoiceField(
                choices=yes_or_no, coerce=lambda text: text == "true", empty_value=None, **options
            )
        case serializers.IntegerField():
            return forms.IntegerField(min_value=field.min_value, max_value=field.max_value, **options)
        case serializers.ListField(child=serializers.IntegerField()):
            return ListField(_whole_number, **options)
        case serializers.ListField():
            return ListField(str, **options)
        case serializers.ListSerializer(child=serializers.Serializer(fields=inner)) if len(inner) == 2:
            return LinesField(*inner, **options)
        case serializers.CharField(max_length=int(most)) if most > LINE:
            return forms.CharField(widget=forms.Textarea(attrs={"rows": 4}), **options)
    return forms.CharField(**options)


class MinutesField(forms.IntegerField):
    """Whole minutes; cleaned to seconds. The bound `least` is in seconds."""

    default_error_messages: ClassVar = {"invalid": "Enter whole minutes, such as 90."}

    def __init__(self, least: int, **kwargs: Any) -> None:
        super().__init__(min_value=-(-least // MINUTE), max_value=LONGEST_ROUND // MINUTE, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return value // MINUTE if type(value) is int else value

    def clean(self, value: Any) -> int | None:
        minutes = super().clean(value)
        return None if minutes is None else minutes * MINUTE


class OptionsField(forms.CharField):
    """Options of a game, one a line, as in `draw: 3`; a JSON object is accepted too. Cleaned to a dictionary."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{key}: {one}" for key, one in value.items()) if isinstance(value, dict) else value

    def clean(self, value: Any) -> dict[str, Any]:
        text = str(super().clean(value) or "").strip()
        if text.startswith("{"):
            return dict(_json(text))
        lines = [line.partition(":") for line in text.splitlines() if line.strip()]
        if not all(colon and word.strip() for _, colon, word in lines):
            raise forms.ValidationError("Enter one option a line, such as draw: 3.")
        return {key.strip(): _value(word.strip()) for key, _, word in lines}


class StagesField(forms.CharField):
    """Stages, one a line, as in `swiss: rounds 3, qualify 8`; a JSON list is accepted too."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def clean(self, value: Any) -> Any:
        text = str(super().clean(value) or "").strip()
        if text.startswith("["):
            return _json(text)
        return [self._stage(line) for line in text.splitlines() if line.strip()] or None

    @staticmethod
    def _stage(line: str) -> dict[str, Any]:
        format, _, rest = line.partition(":")
        parts = [part.split() for part in rest.split(",") if part.strip()]
        if not all(len(part) == 2 for part in parts):
            raise forms.ValidationError("Enter one stage a line, such as swiss: rounds 3, qualify 8.")
        return {"format": format.strip(), **{name: _value(word) for name, word in parts}}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise forms.ValidationError("This is not valid JSON.") from None


def _value(word: str) -> int | bool | str:
    """
    >>> _value("3"), _value("yes"), _value("strict")
    (3, True, 'strict')
    """
    if word in ("yes", "no"):
        return word == "yes"
    return int(word) if word.isdecimal() and word.isascii() and len(word) < 16 else word


class ListField(forms.CharField):
    """Values with commas between them, as in `5000, 3000`."""

    def __init__(self, value_of: Callable[[str], object], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.value_of = value_of

    def clean(self, value: str) -> Any:
        text = super().clean(value)
        return [self.value_of(word.strip()) for word in text.split(",")] if text else None


class MoneyListField(ListField):
    """Amounts of money with commas between them, as in `50.00, 20.00`; cleaned to pence."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(MoneyField().clean, **kwargs)


class PercentListField(ListField):
    """Shares in percent with commas between them, as in `50, 30, 20`; cleaned to basis points."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(PercentField(min_value=0, max_value=100).clean, **kwargs)


class LinesField(forms.CharField):
    """One item a line: a whole number, a space, and a text."""

    def __init__(self, number: str, text: str, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), **kwargs)
        self.number, self.text = number, text

    def clean(self, value: str) -> Any:
        lines = [line.strip().partition(" ") for line in super().clean(value).splitlines() if line.strip()]
        return [{self.number: _whole_number(number), self.text: text.strip()} for number, _, text in lines]


def _whole_number(text: str) -> int:
    if not (text.isdecimal() and text.isascii() and len(text) < 16):
        raise forms.ValidationError(f"{text or 'Nothing'} is not a whole number.")
    return int(text)


SPECIAL: Mapping[str, Callable[..., forms.Field]] = {
    "bank": partial(MoneyField, least=0),
    "config": OptionsField,
    "prizes": PercentListField,
    "rake": PercentField,
    "stages": StagesField,
}
"""The fields of terms that people enter in other units than the API, or without JSON."""
