"""Stake tables over REST: public terms, and changes by administrators.

Which figures and changes are refused: test_terms.py. Malformed bodies: tests/ledger/test_bad_bodies.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger.models import StakeTable, StakeTerms, Transfer
from tests.conftest import Client
from tests.money import CURRENCY, available

pytestmark = pytest.mark.django_db

STAKES = "/api/v1/stakes/"
CLASSIC = f"{STAKES}vegas-classic/"
Api = Callable[[Player | None], Client]

CLUB = {
    "slug": "club", "rules": "vegas-solitaire", "mode": "draw=3", "minimum": 520, "maximum": 5200, "step": 520,
    "default": 520, "win_rate": "5/52", "reason": "a table for the club",
}  # fmt: skip
CHANGE = {"expected": 1, "maximum": 2080, "reason": "smaller stakes"}
MONEY = {"amount": 700, "reason": "float"}


@pytest.fixture
def admin(api: Api, administrator: Player) -> Client:
    return api(administrator)


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (StakeTable, StakeTerms, Transfer)]


def test_terms_are_announced_in_public_and_withdrawn(api: Api, admin: Client) -> None:
    begins = (timezone.now() + timedelta(days=2)).isoformat()
    assert admin.post(f"{CLASSIC}terms/", {**CHANGE, "effective_from": begins}).status_code == 201
    for client in (api(None), admin):
        shown = client.get(CLASSIC).json()
        assert (shown["maximum"], shown["terms"], shown["newest"]) == (1_040_000, 1, 2)
        (ahead,) = shown["announced"]
        assert (ahead["maximum"], ahead["number"]) == (2080, 2)
        assert datetime.fromisoformat(ahead["effective_from"]) == datetime.fromisoformat(begins)
        assert shown in client.get(STAKES).json()["results"]
        assert "reason" not in str(shown)
    made = admin.post(f"{CLASSIC}terms/", {"expected": 2, "reason": "not after all"}).json()
    assert (made["withdrawn"], made["maximum"]) == ([2], 1_040_000)
    assert admin.get(CLASSIC).json()["announced"] == []
    rows = admin.get(f"{CLASSIC}terms/").json()["results"]
    assert [row["status"] for row in rows] == ["in-force", "withdrawn", "past"]


def test_a_change_applies_at_once_and_staff_see_its_actor(
    api: Api, admin: Client, administrator: Player, auditor: Player, player: Player
) -> None:
    made = admin.post(f"{CLASSIC}terms/", CHANGE).json()
    assert (made["number"], made["status"], made["maximum"], made["minimum"]) == (2, "in-force", 2080, 104)
    stale = admin.post(f"{CLASSIC}terms/", {**CHANGE, "maximum": 3120})
    assert (stale.status_code, stale.json()["code"], stale.json()["number"]) == (409, "stake-terms-stale", 2)
    for client in (admin, api(auditor)):
        rows = client.get(f"{CLASSIC}terms/").json()["results"]
        assert [(row["number"], row["status"]) for row in rows] == [(2, "in-force"), (1, "past")]
        assert (rows[0]["actor"], rows[0]["reason"]) == (f"player:{administrator.pk}", "smaller stakes")
    for client in (api(player), api(None)):
        rows = client.get(f"{CLASSIC}terms/").json()["results"]
        assert [row["maximum"] for row in rows] == [2080, 1_040_000]
        assert not {"actor", "reason", "requested_at"} & set(rows[0])
    closed = admin.post(f"{CLASSIC}terms/", {"expected": 2, "open": False, "reason": "for the night"}).json()
    assert (closed["open"], closed["maximum"]) == (False, 2080)


def test_an_administrator_opens_a_table(admin: Client) -> None:
    made = admin.post(STAKES, CLUB)
    assert (made.status_code, made.headers["Location"]) == (201, f"{STAKES}club/")
    shown = made.json()
    reported = [
        shown[name] for name in ("mode", "currency", "win_rate", "open", "split", "rake", "bank_limit")
    ]
    assert reported == ["draw=3", CURRENCY, "5/52", True, "winner", 0, None]
    assert "The bank has" in shown["warnings"][0]
    again = admin.post(STAKES, CLUB)
    assert (again.status_code, again.json()["code"]) == (409, "stake-table-exists")


def test_a_bank_is_funded_and_its_profit_is_withdrawn(admin: Client) -> None:
    assert admin.post(f"{CLASSIC}funding/", MONEY).status_code == 201
    refused = admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 701})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient-funds")
    assert admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 300}).status_code == 201
    assert available("house:vegas-classic", "bank") == 400


def test_an_invalid_change_changes_nothing(admin: Client, subtests: pytest.Subtests) -> None:
    before = everything()
    for path, body in (
        *(
            (f"{CLASSIC}terms/", {**CHANGE, **changes})
            for changes in (
                {"reason": "ab"},
                {"expected": 0},
                {"maximum": 2080.0},
                {"maximum": 2081},
                {"open": 1},
                {"split": "first"},
                {"effective_from": "2020-01-01T00:00:00Z"},
                {"effective_from": "2027-01-01T00:00:00"},
                {"slug": "another"},
                {"maximum": 1_040_000},
            )
        ),
        *(
            (STAKES, {**CLUB, **changes})
            for changes in ({"slug": "Club"}, {"mode": "draw=2"}, {"reason": ""})
        ),
    ):
        with subtests.test(path=path, body=body):
            assert admin.post(path, body).status_code == 400
            assert everything() == before


def test_unknown_tables_are_reported(admin: Client) -> None:
    for answer in (
        admin.get(f"{STAKES}none/"),
        admin.get(f"{STAKES}none/terms/"),
        admin.post(f"{STAKES}none/terms/", CHANGE),
        admin.post(f"{STAKES}none/funding/", MONEY),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-stake-table")
