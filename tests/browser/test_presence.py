"""Players see who of the others is here: at a waiting table, and when a connection is lost during the game."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WIDE, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import caller, sign_up
from tests.browser.playing import dealt
from tests.browser.test_racing_demons import seated
from tests.browser.test_table_layout import WATCH

AWAY = re.compile(r"away, 0:\d\d")
NOTICED = 30_000
"""Milliseconds: the longest time until a stream hears of it, with that after which it is shown."""


@pytest.mark.both_databases
def test_a_player_who_loses_the_connection_is_shown_as_away_until_they_are_back(
    site: Site, open_page: Opener
) -> None:
    page, other = open_page("/", viewport=WIDE), open_page("/", viewport=NARROW)
    sign_up(page, "stays")
    sign_up(other, "leaves")
    game = seated((caller(site, "stays"), caller(site, "leaves")))
    for one in (page, other):
        open_table(site, one, game)
    expect(page.get_by_text("What happened", exact=True)).to_be_visible()
    page.evaluate(WATCH)
    other.goto("about:blank")
    opponent = page.get_by_role("region", name="Players").get_by_role("listitem")
    expect(opponent).to_contain_text(AWAY, timeout=NOTICED)
    assert page.evaluate("window.shifted") == []
    assert violations(page) == []
    keep_picture(page, "away")
    open_table(site, other, game)
    expect(opponent).not_to_contain_text("away", timeout=NOTICED)
    assert page.evaluate("window.shifted") == []


def test_it_is_shown_beside_the_name_where_players_take_turns(site: Site, open_page: Opener) -> None:
    page, other = open_page("/", viewport=NARROW, colours="dark"), open_page("/")
    sign_up(page, "stays-too")
    sign_up(other, "leaves-too")
    game = dealt("ace-race", caller(site, "stays-too"), caller(site, "leaves-too"))
    for one in (page, other):
        open_table(site, one, game)
    other.goto("about:blank")
    expect(page.get_by_role("list", name="Players")).to_contain_text(AWAY, timeout=NOTICED)
    assert not scrolls_sideways(page)
    keep_picture(page, "away-phone-dark")


def test_a_waiting_table_shows_who_is_here(site: Site, open_page: Opener) -> None:
    page, other = open_page("/", viewport=NARROW), open_page("/")
    sign_up(page, "waits")
    sign_up(other, "comes")
    player, rival = caller(site, "waits"), caller(site, "comes")
    game = str(player.post("games/", {"rules": "ace-race", "seats": 3})["id"])
    for one in (player, rival):
        one.post(f"games/{game}/seats/", {})
    for one in (page, other):
        one.goto(f"{site.address}/games/{game}/")
    people = page.get_by_role("list", name="Players at this table")
    expect(people.get_by_text("● here", exact=True)).to_be_visible(timeout=NOTICED)
    keep_picture(page, "waiting-here-phone")
    other.goto("about:blank")
    expect(people.get_by_text(AWAY)).to_be_visible(timeout=NOTICED)
    assert not scrolls_sideways(page)
    keep_picture(page, "waiting-away-phone")


def open_table(site: Site, page: Page, game: str) -> None:
    page.goto(f"{site.address}/games/{game}/")
    expect(page.locator(".board, .table, .felt ul").first).to_be_visible()
