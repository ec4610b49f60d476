"""Staff pages of markets: liability, voiding with a reason, and no editing."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.betting.models import Bet, Market, Settlement
from tests.ledger.betting.markets import bank, bet, close, escrow, money_of, open_fixed, settle
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def staff_client(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def market() -> Market:
    bank()
    return open_fixed()


def page(market: Market) -> str:
    return reverse("admin:ledger_market_change", args=[market.pk])


def test_staff_see_stakes_and_bank_risk(auditor: Player, administrator: Player, market: Market) -> None:
    bet(market, "H", 12_345)
    for who in (auditor, administrator):
        listed = staff_client(who).get(reverse("admin:ledger_market_changelist")).content.decode()
        assert "123.45" in listed
        assert "370.35" in listed
        shown = staff_client(who).get(page(market)).content.decode()
        assert ">4.00<" in shown
        assert "370.35" in shown
        assert "123.45" in staff_client(who).get(reverse("admin:ledger_bet_changelist")).content.decode()


def test_staff_see_settlements(auditor: Player, market: Market) -> None:
    bet(market, "H", 250)
    settle(market, "H")
    shown = staff_client(auditor).get(page(market)).content.decode()
    for reported in ("in effect", "10.00", "7.50"):
        assert reported in shown


def test_an_administrator_voids_with_a_reason_after_a_preview(administrator: Player, market: Market) -> None:
    made = bet(market, "H", 100)
    client, address = staff_client(administrator), reverse("admin:ledger_market_void", args=[market.pk])
    assert address in client.get(page(market)).content.decode()
    key = re.search(r'name="key" value="(\w+)"', client.get(address).content.decode())
    assert key is not None
    form = {"reason": "the table never started", "key": key[1]}
    preview = client.post(address, form).content.decode()
    assert "1, 1.00 play money" in preview
    assert "<h2>Transfers</h2>" in preview
    assert escrow(market) == 100
    assert client.post(address, {**form, "reason": ""}).status_code == 200
    assert escrow(market) == 100
    done = client.post(address, {**form, "confirmed": "yes"})
    assert (done.status_code, done["Location"]) == (302, page(market))
    assert money_of(made) == 100_000
    [settled] = Settlement.objects.all()
    assert (settled.reason, settled.actor) == ("the table never started", f"player:{administrator.pk}")


def test_a_settled_market_cannot_be_voided(administrator: Player, market: Market) -> None:
    close(market)
    settle(market, "H")
    address = reverse("admin:ledger_market_void", args=[market.pk])
    form = {"reason": "too late", "key": "k", "confirmed": "yes"}
    assert (
        "settled, void, or being settled" in staff_client(administrator).post(address, form).content.decode()
    )


def test_only_administrators_void_and_markets_cannot_be_edited(
    auditor: Player, administrator: Player, market: Market
) -> None:
    made = bet(market, "H", 100)
    address = reverse("admin:ledger_market_void", args=[market.pk])
    assert staff_client(auditor).get(address).status_code == 403
    assert address not in staff_client(auditor).get(page(market)).content.decode()
    for model, row in ((Market, market), (Bet, made)):
        name = f"admin:ledger_{model._meta.model_name}"
        client = staff_client(administrator)
        assert client.get(reverse(f"{name}_add")).status_code == 403
        assert client.post(reverse(f"{name}_change", args=[row.pk]), {"status": "void"}).status_code == 403
        assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def test_administrator_with_a_bet_may_not_void_the_market(administrator: Player, market: Market) -> None:
    fund(cash(administrator.pk), 500)
    bet(market, "H", 100, administrator.pk)
    client, address = staff_client(administrator), reverse("admin:ledger_market_void", args=[market.pk])
    for confirmed in ({}, {"confirmed": "yes"}):
        answer = client.post(address, {"reason": "I lose", "key": "k", **confirmed})
        assert "You take part in this event" in answer.content.decode()
    market.refresh_from_db()
    assert market.status == "open"


def rule(client: Client, market: Market, name: str, **form: object) -> tuple[str, int]:
    """Return the preview of a ruling, and the response to its confirmation."""
    address = reverse(f"admin:ledger_market_{name}", args=[market.pk])
    sent = {"reason": "the film was looked at", "key": uuid4().hex, **form}
    preview = client.post(address, sent).content.decode()
    return preview, client.post(address, {**sent, "confirmed": "yes"}).status_code


def test_closed_market_is_settled_and_resettled_after_previews(administrator: Player, market: Market) -> None:
    hearts, spades = bet(market, "H", 100), bet(market, "S", 200)
    close(market)
    client = staff_client(administrator)
    preview, done = rule(client, market, "settle", winners=["H"])
    assert "4.00" in preview
    assert (done, money_of(hearts), money_of(spades)) == (302, 100_300, 99_800)
    assert "Settle: available after betting has closed" in client.get(page(market)).content.decode()
    preview, done = rule(client, market, "resettle", winners=["S"])
    assert "8.00" in preview
    assert (done, money_of(hearts), money_of(spades)) == (302, 99_900, 100_600)
    _, done = rule(client, market, "resettle", void="on", reason="neither was right")
    assert (done, money_of(hearts), money_of(spades)) == (302, 100_000, 100_000)
    assert [one.void for one in Settlement.objects.order_by("number")] == [False, False, True]


def test_a_preview_of_a_ruling_changes_nothing(administrator: Player, market: Market) -> None:
    made = bet(market, "H", 100)
    close(market)
    address = reverse("admin:ledger_market_settle", args=[market.pk])
    form = {"reason": "the film was looked at", "key": "k", "winners": ["H"]}
    assert "<h2>Transfers</h2>" in staff_client(administrator).post(address, form).content.decode()
    market.refresh_from_db()
    assert (market.status, money_of(made), Settlement.objects.count()) == ("closed", 99_900, 0)


def test_a_ruling_must_name_existing_runners(administrator: Player, market: Market) -> None:
    close(market)
    preview, done = rule(staff_client(administrator), market, "settle", winners=["Pegasus"])
    assert ("not one of the available choices" in preview, done) == (True, 200)
    preview, done = rule(staff_client(administrator), market, "resettle", winners=["H"])
    assert ("<h2>Transfers</h2>" in preview, done) == (False, 200)
