"""A card glides to its new place, eased and quickly, from where it is; where less motion is preferred it is there."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opener, Site
from tests.browser.playing import solitaire
from tests.browser.test_table_layout import EASED
from tests.browser.test_vegas_options import ACE
from tests.browser.vegas import board, box, ends, settled

HOLD = """() => {
  window.held = [];
  window.share = 0.5;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    const one = animate.apply(this, how);
    const { duration } = one.effect.getComputedTiming();
    if (!this.matches("[data-card]") || duration === 0) return one;
    one.pause();
    one.currentTime = duration * window.share;
    window.held.push(one);
    return one;
  };
}"""
"""From now on, stop each card that moves when this share of its time is over."""


def way(card: Locator, start: float, end: float) -> float:
    """The share of its way that a card is shown to have gone."""
    return (float(box(card)["y"]) - start) / (end - start)


def held(page: Page, count: int) -> None:
    page.wait_for_function("count => window.held.length === count", arg=count)


def test_a_card_is_on_its_way_for_a_moment_and_turns_round_where_it_is(site: Site, open_page: Opener) -> None:
    page, _, _ = solitaire(site, open_page, "glider")
    card, pile = ends(page, ACE)
    column = page.locator(f'.pile[data-pile="{ACE["from"]}"]')
    ace = f'[data-card="{card.get_attribute("data-card")}"]:not([inert])'
    start, end = box(card)["y"], box(pile)["y"]
    page.evaluate(HOLD)

    card.click(button="right")
    held(page, 1)
    duration = page.evaluate("window.held[0].effect.getComputedTiming().duration")
    assert EASED[0] <= duration <= EASED[1]
    middle = way(pile.locator(ace), start, end)
    assert 0.6 < middle < 1, "after half of the time it has gone more than half of the way, and is not there"

    # The server has answered, and the player does not wait for the card.
    settled(page)
    page.evaluate("window.share = 0")
    board(page).get_by_role("button").first.focus()
    page.keyboard.press("z")
    held(page, 2)
    assert abs(way(column.locator(ace), start, end) - middle) < 0.02, "it goes back from where it was"
    page.evaluate("window.held[1].finish()")
    assert abs(way(column.locator(ace), start, end)) < 0.01
    settled(page)

    page.emulate_media(reduced_motion="reduce")
    column.locator(ace).click(button="right")
    expect(pile.locator(ace)).to_be_visible()
    assert way(pile.locator(ace), start, end) == 1
    settled(page)
    assert page.evaluate("window.held.length") == 2
