"""Permissions of every page about money, and that no page writes."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.staff.actions import VIEW_LEDGER
from staff.pages import _pages
from tests.ledger.staff.conftest import Office

pytestmark = pytest.mark.django_db

OF_A_PLAYER = {"staff_player"}
"""The pages whose address names a player."""


ABOUT_MONEY = sorted(name for name, page in _pages.items() if page.permission == VIEW_LEDGER)
"""The others have cases of their own where they are declared."""


def address(name: str) -> str:
    return reverse(
        f"admin:{name}", args=[Player.objects.get(username="ann").pk] if name in OF_A_PLAYER else []
    )


def test_administrators_and_auditors_see_every_page(
    staff_client: Office, administrator: Player, auditor: Player, player: Player
) -> None:
    for who in (administrator, auditor):
        client = staff_client(who)
        for name in ABOUT_MONEY:
            assert client.get(address(name)).status_code == 200, name


def test_other_roles_have_no_access(staff_client: Office, organizer: Player, player: Player) -> None:
    clients = staff_client(organizer), staff_client(player), staff_client(None)
    for name in ABOUT_MONEY:
        refused, *away = [client.get(address(name)) for client in clients]
        assert refused.status_code == 403, name
        for answer in away:
            assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, reverse("admin:login"))


def test_no_page_writes(staff_client: Office, administrator: Player, player: Player) -> None:
    client = staff_client(administrator)
    for name in ABOUT_MONEY:
        for method in (client.post, client.put, client.patch, client.delete):
            assert method(address(name)).status_code == 405, name


def test_pages_are_listed_for_those_who_may_see_them(
    staff_client: Office, auditor: Player, organizer: Player, player: Player
) -> None:
    links = [f'href="{address(name)}"' for name in ABOUT_MONEY if _pages[name].listed]
    seen, hidden = (
        staff_client(who).get(reverse("admin:index")).content.decode() for who in (auditor, organizer)
    )
    assert links
    assert all(link in seen for link in links)
    assert not any(link in hidden for link in links)


def test_forms_need_the_token_of_their_page(administrator: Player, staff_client: Office) -> None:
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = staff_client(administrator).cookies
    sent = {"key": "k", "reason": "forged", "amount": "5", "stake_table": "1", "confirmed": "yes"}
    assert careful.post(reverse("admin:ledger_account_deposit"), sent).status_code == 403
