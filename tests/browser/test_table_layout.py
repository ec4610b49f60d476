"""Tables of all games on a screen and on a phone: cards show rank and suit, and a turn moves nothing but cards."""

from __future__ import annotations

import random
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Caller, Opener, Site, keep_picture, scrolls_sideways
from tests.browser.people import caller, sign_up
from tests.browser.playing import TERMS, dealt, play

SIZES = {"screen": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
LANDSCAPE = {"width": 844, "height": 390}
"""A phone that lies on its side."""
GAMES = pytest.mark.parametrize("rules", list(TERMS))
HIGHEST = 110
"""Pixels from the upper edge of a phone's window to the table."""

COVERED = """() => [...document.querySelectorAll("button[data-card]")].flatMap((card) => {
  card.scrollIntoView({ block: "center" });
  return [...card.querySelectorAll("use")].slice(0, 2).flatMap((sign) => {
    const { left, right, top, bottom } = sign.getBoundingClientRect();
    const middle = [(left + right) / 2, (top + bottom) / 2];
    const corners = [[left, top], [right, top], [left, bottom], [right, bottom], middle];
    const covered = corners.find(([x, y]) => document.elementFromPoint(x, y)?.closest("button") !== card);
    return covered ? [`${card.dataset.card} in ${card.dataset.pile ?? "the hand"} at ${covered}`] : [];
  });
})"""
"""Cards of which the rank or the suit is covered, by another card or by anything else."""

WATCH = """() => {
  window.shifted = [];
  const CARD = "[data-card], [data-at], .face";
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      for (const { node, previousRect, currentRect } of entry.sources) {
        const element = node instanceof Element ? node : node?.parentElement;
        const card = element?.closest(CARD) ?? element?.querySelector(`:scope > :is(${CARD})`);
        if (!element || card) continue;
        const [was, is] = [previousRect, currentRect].map(({ x, y, width, height }) => [x, y, width, height].join());
        window.shifted.push(`${element.outerHTML.slice(0, 90)}: ${was} to ${is}`);
      }
  }).observe({ type: "layout-shift" });
}"""
"""From now on, record what is shifted, except cards, also right after a click."""

STILL = """() => {
  const parts = ".felt, .felt .pile, .felt aside, .felt aside button, .felt section, .felt .course, .dock, .bar";
  return [...document.querySelectorAll(parts)].map((one) => {
    const { x, y, width } = one.getBoundingClientRect();
    return [one.tagName, x, y, width].join();
  });
}"""
"""Where the parts of a table are that never move."""

OUTSIDE = """() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const box = text.parentElement.closest("label, li, button, .badge, .bar, dd, aside, .panel, .felt, main");
    const range = document.createRange();
    range.selectNodeContents(text);
    const [is, most] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    let [one, isCut] = [text.parentElement, false];
    for (; one !== box && one; one = one.parentElement) isCut ||= getComputedStyle(one).overflowX !== "visible";
    if (!/[0-9]/.test(text.data) || isCut || is.width === 0) continue;
    if (is.left >= most.left - 1 && is.right <= most.right + 1) continue;
    found.push(`${text.data} in ${box.outerHTML.slice(0, 90)}`);
  }
  return found;
}"""
"""Numbers that are wider than the button, the entry, or the part of the table that they belong to."""

UNREACHABLE = """() => [...document.querySelectorAll(".felt button, .page-head button")].flatMap((button) => {
  if (!button.checkVisibility() || button.matches("[data-card], [data-at]")) return [];
  button.scrollIntoView({ block: "center" });
  const { left, top, width, height } = button.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return button.contains(hit) ? [] : [`${button.textContent} under ${hit?.outerHTML.slice(0, 90)}`];
})"""
"""Buttons of which the middle is covered, also after scrolling to them."""

WIDTHS = (320, 768, 1280, 2560)

AT_REST = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""

pytestmark = pytest.mark.on_sqlite


@pytest.fixture
def page(open_page: Opener, rules: str, request: pytest.FixtureRequest) -> Page:
    page = open_page("/", reduced_motion=True)
    sign_up(page, f"{request.function.__name__.split('_')[1]}-{rules}")
    return page


@pytest.fixture
def both(site: Site, page: Page, rules: str, request: pytest.FixtureRequest) -> tuple[Caller, Caller]:
    """The player whose page it is, and an opponent."""
    name = f"{request.function.__name__.split('_')[1]}-{rules}"
    return caller(site, name), site.newcomer(f"{name}-rival")


def at_table(page: Page, site: Site, game: str, size: dict[str, Any]) -> None:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.goto(f"{site.address}/games/{game}/")
    expect(page.locator(".felt svg.face").first).to_be_visible()


@GAMES
def test_rank_and_suit_of_every_card_are_in_sight(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    game = dealt(rules, *both)
    for turns in (0, 25):
        play(game, both, turns, random.Random(5))
        for name, size in SIZES.items():
            at_table(page, site, game, size)
            assert page.evaluate(COVERED) == [], (turns, name)
            assert not scrolls_sideways(page), (turns, name)
            keep_picture(page, f"{rules}-{name}-{turns}")


@GAMES
def test_turns_move_nothing_but_cards(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    game = dealt(rules, *both)
    rng = random.Random(5)
    for name, size in {**SIZES, "landscape": LANDSCAPE}.items():
        at_table(page, site, game, size)
        top = page.locator(".felt").evaluate("(felt) => felt.getBoundingClientRect().top")
        assert name == "screen" or top < HIGHEST
        expect(page.get_by_text("What happened", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name="Table settings")).to_be_visible()
        page.evaluate(WATCH)
        before = page.evaluate(STILL)
        for turn in range(10):
            if play(game, both, 1, rng) == 0:
                break
            version = both[0].get(f"games/{game}/")["version"]
            expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
            page.evaluate(AT_REST)
            assert set(before) - set(page.evaluate(STILL)) == set(), (name, turn)
        assert "\n".join(page.evaluate("window.shifted")) == "", name


@GAMES
def test_a_thumb_reaches_every_action_of_a_phone_that_lies_on_its_side(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    """The buttons of the table are in sight, or come into sight by scrolling, with nothing over them."""
    game = dealt(rules, *both)
    play(game, both, 8, random.Random(3))
    at_table(page, site, game, LANDSCAPE)
    assert page.evaluate(UNREACHABLE) == []
    keep_picture(page, f"{rules}-landscape-bottom")


@GAMES
def test_no_number_leaves_its_box(site: Site, page: Page, both: tuple[Caller, Caller], rules: str) -> None:
    game = dealt(rules, *both)
    play(game, both, 12, random.Random(7))
    for width in WIDTHS:
        at_table(page, site, game, {"width": width, "height": 900})
        assert page.evaluate(OUTSIDE) == [], width
        assert not scrolls_sideways(page), width
        keep_picture(page, f"{rules}-{width}")


@pytest.mark.parametrize("rules", ["ace-race"])
def test_pictures_of_court_cards_are_loaded_when_they_are_shown(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    shown = page.locator("svg.face image")
    courts = page.locator(":is([data-card^=J], [data-card^=Q], [data-card^=K])")
    for _ in range(10):  # until a deal has one in sight
        at_table(page, site, dealt(rules, *both), SIZES["screen"])
        if courts.count():
            break
    assert courts.count() == shown.count() > 0
    for picture in {str(shown.nth(index).get_attribute("href")) for index in range(shown.count())}:
        answer = page.request.get(urljoin(page.url, picture))
        assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
        assert "immutable" in answer.headers["cache-control"]
