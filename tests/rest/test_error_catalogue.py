"""docs/errors.md lists every error code with its status and title, and no other code."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path

import pytest
from django.test import Client

from rest.problems import problem_type, status_of
from tools import reference

ROOT = Path(__file__).resolve().parents[2]
PAGE = reference.ERRORS.read_text()
DOCUMENTED = {code: str(status) for code, (status, _) in reference.errors(PAGE).items()}


def refusals() -> set[str]:
    """Codes that the rules refuse a move with, as they stand in their source."""
    found = set()
    for file in (ROOT / "games" / "rules").rglob("*.py"):
        found |= set(re.findall(r'(?:Refused|refuse|_refuse|refused)\(\s*"([a-z-]+)"', file.read_text()))
    return found


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    return {one.code: str(status_of(one)) for one in reference.problems()}


def test_every_problem_is_documented_with_its_status(known: dict[str, str]) -> None:
    assert known.items() <= DOCUMENTED.items()
    assert len(known) > 60


def test_every_title_is_that_of_the_code() -> None:
    """`make openapi` copies changed titles into the page."""
    known = reference.known_errors()
    assert {code: shown for code, shown in reference.errors(PAGE).items() if shown not in known[code]} == {}


def test_every_refusal_of_the_rules_is_documented() -> None:
    assert {"game-over", "rule-forbids"} <= refusals()
    assert refusals() <= DOCUMENTED.keys()


def test_no_unknown_code_is_documented(known: dict[str, str]) -> None:
    contract = {
        "unknown-move",
        "malformed-move",
        "game-over",
        "not-your-turn",
        "rule-forbids",
        "no-such-card",
        "no-such-pile",
        "pile-empty",
        "pile-complete",
        "wrong-suit",
        "wrong-rank",
        "wrong-colour",
        "no-passes-left",
        "cannot-undo",
        "bid-too-low",
        "bid-too-high",
        "must-draw-first",
    }
    assert DOCUMENTED.keys() == known.keys() | refusals() | contract


def test_a_code_has_one_status_and_a_title(known: dict[str, str]) -> None:
    statuses: dict[str, set[int]] = {}
    for one in reference.problems():
        statuses.setdefault(one.code, set()).add(status_of(one))
        assert one.title
        assert HTTPStatus(status_of(one))
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", one.code)
    assert {code: found for code, found in statuses.items() if len(found) > 1} == {}


def test_the_catalogue_is_served() -> None:
    answer = Client().get("/docs/errors/")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/markdown")
    assert b"idempotency-key-required" in answer.getvalue()


def test_the_type_of_every_problem_leads_to_a_page(known: dict[str, str]) -> None:
    client = Client()
    for one in reference.problems():
        page = client.get(problem_type(one.code))
        assert page.status_code == 200, one.code
        text = page.content.decode()
        assert f"<code>{one.code}</code>, status {known[one.code]} " in text
        assert text.count("<p>") >= 4, "what happened and what to do"
        assert "<h2>What to do</h2>" in text
        assert "`" not in text
    for code in DOCUMENTED:
        assert client.get(f"/docs/errors/{code}/").status_code == 200, code


def test_an_unknown_type_has_no_page() -> None:
    assert Client().get("/docs/errors/no-such-error/").status_code == 404


def test_the_page_of_an_error_shows_its_details() -> None:
    text = Client().get("/docs/errors/scope-required/").content.decode()
    assert "Create a token with one of the <code>scopes</code>." in text
    assert "Use an account that may do this" in text
