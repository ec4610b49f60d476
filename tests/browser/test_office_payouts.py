"""A large payout from the player's request to the bank: two persons approve it, and the books say so."""

from __future__ import annotations

import hashlib
import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Caller, House, Opener, keep_picture, violations
from tests.browser.test_office import sign_in

AMOUNT = 150_000
"""Pence: more than one administrator alone can let go."""


@pytest.fixture(scope="module")
def second(house: House) -> str:
    """Another administrator."""
    name = "administrator-too"
    other, chief = house.newcomer(name), house.staff("administrator")
    given = httpx.put(
        f"{house.address}/api/v1/players/{other.player}/roles/",
        json={"roles": ["administrator"], "reason": "two are needed"},
        headers={"Authorization": f"Bearer {chief.token}"},
        timeout=30,
    )
    given.raise_for_status()
    return name


@pytest.fixture
def asked(house: House) -> tuple[Caller, dict[str, str]]:
    """A player who has won much, and the withdrawal that was asked for."""
    player = house.newcomer("winner-of-much")
    form = {"player": player.player, "amount": 200_000, "currency": "XTS", "reason": "won elsewhere"}
    house.staff("administrator").post("deposits/", form)
    wanted = {"amount": AMOUNT, "currency": "XTS", "destination": "DE02 1203 0000 0000 2020 51"}
    return player, player.post("withdrawals/", wanted)


def balances(player: Caller) -> tuple[int, int, int]:
    """What is available, held and there in all."""
    cash = player.get("wallet/")["accounts"]["cash"]
    return cash["available"], cash["held"], cash["total"]


def state_of(house: House, payout: str) -> str:
    return str(house.staff("auditor").get(f"payouts/{payout}/")["state"])


def in_a_batch_to_the_bank(page: Page, house: House, reference: str) -> None:
    """All that is approved in one file, and the file as carried out by the bank."""
    page.goto(f"{house.address}/admin/ledger/payoutbatch/")
    page.get_by_role(
        "link", name="Collect approved withdrawals"
    ).click()  # asks for nothing, and is previewed at once
    page.get_by_role("button", name="Make the batch").click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile(reference))).to_contain_text("approved")
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="File for the bank (CSV)").click()
    file = download.value.path().read_bytes()
    assert reference.encode() in file
    assert b"1500.00" in file
    page.get_by_role("link", name="Mark as paid").click()
    page.get_by_label("Checksum").fill(hashlib.sha256(file).hexdigest())
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="The bank has paid it").click()
    expect(page.get_by_role("row", name=re.compile(reference))).to_contain_text("paid")
    keep_picture(page, "office-payout-batch-paid")


def approve(page: Page, reason: str) -> None:
    page.get_by_role("link", name="Approve").click()
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("XTS\xa01,500.00").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Approve")).click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def test_a_large_payout_takes_two_administrators_and_then_the_bank(
    open_page: Opener, house: House, second: str, asked: tuple[Caller, dict[str, str]]
) -> None:
    player, payout = asked
    reference = str(payout["reference"])
    assert balances(player) == (50_000, AMOUNT, 200_000)

    first = open_page("/admin/")
    sign_in(first, house)
    first.goto(f"{house.address}/admin/ledger/payout/")
    first.get_by_role("row", name=re.compile(reference)).get_by_role("link").first.click()
    expect(first.get_by_text("DE02 1203 0000 0000 2020 51")).to_be_visible()
    address = first.url
    approve(first, "name and account agree")
    expect(first.get_by_text("You have approved it; another person has to as well.")).to_be_visible()
    expect(first.get_by_role("link", name="Approve")).to_have_count(0)
    expect(first.get_by_text("Approve: not by you.")).to_be_visible()
    assert violations(first) == []
    keep_picture(first, "office-payout-checked")

    # Past the page, by its address, the same person is refused as well.
    first.goto(re.sub("change/$", "decide/approve/", address))
    first.get_by_label("Reason").fill("once more")
    first.get_by_role("button", name="Preview").click()
    expect(first.locator(".errorlist")).to_contain_text("not twice by one")
    assert state_of(house, payout["id"]) == "checked"

    other = open_page("/admin/")
    sign_in(other, house, second)
    other.goto(address)
    approve(other, "called the player")
    expect(other.get_by_role("row", name=re.compile("checked.*approved.*called the player"))).to_be_visible()
    assert balances(player) == (50_000, AMOUNT, 200_000), "nothing has left yet"

    in_a_batch_to_the_bank(other, house, reference)
    assert state_of(house, payout["id"]) == "paid"
    assert balances(player) == (50_000, 0, 50_000)
    paid, deposit = player.get("wallet/statement/")["results"]
    assert (paid["change"], paid["balance"], deposit["balance"]) == (-AMOUNT, 50_000, 200_000)
    assert reference in paid["reason"]
