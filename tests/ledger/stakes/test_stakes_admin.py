"""Staff pages of stake tables: read, change with preview and reason, and no editing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.models import Account, StakeTable
from tests.ledger.offices import signed_in, text
from tests.money import CURRENCY, available

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    return signed_in(administrator)


def address(table: StakeTable, command: str = "change") -> str:
    return reverse(f"admin:ledger_staketable_{command}", args=[table.pk])


def form_of(staff_client: Client, table: StakeTable, command: str) -> dict[str, Any]:
    """Return the initial values of the form."""
    context = staff_client.get(address(table, command)).context
    form = context["form"]
    return {name: form[name].value() if form[name].value() is not None else "" for name in form.fields}


def test_a_table_shows_its_figures_and_their_history(staff_client: Client, vegas: StakeTable) -> None:
    listed = staff_client.get(reverse("admin:ledger_staketable_changelist")).content.decode()
    assert ">Vegas classic</a>" in listed
    assert "1/13" in listed
    page = staff_client.get(address(vegas)).content.decode()
    assert "by the server: What an installation starts with" in page
    assert re.search(r"<summary>Technical details</summary>.*vegas-classic", page, re.DOTALL)
    assert address(vegas, "close") in page


def test_new_terms_are_previewed_and_stored_once(
    staff_client: Client, vegas: StakeTable, administrator: Player
) -> None:
    order = {**form_of(staff_client, vegas, "terms"), "maximum": "20.80", "reason": "smaller stakes"}
    preview = staff_client.post(address(vegas, "terms"), order).content.decode()
    assert re.search(r"10,400\.00 play money<.*→ 20\.80", preview)
    assert "Open games" in preview
    assert vegas.terms.count() == 1
    assert staff_client.post(address(vegas, "terms"), {**order, "confirmed": "yes"}).status_code == 302
    terms = vegas.terms.latest("number")
    assert (terms.number, terms.maximum, terms.minimum) == (2, 2080, 104)
    assert (terms.actor, terms.reason) == (f"player:{administrator.pk}", "smaller stakes")
    again = staff_client.post(address(vegas, "terms"), {**order, "confirmed": "yes"})
    assert (again.status_code, again["Location"]) == (302, address(vegas))
    another = staff_client.post(address(vegas, "terms"), {**order, "key": "another", "confirmed": "yes"})
    assert "newer terms" in another.content.decode()
    assert vegas.terms.count() == 2


def test_invalid_change_is_reported_on_the_form(
    staff_client: Client, vegas: StakeTable, subtests: pytest.Subtests
) -> None:
    order = {
        **form_of(staff_client, vegas, "terms"),
        "maximum": "20.80",
        "reason": "tried",
        "confirmed": "yes",
    }
    for changes in (
        {"reason": ""},
        {"maximum": "20.81"},
        {"win_rate": "1/7"},
        {"split": "1e4"},
        {"effective_from": "2020-01-01 00:00"},
        {"expected": "7"},
    ):
        with subtests.test(changes=changes):
            assert staff_client.post(address(vegas, "terms"), {**order, **changes}).context["form"].errors
            assert vegas.terms.count() == 1


def test_a_table_is_closed_and_opened(staff_client: Client, vegas: StakeTable) -> None:
    for command, is_open in (("close", False), ("reopen", True)):
        order = {**form_of(staff_client, vegas, command), "reason": "for the night"}
        wanted = f"→ {'yes' if is_open else 'no'}"
        assert wanted in staff_client.post(address(vegas, command), order).content.decode()
        staff_client.post(address(vegas, command), {**order, "confirmed": "yes"})
        assert vegas.terms.latest("number").open is is_open
    assert vegas.terms.count() == 3


def test_a_bank_is_funded_and_profit_is_withdrawn(staff_client: Client, vegas: StakeTable) -> None:
    for command, amount, left in (("fund", "5.00", 1_000_500), ("defund", "10,005.00", 0)):
        order = {**form_of(staff_client, vegas, command), "amount": amount, "reason": "float"}
        assert "house/external" in staff_client.post(address(vegas, command), order).content.decode()
        for _ in range(2):
            assert (
                staff_client.post(address(vegas, command), {**order, "confirmed": "yes"}).status_code == 302
            )
        assert available(vegas.bank_owner, "bank") == left
    order = {**form_of(staff_client, vegas, "defund"), "amount": "0.01", "reason": "too much"}
    assert "Enter that amount or less" in staff_client.post(address(vegas, "defund"), order).content.decode()
    assert staff_client.post(address(vegas, "defund"), {**order, "confirmed": "yes"}).status_code == 200


def test_auditor_sees_actor_and_reason(auditor: Player, vegas: StakeTable) -> None:
    page = text(signed_in(auditor).get(address(vegas)))
    assert "by the server: What an installation starts with" in page
    assert address(vegas, "close") not in page


OPENING = {
    "slug": "vegas-small", "rules": "vegas-solitaire", "mode": "draw=3", "minimum": "1.04", "maximum": "10.40",
    "step": "1.04", "default": "1.04", "win_rate": "1/13", "bank_limit": "", "open": "on", "rake": "0",
    "split": "winner", "reason": "for beginners", "key": "once",
}  # fmt: skip
OPEN = "admin:ledger_staketable_open"


def test_a_new_table_is_previewed_and_opened_once(staff_client: Client, administrator: Player) -> None:
    assert reverse(OPEN) in staff_client.get(reverse("admin:ledger_staketable_changelist")).content.decode()
    assert "vegas-solitaire" in staff_client.get(reverse(OPEN)).content.decode()
    preview = staff_client.post(reverse(OPEN), OPENING).content.decode()
    assert "draw=3" in preview
    assert "available; one game at the maximum stake can cost" in preview
    assert not StakeTable.objects.filter(slug="vegas-small").exists()
    assert not Account.objects.filter(key="vegas-small").exists()

    done = staff_client.post(reverse(OPEN), {**OPENING, "confirmed": "yes"})
    table = StakeTable.objects.get(slug="vegas-small")
    assert (done.status_code, done["Location"]) == (302, address(table))
    assert (table.rules, table.mode, table.currency) == ("vegas-solitaire", "draw=3", CURRENCY)
    terms = table.terms.get()
    assert (terms.minimum, terms.maximum, terms.win_rate, terms.bank_limit, terms.open) == (
        104, 1040, "1/13", None, True,
    )  # fmt: skip
    assert (terms.actor, terms.reason) == (f"player:{administrator.pk}", "for beginners")

    again = staff_client.post(reverse(OPEN), {**OPENING, "confirmed": "yes"})
    assert (again.status_code, again["Location"]) == (302, reverse("admin:ledger_staketable_changelist"))
    for confirmed in ({}, {"confirmed": "yes"}):
        another = staff_client.post(reverse(OPEN), {**OPENING, "key": "another", **confirmed})
        assert another.context["form"].errors
    assert StakeTable.objects.filter(slug="vegas-small").count() == table.terms.count() == 1


def test_invalid_table_is_reported_on_the_form(staff_client: Client, subtests: pytest.Subtests) -> None:
    had = StakeTable.objects.count()
    for changes in (
        {"slug": "Vegas Small"},
        {"slug": "vegas-classic"},
        {"rules": "idle-aces"},
        {"mode": "draw=9"},
        {"rake": "100"},
        {"reason": ""},
    ):
        with subtests.test(changes=changes):
            answer = staff_client.post(reverse(OPEN), {**OPENING, **changes, "confirmed": "yes"})
            assert answer.context["form"].errors
            assert StakeTable.objects.count() == had
