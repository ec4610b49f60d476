"""Players see who of the others is here: at a waiting table, and when a connection is lost during the game."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.playing import dealt
from tests.browser.test_racing_demons import seated
from tests.browser.test_table_layout import WATCH

AWAY = re.compile(r"away, 0:\d\d")
NOTICED = 30_000
"""Milliseconds: the longest time until a stream hears of it, with that after which it is shown."""


def test_a_player_who_loses_the_connection_is_shown_as_away_until_they_are_back(
    site: Site, open_page: Opener
) -> None:
    game = seated((site.newcomer("stays"), site.newcomer("leaves")))
    page, other = (at_table(open_page, game, name) for name in ("stays", "leaves"))
    expect(page.get_by_text("What happened", exact=True)).to_be_visible()
    page.evaluate(WATCH)
    other.goto("about:blank")
    opponent = page.get_by_role("region", name="Players").get_by_role("listitem")
    expect(opponent).to_contain_text(AWAY, timeout=NOTICED)
    assert page.evaluate("window.shifted") == []
    assert violations(page) == []
    other.go_back()
    expect(opponent).not_to_contain_text("away", timeout=NOTICED)
    assert page.evaluate("window.shifted") == []


@pytest.mark.nightly
def test_it_is_shown_beside_the_name_where_players_take_turns(site: Site, open_page: Opener) -> None:
    game = dealt(site, "ace-race", site.newcomer("stays-too"), site.newcomer("leaves-too"))
    page, other = (
        at_table(open_page, game, "stays-too", viewport=NARROW),
        at_table(open_page, game, "leaves-too"),
    )
    other.goto("about:blank")
    expect(page.get_by_role("list", name="Players")).to_contain_text(AWAY, timeout=NOTICED)
    assert not scrolls_sideways(page)


@pytest.mark.nightly
def test_a_waiting_table_shows_who_is_here(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("waits"), site.newcomer("comes")
    game = str(player.post("games/", {"rules": "ace-race", "seats": 3})["id"])
    for one in (player, rival):
        one.post(f"games/{game}/seats/", {})
    page = open_page(f"/games/{game}/", user="waits", viewport=NARROW)
    other = open_page(f"/games/{game}/", user="comes")
    people = page.get_by_role("list", name="Players at this table")
    expect(people.get_by_text("● here", exact=True)).to_be_visible(timeout=NOTICED)
    other.goto("about:blank")
    expect(people.get_by_text(AWAY)).to_be_visible(timeout=NOTICED)
    assert not scrolls_sideways(page)


def at_table(open_page: Opener, game: str, name: str, **options: Any) -> Page:
    page = open_page(f"/games/{game}/", user=name, **options)
    expect(page.locator(".board, .table, .felt ul").first).to_be_visible()
    return page
