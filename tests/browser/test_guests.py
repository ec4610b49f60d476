"""Playing without an account: a first move after two clicks, a seat at a friend's table, and signing up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    NARROW,
    SLOW,
    WIDE,
    Opener,
    Site,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import PASSWORD, caller, open_menu
from tests.browser.vegas import settled
from tests.browser.visiting import inputs_of

PLAY = "Play as a guest"
FIRST_MOVE = 3
"""Seconds from the request for the lobby to the first move, with two clicks."""
GUESTS = 3
"""The fastest of so many counts, since other programs run on the same machine."""


def first_move(open_page: Opener) -> tuple[Page, int, float]:
    """A new guest's page after the first move, the inputs that it took, and the seconds from the lobby on."""
    page = open_page("/", viewport=NARROW, tips=True)
    count = inputs_of(page)
    asked_at = page.evaluate("performance.timeOrigin")
    page.get_by_role("button", name="Play: Vegas Solitaire", exact=True).click()
    page.locator(
        '[data-pile="stock"] button'
    ).click()  # on a page that is loaded again, with the guest's session
    expect(page.locator('[data-pile="waste"][data-card]').last).to_be_visible()
    return page, count(), (page.evaluate("Date.now()") - asked_at) / 1000


@pytest.mark.both_databases
def test_a_guest_plays_after_two_clicks_and_keeps_the_game_by_signing_up(
    site: Site, open_page: Opener
) -> None:
    for _ in range(GUESTS):
        page, inputs, seconds = first_move(open_page)
        if seconds <= FIRST_MOVE:
            break
    assert inputs == 2
    assert SLOW or seconds <= FIRST_MOVE
    expect(page.get_by_role("dialog", name="Tips")).to_be_visible()  # and covers no card that is played first
    settled(page)
    game = page.url.rstrip("/").rsplit("/", 1)[-1]
    open_menu(page)
    expect(page.get_by_text(re.compile(r"Playing as Guest \d+"))).to_be_visible()
    expect(page.get_by_role("link", name="Wallet")).to_have_count(0)
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert violations(page) == []
    assert not scrolls_sideways(page)
    keep_picture(page, "guest-vegas-narrow")

    page.goto(f"{site.address}/new/ace-race/")
    expect(page.get_by_text("Guests play for points.")).to_be_visible()
    expect(page.get_by_role("button", name="Higher stake")).to_have_count(0)
    assert violations(page, "best-practice") == []

    open_menu(page)
    page.get_by_role("link", name="Sign up to keep your games").click()
    expect(page.get_by_text("Your games as a guest become those of your account.")).to_be_visible()
    assert violations(page, "best-practice") == []
    name = f"kept-{site.address[-5:]}"
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account", exact=True).click()
    expect(page.get_by_text(f"Signed in as {name}")).to_be_attached()
    open_menu(page)
    expect(page.get_by_role("link", name="Wallet")).to_be_visible()
    player = caller(site, name)
    assert player.get(f"games/{game}/")["seat"] == 0


def test_a_guest_takes_a_seat_by_a_link(site: Site, open_page: Opener) -> None:
    host = site.newcomer("host-of-guests")
    opened = host.post("games/", {"rules": "ace-race", "seats": 2, "config": {}, "private": True})
    host.post(f"games/{opened['id']}/seats/", {})
    page = open_page(f"/games/{opened['id']}/?invite={opened['invite']}", colours="dark")
    page.get_by_role("button", name=PLAY).click()
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_text("All seats are taken.")).to_be_visible()
    keep_picture(page, "guest-seated-dark")
    seats = host.get(f"games/{opened['id']}/")["seats"]
    assert [seat["kind"] for seat in seats] == ["human", "guest"]
    assert seats[1]["name"].startswith("Guest ")


@pytest.mark.parametrize("game", ["Ace Race", "Racing Demons"])
def test_a_guest_plays_against_bots_after_one_click(open_page: Opener, game: str) -> None:
    page = open_page("/", tips=True)
    page.get_by_role("button", name=f"Play against bots: {game}").click()
    expect(page.locator("[data-card]").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Playing as Guest \d+"))).to_be_attached()


TERMS = {"name": "Open to all", "format": "duplicate", "rules": "idle-aces", "config": {}, "rounds": 2}


def test_a_guest_signs_up_to_enter_a_tournament_and_comes_back_to_it(site: Site, open_page: Opener) -> None:
    organizer = site.staff("organizer")
    event = organizer.post("tournaments/", {**TERMS, "capacity": 8})["id"]
    organizer.post(f"tournaments/{event}/publish/", {})
    for viewport, name in ((NARROW, "came-narrow"), (WIDE, "came-wide")):
        page = open_page("/", viewport=viewport, colours="dark" if viewport == NARROW else "light")
        page.get_by_role("button", name="Play: Idle Aces", exact=True).click()
        expect(page.locator(".board")).to_be_visible()
        page.goto(f"{site.address}/tournaments/{event}/")
        count = inputs_of(page)
        enter = page.get_by_role("link", name="Sign up to enter")
        expect(enter).to_be_visible()
        assert violations(page, "best-practice") == []
        assert not scrolls_sideways(page)
        keep_picture(page, f"guest-at-tournament-{viewport['width']}")
        enter.click()
        expect(page.get_by_text("Your games as a guest become those of your account.")).to_be_visible()
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Create account", exact=True).click()
        dialog = page.get_by_role("dialog", name="Open to all")
        expect(dialog).to_be_visible()
        keep_picture(page, f"guest-enters-{viewport['width']}")
        dialog.get_by_role("button", name="Enter", exact=True).click()
        expect(page.get_by_text("You are entered as number")).to_be_visible()
        assert count() == 5  # two of them fill in the name and the password
        expect(page).to_have_url(f"{site.address}/tournaments/{event}/")
        assert caller(site, name).get(f"tournaments/{event}/")["entry"] is not None


def test_a_visitor_sets_a_game_up_and_plays_as_a_guest(site: Site, open_page: Opener) -> None:
    page = open_page("/new/vegas-solitaire/", viewport=NARROW, colours="dark")
    expect(page.get_by_text("Guests play for points.")).to_be_visible()
    keep_picture(page, "new-vegas-signed-out-narrow")
    assert violations(page, "best-practice") == []
    page.locator('input[name="draw"][value="1"]').check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".board")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Playing as Guest \d+"))).to_be_attached()
