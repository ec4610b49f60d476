"""Tips for new players: three bubbles at the first game of each kind in a browser, and pictures in the help."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.playing import TERMS, dealt
from tests.browser.test_table_layout import WATCH


def tips(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Tips")


def test_a_new_player_sees_three_tips_once(site: Site, open_page: Opener) -> None:
    game = dealt(site, "vegas-solitaire", site.newcomer("tips-new"))
    page = open_page(f"/games/{game}/", user="tips-new", tips=True)
    expect(tips(page)).to_contain_text("1 of 3")
    expect(page.get_by_text("What happened", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Table settings")).to_be_visible()
    assert violations(page) == []
    page.evaluate(WATCH)
    for at, button in ((1, "Next"), (2, "Next"), (3, "Done")):
        expect(tips(page)).to_contain_text(f"{at} of 3")
        tips(page).get_by_role("button", name=button).click()
    expect(tips(page)).to_have_count(0)
    assert page.evaluate("window.shifted") == []
    page.keyboard.press("?")  # a key of the table, which has the focus
    expect(page.get_by_role("dialog", name="How to play")).to_be_visible()
    page.reload()
    expect(page.locator(".board")).to_be_visible()
    expect(page.get_by_text("What happened", exact=True)).to_be_visible()
    expect(tips(page)).to_have_count(0)
    page.get_by_text("Options", exact=True).click()
    page.get_by_role("button", name="Show tips").click()
    expect(tips(page)).to_contain_text("1 of 3")
    page.get_by_role("button", name="How to play").click()
    expect(page.get_by_role("dialog", name="How to play")).to_be_visible()
    expect(tips(page)).to_have_count(0)


@pytest.mark.nightly
def test_a_race_shows_its_tips_before_the_deal(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("tips-race"), site.newcomer("tips-race-rival")
    game = str(player.post("games/", {"rules": "racing-demons", "seats": 2})["id"])
    player.post(f"games/{game}/seats/", {})
    page = open_page(f"/games/{game}/", user="tips-race", viewport=NARROW, tips=True)
    expect(tips(page)).to_contain_text("1 of 3")
    expect(page.locator("div.frame")).to_have_count(0)
    bubble = tips(page).bounding_box()
    assert bubble is not None
    assert bubble["y"] > 100  # in the middle of the page
    rival.post(f"games/{game}/seats/", {})
    player.post(f"games/{game}/start/", {})
    expect(page.locator(".board")).to_be_visible()
    expect(tips(page)).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize("rules", list(TERMS))
def test_the_tips_of_every_game_point_at_its_board(site: Site, open_page: Opener, rules: str) -> None:
    name = f"tips-{rules}"
    game = dealt(site, rules, site.newcomer(name), site.newcomer(f"{name}-rival"))
    page = open_page(f"/games/{game}/", user=name, viewport=NARROW, colours="dark")
    expect(page.locator(".felt svg.face").first).to_be_visible()
    expect(tips(page)).to_have_count(0)
    page.get_by_text("Options", exact=True).click()
    page.get_by_role("button", name="Show tips").click()
    for _ in range(3):
        framed = page.locator("div.frame").bounding_box()
        bubble = tips(page).bounding_box()
        assert framed is not None
        assert bubble is not None
        assert framed["width"] > 20
        assert framed["height"] > 10
        assert bubble["x"] >= 0
        assert bubble["x"] + bubble["width"] <= NARROW["width"]
        assert not scrolls_sideways(page)
        tips(page).get_by_role("button").first.click()
    expect(tips(page)).to_have_count(0)


@pytest.mark.nightly
def test_a_spectator_is_offered_no_tips(site: Site, open_page: Opener) -> None:
    site.newcomer("tips-spectator")
    game = dealt(site, "ace-race", site.newcomer("tips-first"), site.newcomer("tips-second"))
    page = open_page(f"/games/{game}/", user="tips-spectator", tips=True)
    page.get_by_text("Options", exact=True).click()
    expect(page.get_by_label("Sound")).to_be_visible()
    expect(page.get_by_role("button", name="Show tips")).to_have_count(0)
    expect(tips(page)).to_have_count(0)


@pytest.mark.nightly
def test_the_help_has_pictures_of_cards(site: Site, open_page: Opener) -> None:
    page = open_page("/new/racing-demons/")
    page.get_by_role("button", name="How to play").first.click()
    picture = page.get_by_role("dialog").get_by_role("img", name="ace of hearts, two of hearts")
    expect(picture.locator("svg.face").first).to_be_visible()
    assert violations(page) == []


@pytest.mark.nightly
def test_a_phone_vibrates_if_the_player_wants_it(site: Site, open_page: Opener) -> None:
    player, rival = site.newcomer("vibrating"), site.newcomer("vibrating-rival")
    game = dealt(site, "racing-demons", player, rival)
    page = open_page("/", user="vibrating", viewport=NARROW)
    page.add_init_script("window.buzzed = 0; navigator.vibrate = () => ((window.buzzed += 1), true)")
    page.goto(f"{site.address}/games/{game}/")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Vibration").check()
    assert page.evaluate("window.buzzed") == 0
    for who in (player, rival):
        made = who.post(f"games/{game}/moves/", {"move": {"type": "turn"}})
        expect(page.locator(".felt")).to_have_attribute("data-version", str(made["version"]))
    page.wait_for_function("window.buzzed === 1")
