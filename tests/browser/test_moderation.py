"""Reporting and blocking a player from the table."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site


def test_a_player_is_reported_and_blocked_from_the_table(site: Site, open_page: Opener) -> None:
    player, rude = site.newcomer("offended"), site.newcomer("rude")
    game = player.post("games/", {"rules": "ace-race", "seats": 2, "config": {}})["id"]
    for one in (player, rude):
        one.post(f"games/{game}/seats/", {})
    player.post(f"games/{game}/start/", {})
    page = open_page(f"/games/{game}/", user="offended", viewport=NARROW)
    page.get_by_role("link", name="Report or block a player").click()
    expect(page.get_by_role("combobox", name="Player", exact=True)).to_have_value(rude.player)
    page.get_by_role("combobox", name="Reason", exact=True).select_option("stalling")
    page.get_by_label("What happened").fill("never moved")
    page.get_by_role("button", name="Send report").click()
    expect(page.get_by_text("Reported. Staff will look at it.")).to_be_visible()
    page.get_by_role("button", name="Block player").click()
    expect(page.get_by_text("Blocked.", exact=True)).to_be_visible()
    reports = site.staff("administrator").get("player-reports/")["results"]
    [report] = [report for report in reports if report["player"] == rude.player]
    assert (report["reason"], report["text"]) == ("stalling", "never moved")
    page.goto(f"{site.address}/account/")
    blocked = page.get_by_role("region", name="Blocked players")
    blocked.get_by_role("button", name="Unblock rude").click()
    expect(blocked.get_by_text("You have blocked no one.")).to_be_visible()
