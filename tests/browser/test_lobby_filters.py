"""The lobby's filters live in the address, one's own games come first, and what one cannot join says why beforehand."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import caller, sign_up

BUY_IN = {"rules": "ace-race", "seats": 2, "stake_table": "ace-race-table", "buy_in": 500}


def test_filters_survive_reload_and_back_and_obstacles_are_shown(site: Site, open_page: Opener) -> None:
    host = site.newcomer("filter-host")
    race = host.post("games/", {"rules": "racing-aces", "seats": 3})["id"]
    money = host.post("games/", BUY_IN)["id"]
    page = open_page("/")
    sign_up(page, "filterer")
    page.goto(f"{site.address}/")
    region = page.get_by_role("region", name="Open games")
    expect(region.locator(f'a[href="/games/{race}/"]')).to_be_visible()
    element = region.get_by_role("listitem").filter(has=page.locator(f'a[href="/games/{money}/"]'))
    expect(element).to_contain_text("Your available balance is too low.")
    expect(element).to_contain_text("5.00")

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

    player = caller(site, "filterer")
    own = player.post("games/", {"rules": "idle-aces"})["id"]
    player.post(f"games/{own}/seats/", {})
    player.post(f"games/{own}/start/", {})
    mine = page.get_by_role("region", name="Your games")
    expect(mine.locator(f'a[href="/games/{own}/"]')).to_be_visible()
    expect(mine).to_contain_text("Your turn")
    page.reload()
    expect(mine.locator(f'a[href="/games/{own}/"]')).to_be_visible()
    assert violations(page, "best-practice") == []
    keep_picture(page, "lobby-signed-in-wide")

    watching = open_page("/", viewport=NARROW, colours="dark")
    running = watching.get_by_role("region", name="Games in play")
    expect(running.locator(f'a[href="/games/{own}/"]')).to_be_visible()
    expect(watching.get_by_text("No account needed.")).to_be_visible()
    assert violations(watching, "best-practice") == []
    assert not scrolls_sideways(watching)
    keep_picture(watching, "lobby-narrow-dark")
    for _ in range(6):
        another = player.post("games/", {"rules": "idle-aces"})["id"]
        player.post(f"games/{another}/seats/", {})
        player.post(f"games/{another}/start/", {})
    # If tests before have left games in play, the button is there before these games come above the seventh.
    expect(running.locator(f'a[href="/games/{another}/"]')).to_be_visible()
    more = running.get_by_role("button", name="Show more tables")
    more.click()
    expect(running.locator(f'a[href="/games/{own}/"]')).to_be_visible()
    expect(more).to_have_count(0)
    expect(running.get_by_role("listitem").nth(6).get_by_role("link").first).to_be_focused()
    watching.set_viewport_size({"width": 320, "height": 700})
    assert not scrolls_sideways(watching)
