"""Opening a table: a staked deal in five clicks, opponents who find each other, and bots added while waiting."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    NARROW,
    WIDE,
    Opener,
    Site,
    dots_of,
    scrolls_sideways,
    violations,
)
from tests.browser.people import funded, open_table_for
from tests.browser.vegas import board, state
from tests.browser.visiting import inputs_of


def test_an_account_stakes_and_deals_in_five_clicks(site: Site, open_page: Opener) -> None:
    player = funded(site, "staker", 10_000)
    page = open_page("/", user="staker")
    count = inputs_of(page)
    page.get_by_role("link", name="Vegas Solitaire", exact=True).click()
    expect(page.get_by_text("3 Draw: three cards at a time, three passes · 5.20 play money")).to_be_visible()
    expect(page.get_by_text("Your balance: 100.00 play money → 94.80 play money.")).to_be_visible()
    expect(
        page.get_by_text("0.40 play money per card on the foundations. At most 20.80 play money.")
    ).to_be_visible()
    expect(page.get_by_text("Return to player: 67% of the stakes on average")).to_be_visible()
    page.locator('input[name="draw"][value="1"]').check()
    expect(page.get_by_text("Return to player: 69% of the stakes on average")).to_be_visible()
    page.locator('input[name="draw"][value="3"]').check()
    assert violations(page, "best-practice") == []
    assert dots_of(page, 320) == {"shown": [], "hidden": [False]}
    page.set_viewport_size(WIDE)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(board(page)).to_be_visible()
    assert count() <= 5
    expect(page.get_by_role("link", name="Balance: 94.80 play money")).to_be_visible()
    accounts = player.get("wallet/")["accounts"]
    assert (accounts["cash"]["total"], accounts["session"]["total"]) == (9480, 0)
    game = page.url.rstrip("/").rsplit("/", 1)[-1]
    assert state(player, game)["config"]["stake"] == 520


def test_two_players_who_look_for_opponents_meet(site: Site, open_page: Opener) -> None:
    for name in ("seeker-one", "seeker-two"):
        site.newcomer(name)
    first = open_page("/new/ace-race/", user="seeker-one")
    second = open_page("/new/ace-race/", user="seeker-two", viewport=NARROW, colours="dark")
    for page in (first, second):
        page.get_by_role("button", name="Anyone", exact=True).click()
        expect(page.get_by_text("table of 2 players · for points")).to_be_visible()
        page.get_by_text("Advanced", exact=True).click()
        page.get_by_role("combobox", name="Time per move").select_option("120")
        assert violations(page, "best-practice") == []
        assert not scrolls_sideways(page)
    first.get_by_role("button", name="Find opponents").click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    second.get_by_role("button", name="Find opponents").click()
    for page in (first, second):
        expect(page.locator("[data-card]").first).to_be_visible()
    assert first.url == second.url


@pytest.mark.nightly
def test_bots_are_added_to_a_table_that_waits(site: Site, open_page: Opener) -> None:
    player = site.newcomer("adds-bots")
    page = open_page("/new/ace-race/", user="adds-bots")
    page.get_by_role("combobox", name="Seats").select_option("3")
    open_table_for(page)
    people = page.get_by_role("list", name="Players at this table").get_by_role("listitem")
    expect(people).to_have_count(3)
    expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    assert violations(page) == []
    for size in (
        {"width": 1280, "height": 800},
        {"width": 390, "height": 844},
        {"width": 320, "height": 640},
    ):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert not scrolls_sideways(page)
    page.get_by_role("combobox", name="Bot", exact=True).select_option("strong")
    page.get_by_role("button", name="Add a bot").click()
    expect(people.nth(1)).to_contain_text("strong")
    page.get_by_role("button", name="Add a bot").click()
    expect(page.get_by_role("button", name="Add a bot")).to_have_count(0)
    page.get_by_role("button", name="Deal", exact=True).click()
    expect(page).to_have_url(re.compile("/games/"))
    expect(page.locator("[data-card]").first).to_be_visible()
    game = player.get(f"games/{page.url.rstrip('/').rsplit('/', 1)[-1]}/")
    assert [seat["bot"] for seat in game["seats"]] == [None, "strong", "strong"]
