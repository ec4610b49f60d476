"""Playing at a table in a real browser: by keyboard alone, and each move once."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.people import funded
from tests.browser.playing import solitaire
from tests.browser.vegas import board, events, settled


def test_a_staked_vegas_game_by_keyboard_alone_from_the_stake_to_collect(
    site: Site, open_page: Opener
) -> None:
    player = funded(site, "keys", 10_000)
    page = open_page("/new/vegas-solitaire/", user="keys")
    dealing = page.get_by_role("button", name="Play", exact=True)
    page.locator('input[name="draw"][value="1"]').focus()
    page.keyboard.press("Space")
    stake = page.get_by_role("spinbutton", name="Stake")
    expect(stake).to_have_value("5.20")
    stake.fill("5")
    expect(page.get_by_text("enter 4.16 play money or 5.20 play money")).to_be_visible()
    expect(stake).to_have_attribute("aria-invalid", "true")
    expect(dealing).to_be_disabled()
    stake.fill("4.16")
    page.keyboard.press("ArrowUp")
    expect(stake).to_have_value("5.20")
    expect(page.get_by_role("status").filter(has_text="5.20")).to_be_visible()
    expect(page.get_by_text("Your balance: 100.00 play money → 94.80 play money.")).to_be_visible()
    expect(dealing).to_be_enabled()
    dealing.focus()
    page.keyboard.press("Enter")
    expect(board(page)).to_be_visible()
    game = page.url.rstrip("/").rsplit("/", 1)[-1]
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 10_000 - 520

    board(page).get_by_role("button").first.focus()
    for left in range(23, -1, -1):
        page.keyboard.press("s")
        expect(page.get_by_text(re.compile(rf"^{left} cards? left$"))).to_be_visible()
        settled(page)
    expect(page.locator('[data-pile="stock"]').get_by_text("✕")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('.board') !== null"), "the focus stays at the table"
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="Collect")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()

    outcome = player.get(f"games/{game}/")["outcome"]
    assert outcome["winnings"] == 40 * outcome["cards"]
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 10_000 - 520 + outcome["winnings"]
    assert player.get(f"games/{game}/verification/")["ok"]


def test_a_lost_answer_is_requested_again_and_the_move_made_once(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page, player, game = solitaire(site, open_page, "lossy", intercepted=True)

    def lose(route: Any) -> None:
        route.fetch()
        route.abort("connectionreset")

    page.route("**/moves/", lose, times=1)
    page.locator('[data-pile="stock"] button').click()
    expect(page.get_by_text("21 cards left")).to_be_visible()
    assert [event["type"] for event in events(player, game)].count("draw") == 1
    watched.expect("ERR_CONNECTION_RESET")
