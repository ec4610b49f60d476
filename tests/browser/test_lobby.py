"""The landing page over a real server: it shows what REST made, follows it, and says how it stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    Watched,
    dots_of,
    scrolls_sideways,
    violations,
)


@pytest.fixture(scope="module")
def host(site: Site) -> Caller:
    return site.newcomer("hostess")


@pytest.fixture(scope="module", autouse=True)
def tournament(site: Site) -> str:
    organizer = site.staff("organizer")
    made = organizer.post(
        "tournaments/",
        {
            "name": "Friday Night Deals",
            "format": "duplicate",
            "rules": "vegas-solitaire",
            "config": {"draw": 3, "stake": 0},
            "rounds": 3,
            "capacity": 16,
            "opens_at": (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
    )
    organizer.post(f"tournaments/{made['id']}/publish/", {})
    return str(made["id"])


def open_table(host: Caller, seats: int = 2) -> str:
    made = host.post("games/", {"rules": "racing-aces", "config": {"finish_line": 9}, "seats": seats})
    return str(made["id"])


def is_settled(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
    expect(page.get_by_role("heading", name="Friday Night Deals")).to_be_visible()


def test_a_new_table_appears_by_itself(host: Caller, open_page: Opener) -> None:
    old = open_table(host)
    page = open_page("/")
    is_settled(page)
    expect(page.locator(f'a[href="/games/{old}/"]')).to_be_visible()
    game = open_table(host, seats=4)
    tables = page.get_by_role("region", name="Open games").get_by_role("listitem")
    table = tables.filter(has=page.locator(f'a[href="/games/{game}/"]'))
    expect(table.get_by_role("heading", name="Racing Aces")).to_be_visible()
    expect(table).to_contain_text("0 of 4 taken")
    event = page.get_by_role("region", name="Tournaments").get_by_role("listitem")
    expect(event.filter(has_text="Friday Night Deals")).to_contain_text("0 of 16 players")


def test_standings_open_without_a_page_load_and_back_returns(open_page: Opener, tournament: str) -> None:
    page = open_page("/")
    is_settled(page)
    page.evaluate("window.stillHere = true")
    page.get_by_role("link", name="Friday Night Deals").click()
    expect(page).to_have_url(f"{page.url.split('/tournaments')[0]}/tournaments/{tournament}/")
    expect(page.get_by_role("heading", level=1, name="Friday Night Deals")).to_be_visible()
    expect(page.locator("main")).to_be_focused()
    assert page.title().startswith("Friday Night Deals")
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="Lobby")).to_be_visible()
    assert page.evaluate("window.stillHere") is True


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "game"), [("/", "Ace Race"), ("/new/racing-demons/", "Racing Demons")])
def test_the_rules_can_be_read_before_opening_a_table(open_page: Opener, path: str, game: str) -> None:
    page = open_page(path)
    opener = page.get_by_role("button", name=f"How to play: {game}")
    opener.click()
    dialog = page.get_by_role("dialog", name=f"How to play {game}")
    expect(dialog.get_by_role("heading", name="Your moves")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


def test_losing_the_server_is_said_and_what_was_there_stays(
    host: Caller, open_page: Opener, watched: Watched
) -> None:
    open_table(host)
    page = open_page("/")
    is_settled(page)
    page.context.set_offline(True)
    expect(page.get_by_role("status").filter(has_text="Offline")).to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("heading", name="Friday Night Deals")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
    watched.expect("ERR_INTERNET_DISCONNECTED")


REQUEST = "1f0c7b1e-0000-4000-8000-000000000000"


def test_a_failure_shows_code_request_and_retry(open_page: Opener, watched: Watched) -> None:
    page = open_page("/", intercepted=True)
    is_settled(page)

    def refuse(route: Route) -> None:
        route.fulfill(
            status=409,
            content_type="application/problem+json",
            headers={"X-Request-ID": REQUEST},
            body='{"code":"storage-moved","detail":"The tables are being moved."}',
        )

    page.route("**/api/v1/games/*", refuse)
    alert = page.get_by_role("region", name="Open games").get_by_role("alert")
    expect(alert).to_contain_text("The tables are being moved.")
    expect(alert).to_contain_text("storage-moved")
    expect(alert.locator("code").nth(1)).to_have_text(REQUEST)
    page.unroute("**/api/v1/games/*", refuse)
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    watched.expect("409")


@pytest.mark.nightly
def test_a_long_wait_shows_a_skeleton(open_page: Opener, watched: Watched) -> None:
    page = open_page("/nowhere/", intercepted=True)
    page.route("**/api/v1/games/*", lambda route: None)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Lobby").click()
    expect(page.get_by_role("region", name="Open games").get_by_role("status")).to_have_text("Loading")
    page.unroute_all(behavior="ignoreErrors")
    watched.expect("404")


def test_a_chosen_language_is_remembered(open_page: Opener) -> None:
    page = open_page("/")
    is_settled(page)
    page.get_by_role("combobox", name="Language").select_option("de")
    expect(page.get_by_role("heading", name="Offene Spiele")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.reload()
    expect(page.get_by_role("heading", name="Offene Spiele")).to_be_visible()


def test_the_keyboard_reaches_the_content_first(open_page: Opener) -> None:
    page = open_page("/")
    is_settled(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_what_is_missing_leads_back_to_the_lobby(open_page: Opener, watched: Watched) -> None:
    watched.expect("404")
    page = open_page("/nowhere/")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    footer = page.get_by_role("contentinfo").bounding_box()
    assert footer is not None
    assert footer["y"] + footer["height"] == page.evaluate("innerHeight")
    expect(page.get_by_text("Connecting")).to_be_hidden()
    page.get_by_role("link", name="Back to the lobby").click()
    expect(page.get_by_role("heading", level=1, name="Lobby")).to_be_visible()
    page.goto(f"{page.url.rstrip('/')}/games/{uuid4()}/")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This could not be loaded.")
    alert.get_by_role("link", name="Back to the lobby").click()
    expect(page.get_by_role("heading", level=1, name="Lobby")).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["forced_colours", "reduced_motion"])
def test_the_lobby_respects_system_preferences(open_page: Opener, host: Caller, mode: str) -> None:
    open_table(host)
    page = open_page("/", viewport=NARROW, **{mode: True})
    is_settled(page)
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    if mode == "reduced_motion":
        assert page.evaluate("document.getAnimations().length") == 0


def test_no_row_of_facts_ends_or_begins_with_a_dot(host: Caller, open_page: Opener) -> None:
    open_table(host)
    page = open_page("/", viewport={"width": 320, "height": 700})
    is_settled(page)
    dots = dots_of(page, 320)
    assert set(dots["shown"]) == {True}
    assert set(dots["hidden"]) == {False}
    assert not scrolls_sideways(page)
