"""Every refusal is shown next to the table with its rule, and the focus stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.playing import solitaire
from tests.browser.vegas import Move, box, ends, events, settled, state

REFUSED: list[tuple[str, Move]] = [
    ("unknown-move", {"type": "fly"}),
    ("malformed-move", {"type": "flip", "column": 9}),
    ("rule-forbids", {"type": "recycle"}),
    ("rule-forbids", {"type": "flip", "column": 6}),
    ("pile-empty", {"type": "move", "from": "waste", "to": "foundation"}),
    ("pile-empty", {"type": "move", "from": "foundation:C", "to": "column:0"}),
    ("rule-forbids", {"type": "move", "from": "column:6", "to": "column:5", "count": 3}),
    ("cannot-undo", {"type": "undo"}),
]
"""What is wrong with each on a fresh deal. The page would offer none: the request is changed on its way."""


def alert(page: Page) -> Locator:
    return page.get_by_role("alert").filter(has_text="Move refused.")


def changed_into(moves: Iterable[Move], given: list[dict[str, Any]]) -> Callable[[Route], None]:
    """Replace the moves that the page sends by these, in turn, and append the answers to `given`.

    One route serves all of them: while a route is exchanged for another, a request may pass unchanged.
    """
    following = iter(moves)

    def change(route: Route) -> None:
        answer = route.fetch(post_data=json.dumps({"move": next(following)}))
        given.append(answer.json())
        route.fulfill(response=answer)

    return change


def held_back(page: Page) -> list[Route]:
    """Hold what the page sends as moves from now on. It asks again where an answer takes more than five seconds."""
    held: list[Route] = []
    page.route("**/moves/", lambda route: held.append(route))
    return held


PACES = """() => {
  window.paces = [];
  const line = document.querySelector(".pace");
  const note = () => window.paces.push([line.dataset.pace, line.textContent.trim()]);
  new MutationObserver(note).observe(line, { attributes: true, childList: true, subtree: true, characterData: true });
}"""
"""From now on, record the states of the move that is under way, and their texts."""


def test_every_refusal_shows_its_rule_and_the_focus_stays(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page, player, game = solitaire(site, open_page, "refused", intercepted=True)
    watched.expect("status of 40[09]")
    stock = page.locator('[data-pile="stock"][data-at]')
    stock.focus()
    result: list[dict[str, Any]] = []
    page.route("**/moves/", changed_into([move for _, move in REFUSED], result))
    for number, (code, _) in enumerate(REFUSED):
        page.keyboard.press("s")
        expect(alert(page)).to_be_visible()
        expect(alert(page)).to_contain_text(str(result[number]["rule"]))
        settled(page)
        assert result[number]["code"] == code
        expect(alert(page)).to_contain_text("Your moves:")
        expect(stock).to_be_focused()
        expect(page.get_by_text("24 cards left")).to_be_visible()
    page.unroute("**/moves/")
    assert [one["type"] for one in events(player, game)] == ["created", "seated", "dealt"]
    page.keyboard.press("s")
    expect(page.get_by_text("21 cards left")).to_be_visible()
    expect(alert(page)).to_have_count(0)


def test_a_card_that_may_not_lie_there_comes_back_at_once_with_the_reason(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page, player, game = solitaire(site, open_page, "illegal", intercepted=True)
    watched.expect("status of 409")
    card, pile = ends(page, {"from": "column:0", "to": "column:1"})
    name = card.get_attribute("data-card")
    here, there = box(card), box(pile)
    held = held_back(page)
    page.mouse.move(here["x"] + 30, here["y"] + 30)
    page.mouse.down()
    page.mouse.move(there["x"] + 30, there["y"] + 40, steps=5)
    expect(page.locator(".ghost")).to_have_count(1)
    with page.expect_request("**/moves/"):
        page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)
    held[-1].continue_()
    expect(alert(page)).to_contain_text("Rule: Columns build down in alternating colours.")
    expect(page.locator(f'[data-pile="column:0"] [data-card="{name}"]')).to_be_visible()
    expect(page.locator(f'[data-card="{name}"]')).to_be_focused()
    assert state(player, game)["version"] == 3


def test_a_stale_move_shows_the_change_and_the_current_table(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page, player, game = solitaire(site, open_page, "late", intercepted=True)
    watched.expect("status of 412")

    def meanwhile(route: Route) -> None:
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
        route.continue_()

    page.route("**/moves/", meanwhile, times=1)
    page.locator('[data-pile="stock"][data-at]').focus()
    page.keyboard.press("s")
    expect(alert(page)).to_contain_text("Meanwhile: You drew")
    expect(page.get_by_text("18 cards left")).to_be_visible()
    expect(page.locator('[data-pile="stock"][data-at]')).to_be_focused()


def test_a_slow_server_is_awaited_and_unknown_cards_are_marked(site: Site, open_page: Opener) -> None:
    page, _, _ = solitaire(site, open_page, "slowly", intercepted=True)
    held = held_back(page)
    page.evaluate(PACES)
    page.locator('[data-pile="stock"][data-at]').focus()
    page.keyboard.press("s")
    coming = page.get_by_role("button", name="a card being moved, play deck")
    expect(coming).to_be_visible()
    expect(page.get_by_text("The server is slow to answer. Your move is not lost.")).to_be_visible()
    assert ["pending", "Sending …"] in page.evaluate("window.paces")
    expect(page.get_by_text("24 cards left")).to_be_visible()
    held[-1].continue_()
    expect(page.get_by_text("21 cards left")).to_be_visible()
    expect(coming).to_have_count(0)
