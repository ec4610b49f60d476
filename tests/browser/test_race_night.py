"""A race with a market as people see it: tracks and market before the start, prices, the finish, and no jumps."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import AT_REST, Caller, Opener, Site, scrolls_sideways, violations
from tests.browser.people import funded
from tests.browser.test_races_and_bets import market, race
from tests.browser.test_table_layout import OUTSIDE, SIZES, STILL, WATCH

MOST = 100_000_000_000
"""The largest amount, in pence."""
WIDTHS = (320, 390, 1280)

COURSES = """() => [...document.querySelectorAll("figure .course")].map((course) => {
  const [track, piece] = [course, course.querySelector("svg")].map((one) => one.getBoundingClientRect());
  return (piece.right - track.left) / track.width;
})"""
"""How far each piece of the photo finish is along its track, in the order in which they finished."""


def fund(site: Site, amount: int, table: str = "race-bets") -> None:
    site.staff("administrator").post(f"stakes/{table}/funding/", {"amount": amount, "reason": "race night"})


def test_the_tracks_wait_for_riders_and_the_market_appears(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("nightowl"), site.newcomer("earlybird")
    body = {"rules": "racing-aces", "config": {"suits": "chosen"}, "seats": 2}
    game = player.post("games/", body)["id"]
    player.post(f"games/{game}/seats/", {"client_seed": "", "suit": "H"})
    page = open_page(f"/games/{game}/", user="nightowl")
    tracks = page.locator(".tracks > li")
    expect(tracks).to_have_count(4)
    expect(tracks.nth(2)).to_contain_text("hearts")
    expect(tracks.nth(2).locator(".riders")).to_have_text("You")
    expect(market(page)).to_have_count(0)
    rival.post(f"games/{game}/seats/", {"client_seed": "", "suit": "S"})
    expect(tracks.nth(3).locator(".riders")).to_have_text("earlybird")
    site.staff("administrator").post(f"games/{game}/market/", {"kind": "fixed", "margin": 500})
    expect(market(page)).to_contain_text("Betting closes with the first draw.")
    expect(market(page).get_by_role("radio", name=re.compile("hearts 3.80"))).to_be_visible()
    assert violations(page) == []


def test_the_photo_finish_fits_every_window(site: Site, open_page: Opener) -> None:
    player = site.newcomer("photographer")
    terms = {"rules": "racing-aces", "config": {"finish_line": 4}, "seats": 0}
    game = player.post("games/", terms)["id"]
    player.post(f"games/{game}/start/", {})
    page = open_page(f"/games/{game}/", user="photographer")
    page.get_by_role("button", name="Draw", exact=True).wait_for()
    while player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})["legal_moves"]:
        pass
    result = page.get_by_role("region", name="Result")
    winner = result.get_by_role("figure", name="Photo finish").get_by_role("listitem").first
    expect(winner).to_contain_text("★ wins")
    suits = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
    expect(winner).to_contain_text(suits[player.get(f"games/{game}/")["outcome"]["winner"]])
    for size in SIZES.values():
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.evaluate(AT_REST)
        assert page.evaluate(OUTSIDE) == []
        first, *others = page.evaluate(COURSES)
        assert first > 0.97, "the winner's piece is at the post"
        assert len(others) == 3
        assert max(others) < first
    assert violations(page) == []
    result.get_by_role("button", name="Close").click()
    for size in SIZES.values():
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert not scrolls_sideways(page), "a piece is moved with a box as wide as its track"


@pytest.mark.nightly
@pytest.mark.on_sqlite
def test_a_race_starts_when_its_countdown_has_ended(site: Site, open_page: Opener) -> None:
    game, _ = race(site, site.newcomer("starter"), kind="pool")
    path = f"/games/{game}/"
    page, visitor = open_page(path, user="starter", intercepted=True), open_page(path)
    expect(market(visitor)).to_contain_text("Betting closes with the first draw.")

    def after_nine_seconds(route: Route) -> None:
        """Time for the visitor's page, which looks for news every three seconds."""
        assert route.request.post_data_json == {"countdown": 30}
        route.continue_(post_data=json.dumps({"countdown": 9}))

    page.route("**/start/", after_nine_seconds, times=1)
    page.get_by_role("button", name="Start in 30 seconds").click()
    for one in (page, visitor):
        expect(market(one).get_by_role("timer")).to_have_text(re.compile(r"Betting closes in 0:0\d\."))
    expect(page.get_by_role("button", name=re.compile("^Start"))).to_have_count(0)
    expect(page.get_by_text("The race starts when betting closes.")).to_be_visible()
    for one in (page, visitor):
        expect(one.locator(".felt[data-version='3']")).to_be_visible()


def at_each_width(page: Page) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(AT_REST)
        assert page.evaluate(OUTSIDE) == [], width
        assert not scrolls_sideways(page), width


def unbounded(site: Site, table: str) -> dict[str, Any]:
    """Terms of a market with bets up to the largest amount there is."""
    figures = {"minimum": 1, "maximum": MOST, "step": 1, "default": 100}
    body = {"slug": table, "rules": "racing-aces", "reason": "the largest bets", **figures}
    site.staff("administrator").post("stakes/", body)
    return {"stake_table": table}


@pytest.mark.nightly
@pytest.mark.on_sqlite
def test_the_largest_numbers_stay_in_their_boxes(site: Site, open_page: Opener) -> None:
    player = funded(site, "whale", MOST)
    terms = unbounded(site, "whales")
    fund(site, MOST, "whales")
    long_shot = {"finish_line": 9, "burn": 35}
    game = player.post("games/", {"rules": "racing-aces", "config": long_shot, "seats": 0})["id"]
    opened = {"kind": "fixed", "on_draw": "lose", **terms}
    made = site.staff("administrator").post(f"games/{game}/market/", opened)
    price = made["runners"][1]["price_hundredths"]
    assert price == 96_000
    page = open_page(f"/games/{game}/", user="whale")
    market(page).get_by_role("radio", name=re.compile("diamonds")).check()
    market(page).get_by_label(re.compile("Your stake")).fill("999999999.99")
    at_each_width(page)
    stake = MOST // price
    market(page).get_by_label(re.compile("Your stake")).fill(f"{stake}")
    market(page).get_by_role("button", name=f"Bet {stake:,}.00 on diamonds at 960.00").click()
    expect(market(page).get_by_text("returns at most")).to_be_visible()
    at_each_width(page)


@pytest.mark.nightly
@pytest.mark.on_sqlite
def test_the_largest_pool_stays_in_its_boxes(site: Site, open_page: Opener) -> None:
    player = funded(site, "shoal", MOST)
    game, made = race(site, player, kind="pool", **unbounded(site, "shoals"))
    page = open_page(f"/games/{game}/", user="shoal")
    player.post(f"markets/{made['id']}/bets/", {"runner": "D", "stake": MOST - 1})
    player.post(f"markets/{made['id']}/bets/", {"runner": "S", "stake": 1})
    expect(market(page).get_by_text("999,999,999.99 staked")).to_be_visible()
    at_each_width(page)
    player.post(f"games/{game}/start/", {})
    site.staff("administrator").post(f"markets/{made['id']}/settle/", {"winners": ["D"], "reason": "photo"})
    expect(market(page).get_by_role("region", name="Settlement")).to_be_visible()
    at_each_width(page)


@pytest.mark.on_sqlite
@pytest.mark.parametrize("size", ["phone", pytest.param("screen", marks=pytest.mark.nightly)])
def test_draws_with_a_market_in_running_move_nothing(site: Site, open_page: Opener, size: str) -> None:
    player = funded(site, f"steadfast-{size}", 100_000)
    fund(site, 1_000_000)
    game = player.post("games/", {"rules": "racing-aces", "config": {}, "seats": 0})["id"]
    terms = {"kind": "fixed", "margin": 300, "in_running": True}
    site.staff("administrator").post(f"games/{game}/market/", terms)
    player.post(f"games/{game}/start/", {})
    options = {"viewport": SIZES[size], "reduced_motion": True}
    page = open_page(f"/games/{game}/", user=f"steadfast-{size}", **options)
    market(page).get_by_role("radio", name=re.compile("spades")).check()
    drawn(page, player, game)
    page.evaluate(WATCH)
    before = page.evaluate(STILL)
    for turn in range(6):
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
        drawn(page, player, game)
        assert set(before) - set(page.evaluate(STILL)) == set(), turn
    assert "\n".join(page.evaluate("window.shifted")) == ""


def drawn(page: Page, player: Caller, game: str) -> None:
    """Wait until the page shows the last draw, and the prices after it."""
    shown = player.get(f"games/{game}/")
    expect(page.locator(".felt")).to_have_attribute("data-version", str(shown["version"]))
    runner = player.get(f"games/{game}/market/")["runners"][0]
    price = re.escape(runner["decimal"] or "no price")
    expect(market(page).get_by_role("radio", name=re.compile(f"clubs {price}"))).to_be_visible()
    page.evaluate(AT_REST)
