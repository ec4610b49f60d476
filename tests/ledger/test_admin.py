"""Staff pages of the ledger: read, deposit, and reverse with a reason, and no editing.

Who may open the page of an action, and that it takes effect once: tests/config/test_declared_actions.py.
"""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import Player
from ledger.models import Account, PlaySession, StakeTable, Transfer
from tests.ledger.offices import perform, signed_in, text
from tests.money import available, cash, fund

pytestmark = pytest.mark.django_db

DEPOSIT = "admin:ledger_account_deposit"


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    return signed_in(administrator)


@pytest.fixture
def paid(player: Player) -> Transfer:
    fund(cash(player.pk), 750)
    return Transfer.objects.get(credit__key=str(player.pk))


def test_no_page_of_staff_edits_a_row(administrator: Player, rf: RequestFactory) -> None:
    request = rf.get("/admin/")
    request.user = administrator
    administrator.is_superuser = True
    for model, page in admin.site._registry.items():
        rights = (page.has_add_permission, page.has_change_permission, page.has_delete_permission)
        assert not any(right(request) for right in rights), model


def test_a_row_cannot_be_added_changed_or_deleted(staff_client: Client, paid: Transfer) -> None:
    assert staff_client.get(reverse("admin:ledger_transfer_add")).status_code == 403
    for change, sent in (("change", {"amount": 1}), ("delete", {"post": "yes"})):
        address = reverse(f"admin:ledger_transfer_{change}", args=[paid.pk])
        assert staff_client.post(address, sent).status_code == 403


def test_every_table_is_listed_with_a_page_for_each_row(
    staff_client: Client, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    for model in (page for page in admin.site._registry if page._meta.app_label == "ledger"):
        name = f"admin:ledger_{model._meta.model_name}"
        assert staff_client.get(reverse(f"{name}_changelist")).status_code == 200
        for row in model.objects.all()[:1]:
            assert staff_client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200


def test_a_deposit_is_previewed_and_made(staff_client: Client, player: Player) -> None:
    fields = {"player": str(player.pk), "amount": "7.50", "reason": "paid in cash"}
    preview, done = perform(staff_client, reverse(DEPOSIT), **fields)
    assert f"player:{player.pk}/cash" in preview
    assert (done.status_code, available(f"player:{player.pk}")) == (302, 750)
    assert Transfer.objects.get().reason == "paid in cash"
    table = StakeTable.objects.get(slug="vegas-classic")
    perform(staff_client, reverse(DEPOSIT), stake_table=table.pk, amount="90")
    assert available("house:vegas-classic", "bank") == 9000


def test_an_invalid_deposit_is_shown_again(
    staff_client: Client, player: Player, subtests: pytest.Subtests
) -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    for change in (
        {"amount": "0"},
        {"amount": "1.555"},
        {"reason": ""},
        {"player": ""},
        {"player": "nobody"},
        {"player": unknown},
    ):
        with subtests.test(change):
            order = {"key": "k", "player": str(player.pk), "amount": "5", "reason": "paid in", **change}
            assert "errorlist" in text(staff_client.post(reverse(DEPOSIT), {**order, "confirmed": "yes"}))
    assert not Account.objects.exists()


def test_a_reversal_is_previewed_and_made(staff_client: Client, paid: Transfer) -> None:
    address = reverse("admin:ledger_transfer_reverse", args=[paid.pk])
    page = reverse("admin:ledger_transfer_change", args=[paid.pk])
    assert address in text(staff_client.get(page))
    perform(staff_client, address, reason="the wrong player")
    assert Transfer.objects.get(reverses=paid).reason == "the wrong player"
    assert available(paid.credit.owner) == 0
    again = staff_client.post(address, {"key": "other", "reason": "again", "confirmed": "yes"})
    assert "reversed it at" in text(again)
    assert address not in text(staff_client.get(page))
