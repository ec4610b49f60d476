"""The first move on a network like a phone's, from a click on the link of a table with nothing stored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.playing import dealt
from tools.frontend import TIPS_SEEN

pytestmark = pytest.mark.nightly

DENSE_4G = {
    "offline": False,
    "latency": 40,
    "downloadThroughput": 10 * 1024 * 1024 / 8,
    "uploadThroughput": 10 * 1024 * 1024 / 8,
}
"""Lighthouse's profile of that name: milliseconds for an answer, and bytes a second."""
MOST_MS = 1500
LOADS = 5
"""The best of so many counts, since other programs run on the same machine."""

PLAY_AT_ONCE = """
const painted = (name) => requestAnimationFrame(() => setTimeout(() => performance.mark(name)));
new MutationObserver((_, observer) => {
  const stock = document.querySelector('.board button[data-pile="stock"][data-at]');
  if (!performance.getEntriesByName("clicked").length && stock) {
    performance.mark("clicked");
    requestAnimationFrame(() => stock.click());
  }
  if (!document.querySelector('.board [data-pile="waste"][data-card]')) return;
  observer.disconnect();
  painted("drawn");
}).observe(document, { childList: true, subtree: true });
"""
"""Draw as soon as there is a stock, and mark the paint of the cards that the server tells."""


def first_move(page: Page, address: str) -> float:
    """Milliseconds from the navigation to the paint of the first move."""
    page.goto(address)
    page.wait_for_function('() => performance.getEntriesByName("drawn").length > 0')
    return float(page.evaluate('performance.getEntriesByName("drawn")[0].startTime'))


def test_the_first_move_is_made_in_a_second_and_a_half(
    site: Site, chromium: Browser, open_page: Opener, watched: Watched
) -> None:
    player = site.newcomer("first-mover")
    signed_in = open_page("/", user="first-mover")
    times: list[float] = []
    while len(times) < LOADS and min(times, default=MOST_MS + 1) > MOST_MS:
        context = chromium.new_context(locale="en-GB")
        context.add_init_script(TIPS_SEEN)
        context.add_init_script(PLAY_AT_ONCE)
        context.add_cookies(signed_in.context.cookies())
        page = context.new_page()
        watched.watch(page)
        protocol = context.new_cdp_session(page)
        protocol.send("Network.enable")
        protocol.send("Network.emulateNetworkConditions", DENSE_4G)
        game = dealt(site, "vegas-solitaire", player)
        times.append(first_move(page, f"{site.address}/games/{game}/"))
        expect(page.get_by_text("21 cards left")).to_be_visible()
        context.close()
    assert min(times) <= MOST_MS, times
