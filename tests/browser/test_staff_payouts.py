"""A large payout from the player's request to the bank: two persons approve it, and the books say so."""

from __future__ import annotations

import hashlib
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Caller, Site, StaffOpener, violations
from tests.browser.people import funded
from tests.browser.visiting import inputs_of

AMOUNT = 150_000
"""Pence: more than one administrator alone can let go."""


DESTINATION = "DE02 1203 0000 0000 2020 51"


@pytest.fixture
def second(site: Site) -> str:
    """Another administrator."""
    name = "administrator-too"
    roles = {"roles": ["administrator"], "reason": "two are needed"}
    site.staff("administrator").put(f"players/{site.newcomer(name).player}/roles/", roles)
    return name


def requested(player: Caller, amount: int) -> dict[str, str]:
    return player.post("withdrawals/", {"amount": amount, "currency": "XTS", "destination": DESTINATION})


def balances(player: Caller) -> tuple[int, int, int]:
    """What is available, held and there in all."""
    cash = player.get("wallet/")["accounts"]["cash"]
    return cash["available"], cash["held"], cash["total"]


def state_of(site: Site, payout: str) -> str:
    return str(site.staff("auditor").get(f"payouts/{payout}/")["state"])


def in_a_batch_to_the_bank(page: Page, site: Site, reference: str) -> None:
    """Put all approved payouts into a batch and mark it as paid."""
    page.goto(f"{site.address}/admin/ledger/payoutbatch/")
    page.get_by_role(
        "link", name="Create payout batch"
    ).first.click()  # asks for nothing, and is previewed at once
    page.get_by_role("button", name="Create batch").click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile(reference))).to_contain_text("approved")
    with page.expect_download() as download:
        page.get_by_role("link", name="Bank file (CSV)").click()
    file = download.value.path().read_bytes()
    assert reference.encode() in file
    assert b"1500.00" in file
    page.get_by_role("link", name="Mark as paid").click()
    page.get_by_label("Checksum").fill(hashlib.sha256(file).hexdigest())
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.get_by_role("row", name=re.compile(reference))).to_contain_text("paid")


def approve(page: Page, reason: str) -> None:
    page.get_by_role("link", name="Approve").first.click()
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name=re.compile("^Approve")).click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def test_a_payout_is_approved_from_the_work_queue_in_three_inputs(
    staff_page: StaffOpener, site: Site
) -> None:
    player = funded(site, "asks-for-little", 5_000)
    payout = requested(player, 2_000)
    page = staff_page()
    task = page.locator(".queue li").filter(has_text="asks-for-little")
    expect(task).to_contain_text("20.00")
    expect(page.get_by_text("All clear")).to_have_count(0)
    count = inputs_of(page)
    task.get_by_role("link", name="Approve: asks-for-little").click()
    state = page.locator(".changes").get_by_role("row", name=re.compile("^Payout"))
    expect(state).to_contain_text("Requested")
    expect(state).to_contain_text("→ Approved")
    expect(page.get_by_role("row", name="asks-for-little: wallet, available")).to_contain_text("30.00")
    dialog = page.locator("#content")
    expect(dialog).not_to_contain_text(player.player)
    expect(dialog).not_to_contain_text("/cash")
    assert violations(page) == []
    page.get_by_label("Reason").fill("name and account agree")
    page.get_by_role("button", name="Approve payout of 20.00 play money").click()
    expect(page.locator(".messagelist .success")).to_contain_text("The payout is approved.")
    assert count() <= 3
    assert page.url == f"{site.address}/admin/", "back to where one came from"
    assert state_of(site, payout["id"]) == "approved"
    expect(page.locator(".queue li").filter(has_text="asks-for-little")).to_have_count(0)


def test_a_large_payout_takes_two_administrators_and_then_the_bank(
    staff_page: StaffOpener, site: Site, second: str
) -> None:
    player = funded(site, "winner-of-much", 200_000)
    payout = requested(player, AMOUNT)
    reference = str(payout["reference"])
    assert balances(player) == (50_000, AMOUNT, 200_000)

    first = staff_page(path="ledger/payout/")
    first.get_by_role("row", name=re.compile(reference)).get_by_role("link").first.click()
    expect(first.get_by_text(DESTINATION)).to_be_visible()
    address = first.url
    approve(first, "name and account agree")
    expect(
        first.get_by_text("You have approved the payout. A second person must approve it too.")
    ).to_be_visible()
    expect(first.get_by_role("link", name="Approve")).to_have_count(0)
    expect(first.get_by_text("Approve unavailable:")).to_be_visible()

    # Past the page, by its address, the same person is refused as well.
    first.goto(re.sub("change/$", "decide/approve/", address))
    expect(first.get_by_label("Reason")).to_have_count(0)
    expect(first.locator(".errorlist")).to_contain_text("needs the approval of a second person")
    assert state_of(site, payout["id"]) == "checked"

    other = staff_page(second, address.partition("/admin/")[2])
    approve(other, "called the player")
    expect(other.get_by_role("row", name=re.compile("checked.*approved.*called the player"))).to_be_visible()
    assert balances(player) == (50_000, AMOUNT, 200_000), "nothing has left yet"

    in_a_batch_to_the_bank(other, site, reference)
    assert state_of(site, payout["id"]) == "paid"
    assert balances(player) == (50_000, 0, 50_000)
    paid, deposit = player.get("wallet/statement/")["results"]
    assert (paid["change"], paid["balance"], deposit["balance"]) == (-AMOUNT, 50_000, 200_000)
    assert reference in paid["reason"]
