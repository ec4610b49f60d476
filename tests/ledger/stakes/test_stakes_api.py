"""Stake tables over REST: public terms, and changes by administrators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger import services
from ledger.models import StakeTable, StakeTerms, Transfer
from tests.conftest import Client
from tests.money import CURRENCY, available, bankroll, cash, fund

pytestmark = pytest.mark.django_db

V1 = "/api/v1"
STAKES = f"{V1}/stakes/"
CLASSIC = f"{STAKES}vegas-classic/"
Api = Callable[[Player | None], Client]

CLUB = {
    "slug": "club",
    "rules": "vegas-solitaire",
    "mode": "draw=3",
    "minimum": 520,
    "maximum": 5200,
    "step": 520,
    "default": 520,
    "win_rate": "5/52",
    "reason": "a table for the club",
}
CHANGE = {"expected": 1, "maximum": 2080, "reason": "smaller stakes"}
MONEY = {"amount": 700, "reason": "float"}


@pytest.fixture
def admin(api: Api, administrator: Player) -> Client:
    return api(administrator)


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (StakeTable, StakeTerms, Transfer)]


def test_terms_and_announcements_are_public(api: Api, admin: Client) -> None:
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


def test_a_change_applies_at_once_unless_it_has_a_time(api: Api, admin: Client) -> None:
    made = admin.post(f"{CLASSIC}terms/", CHANGE).json()
    assert (made["number"], made["status"], made["maximum"], made["minimum"]) == (2, "in-force", 2080, 104)
    assert api(None).get(CLASSIC).json()["maximum"] == 2080
    closed = admin.post(f"{CLASSIC}terms/", {"expected": 2, "open": False, "reason": "for the night"}).json()
    assert (closed["open"], closed["maximum"]) == (False, 2080)


def test_history_shows_actors_and_reasons_to_staff(
    api: Api, admin: Client, administrator: Player, auditor: Player, player: Player
) -> None:
    admin.post(f"{CLASSIC}terms/", CHANGE)
    for client in (admin, api(auditor)):
        rows = client.get(f"{CLASSIC}terms/").json()["results"]
        assert [(row["number"], row["status"]) for row in rows] == [(2, "in-force"), (1, "past")]
        assert (rows[0]["actor"], rows[0]["reason"]) == (f"player:{administrator.pk}", "smaller stakes")
    for client in (api(player), api(None)):
        rows = client.get(f"{CLASSIC}terms/").json()["results"]
        assert [row["maximum"] for row in rows] == [2080, 1_040_000]
        assert not {"actor", "reason", "requested_at"} & set(rows[0])


def test_two_administrators_do_not_overwrite_each_other(admin: Client) -> None:
    assert admin.post(f"{CLASSIC}terms/", CHANGE).status_code == 201
    refused = admin.post(f"{CLASSIC}terms/", {**CHANGE, "maximum": 3120})
    assert (refused.status_code, refused.json()["code"], refused.json()["number"]) == (
        409,
        "stake-terms-stale",
        2,
    )


def test_newer_terms_withdraw_an_announcement(admin: Client) -> None:
    begins = (timezone.now() + timedelta(days=2)).isoformat()
    admin.post(f"{CLASSIC}terms/", {**CHANGE, "effective_from": begins})
    made = admin.post(f"{CLASSIC}terms/", {"expected": 2, "reason": "not after all"}).json()
    assert (made["withdrawn"], made["maximum"]) == ([2], 1_040_000)
    assert admin.get(CLASSIC).json()["announced"] == []
    rows = admin.get(f"{CLASSIC}terms/").json()["results"]
    assert [row["status"] for row in rows] == ["in-force", "withdrawn", "past"]


def test_an_administrator_opens_a_table(api: Api, admin: Client) -> None:
    made = admin.post(STAKES, CLUB)
    assert (made.status_code, made.headers["Location"]) == (201, f"{STAKES}club/")
    shown = made.json()
    assert (shown["mode"], shown["currency"], shown["win_rate"], shown["open"]) == (
        "draw=3",
        CURRENCY,
        "5/52",
        True,
    )
    assert (shown["split"], shown["rake"], shown["bank_limit"]) == ("winner", 0, None)
    assert "The bank has" in shown["warnings"][0]
    again = admin.post(STAKES, CLUB)
    assert (again.status_code, again.json()["code"]) == (409, "stake-table-exists")


def test_a_bank_is_funded_and_its_profit_is_withdrawn(admin: Client) -> None:
    assert admin.post(f"{CLASSIC}funding/", MONEY, key="in").status_code == 201
    assert admin.post(f"{CLASSIC}funding/", MONEY, key="in").status_code == 201
    assert available("house:vegas-classic", "bank") == 700
    refused = admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 701})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient-funds")
    assert admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 300}).status_code == 201
    assert available("house:vegas-classic", "bank") == 400


def test_held_money_cannot_leave_a_bank(admin: Client, player: Player) -> None:
    table = bankroll(2000)
    now = timezone.now()
    fund(cash(player.pk), 520)
    session = services.open_session(player=player.pk, amount=520, currency=CURRENCY, key="s", at=now)
    services.take_stake(
        session=session, game=uuid4(), stake=520, max_win=2080, stake_table=table, event=3, at=now
    )
    assert admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 441}).status_code == 409
    assert admin.post(f"{CLASSIC}defunding/", {**MONEY, "amount": 440}).status_code == 201


BAD: list[tuple[dict[str, Any], int]] = [
    ({"reason": "ab"}, 400),
    ({"expected": 0}, 400),
    ({"expected": "1"}, 400),
    ({"maximum": 2080.0}, 400),
    ({"maximum": -1}, 400),
    ({"maximum": 10**30}, 400),
    ({"maximum": "2080"}, 400),
    ({"maximum": True}, 400),
    ({"maximum": 2081}, 400),
    ({"open": 1}, 400),
    ({"split": [5000, 5000]}, 400),
    ({"split": "first"}, 400),
    ({"split": [True]}, 400),
    ({"rake": 10_000}, 400),
    ({"bank_limit": -1}, 400),
    ({"win_rate": "1/7"}, 400),
    ({"effective_from": "2020-01-01T00:00:00Z"}, 400),
    ({"effective_from": "2999-01-01T00:00:00Z"}, 400),
    ({"effective_from": "2027-01-01T00:00:00"}, 400),
    ({"effective_from": 5}, 400),
    ({"slug": "another"}, 400),
    ({"currency": "USD"}, 400),
    ({"maximum": 1_040_000}, 400),
]


def test_an_invalid_change_changes_nothing(admin: Client, subtests: pytest.Subtests) -> None:
    before = everything()
    for changes, status in BAD:
        with subtests.test(changes=changes, status=status):
            assert admin.post(f"{CLASSIC}terms/", {**CHANGE, **changes}).status_code == status
            assert everything() == before


def test_an_invalid_table_is_not_opened(admin: Client, subtests: pytest.Subtests) -> None:
    before = everything()
    for changes in [
        {"slug": "Club"},
        {"rules": "idle-aces"},
        {"mode": "draw=2"},
        {"currency": "USD"},
        {"minimum": None},
        {"default": 1},
        {"win_rate": ""},
        {"rake": 5},
        {"reason": ""},
        {"effective_from": "2999-01-01T00:00:00Z"},
    ]:
        with subtests.test(changes=changes):
            assert admin.post(STAKES, {**CLUB, **changes}).status_code == 400
            assert everything() == before


def test_unknown_ids_are_reported(admin: Client) -> None:
    for answer in (
        admin.get(f"{STAKES}none/"),
        admin.get(f"{STAKES}none/terms/"),
        admin.post(f"{STAKES}none/terms/", CHANGE),
        admin.post(f"{STAKES}none/funding/", MONEY),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-stake-table")
    for path in (CLASSIC, f"{CLASSIC}terms/"):
        for method in (admin.put, admin.patch, admin.delete):
            assert method(path, {}).status_code in (403, 405)
