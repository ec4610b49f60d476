"""Staff pages of the ledger: read, deposit, and reverse with a reason, and no editing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.models import Account, GameStake, Hold, PlaySession, StakeTable, Transfer
from tests.money import available, cash, fund

pytestmark = pytest.mark.django_db

MODELS = [Account, Transfer, Hold, StakeTable, PlaySession, GameStake]
DEPOSIT = "admin:ledger_account_deposit"


@pytest.fixture
def staff_client(administrator: Player, client: Client) -> Client:
    client.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def audit(auditor: Player) -> Client:
    client = Client()
    client.force_login(auditor, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def paid(player: Player) -> Transfer:
    fund(cash(player.pk), 750)
    return Transfer.objects.get(credit__key=str(player.pk))


def form_of(client: Client, address: str) -> dict[str, Any]:
    page = client.get(address).content.decode()
    (key,) = re.findall(r'name="key" value="(\w+)"', page)
    return {"key": key}


@pytest.mark.parametrize("model", MODELS)
def test_every_table_is_listed_and_cannot_be_edited(
    staff_client: Client, cashed_in: PlaySession, vegas: StakeTable, model: type
) -> None:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"  # type: ignore[attr-defined]
    assert staff_client.get(reverse(f"{name}_changelist")).status_code == 200
    assert staff_client.get(reverse(f"{name}_add")).status_code == 403
    found = model.objects.first()  # type: ignore[attr-defined]
    if found is not None:
        change = reverse(f"{name}_change", args=[found.pk])
        assert staff_client.get(change).status_code == 200
        assert staff_client.post(change, {"amount": 1}).status_code == 403
        assert (
            staff_client.post(reverse(f"{name}_delete", args=[found.pk]), {"post": "yes"}).status_code == 403
        )
    everything = admin.site._registry[model]
    assert not everything.has_delete_permission(None)  # type: ignore[arg-type]


def test_a_deposit_is_previewed_and_made_once(staff_client: Client, player: Player) -> None:
    order = {
        **form_of(staff_client, reverse(DEPOSIT)),
        "player": str(player.pk),
        "amount": "7.50",
        "reason": "paid in cash",
    }
    preview = staff_client.post(reverse(DEPOSIT), order)
    assert f"player:{player.pk}/cash" in preview.content.decode()
    assert available(f"player:{player.pk}") == 0
    for _ in range(2):
        made = staff_client.post(reverse(DEPOSIT), {**order, "confirmed": "yes"})
        assert made.status_code == 302
    assert available(f"player:{player.pk}") == 750
    assert Transfer.objects.get().reason == "paid in cash"


def test_a_bank_is_funded(staff_client: Client) -> None:
    table = StakeTable.objects.get(slug="vegas-classic")
    order = {
        **form_of(staff_client, reverse(DEPOSIT)),
        "stake_table": table.pk,
        "amount": "90",
        "reason": "bankroll",
    }
    staff_client.post(reverse(DEPOSIT), {**order, "confirmed": "yes"})
    assert available("house:vegas-classic", "bank") == 9000


@pytest.mark.parametrize(
    "change",
    [
        {"amount": "0"},
        {"amount": "1.555"},
        {"amount": "x"},
        {"reason": ""},
        {"player": ""},
        {"player": "nobody"},
    ],
    ids=str,
)
def test_an_invalid_deposit_form_is_shown_again(
    staff_client: Client, player: Player, change: dict[str, str]
) -> None:
    order = {
        "key": "k",
        "player": str(player.pk),
        "amount": "5",
        "reason": "paid in",
        "confirmed": "yes",
        **change,
    }
    assert staff_client.post(reverse(DEPOSIT), order).status_code == 200
    assert not Transfer.objects.exists()


def test_deposit_for_unknown_player_is_refused(staff_client: Client) -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    order = {"key": "k", "player": unknown, "amount": "5", "reason": "paid in", "confirmed": "yes"}
    assert "There is no such player" in staff_client.post(reverse(DEPOSIT), order).content.decode()
    del order["confirmed"]
    staff_client.post(reverse(DEPOSIT), order)
    assert not Account.objects.exists()


def test_a_reversal_is_previewed_and_made(staff_client: Client, paid: Transfer) -> None:
    address = reverse("admin:ledger_transfer_reverse", args=[paid.pk])
    assert (
        address in staff_client.get(reverse("admin:ledger_transfer_change", args=[paid.pk])).content.decode()
    )
    order = {**form_of(staff_client, address), "reason": "the wrong player"}
    staff_client.post(address, order)
    assert Transfer.objects.count() == 1
    staff_client.post(address, {**order, "confirmed": "yes"})
    assert Transfer.objects.get(reverses=paid).reason == "the wrong player"
    assert available(paid.credit.owner) == 0
    again = staff_client.post(address, {"key": "other", "reason": "again", "confirmed": "yes"})
    assert "reversed it at" in again.content.decode()
    assert (
        address
        not in staff_client.get(reverse("admin:ledger_transfer_change", args=[paid.pk])).content.decode()
    )


def test_auditors_have_read_access_only(audit: Client, paid: Transfer) -> None:
    assert audit.get(reverse("admin:ledger_transfer_change", args=[paid.pk])).status_code == 200
    for address in (reverse(DEPOSIT), reverse("admin:ledger_transfer_reverse", args=[paid.pk])):
        assert audit.get(address).status_code == 403
        assert audit.post(address, {"key": "k", "reason": "mine", "confirmed": "yes"}).status_code == 403
    assert ">Deposit</a>" not in audit.get(reverse("admin:ledger_account_changelist")).content.decode()


def test_players_have_no_access(client: Client, player: Player, paid: Transfer) -> None:
    client.force_login(player, backend=settings.AUTHENTICATION_BACKENDS[-1])
    assert client.get(reverse("admin:ledger_transfer_changelist")).status_code == 302
    assert client.get(reverse(DEPOSIT)).status_code == 302
