"""Playing without an account: a first move after two clicks, a seat at a friend's table, and signing up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, SLOW, Opener, Site, violations
from tests.browser.people import PASSWORD, caller, open_menu
from tests.browser.vegas import settled
from tests.browser.visiting import inputs_of

PLAY = "Play as a guest"
FIRST_MOVE = 3
"""Seconds from the request for the lobby to the first move, with two clicks."""
GUESTS = 3
"""The fastest of so many counts, since other programs run on the same machine."""


def play(page: Page) -> None:
    """Two clicks: the game, and the first move, on a page that is loaded again with the guest's session."""
    page.get_by_role("button", name="Play: Vegas Solitaire", exact=True).click()
    page.locator('[data-pile="stock"] button').click()
    expect(page.locator('[data-pile="waste"][data-card]').last).to_be_visible()


def sign_up_here(page: Page, name: str) -> None:
    expect(page.get_by_text("Your games as a guest become those of your account.")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account", exact=True).click()


def test_a_guest_plays_after_two_clicks(open_page: Opener) -> None:
    page = open_page("/", viewport=NARROW, tips=True)
    count = inputs_of(page)
    play(page)
    assert count() == 2
    expect(page.get_by_role("dialog", name="Tips")).to_be_visible()  # and covers no card that is played first
    settled(page)
    open_menu(page)
    expect(page.get_by_text(re.compile(r"Playing as Guest \d+"))).to_be_visible()
    expect(page.get_by_role("link", name="Wallet")).to_have_count(0)
    assert violations(page) == []


@pytest.mark.nightly
def test_the_first_move_of_a_guest_takes_three_seconds(open_page: Opener) -> None:
    def seconds() -> float:
        page = open_page("/", viewport=NARROW)
        begin = page.evaluate("performance.timeOrigin")
        play(page)
        return float(page.evaluate("Date.now()") - begin) / 1000

    assert min(seconds() for _ in range(GUESTS)) <= FIRST_MOVE or SLOW


def test_a_guest_keeps_the_game_by_signing_up(site: Site, open_page: Opener) -> None:
    page = open_page("/", viewport=NARROW)
    play(page)
    game = page.url.rstrip("/").rsplit("/", 1)[-1]
    page.goto(f"{site.address}/new/ace-race/")
    expect(page.get_by_text("Guests play for points.")).to_be_visible()
    expect(page.get_by_role("button", name="Higher stake")).to_have_count(0)
    open_menu(page)
    page.get_by_role("link", name="Sign up to keep your games").click()
    sign_up_here(page, "kept")
    expect(page.get_by_text("Signed in as kept")).to_be_attached()
    open_menu(page)
    expect(page.get_by_role("link", name="Wallet")).to_be_visible()
    assert caller(site, "kept").get(f"games/{game}/")["seat"] == 0


def test_a_guest_takes_a_seat_by_a_link(site: Site, open_page: Opener) -> None:
    host = site.newcomer("host-of-guests")
    opened = host.post("games/", {"rules": "ace-race", "seats": 2, "config": {}, "private": True})
    host.post(f"games/{opened['id']}/seats/", {})
    page = open_page(f"/games/{opened['id']}/?invite={opened['invite']}")
    page.get_by_role("button", name=PLAY).click()
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_text("All seats are taken.")).to_be_visible()
    seats = host.get(f"games/{opened['id']}/")["seats"]
    assert [seat["kind"] for seat in seats] == ["human", "guest"]
    assert seats[1]["name"].startswith("Guest ")


TERMS = {"name": "Open to all", "format": "duplicate", "rules": "idle-aces", "config": {}, "rounds": 2}


def test_a_guest_signs_up_to_enter_a_tournament_and_comes_back_to_it(site: Site, open_page: Opener) -> None:
    organizer = site.staff("organizer")
    event = organizer.post("tournaments/", {**TERMS, "capacity": 8})["id"]
    organizer.post(f"tournaments/{event}/publish/", {})
    page = open_page("/", viewport=NARROW)
    page.get_by_role("button", name="Play: Idle Aces", exact=True).click()
    expect(page.locator(".board")).to_be_visible()
    page.goto(f"{site.address}/tournaments/{event}/")
    count = inputs_of(page)
    page.get_by_role("link", name="Sign up to enter").click()
    sign_up_here(page, "came")
    dialog = page.get_by_role("dialog", name="Open to all")
    dialog.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_text("You are entered as number")).to_be_visible()
    assert count() == 5  # two of them fill in the name and the password
    expect(page).to_have_url(f"{site.address}/tournaments/{event}/")
    assert caller(site, "came").get(f"tournaments/{event}/")["entry"] is not None


@pytest.mark.nightly
def test_a_guest_plays_against_bots_after_one_click(open_page: Opener) -> None:
    page = open_page("/", tips=True)
    page.get_by_role("button", name="Play against bots: Racing Demons").click()
    expect(page.locator("[data-card]").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Playing as Guest \d+"))).to_be_attached()
