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


@pytest.fixture(autouse=True)
def looked_at(player: Player) -> Player:
    return player


@pytest.mark.parametrize("name", ABOUT_MONEY)
class TestPage:
    def test_administrators_and_auditors_see_the_page(
        self, staff_client: Office, administrator: Player, auditor: Player, name: str
    ) -> None:
        for who in (administrator, auditor):
            assert staff_client(who).get(address(name)).status_code == 200
            assert staff_client(who).head(address(name)).status_code == 200

    def test_other_roles_have_no_access(
        self,
        staff_client: Office,
        organizer: Player,
        player: Player,
        rival: Player,
        stranger: Player,
        name: str,
    ) -> None:
        assert staff_client(organizer).get(address(name)).status_code == 403
        for who in (player, rival, stranger, None):
            answer = staff_client(who).get(address(name))
            assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, reverse("admin:login"))

    def test_the_page_writes_nothing(
        self, staff_client: Office, administrator: Player, name: str, subtests: pytest.Subtests
    ) -> None:
        client = staff_client(administrator)
        for method in ["post", "put", "patch", "delete"]:
            with subtests.test(method=method):
                assert getattr(client, method)(address(name)).status_code == 405

    def test_the_page_is_listed_for_those_who_may_see_it(
        self, staff_client: Office, auditor: Player, organizer: Player, name: str
    ) -> None:
        if _pages[name].listed:
            link = f'href="{address(name)}"'
            assert link in staff_client(auditor).get(reverse("admin:index")).content.decode()
            assert link not in staff_client(organizer).get(reverse("admin:index")).content.decode()


def test_forms_need_the_token_of_their_page(administrator: Player, staff_client: Office) -> None:
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = staff_client(administrator).cookies
    sent = {"key": "k", "reason": "forged", "amount": "5", "stake_table": "1", "confirmed": "yes"}
    assert careful.post(reverse("admin:ledger_account_deposit"), sent).status_code == 403
