"""Whole staked games of Vegas Solitaire by mouse and by finger, from cash in to the money collected."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.conftest import NARROW, Opener, Site
from tests.browser.vegas import (
    Move,
    collect,
    ends,
    events,
    money_agrees,
    play_out,
    press_pile,
    stake_and_deal,
    with_money,
)


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


def test_a_staked_game_by_dragging_from_cash_in_to_collect(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    player = with_money(site, page, "mouser")
    game = stake_and_deal(page, site)
    made = play_out(page, player, game, by_mouse)
    assert made >= 24, "the whole stock has been drawn"
    collect(page)
    money_agrees(site, player, game)
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


def test_a_staked_game_by_touch_on_a_phone_tapped_and_dragged(site: Site, open_page: Opener) -> None:
    page = open_page("/", viewport=NARROW, touch=True)
    player = with_money(site, page, "toucher")
    game = stake_and_deal(page, site)
    finger = Finger(page)
    moved = 0

    def by_finger(page: Page, move: Move) -> None:
        """Cards are tapped and dragged by turns; a tap on a card and one on its place do what a drag does."""
        nonlocal moved
        if move["type"] != "move":
            press_pile(page, move).tap()
            return
        card, pile = ends(page, move)
        name = card.get_attribute("data-card")
        if moved % 2:
            finger.drag(middle(card), middle(pile))
        else:
            card.tap()
            pile.locator("button:not([inert])").last.tap()
        moved += 1
        expect(pile.locator(f'[data-card="{name}"]')).to_be_visible()

    assert play_out(page, player, game, by_finger) >= 24
    collect(page)
    money_agrees(site, player, game)
