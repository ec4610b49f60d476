"""Staff pages of markets: liability, voiding and settling after a preview."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.betting.models import Market, Settlement
from tests.ledger.betting.markets import bank, bet, close, escrow, money_of, open_fixed, settle
from tests.ledger.offices import perform, signed_in, text
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    return signed_in(administrator)


@pytest.fixture
def market() -> Market:
    bank()
    return open_fixed()


def page(market: Market, action: str = "change") -> str:
    return reverse(f"admin:ledger_market_{action}", args=[market.pk])


def test_staff_see_stakes_bank_risk_and_settlements(auditor: Player, market: Market) -> None:
    client = signed_in(auditor)
    bet(market, "H", 12_345)
    for address, shown in (
        (reverse("admin:ledger_market_changelist"), ("123.45", "370.35")),
        (page(market), (">4.00<", "370.35")),
        (reverse("admin:ledger_bet_changelist"), ("123.45",)),
    ):
        for amount in shown:
            assert amount in text(client.get(address)), address
    assert page(market, "void") not in text(client.get(page(market)))
    settle(market, "H")
    for reported in ("in effect", "493.80", "370.35"):
        assert reported in text(client.get(page(market)))


def test_an_administrator_voids_with_a_reason_after_a_preview(
    staff_client: Client, administrator: Player, market: Market
) -> None:
    made = bet(market, "H", 100)
    assert page(market, "void") in text(staff_client.get(page(market)))
    assert "<h2>Transfers</h2>" in text(
        staff_client.post(page(market, "void"), {"reason": "late", "key": "k"})
    )
    assert escrow(market) == 100, "a preview changes nothing"
    preview, done = perform(staff_client, page(market, "void"), reason="the table never started")
    assert "1, 1.00 play money" in preview
    assert (done.status_code, done["Location"], money_of(made)) == (302, page(market), 100_000)
    [settled] = Settlement.objects.all()
    assert (settled.reason, settled.actor) == ("the table never started", f"player:{administrator.pk}")


def test_administrator_with_a_bet_may_not_void_the_market(
    staff_client: Client, administrator: Player, market: Market
) -> None:
    fund(cash(administrator.pk), 500)
    bet(market, "H", 100, administrator.pk)
    preview, answer = perform(staff_client, page(market, "void"))
    assert "You take part in this event" in preview
    assert "You take part in this event" in text(answer)
    market.refresh_from_db()
    assert market.status == "open"


def test_closed_market_is_settled_and_resettled_after_previews(staff_client: Client, market: Market) -> None:
    hearts, spades = bet(market, "H", 100), bet(market, "S", 200)
    close(market)
    preview, refused = perform(staff_client, page(market, "settle"), winners=["Pegasus"])
    assert ("not one of the available choices" in preview, refused.status_code) == (True, 200)
    preview, refused = perform(staff_client, page(market, "resettle"), winners=["H"])
    assert ("<h2>Transfers</h2>" in preview, refused.status_code) == (False, 200)

    def ruled(name: str, **form: object) -> tuple[str, int, int]:
        preview, done = perform(staff_client, page(market, name), **form)
        assert done.status_code == 302
        return preview, money_of(hearts), money_of(spades)

    preview, *money = ruled("settle", winners=["H"])
    assert ("4.00" in preview, money) == (True, [100_300, 99_800])
    assert "Settle: available after betting has closed" in text(staff_client.get(page(market)))
    _, late = perform(staff_client, page(market, "void"))
    assert "settled, void, or being settled" in text(late)
    preview, *money = ruled("resettle", winners=["S"])
    assert ("8.00" in preview, money) == (True, [99_900, 100_600])
    assert ruled("resettle", void="on", reason="neither was right")[1:] == (100_000, 100_000)
    assert [one.void for one in Settlement.objects.order_by("number")] == [False, False, True]
