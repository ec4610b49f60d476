"""Every code that the software can answer with stands in docs/errors.md, and nothing else does."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from django.test import Client

from api.errors import Problem

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED = dict(
    re.findall(
        r'^\| <a id="([a-z0-9-]+)"></a>`\1` \| (\d{3}) \|',
        (ROOT / "docs/errors.md").read_text(),
        re.MULTILINE,
    )
)


def modules() -> Iterator[str]:
    for folder in ("platform", "games", "tournaments", "disputes", "ledger"):
        base = "platform" if folder == "platform" else "."
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / base).with_suffix("").parts
            if "migrations" not in parts and "class " in file.read_text():
                yield ".".join(parts).removesuffix(".__init__")


def problems(of: type[Problem] = Problem) -> Iterator[type[Problem]]:
    for one in of.__subclasses__():
        yield one
        yield from problems(one)


def refusals() -> set[str]:
    """Codes that the rules refuse a move with, as they stand in their source."""
    found = set()
    for file in (ROOT / "games" / "rules").rglob("*.py"):
        found |= set(re.findall(r'(?:Refused|refuse|_refuse|refused)\(\s*"([a-z-]+)"', file.read_text()))
    return found


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    for module in modules():
        importlib.import_module(module)
    return {one.code: str(one.status) for one in problems() if one.__name__ != "RefusedMove"}


def test_every_problem_is_documented_with_its_status(known: dict[str, str]) -> None:
    assert known.items() <= DOCUMENTED.items()
    assert len(known) > 60


def test_every_refusal_of_the_rules_is_documented() -> None:
    assert {"game-over", "rule-forbids"} <= refusals()
    assert refusals() <= DOCUMENTED.keys()


def test_nothing_else_is_documented(known: dict[str, str]) -> None:
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
    for one in problems():
        if one.__name__ != "RefusedMove":
            statuses.setdefault(one.code, set()).add(one.status)
            assert one.title
            assert HTTPStatus(one.status)
            assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", one.code)
    assert {code: found for code, found in statuses.items() if len(found) > 1} == {}


def test_the_type_of_a_problem_leads_to_the_catalogue() -> None:
    answer = Client().get("/docs/errors/")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/markdown")
    assert b"idempotency-key-required" in answer.getvalue()
