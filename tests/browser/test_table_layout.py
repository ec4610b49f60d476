"""Tables of all games on a screen and on a phone: cards show rank and suit, and a turn moves nothing but cards."""

from __future__ import annotations

import json
import random
import re
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Caller, Opener, Site, scrolls_sideways
from tests.browser.people import deposit
from tests.browser.playing import TERMS, click, dealt, next_move, play, started
from tests.installation import until

SIZES = {"screen": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
LANDSCAPE = {"width": 844, "height": 390}
"""A phone that lies on its side."""
GAMES = pytest.mark.parametrize("rules", list(TERMS))
HIGHEST = 110
"""Pixels from the upper edge of a phone's window to the table."""

COVERED = """() => {
  const faces = [...document.querySelectorAll(".felt svg.face")];
  for (const face of faces) face.style.pointerEvents = "auto";
  return faces.flatMap((face) => {
    const card = face.closest("[data-card]");
    (card ?? face).scrollIntoView({ block: "center" });
    return [...face.querySelectorAll("use:first-of-type, .index")].flatMap((sign) => {
      const box = face.getBoundingClientRect();
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => sign[name].baseVal.value);
      const at = (value) => (value * box.width) / face.viewBox.baseVal.width;
      const EDGE = 0.5;  // of a pixel, where browsers round
      const [left, right] = [box.left + at(x) + EDGE, box.left + at(x + width) - EDGE];
      const [top, bottom] = [box.top + at(y) + EDGE, box.top + at(y + height) - EDGE];
      const middle = [(left + right) / 2, (top + bottom) / 2];
      const corners = [[left, top], [right, top], [left, bottom], [right, bottom], middle];
      const covered = corners.find(([x, y]) => {
        const hit = document.elementFromPoint(x, y);
        return !face.contains(hit) && (card === null || hit !== card);
      });
      const name = card?.dataset.card ?? sign.getAttribute("href");
      return covered ? [`${name} in ${card?.dataset.pile ?? face.parentElement.className} at ${covered}`] : [];
    });
  });
}"""
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
        if (node instanceof Text && was === is) continue;  // of another length, in the middle of a box that stays
        window.shifted.push(`${element.outerHTML.slice(0, 90)}: ${was} to ${is}`);
      }
  }).observe({ type: "layout-shift" });
}"""
"""From now on, record what is shifted, except cards, also right after a click."""

MOTION = """() => {
  window.moved = [];
  const note = (duration) => window.moved.push(duration);
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    const one = animate.apply(this, how);
    const { duration } = one.effect.getComputedTiming();
    if (this.matches("[data-card]") && duration > 0) note(duration);
    return one;
  };
  const felt = document.querySelector(".felt");
  // A transition that is turned round takes less than its time.
  for (const [kind, time] of [["transitionrun", "transitionDuration"], ["animationstart", "animationDuration"]])
    felt.addEventListener(kind, ({ target }) => note(1000 * parseFloat(getComputedStyle(target)[time])));
}"""
"""From now on, record the milliseconds of each movement on the table."""

EASED = (120, 180)
"""Milliseconds that a card takes to its new place."""

STILL = """() => {
  scrollTo(0, 0);  // a card that is clicked is scrolled to
  const parts = ".felt, .felt .pile, .felt aside, .felt aside button, .felt section, .felt .course, .dock, .bar";
  return [...document.querySelectorAll(parts)].map((one) => {
    const { x, y, width } = one.getBoundingClientRect();
    return [one.tagName, x, y, width].join();
  });
}"""
"""Where the parts of a table are that never move."""

OUTSIDE = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!/[0-9]/.test(text.data)) continue;
    const box = text.parentElement.closest(
      "label, li, button, .badge, .bar, dd, td, th, aside, .panel, .felt, header, main, body",
    );
    const range = document.createRange();
    range.selectNodeContents(text);
    const [is, most] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    let [one, isCut] = [text.parentElement, false];
    for (; one !== box && one; one = one.parentElement) isCut ||= getComputedStyle(one).overflowX !== "visible";
    if (isCut || is.width === 0) continue;
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

AT_REST = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""

numbers = count()


@pytest.fixture
def name() -> str:
    return f"layout-{next(numbers)}"


@pytest.fixture
def both(site: Site, name: str) -> tuple[Caller, Caller]:
    """The player whose page it is, and an opponent."""
    return site.newcomer(name), site.newcomer(f"{name}-rival")


@pytest.fixture
def page(open_page: Opener, both: tuple[Caller, Caller], name: str) -> Page:
    return open_page("/tournaments/", user=name, reduced_motion=True, intercepted=True)


def at_table(page: Page, site: Site, game: str, size: dict[str, Any]) -> None:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.goto(f"{site.address}/games/{game}/")
    expect(page.locator(".felt svg.face").first).to_be_visible()


def longest(rules: str, view: dict[str, Any]) -> dict[str, Any]:
    """The view with as many cards in each fan as there can be. Idle Aces has no fans."""
    descending = [f"{rank}{suit}" for rank, suit in zip("KQJT98765432A", "SHSHSHSHSHSHS", strict=True)]
    if rules == "vegas-solitaire":
        columns = [{"down": index, "up": descending} for index in range(7)]
        return {**view, "columns": columns, "waste": ["KC", "QC", "JC"], "waste_count": 24}
    if rules == "racing-demons":
        piles = [[f"{card}{pack}" for card in descending] for pack in (0, 1, 0, 1)]
        waste = {"waste": ["KC0", "QC0", "JC0"], "waste_count": 24}
        return {**view, "you": {**view["you"], "work": piles, **waste}}
    pack = [f"{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK"]
    if rules == "ace-race":
        return {**view, "hand": pack[:40], "discards": [*pack[40:], "X1"]}
    if rules == "racing-aces":
        return {**view, "rows": {suit: pack[index * 13 :][:13] for index, suit in enumerate("CDHS")}}
    return view


LARGEST_STAKE = 1_040_000
"""In pence, at Vegas Solitaire."""


def at_the_largest_stake(site: Site, player: Caller) -> str:
    deposit(site, player, LARGEST_STAKE)
    terms = {"config": {"draw": 3, "stake": LARGEST_STAKE}, "stake_table": "vegas-classic"}
    return started(player, {"rules": "vegas-solitaire", **terms})


WINDOWS: dict[str, dict[str, int]] = SIZES | {
    f"{width} pixels": {"width": width, "height": 900} for width in (320, 768, 2560)
}


@pytest.mark.parametrize(
    "window",
    ["phone", *(pytest.param(name, marks=pytest.mark.nightly) for name in WINDOWS if name != "phone")],
)
@GAMES
def test_the_largest_table_covers_no_rank_and_no_suit_and_fits(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str, window: str
) -> None:
    is_staked = rules == "vegas-solitaire"
    game = at_the_largest_stake(site, both[0]) if is_staked else dealt(site, rules, *both)

    def lengthened(route: Route) -> None:
        answer = route.fetch()
        shown = answer.json()
        shown |= {"view": longest(rules, shown["view"]), "legal_moves": []}
        route.fulfill(response=answer, body=json.dumps(shown))

    page.route(re.compile(f"/api/v1/games/{game}/$"), lengthened)
    at_table(page, site, game, WINDOWS[window])
    if rules != "idle-aces":
        expect(page.locator(".felt svg.face").nth(39)).to_be_attached()
    if window in SIZES:
        assert page.evaluate(COVERED) == []
    assert page.evaluate(OUTSIDE) == []
    assert not scrolls_sideways(page)


@pytest.mark.nightly
@GAMES
def test_a_table_in_play_covers_no_rank_and_no_suit_and_fits(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    game = dealt(site, rules, *both)
    for turns in (0, 25):
        play(game, both, turns, random.Random(5))
        for name, window in WINDOWS.items():
            at_table(page, site, game, window)
            if (
                both[0].get(f"games/{game}/")["status"] != "active"
            ):  # a race that is over has its result over it
                page.get_by_role("region", name="Result").get_by_role("button", name="Close").click()
            assert name not in SIZES or page.evaluate(COVERED) == [], (turns, name)
            assert page.evaluate(OUTSIDE) == [], (turns, name)
            assert not scrolls_sideways(page), (turns, name)


TURNS = 8
MOST_TURNS = 40
"""Until both players have had some."""


def version_of(player: Caller, game: str) -> int:
    return int(player.get(f"games/{game}/")["version"])


def later_version(player: Caller, game: str, than: int) -> int | None:
    version = version_of(player, game)
    return version if version > than else None


@pytest.mark.parametrize(
    ("rules", "window"),
    [
        pytest.param(
            rules, window, marks=() if (rules, window) == ("ace-race", "phone") else pytest.mark.nightly
        )
        for rules in TERMS
        for window in (*SIZES, "landscape")
    ],
)
def test_turns_by_clicks_move_nothing_but_cards(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str, window: str
) -> None:
    """The turns of the page's player are played by clicks on it, and those of the other one reach it by the stream.

    On a screen cards move in the time of EASED, and elsewhere at once, since less motion is preferred.
    """
    rng = random.Random(5)
    player, rival = both
    wanted = {player: 3, rival: 2 if TERMS[rules].get("seats") == 2 else 0}
    page.emulate_media(reduced_motion="no-preference" if window == "screen" else "reduce")
    game = dealt(site, rules, *both)
    at_table(page, site, game, {**SIZES, "landscape": LANDSCAPE}[window])
    top = page.locator(".felt").evaluate("(felt) => felt.getBoundingClientRect().top")
    assert window == "screen" or top < HIGHEST
    expect(page.get_by_text("What happened", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Table settings")).to_be_visible()
    page.evaluate(WATCH)
    page.evaluate(MOTION)
    before = page.evaluate(STILL)
    made = dict.fromkeys(both, 0)
    for turn in range(MOST_TURNS):
        if turn >= TURNS and all(made[one] >= least for one, least in wanted.items()):
            break
        following = next_move(game, both, rng)
        assert following is not None, turn
        mover, move = following
        version = version_of(player, game)
        if mover == player:
            click(page, rules, move)
        else:
            mover.post(f"games/{game}/moves/", {"move": move})
        version = until(partial(later_version, player, game, version), "the move is made")
        expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
        page.evaluate(AT_REST)
        assert set(before) - set(page.evaluate(STILL)) == set(), (turn, move)
        made[mover] += 1
    assert all(made[one] >= least for one, least in wanted.items()), made
    assert "\n".join(page.evaluate("window.shifted")) == ""
    moved = page.evaluate("window.moved")
    assert all(EASED[0] <= one <= EASED[1] for one in moved), moved
    # That cards move is shown by test_card_motion: here a machine without time may draw none.
    assert window == "screen" or moved == []


@pytest.mark.nightly
@GAMES
def test_a_thumb_reaches_every_action_of_a_phone_that_lies_on_its_side(
    site: Site, page: Page, both: tuple[Caller, Caller], rules: str
) -> None:
    """The buttons of the table are in sight, or come into sight by scrolling, with nothing over them."""
    game = dealt(site, rules, *both)
    play(game, both, 8, random.Random(3))
    at_table(page, site, game, LANDSCAPE)
    assert page.evaluate(UNREACHABLE) == []


@pytest.mark.parametrize(
    "language", ["de", *(pytest.param(language, marks=pytest.mark.nightly) for language in ("en", "pl"))]
)
def test_phones_show_the_whole_title_beside_the_clock_and_the_hint(
    site: Site, page: Page, both: tuple[Caller, Caller], language: str
) -> None:
    """Hints are for games against bots."""
    page.evaluate("(language) => localStorage.setItem('racecard.language', language)", language)
    game = started(both[0], {"rules": "racing-demons", **TERMS["racing-demons"], "bots": [1]})
    at_table(page, site, game, SIZES["phone"])
    expect(page.locator(".page-head .tools > *")).to_have_count(3)
    expect(page.get_by_role("timer")).to_be_visible()
    title = page.get_by_role("heading", level=1)
    assert title.evaluate("(title) => title.scrollWidth <= title.clientWidth")


def test_sheets_of_rules_leave_the_sentence_above_and_the_hand_in_sight(
    site: Site, page: Page, both: tuple[Caller, Caller]
) -> None:
    player, rival = both
    game = dealt(site, "ace-race", player, rival, config={"dealer": 1})
    player.post(f"games/{game}/moves/", {"move": {"type": "bid", "cards": 1}})
    rival.post(f"games/{game}/moves/", {"move": {"type": "pass"}})
    at_table(page, site, game, SIZES["screen"])
    sheet = page.get_by_role("group", name="Name the first rule")
    sentence = page.get_by_text("The highest bidder names the first rule.")
    hand = page.locator(".dock button[data-card]")

    def edges(one: Locator) -> tuple[float, float]:
        box = one.bounding_box()
        assert box is not None
        return box["y"], box["y"] + box["height"]

    top, bottom = edges(sheet)
    assert edges(sentence)[1] <= top
    assert bottom <= min(edges(card)[0] for card in hand.all())

    page.set_viewport_size(LANDSCAPE)  # type: ignore[arg-type]
    name_it = page.get_by_role("button", name="Name this rule")
    top, bottom = edges(name_it)
    assert 0 <= top < bottom <= min(edges(card)[0] for card in hand.all())
    sheet.get_by_role("radio").first.check()
    name_it.click()
    expect(sheet).to_have_count(0)


@pytest.mark.nightly
def test_pictures_of_court_cards_are_loaded_when_they_are_shown(
    site: Site, page: Page, both: tuple[Caller, Caller]
) -> None:
    shown = page.locator("svg.face image")
    courts = page.locator(":is([data-card^=J], [data-card^=Q], [data-card^=K])")
    at_table(page, site, dealt(site, "ace-race", *both), SIZES["screen"])
    assert courts.count() == shown.count() > 0
    for picture in {str(shown.nth(index).get_attribute("href")) for index in range(shown.count())}:
        answer = page.request.get(urljoin(page.url, picture))
        assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
        assert "immutable" in answer.headers["cache-control"]
