"""The ruling that divides a pot again, on its staff page and over REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import Player
from ledger.stakes.models import Pot
from staff.models import ActionRecord
from tests.ledger.offices import signed_in
from tests.ledger.stakes.pots import in_escrow, money_of, open_pot, settle, sit_down
from tests.money import cash, fund

pytestmark = pytest.mark.django_db
REASON = "the score was misread"


@pytest.fixture
def pot(player: Player, rival: Player) -> Pot:
    """Return a pot that `player` has won."""
    made = open_pot()
    for each in (player, rival):
        fund(cash(each.pk), 1000)
    sit_down(made, [player.pk, rival.pk])
    settle(made, [player.pk], [rival.pk])
    return made


def address(pot: Pot) -> str:
    return reverse("admin:ledger_pot_resettle", args=[pot.pk])


def test_a_pot_is_divided_again_after_a_preview(
    administrator: Player, auditor: Player, pot: Pot, player: Player, rival: Player
) -> None:
    client, before = signed_in(administrator), money_of([player.pk, rival.pk])
    page = client.get(reverse("admin:ledger_pot_change", args=[pot.pk])).content.decode()
    assert address(pot) in page
    assert f"{player.username}; {rival.username}" in page
    assert str(player.pk) not in page
    assert signed_in(auditor).get(address(pot)).status_code == 403
    assert f"{player.username}\n{rival.username}" in client.get(address(pot)).content.decode()
    form = {"places": f"{rival.username}\n{player.username}", "reason": REASON, "key": "k"}
    preview = client.post(address(pot), form).content.decode()
    assert f"{rival.username}; {player.username}" in preview
    assert f"{pot.subject}" in preview
    assert money_of([player.pk, rival.pk]) == before
    for _ in range(2):
        client.post(address(pot), {**form, "confirmed": "yes"})
    assert (money_of([player.pk, rival.pk]), in_escrow(pot)) == (before[::-1], 0)
    [recorded] = ActionRecord.objects.filter(action="resettle-pot")
    assert (recorded.subject, recorded.reason) == (pot.subject, REASON)
    unknown = client.post(address(pot), {**form, "key": "l", "places": "nemo"}).content.decode()
    assert "There is no player nemo." in unknown


def test_a_refund_needs_no_places(administrator: Player, pot: Pot, player: Player, rival: Player) -> None:
    form = {"void": "on", "places": "", "reason": REASON, "key": "k", "confirmed": "yes"}
    assert signed_in(administrator).post(address(pot), form).status_code == 302
    assert money_of([player.pk, rival.pk]) == [1000, 1000]


def test_a_pot_is_refunded_over_rest(
    api: Any, administrator: Player, pot: Pot, player: Player, rival: Player
) -> None:
    body = {"places": None, "reason": REASON}
    refunded = api(administrator).post(f"/api/v1/pots/{pot.pk}/resettle/", body)
    assert (refunded.status_code, refunded.json()["status"]) == (200, "void")
    assert money_of([player.pk, rival.pk]) == [1000, 1000]
