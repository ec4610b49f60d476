"""The log of a table: what happened in words, newest first, each line a link to the replay."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.playing import dealt, play


def lines(page: Page) -> list[str]:
    return page.get_by_role("group").filter(has_text="What happened").get_by_role("link").all_inner_texts()


def events_requested(page: Page) -> list[str]:
    """The requests for events, from now on."""
    found: list[str] = []

    def note(request: Request) -> None:
        if re.search(r"/events/\?after=", request.url):
            found.append(request.url)

    page.on("request", note)
    return found


def test_the_log_tells_what_happened_and_leads_to_the_replay(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("logged"), site.newcomer("logged-rival")
    game = dealt(site, "racing-demons", player, rival)
    rng = random.Random(3)
    play(game, (player, rival), 20, rng)
    page = open_page(f"/games/{game}/", user="logged")
    log = page.get_by_role("group").filter(has_text="What happened")
    expect(log.get_by_role("link").first).to_be_visible()
    requested = events_requested(page)
    for _ in range(4):
        play(game, (player, rival), 1, rng)
        version = player.get(f"games/{game}/")["version"]
        newest = log.get_by_role("link").first
        expect(newest).to_have_attribute("href", re.compile(rf"/events/{version}\?h=[0-9a-f]{{12}}$"))
    assert requested == [], "the stream brings the events"
    assert not any("?" in line for line in lines(page)), "no face-down card"
    log.get_by_role("button", name="Show earlier events").click()
    expect(log.get_by_role("link").last).to_have_text("Table opened")
    assert len(requested) == 1
    assert len(lines(page)) == version
    for name in ("You", "logged-rival"):
        assert any(re.match(f"{name} (moved|turned) ", line) for line in lines(page))
    assert all("→" in line for line in lines(page) if " moved " in line)
    assert violations(page) == []
    log.scroll_into_view_if_needed()
    newest.click()
    expect(page).to_have_url(re.compile(rf"/games/{game}/(events/{version}|replay/\?at={version})"))
    expect(page.locator(".events [aria-current=step]")).to_have_attribute("data-version", str(version))


@pytest.mark.nightly
def test_a_guest_without_a_session_is_shown_no_log_since_the_server_shows_no_events(
    site: Site, open_page: Opener
) -> None:
    organizer = site.newcomer("log-organizer-for-guests")
    page = open_page(f"/games/{dealt(site, 'racing-aces', organizer)}/")
    expect(page.get_by_role("heading", name="Table settings")).to_be_visible()
    expect(page.get_by_text("What happened")).to_have_count(0)


@pytest.mark.nightly
def test_on_a_phone_the_log_is_opened_on_demand(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("log-phone"), site.newcomer("log-phone-rival")
    game = dealt(site, "ace-race", player, rival)
    play(game, (player, rival), 6, random.Random(3))
    page = open_page(f"/games/{game}/", user="log-phone", viewport=NARROW, colours="dark")
    title = page.get_by_text("What happened", exact=True)
    expect(title).to_be_visible()
    assert lines(page) == []
    title.click()
    link = page.get_by_role("group").filter(has_text="What happened").get_by_role("link").first
    expect(link).to_be_visible()
    assert violations(page) == []
    assert not scrolls_sideways(page)
