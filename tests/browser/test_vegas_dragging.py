"""Staked games of Vegas Solitaire by mouse and by finger, until the money is collected."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.conftest import NARROW, Opener, Site
from tests.browser.playing import DEPOSIT, solitaire
from tests.browser.vegas import STAKE, Move, collect, ends, events, money_agrees, play_out, press_pile

moves = pytest.mark.parametrize("most", [3, pytest.param(200, marks=pytest.mark.nightly)])
"""An Ace to its foundation, the card under it turned up, and a draw; or the whole game."""


def middle(where: Locator) -> tuple[float, float]:
    where.scroll_into_view_if_needed()
    box = where.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 12)


def by_mouse(page: Page, move: Move) -> None:
    """Dragged where a card goes somewhere, clicked where a pile is pressed."""
    if move["type"] != "move":
        press_pile(page, move).click()
        return
    card, pile = ends(page, move)
    name = card.get_attribute("data-card")
    page.mouse.move(*middle(card))
    page.mouse.down()
    page.mouse.move(*middle(pile), steps=5)
    expect(page.locator(".ghost")).to_have_count(int(move.get("count", 1)))
    page.mouse.up()
    expect(pile.locator(f'[data-card="{name}"]')).to_be_visible()


@moves
def test_a_staked_game_by_dragging_until_it_is_collected(site: Site, open_page: Opener, most: int) -> None:
    page, player, game = solitaire(site, open_page, f"mouser-{most}", draw=1, stake=STAKE)
    made = play_out(page, player, game, by_mouse, most)
    assert [move["type"] for move in made[:3]] == ["move", "flip", "draw"]
    collect(page)
    money_agrees(site, player, game, DEPOSIT)
    receipt = page.get_by_role("region", name="Receipt")
    expect(receipt).to_contain_text(game)
    expect(receipt).to_contain_text(events(player, game)[-1]["hash"])
    page.emulate_media(media="print")
    expect(receipt).to_be_visible()
    expect(page.locator("header").first).to_be_hidden()
    expect(page.locator(".felt")).to_be_hidden()


class Finger:
    """A finger that is laid on the glass, drawn over it and lifted, as the browser hears of it."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)

    def _touch(self, kind: str, at: float, *points: tuple[float, float]) -> None:
        touches: list[dict[str, Any]] = [{"x": x, "y": y} for x, y in points]
        event = {"type": kind, "touchPoints": touches, "timestamp": at}
        self.session.send("Input.dispatchTouchEvent", event)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """In a second that is just over. It comes to rest: after a flick the browser swallows the next tap."""
        began = time.time() - 1
        (x, y), (to_x, to_y) = start, end
        self._touch("touchStart", began, start)
        for step in range(1, 6):
            way = (x + (to_x - x) * step / 5, y + (to_y - y) * step / 5)
            self._touch("touchMove", began + step * 0.06, way)
        for step in range(1, 4):
            self._touch("touchMove", began + 0.3 + step * 0.15, (to_x + step % 2, to_y))
        self._touch("touchEnd", began + 0.9)


@moves
@pytest.mark.parametrize("dragged", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_a_card_is_tapped_and_dragged_on_a_phone(
    site: Site, open_page: Opener, most: int, dragged: bool
) -> None:
    """A tap on a card and one on its place do what a drag does."""
    name = f"toucher-{most}-{dragged:d}"
    page, player, game = solitaire(site, open_page, name, draw=1, viewport=NARROW, touch=True)
    finger = Finger(page)

    def by_finger(page: Page, move: Move) -> None:
        if move["type"] != "move":
            press_pile(page, move).tap()
            return
        card, pile = ends(page, move)
        name = card.get_attribute("data-card")
        if dragged:
            finger.drag(middle(card), middle(pile))
        else:
            card.tap()
            pile.locator("button:not([inert])").last.tap()
        expect(pile.locator(f'[data-card="{name}"]')).to_be_visible()

    made = play_out(page, player, game, by_finger, most)
    assert [move["type"] for move in made[:3]] == ["move", "flip", "draw"]
