"""A term is declared once: input, bounds, column, event, document, and draft form have it without further code."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from jsonschema_rs import validate

from accounts.models import Player
from eventstore import store
from tests.money import CURRENCY
from tests.tournaments.playing import NOW, terms
from tests.tournaments.test_api import Api
from tournaments import services
from tournaments.errors import BadTerms
from tournaments.staff.draft import HEADINGS, TermsForm
from tournaments.terms import STORED, Terms, TermsInput, declared_fields, terms_of
from tournaments.validation import agree

DECLARED = [term.name for term in fields(Terms)]
OPENAPI = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text())
NUMBERS = {
    name: (field.min_value, field.max_value)
    for name, field in declared_fields().items()
    if hasattr(field, "min_value")
}
EVERY_KIND = {
    "name": "Two stages",
    "description": "Bring a friend.\nFinal on Sunday.",
    "format": "stages",
    "rules": "ace-race",
    "config": {},
    "seats": 2,
    "stages": [
        {"format": "round-robin", "rounds": 3, "groups": 2, "qualify": 4},
        {"format": "knockout"},
    ],
    "tie_breaks": ["points", "buchholz", "lot"],
    "rated": False,
    "fewest": 8,
    "opens_at": "2027-06-01T19:00",
    "time_zone": "Europe/Berlin",
    "check_in_at": "2027-06-01T18:30",
    "round_times": [{"round": 2, "opens_at": "2027-06-02T19:00"}],
    "no_show_seconds": 300,
    "fee": 250,
    "amounts": [500, 250],
}


def test_the_input_has_every_term_with_its_default() -> None:
    sent = OPENAPI["components"]["schemas"]["TermsInputRequest"]
    assert sorted(sent["properties"]) == sorted(TermsInput().fields) == sorted(DECLARED)
    assert sent["required"] == sorted(term.name for term in fields(Terms) if term.default is MISSING)
    usual = {term.name: term.default for term in fields(Terms) if type(term.default) is int}
    assert {name: sent["properties"][name]["default"] for name in usual} == usual


def test_the_input_and_the_document_are_described_in_the_same_words() -> None:
    sent, shown = (
        OPENAPI["components"]["schemas"][name]["properties"]
        for name in ("TermsInputRequest", "TournamentOutput")
    )
    for name in ("no_show_seconds", "late_until", "guarantee", "tie_breaks"):
        assert sent[name]["description"] == shown[name]["description"]


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_a_number_beyond_its_bounds_is_refused(name: str) -> None:
    least, most = NUMBERS[name]
    for beyond in (least - 1, most + 1):
        with pytest.raises(BadTerms) as refused:
            agree(replace(terms(), **{name: beyond}))
        assert refused.value.extra["field"] == name


DUPLICATE = {
    "name": "Sunday duplicate",
    "format": "duplicate",
    "rules": "vegas-solitaire",
    "config": {"draw": 3, "stake": 0},
    "rounds": 1,
}
MALFORMED: list[tuple[str, list[Any]]] = [
    ("name", ["", "x" * 101]),
    ("format", ["beauty-contest"]),
    ("config", [[]]),
    ("rounds", [-1, 51, True, "3", 1.5]),
    ("games", [21]),
    ("opens_at", ["tomorrow", "2026-03-01", "9999-12-31T23:59:59-12:00", 5]),
    ("round_times", [[{"round": 1, "opens_at": "2026-03-01T12:00"}]]),
    ("round_seconds", [0]),
    ("gap_seconds", [-1]),
    ("capacity", [1, 10_001]),
    ("fee", [-1, 5.0, 10**9 + 1]),
    ("prizes", [[], [10_000, 0], "10000"]),
    ("rake", [10_000]),
    ("seed", ["00"]),
    ("status", ["finished"]),
]
IMPOSSIBLE: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("name", ["   ", "a\nb"], {}),
    ("rules", ["racing-aces", "patience"], {}),
    ("config", [{}, {"draw": 3}, {"draw": 3, "stake": 520}, {"draw": 2, "stake": 0}], {}),
    ("rounds", [0], {}),
    ("time_zone", ["Mars/Olympus", "../../etc/passwd"], {}),
    ("check_in_at", ["2026-03-01T12:00"], {}),
    ("round_times", [[{"round": 9, "opens_at": "2026-03-01T12:00"}]], {}),
    ("fewest", [5], {"capacity": 4}),
    ("fill_to", [5], {"capacity": 4}),
    ("currency", ["EUR"], {}),
    ("prizes", [[5000, 4999]], {}),
    ("prizes", [[5000, 3000, 2000]], {"capacity": 2}),
]


def test_malformed_terms_are_refused_by_field() -> None:
    for field, values in MALFORMED:
        for value in values:
            sent = TermsInput(data={**DUPLICATE, field: value})
            assert not sent.is_valid(), (field, value)
            assert {*sent.errors} == {field}, (field, value)
    for missing in sorted({*DUPLICATE} - {"rounds"}):
        sent = TermsInput(data={name: value for name, value in DUPLICATE.items() if name != missing})
        assert not sent.is_valid()
        assert {*sent.errors} == {missing}


def test_impossible_terms_are_refused_by_field() -> None:
    for field, values, changes in IMPOSSIBLE:
        for value in values:
            sent = TermsInput(data={**DUPLICATE, **changes, field: value})
            assert sent.is_valid(), (field, value)
            with pytest.raises(BadTerms) as refused:
                agree(terms_of(sent.validated_data))
            assert refused.value.extra["field"] == field, value


@pytest.mark.django_db
def test_every_term_is_stored_recorded_and_shown(api: Api, organizer: Player) -> None:
    made = api(organizer).post("/api/v1/tournaments/", EVERY_KIND)
    assert made.status_code == 201, made.json()
    shown = made.json()
    schema = {"$ref": "#/components/schemas/TournamentOutput", "components": OPENAPI["components"]}
    validate(schema, shown)
    assert {*STORED} <= {*shown}
    [created] = store.read(UUID(shown["id"]))
    assert {*STORED} - {*created.data} == {"name", "description"}
    assert shown["description"] == EVERY_KIND["description"]
    unchanged = ("stages", "tie_breaks", "rated", "fewest", "no_show_seconds", "fee", "amounts")
    assert {name: created.data[name] for name in unchanged} == {name: shown[name] for name in unchanged}
    assert (shown["no_show_seconds"], shown["amounts"], shown["check_in_seconds"]) == (300, [500, 250], 1800)


@pytest.mark.django_db
def test_the_defaults_of_a_tournament_are_those_of_the_installation(organizer: Player) -> None:
    made = services.create(organizer=organizer, terms=replace(terms(), currency=""), now=NOW)
    assert (made.currency, made.time_zone, made.sizes) == (CURRENCY, "UTC", [1])


def test_the_draft_form_groups_every_term_below_a_heading() -> None:
    groups = TermsForm().groups()
    assert [title for title, _ in groups] == list(HEADINGS.values())
    assert [one.name for _, found in groups for one in found] == [
        name for name in DECLARED if name != "currency"
    ]
