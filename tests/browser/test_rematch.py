"""A rematch of Racing Demons: one table for both players, offered in the result, with a countdown before the deal."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import NARROW, WIDE, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import caller, sign_up
from tests.browser.test_racing_demons import seated

GAME = re.compile(r"/games/([0-9a-f-]{36})/$")


REQUESTS = 6
"""Requests that are watched: enough to tell a pause between them from a loop."""


def lasted(page: Page, game: str, requests: int = REQUESTS) -> float:
    """Seconds in which the page loads the game so often."""

    def is_load(answer: Response) -> bool:
        return answer.request.method == "GET" and answer.url.endswith(f"/games/{game}/")

    began = time.monotonic()
    for _ in range(requests):
        page.wait_for_event("response", is_load)
    return time.monotonic() - began


def shown_game(page: Page) -> str:
    found = GAME.search(page.url)
    assert found is not None
    return found[1]


@pytest.mark.both_databases
def test_two_players_meet_again_at_one_table(site: Site, open_page: Opener) -> None:
    first, second = open_page("/", viewport=WIDE), open_page("/", viewport=NARROW, colours="dark")
    sign_up(first, "again")
    sign_up(second, "again-too")
    players = caller(site, "again"), caller(site, "again-too")
    game = seated(players)
    for page in (first, second):
        page.goto(f"{site.address}/games/{game}/")
        expect(page.locator(".board")).to_be_visible()
    for page in (first, second):
        page.get_by_role("button", name="I am stuck").click()
    for page in (first, second):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()

    first.get_by_role("button", name="Rematch").click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    expect(second.get_by_text("A rematch is offered.")).to_be_visible()
    assert violations(second) == []
    assert not scrolls_sideways(second)
    keep_picture(second, "rematch-offered-phone-dark")
    second.get_by_role("button", name="Join").click()
    for page in (first, second):
        expect(page.get_by_role("heading", name="Get ready")).to_be_visible()
        expect(page.get_by_role("timer")).to_have_text(re.compile("^[123]$"))
        assert page.locator("[data-card]").count() == 0
    keep_picture(first, "countdown")
    keep_picture(second, "countdown-phone-dark")
    for page in (first, second):
        expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()
    assert shown_game(first) == shown_game(second) != game
    assert players[0].get(f"games/{game}/")["rematch"] == shown_game(first)


def test_a_page_that_waits_for_others_asks_at_intervals(site: Site, open_page: Opener) -> None:
    first, second = open_page("/", viewport=WIDE), open_page("/", viewport=NARROW)
    sign_up(first, "patient")
    sign_up(second, "leaving")
    players = caller(site, "patient"), caller(site, "leaving")
    game = seated(players)
    for page in (first, second):
        page.goto(f"{site.address}/games/{game}/")
        expect(page.locator(".board")).to_be_visible()
    for page in (first, second):
        page.get_by_role("button", name="I am stuck").click()
    for page in (first, second):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
    assert lasted(first, game, 3) > 2  # one every 3 s

    first.get_by_role("button", name="Rematch").click()
    second.get_by_role("button", name="Join").click()
    expect(second.get_by_role("heading", name="Get ready")).to_be_visible()
    again = shown_game(second)
    second.goto("about:blank")  # the deal waits for the player who has left
    expect(first.get_by_role("heading", name="Waiting for leaving")).to_be_visible()
    assert lasted(first, again) > 2  # one every 0.5 s
    second.goto(f"{site.address}/games/{again}/")
    for page in (first, second):
        expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()
