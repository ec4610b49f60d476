"""My games: every game with its result and money, filters in the address, replay, and a link to share."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener, Site
from tests.browser.people import funded, lose_a_stake, resigned


def test_games_are_listed_with_result_and_money_and_filtered(site: Site, open_page: Opener) -> None:
    player = funded(site, "collector", 5000)
    staked = lose_a_stake(player)
    lost = resigned(player)
    full = player.post("games/", {"rules": "ace-race", "seats": 2, "bots": [1]})["id"]
    player.post(f"games/{full}/seats/", {})
    waiting = player.post("games/", {"rules": "racing-demons", "seats": 2})["id"]
    player.post(f"games/{waiting}/seats/", {})
    page = open_page("/games/", user="collector")
    rows = page.get_by_role("row")
    expect(rows).to_have_count(5)
    for game, texts in {
        staked: ("Lost", "5.20 play money", "−5.20 play money"),
        lost: ("Lost", "for points"),
        full: ("Waiting for the deal",),
        waiting: ("Waiting for players",),
    }.items():
        for text in texts:
            expect(rows.filter(has=page.locator(f'a[href="/games/{game}/"]'))).to_contain_text(text)
    page.get_by_role("combobox", name="Result").select_option("lost")
    expect(rows).to_have_count(3)
    page.get_by_role("combobox", name="Stake").select_option("points")
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile(r"/games/\?result=lost&stake=points$"))
    page.reload()
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Game").select_option("ace-race")
    expect(page.get_by_text("No matching games.")).to_be_visible()
    page.get_by_role("button", name="Show all games").click()
    expect(rows).to_have_count(5)


@pytest.mark.nightly
def test_the_link_of_a_game_is_copied_and_leads_to_its_replay(site: Site, open_page: Opener) -> None:
    player = site.newcomer("sharer")
    page = open_page("/games/", user="sharer")
    expect(page.get_by_text("No games yet.")).to_be_visible()
    expect(page.get_by_role("link", name="Play a game")).to_be_visible()
    game = resigned(player)
    page.reload()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{site.address}/games/{game}/replay/"
    page.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(link)
