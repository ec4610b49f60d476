"""The form of a draft. It has every term of the API and the same validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from django import forms
from rest_framework import serializers

from ledger.money import money
from ledger.staff.actions import MoneyField
from rest.fields import ObjectField
from staff.actions import ActionForm, Preview
from tournaments.api.terms import TermsInput, terms_of
from tournaments.formats.scoring import game_scores
from tournaments.terms import Terms

ABSENCE = ("check_in_at", "check_in_seconds", "no_show_seconds")
GROUPS = (
    ("Game", ("name", "format", "rules", "config", "rounds", "games", "bank")),
    (
        "Tables",
        ("stages", "seats", "sizes", "through", "count", "tie_breaks", "seeding", "seeded_by", "rated"),
    ),
    ("The field", ("capacity", "waiting_list", "fewest", "fill_to", "late_until")),
    ("Time", ("opens_at", "time_zone", "round_seconds", "gap_seconds", "round_times", *ABSENCE)),
    ("Money", ("fee", "rake", "prizes", "amounts", "guarantee")),
)
MORE = "More"

INITIAL = {
    "format": "duplicate",
    "rules": "vegas-solitaire",
    "config": {"draw": 3, "stake": 0},
    "rounds": 3,
    "round_seconds": 3600,
    "capacity": 100,
    "prizes": "5000, 3000, 2000",
}

HELP = {
    "rules": "the game",
    "config": "the game's own options, as JSON",
    "opens_at": "such as 2027-03-28 19:00 in the time zone; empty: started by you",
    "round_times": "one line for each round with a fixed opening time: 2 2027-03-29 19:00",
    "prizes": "shares by place in basis points, 10000 in all, of the pool without the fixed amounts",
    "rake": "basis points of the fees, to the site",
    "stages": 'for the format `stages`: [{"format": "swiss", "rounds": 3, "qualify": 8}, {"format": "knockout"}]',
    "rated": "default: if opponents meet",
    "amounts": "fixed prizes by place, such as 50.00, 20.00",
    "gap_seconds": "between two rounds",
}

USUAL = {field.name: field.default for field in fields(Terms) if type(field.default) is int}
"""Defaults of numbers that are left empty."""

MONEY = ("fee", "guarantee")
MONEY_LISTS = ("amounts",)


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
                _show_usual(self.fields[name], USUAL.get(name))

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """Return the fields by heading; fields without one come last."""
        placed = {"key"}
        for title, names in GROUPS:
            placed.update(names)
            yield title, [self[name] for name in names if name in self.fields]
        if more := [self[name] for name in self.fields if name not in placed]:
            yield MORE, more

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


def preview(terms: Terms, currency: str) -> Preview:
    """Return the terms that differ from the defaults."""
    said = [field for field in fields(Terms) if getattr(terms, field.name) != field.default]
    facts = [
        (field.name.replace("_", " ").capitalize(), _shown(field.name, terms, currency)) for field in said
    ]
    return Preview(facts=[(name, shown) for name, shown in facts if shown])


def _shown(name: str, terms: Terms, currency: str) -> str:
    value = getattr(terms, name)
    if name in MONEY:
        return money(value, currency)
    if name in MONEY_LISTS:
        return ", ".join(money(amount, currency) for amount in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
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


def _asked(name: str, field: serializers.Field[Any, Any, Any, Any]) -> forms.Field:
    help_text = HELP.get(name) or str(field.help_text or "")
    options: dict[str, Any] = {"required": field.required, "help_text": help_text[:1].upper() + help_text[1:]}
    if name == "rules":
        return forms.ChoiceField(choices=[(slug, slug) for slug in game_scores.known()], **options)
    if name in MONEY:
        return MoneyField(least=0, required=field.required)
    if name in MONEY_LISTS:
        return MoneyListField(**options)
    return _of_kind(field, options)


def _show_usual(field: forms.Field, usual: int | None) -> None:
    if usual is not None and field.initial is None:
        shown = field.prepare_value(usual) if isinstance(field, MoneyField) else usual
        field.widget.attrs["placeholder"] = str(shown)


def _of_kind(field: serializers.Field[Any, Any, Any, Any], options: dict[str, Any]) -> forms.Field:
    match field:
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
        case ObjectField() | serializers.BaseSerializer():
            return DocumentField(**options)
    return forms.CharField(**options)


class DocumentField(forms.JSONField):
    """A JSON field for which `{}` is a value."""

    empty_values = (None, "")
    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


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
