"""Vegas Solitaire as its players expect it: any cell for an Ace, shortcuts, automatic turning, and the next deal."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Caller, Opener, Site, violations
from tests.browser.playing import DEPOSIT, dealt, solitaire, started
from tests.browser.vegas import STAKE, Move, collect, ends, settled, state
from tests.installation import until

ACE: Move = {"type": "move", "from": "column:1", "to": "foundation"}
"""The first move of the deal."""


def cells(page: Page) -> Locator:
    return page.locator('.pile[data-pile^="foundation:"]')


def test_an_ace_is_laid_on_any_free_cell_and_stays_there(site: Site, open_page: Opener) -> None:
    page, _, _ = solitaire(site, open_page, "cells")
    card, _ = ends(page, ACE)
    ace = card.get_attribute("data-card")
    card.click()
    cells(page).nth(2).get_by_role("button", name="empty foundation 3").click()
    settled(page)
    held = page.locator(f'[data-card="{ace}"]')
    expect(cells(page).nth(2).locator(held)).to_be_visible()
    expect(cells(page).get_by_role("button", name=re.compile("^empty foundation"))).to_have_count(3)


def test_a_double_click_sends_a_card_to_its_foundation(site: Site, open_page: Opener) -> None:
    """As a right click does in test_card_motion."""
    page, player, game = solitaire(site, open_page, "double-clicker")
    card, pile = ends(page, ACE)
    ace = str(card.get_attribute("data-card"))
    card.dblclick()
    expect(pile.locator(f'[data-card="{ace}"]')).to_be_visible()
    settled(page)
    assert state(player, game)["view"]["foundations"][ace[1]] == 1


@pytest.mark.nightly
def test_shortcuts_send_an_ace_of_idle_aces_to_a_cell(site: Site, open_page: Opener) -> None:
    player = site.newcomer("idle-clicker")
    game = dealt(site, "idle-aces", player)
    page = open_page(f"/games/{game}/", user="idle-clicker")
    aces = page.locator('.pile[data-pile^="aces:"]')
    for count, options in enumerate([{"click_count": 2}, {"button": "right"}], start=1):
        source = drawn_ace(player, game)
        version = state(player, game)["version"]
        expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
        card = page.locator(f'button[data-pile="{source}"][data-at]')
        ace = str(card.get_attribute("data-card"))
        card.click(**options)  # type: ignore[arg-type]
        settled(page)
        expect(aces.nth(count - 1).locator(f'[data-card="{ace}"]')).to_be_visible()
        shown = state(player, game)
        assert (shown["version"], len(shown["view"]["aces"])) == (version + 1, count)


def drawn_ace(player: Caller, game: str) -> str:
    """Draw until an Ace may be laid on a cell, and return the pile that it is on."""
    while True:
        legal = state(player, game)["legal_moves"]
        if ace := next((move for move in legal if move.get("to") == "aces"), None):
            return str(ace["from"])
        [onward] = [move for move in legal if move["type"] in ("draw", "redeal")]
        player.post(f"games/{game}/moves/", {"move": onward})


def test_cards_are_turned_up_automatically_if_the_player_wants_it(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "flipper")
    page.locator("summary", has_text="Options").click()
    option = page.get_by_role("checkbox", name="Turn cards up automatically")
    expect(option).not_to_be_checked()
    option.check()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("summary", has_text="Options").click()
    before = state(player, game)["version"]
    card, pile = ends(page, ACE)
    card.click()
    pile.locator("button").last.click()
    until(
        lambda: state(player, game)["version"] == before + 2,
        "the card is moved, and the one under it turned up",
    )
    assert [one for one in state(player, game)["legal_moves"] if one["type"] == "flip"] == []


def test_the_next_deal_keeps_version_and_stake(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "next-deal", stake=STAKE)
    collect(page)
    left = (DEPOSIT - STAKE + state(player, game)["outcome"]["winnings"]) / 100
    ended = page.get_by_role("region", name="Result")
    expect(ended).to_contain_text(f"Your money: 100.00 play money → {left:.2f} play money")
    expect(page.locator(".felt [data-card]")).to_have_count(0)
    assert violations(page) == []
    ended.get_by_role("link", name="Play again").click()
    expect(page.locator('input[name="draw"][value="3"]')).to_be_checked()
    expect(page.get_by_role("spinbutton", name="Stake")).to_have_value("5.20")


@pytest.mark.nightly
def test_a_solitaire_is_played_again_with_one_click(site: Site, open_page: Opener) -> None:
    player = site.newcomer("rematcher")
    first = started(player, {"rules": "idle-aces", "config": {"redeals": 0}})
    player.post(f"games/{first}/moves/", {"move": {"type": "resign"}})
    page = open_page(f"/games/{first}/", user="rematcher")
    ended = page.get_by_role("region", name="Result")
    expect(ended.get_by_role("link", name="Replay", exact=True)).to_be_visible()
    expect(ended.get_by_role("link", name="Fairness check")).to_be_visible()
    ended.get_by_role("button", name="Play again").click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.locator(".felt [data-card]").first).to_be_visible()
    second = page.url.rstrip("/").rsplit("/", 1)[-1]
    assert state(player, second)["config"]["redeals"] == 0
