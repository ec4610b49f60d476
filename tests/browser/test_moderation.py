"""Reporting and blocking a player from the table, and what the players see of it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import PASSWORD, caller, sign_up


def test_a_player_is_reported_and_blocked_from_the_table(site: Site, open_page: Opener) -> None:
    page = open_page("/", viewport=NARROW)
    sign_up(page, "offended")
    player, rude = caller(site, "offended"), site.newcomer("rude")
    game = player.post("games/", {"rules": "ace-race", "seats": 2, "config": {}})["id"]
    for one in (player, rude):
        one.post(f"games/{game}/seats/", {})
    player.post(f"games/{game}/start/", {})
    page.goto(f"{site.address}/games/{game}/")
    page.get_by_role("link", name="Report or block a player").click()
    expect(page.get_by_role("combobox", name="Player", exact=True)).to_have_value(rude.player)
    page.get_by_role("combobox", name="Reason", exact=True).select_option("stalling")
    page.get_by_label("What happened").fill("never moved")
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    keep_picture(page, "report-player-narrow")
    page.get_by_role("button", name="Send report").click()
    expect(page.get_by_text("Reported. Staff will look at it.")).to_be_visible()
    page.get_by_role("button", name="Block player").click()
    expect(page.get_by_text("Blocked.", exact=True)).to_be_visible()
    [report] = site.staff("administrator").get("player-reports/")["results"]
    assert (report["player"], report["reason"], report["text"]) == (rude.player, "stalling", "never moved")
    page.goto(f"{site.address}/account/")
    blocked = page.get_by_role("region", name="Blocked players")
    blocked.get_by_role("button", name="Unblock rude").click()
    expect(blocked.get_by_text("You have blocked no one.")).to_be_visible()


def test_a_suspended_player_reads_why(site: Site, open_page: Opener) -> None:
    player = site.newcomer("suspended").player
    site.staff("administrator").put(f"players/{player}/suspension/", {"reason": "played with two accounts"})
    page = open_page("/sign-in/", colours="dark")
    page.get_by_label("Name").fill("suspended")
    page.get_by_label("Password").fill(site.passwords["suspended"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("This account is suspended: played with two accounts")).to_be_visible()
    keep_picture(page, "suspended-dark")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("Name or password is wrong.")).to_be_visible()
