"""My games: every game with its result and money, filters in the address, replay, and a link to share."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import caller, open_menu, sign_up
from tests.browser.test_seats import provide
from tests.browser.test_wallet import play_one


def test_games_are_listed_filtered_replayed_and_shared(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "collector")
    page.get_by_role("link", name="My games").click()
    expect(page.get_by_text("No games yet.")).to_be_visible()
    keep_picture(page, "my-games-none")
    assert violations(page, "best-practice") == []
    expect(page.get_by_role("link", name="Play a game")).to_be_visible()

    provide(site, "collector", 5000)
    player = caller(site, "collector")
    staked = play_one(player)
    lost = player.post("games/", {"rules": "idle-aces"})["id"]
    player.post(f"games/{lost}/seats/", {})
    player.post(f"games/{lost}/start/", {})
    player.post(f"games/{lost}/moves/", {"move": {"type": "resign"}})
    full = player.post("games/", {"rules": "ace-race", "seats": 2, "bots": [1]})["id"]
    player.post(f"games/{full}/seats/", {})
    waiting = player.post("games/", {"rules": "racing-demons", "seats": 2})["id"]
    player.post(f"games/{waiting}/seats/", {})

    page.reload()
    rows = page.get_by_role("row")
    expect(rows).to_have_count(5)
    money = rows.filter(has=page.locator(f'a[href="/games/{staked}/"]'))
    expect(money).to_contain_text("Lost")
    expect(money).to_contain_text("5.20 play money")
    expect(money).to_contain_text("−5.20 play money")
    points = rows.filter(has=page.locator(f'a[href="/games/{lost}/"]'))
    expect(points).to_contain_text("Lost")
    expect(points).to_contain_text("for points")
    expect(rows.filter(has=page.locator(f'a[href="/games/{full}/"]'))).to_contain_text("Waiting for the deal")
    expect(rows.filter(has=page.locator(f'a[href="/games/{waiting}/"]'))).to_contain_text(
        "Waiting for players"
    )
    assert violations(page, "best-practice") == []
    keep_picture(page, "my-games-wide")

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

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    points.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{site.address}/games/{lost}/replay/"
    points.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(link)

    phone = open_page("/", viewport=NARROW, colours="dark")
    sign_up(phone, "collector-phone")
    play = caller(site, "collector-phone")
    provide(site, "collector-phone", 5000)
    play_one(play)
    open_menu(phone)
    phone.get_by_role("link", name="My games").click()
    expect(phone.get_by_text("−5.20 play money")).to_be_visible()
    assert violations(phone, "best-practice") == []
    assert not scrolls_sideways(phone)
    keep_picture(phone, "my-games-narrow-dark")
    phone.set_viewport_size({"width": 320, "height": 700})
    assert not scrolls_sideways(phone)
