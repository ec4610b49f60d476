"""The lobby's filters live in the address, one's own games come first, and what one cannot join says why beforehand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Caller, Opener, Site

BUY_IN = {"rules": "ace-race", "seats": 2, "stake_table": "ace-race-table", "buy_in": 500}


def playing(player: Caller) -> str:
    game = str(player.post("games/", {"rules": "idle-aces"})["id"])
    player.post(f"games/{game}/seats/", {})
    player.post(f"games/{game}/start/", {})
    return game


def test_filters_survive_reload_and_back(site: Site, open_page: Opener) -> None:
    host = site.newcomer("filterer")
    race = host.post("games/", {"rules": "racing-aces", "seats": 3})["id"]
    money = host.post("games/", BUY_IN)["id"]
    page = open_page("/", user="filterer")
    region = page.get_by_role("region", name="Open games")
    expect(region.locator(f'a[href="/games/{race}/"]')).to_be_visible()
    page.get_by_role("combobox", name="Game").select_option("ace-race")
    page.get_by_role("combobox", name="Stakes").select_option("money")
    page.get_by_label("with a free seat").check()
    expect(page).to_have_url(re.compile(r"\?rules=ace-race&free=true&stake=money$"))
    expect(region.locator(f'a[href="/games/{money}/"]')).to_be_visible()
    expect(region.locator(f'a[href="/games/{race}/"]')).to_have_count(0)
    page.reload()
    expect(page.get_by_role("combobox", name="Game")).to_have_value("ace-race")
    expect(region.locator(f'a[href="/games/{race}/"]')).to_have_count(0)
    region.locator(f'a[href="/games/{money}/"]').click()
    expect(page.get_by_text("A seat costs 5.00 play money.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("combobox", name="Stakes")).to_have_value("money")
    expect(page.get_by_label("with a free seat")).to_be_checked()
    page.get_by_label("mine").check()
    page.get_by_role("button", name="Show all open tables").click()
    expect(region.locator(f'a[href="/games/{race}/"]')).to_be_visible()


def test_more_tables_are_shown_with_the_focus_on_the_first_of_them(site: Site, open_page: Opener) -> None:
    player = site.newcomer("host-of-many")
    *_, last = [playing(player) for _ in range(7)]
    page = open_page("/", viewport=NARROW)
    running = page.get_by_role("region", name="Games in play")
    expect(running.locator(f'a[href="/games/{last}/"]')).to_be_visible()
    expect(running.get_by_role("listitem")).to_have_count(6)
    more = running.get_by_role("button", name="Show more tables")
    more.click()
    expect(running.get_by_role("listitem").nth(6).get_by_role("link").first).to_be_focused()
    expect(more).to_have_count(0)


@pytest.mark.nightly
def test_own_games_come_first_and_a_table_too_dear_says_so(site: Site, open_page: Opener) -> None:
    money = site.newcomer("dear-host").post("games/", BUY_IN)["id"]
    player = site.newcomer("pauper")
    page = open_page("/", user="pauper")
    tables = page.get_by_role("region", name="Open games").get_by_role("listitem")
    element = tables.filter(has=page.locator(f'a[href="/games/{money}/"]'))
    expect(element).to_contain_text("Your available balance is too low.")
    expect(element).to_contain_text("5.00")
    own = playing(player)
    mine = page.get_by_role("region", name="Your games")
    expect(mine.locator(f'a[href="/games/{own}/"]')).to_be_visible()
    expect(mine).to_contain_text("Your turn")
