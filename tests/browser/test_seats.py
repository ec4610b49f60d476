"""Opening a table and sitting down: a private link, a buy-in that is asked for once, the deal by two browsers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, WIDE, Opener, Site, scrolls_sideways, violations
from tests.browser.people import funded


def test_a_private_staked_table_from_its_link_to_the_deal(site: Site, open_page: Opener) -> None:
    players = {name: funded(site, name, 2000) for name in ("inviter", "invited")}
    first = open_page("/new/ace-race/", user="inviter")
    second = open_page("/", user="invited", viewport=NARROW)
    first.get_by_role("button", name="Higher stake").click()
    expect(first.get_by_role("status").filter(has_text="5.00")).to_be_visible()
    expect(first.get_by_text("2 buy-ins: 10.00 play money in the pot.", exact=True)).to_be_visible()
    balance = "Your balance: 20.00 play money → 15.00 play money."
    expect(first.get_by_text(balance)).to_be_visible()
    expect(first.get_by_role("button", name="Find opponents")).to_be_enabled()
    first.get_by_role("button", name="Friends", exact=True).click()
    expect(first.get_by_label("Private: only players with the link")).to_be_checked()
    first.get_by_text("Advanced", exact=True).click()
    first.get_by_label("Your client seed").fill("inviter's luck")
    assert violations(first, "best-practice") == []
    first.get_by_role("button", name="Open table").click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    expect(first.get_by_text("5.00 play money in the pot so far.")).to_be_visible()
    first.context.grant_permissions(["clipboard-read", "clipboard-write"])
    first.get_by_role("button", name="Copy link").click()
    expect(first.get_by_text("Copied.")).to_be_visible()
    link = first.evaluate("navigator.clipboard.readText()")
    assert "?invite=" in link
    assert link == first.get_by_role("link", name="Link to this table").get_attribute("href")
    expect(first.get_by_role("img", name="QR code of the link")).to_be_visible()
    expect(first.get_by_role("button", name="Add a bot")).to_have_count(0)
    assert violations(first) == []

    game = link.split("/games/")[1].split("/")[0]
    second.goto(link)
    expect(second.get_by_text("A seat costs 5.00 play money.")).to_be_visible()
    expect(second.get_by_text(balance)).to_be_visible()
    assert not scrolls_sideways(second)
    assert violations(second) == []
    sit = second.get_by_role("button", name="Sit down")
    sit.click()
    second.get_by_role("button", name="Cancel", exact=True).click()
    expect(sit).to_be_visible()
    assert players["invited"].get("wallet/")["accounts"]["cash"]["total"] == 2000
    sit.click()
    second.get_by_role("button", name="Yes", exact=True).click()
    expect(second.get_by_text("All seats are taken. Deal when you are ready.")).to_be_visible()
    expect(first.get_by_text("All seats are taken. Deal when you are ready.")).to_be_visible()
    second.get_by_role("button", name="Stand up").click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    sit.click()
    second.get_by_role("button", name="Yes", exact=True).click()
    first.get_by_role("button", name="Deal", exact=True).click()
    expect(second.locator("[data-card]").first).to_be_visible()
    expect(first.locator("[data-card]").first).to_be_visible()

    for name, page in (("inviter", first), ("invited", second)):
        wallet = players[name].get("wallet/")["accounts"]["cash"]
        assert wallet == {"available": 1500, "held": 0, "total": 1500}
        page.goto(f"{site.address}/wallet/")
        expect(page.get_by_role("term").filter(has_text="At stake")).to_be_visible()
        balances = page.locator("dl.balances")
        expect(balances).to_contain_text("15.00 play money")
        expect(balances).to_contain_text("5.00 play money")
        row = page.get_by_role("row").filter(has_text="Buy-in").first
        expect(row.get_by_role("link", name="Buy-in: Ace Race")).to_have_attribute("href", f"/games/{game}/")
        expect(page.locator("header a.balance")).to_contain_text("15.00")


@pytest.mark.nightly
@pytest.mark.parametrize("slug", ["ace-race", "racing-demons", "racing-aces"])
def test_the_options_of_each_game_are_explained_and_opened_with(
    site: Site, open_page: Opener, slug: str
) -> None:
    name = f"opener-{slug}"
    player = site.newcomer(name)
    page = open_page(f"/new/{slug}/", user=name, viewport=NARROW if slug == "racing-demons" else WIDE)
    page.get_by_text("Advanced", exact=True).click()
    if slug == "ace-race":
        expect(page.get_by_text("Further single cards may follow it.")).to_be_visible()
        page.locator('input[name="continuation"][value="chained"]').check()
        page.get_by_label("Deals").fill("2")
        page.get_by_role("combobox", name="Dealer").select_option("1")
    if slug == "racing-demons":
        expect(page.get_by_role("combobox", name="Pace of the bots")).to_have_value("normal")
        page.get_by_role("combobox", name="Pace of the bots").select_option("slow")
        page.get_by_role("combobox", name="Time limit").select_option("10 minutes")
        page.get_by_role("combobox", name="Seats").select_option("3")
        page.get_by_role("combobox", name="Bot strength").select_option("random")
    if slug == "racing-aces":
        page.get_by_label("Cards removed unseen before the start").fill("4")
        page.get_by_role("combobox", name="Draw automatically").select_option("2")
        page.get_by_role("radio", name="spades").check()
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).to_have_url(re.compile("/games/"))
    game = player.get(f"games/{page.url.rstrip('/').rsplit('/', 1)[-1]}/")
    if slug == "ace-race":
        assert (game["config"]["continuation"], game["config"]["dealer"]) == ("chained", 1)
        assert game["match"]["number"] == 1
    if slug == "racing-demons":
        assert (game["bot_pace"], game["config"]["time_limit"]) == ("slow", 600)
        assert [seat["bot"] for seat in game["seats"]] == [None, "random", "random"]
    if slug == "racing-aces":
        assert (game["config"]["burn"], game["draw_every"]) == (4, 2)
        assert (game["config"]["suits"], [seat["suit"] for seat in game["seats"]]) == ("chosen", ["S"])
