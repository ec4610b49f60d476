"""Vegas Solitaire as its players expect it: any cell for an Ace, shortcuts, automatic turning, and the next deal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Caller, Opener, Site, keep_picture, violations
from tests.browser.people import caller, sign_up
from tests.browser.test_vegas_indicators import dealt_from
from tests.browser.vegas import (
    Move,
    choose,
    collect,
    ends,
    settled,
    show,
    stake_and_deal,
    state,
    table,
    with_money,
)
from tests.installation import until

DEALS = 60
"""More than a third of all deals begin with an Ace in sight, and most with a move between columns."""


def dealt_with(site: Site, page: Page, name: str, wanted: Callable[[Move], bool]) -> tuple[str, Move]:
    """A game for points that begins with such a move, and the move."""
    sign_up(page, name)
    player = caller(site, name)
    for _ in range(DEALS):
        game = str(
            player.post("games/", {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}})["id"]
        )
        player.post(f"games/{game}/seats/", {"client_seed": ""})
        legal = player.post(f"games/{game}/start/", {})["legal_moves"]
        if found := [move for move in legal if wanted(move)]:
            show(page, game)
            return game, found[0]
    raise AssertionError(f"{DEALS} deals without such a move")


def is_home(move: Move) -> bool:
    return bool(move["type"] == "move" and move["to"] == "foundation")


def uncovers(move: Move) -> bool:
    """At the beginning every column but the first has one card face up, on others that lie face down."""
    return move["type"] == "move" and move["from"] in {f"column:{index}" for index in range(1, 7)}


def cells(page: Page) -> Locator:
    return page.locator('.pile[data-pile^="foundation:"]')


def test_an_ace_is_laid_on_any_free_cell_and_stays_there(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    _, move = dealt_with(site, page, "cells", is_home)
    card, _ = ends(page, move)
    ace = card.get_attribute("data-card")
    card.click()
    cells(page).nth(2).get_by_role("button", name="empty foundation 3").click()
    settled(page)
    held = page.locator(f'[data-card="{ace}"]')
    expect(cells(page).nth(2).locator(held)).to_be_visible()
    expect(cells(page).get_by_role("button", name=re.compile("^empty foundation"))).to_have_count(3)


@pytest.mark.parametrize("way", ["double", "right"])
def test_a_double_click_and_a_right_click_send_a_card_to_its_foundation(
    site: Site, open_page: Opener, way: str
) -> None:
    page = open_page("/")
    name = f"{way}-clicker"
    game, move = dealt_with(site, page, name, is_home)
    card, pile = ends(page, move)
    ace = str(card.get_attribute("data-card"))
    clicked(card, way)
    expect(pile.locator(f'[data-card="{ace}"]')).to_be_visible()
    settled(page)
    assert state(caller(site, name), game)["view"]["foundations"][ace[1]] == 1


def clicked(card: Locator, way: str) -> None:
    if way == "double":
        card.dblclick()
    else:
        card.click(button="right")


def test_they_send_an_ace_of_idle_aces_to_a_cell(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "idle-clicker")
    player = caller(site, "idle-clicker")
    game = str(player.post("games/", {"rules": "idle-aces", "config": {}})["id"])
    player.post(f"games/{game}/seats/", {"client_seed": ""})
    player.post(f"games/{game}/start/", {})
    show(page, game)
    cells = page.locator('.pile[data-pile^="aces:"]')
    for count, way in enumerate(["double", "right"], start=1):
        source = drawn_ace(player, game)
        version = state(player, game)["version"]
        expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
        card = page.locator(f'button[data-pile="{source}"][data-at]')
        ace = str(card.get_attribute("data-card"))
        clicked(card, way)
        settled(page)
        expect(cells.nth(count - 1).locator(f'[data-card="{ace}"]')).to_be_visible()
        assert (state(player, game)["version"], len(state(player, game)["view"]["aces"])) == (
            version + 1,
            count,
        )


def drawn_ace(player: Caller, game: str) -> str:
    """Draw until an Ace may be laid on a cell, and return the pile that it is on."""
    while True:
        legal = state(player, game)["legal_moves"]
        found = next((move for move in legal if move.get("to") == "aces"), None)
        if found:
            return str(found["from"])
        [onward] = [move for move in legal if move["type"] in ("draw", "redeal")]
        player.post(f"games/{game}/moves/", {"move": onward})


SEED_PLAYED_TO_THE_END, MOVES = bytes(31) + b"\xb8", 32
"""The server seed of a deal, drawn card by card, in which so many moves of a simple order of play leave no other."""


def test_collecting_is_quiet_until_nothing_else_can_be_done(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "patient-collector")
    player = caller(site, "patient-collector")
    game = dealt_from(SEED_PLAYED_TO_THE_END, site, page, player, draw=1)
    ending = page.get_by_role("button", name="End game and collect")
    loud = re.compile("primary")
    now = state(player, game)
    for left in range(MOVES, 0, -1):
        move = choose(now["legal_moves"])
        assert move is not None
        if left in (MOVES, 1):
            expect(page.locator(".felt")).to_have_attribute("data-version", str(now["version"]))
            expect(ending).not_to_have_class(loud)
        now = player.post(f"games/{game}/moves/", {"move": move})
    assert {one["type"] for one in now["legal_moves"]} <= {"collect", "undo"}
    expect(page.locator(".felt")).to_have_attribute("data-version", str(now["version"]))
    expect(ending).to_have_class(loud)


def test_cards_are_turned_up_automatically_if_the_player_wants_it(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    game, move = dealt_with(site, page, "flipper", uncovers)
    player = caller(site, "flipper")
    page.locator("summary", has_text="Options").click()
    option = page.get_by_role("checkbox", name="Turn cards up automatically")
    expect(option).not_to_be_checked()
    option.check()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("summary", has_text="Options").click()
    before = state(player, game)["version"]
    card, pile = ends(page, move)
    card.click()
    pile.locator("button").last.click()
    until(
        lambda: state(player, game)["version"] == before + 2,
        "the card is moved, and the one under it turned up",
    )
    assert [one for one in state(player, game)["legal_moves"] if one["type"] == "flip"] == []


def box(one: Locator) -> dict[str, Any]:
    found = one.bounding_box()
    assert found is not None
    return dict(found)


def test_the_arrow_is_over_the_card_that_can_be_played(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "archer")
    player = caller(site, "archer")
    arrow = page.get_by_role("img", name="the top card can be played")
    for _ in range(DEALS):
        game = table(page, player, draw=3)
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
        legal = state(player, game)["legal_moves"]
        if any(move.get("from") == "waste" for move in legal):
            break
    show(page, game)
    top, mark = box(page.locator('[data-pile="waste"][data-at]').last), box(arrow)
    assert top["x"] < mark["x"] + mark["width"] / 2 < top["x"] + top["width"]
    assert mark["y"] + mark["height"] <= top["y"] + 1


def test_the_next_deal_keeps_version_and_stake(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    player = with_money(site, page, "next-deal")
    page.goto(f"{site.address}/new/vegas-solitaire/")
    game = stake_and_deal(page, site, draw=3)
    collect(page)
    winnings = state(player, game)["outcome"]["winnings"]
    ended = page.get_by_role("region", name="Result")
    before, after = 100.00, 100.00 - 5.20 + winnings / 100
    expect(ended).to_contain_text(f"Your money: {before:.2f} play money → {after:.2f} play money")
    expect(page.locator(".felt [data-card]")).to_have_count(0)
    for size in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert violations(page) == [], (size, scheme)
            keep_picture(page, f"vegas-ended-{size['width']}-{scheme}")
    ended.get_by_role("link", name="Play again").click()
    expect(page.locator('input[name="draw"][value="3"]')).to_be_checked()
    expect(page.get_by_role("spinbutton", name="Stake")).to_have_value("5.20")


def test_a_solitaire_is_played_again_with_one_click(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "rematcher")
    player = caller(site, "rematcher")
    first = str(player.post("games/", {"rules": "idle-aces", "config": {"redeals": 0}})["id"])
    player.post(f"games/{first}/seats/", {"client_seed": ""})
    player.post(f"games/{first}/start/", {})
    show(page, first)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Resign").click()
    ended = page.get_by_role("region", name="Result")
    expect(ended.get_by_role("link", name="Replay", exact=True)).to_be_visible()
    expect(ended.get_by_role("link", name="Fairness check")).to_be_visible()
    ended.get_by_role("button", name="Play again").click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.locator(".felt [data-card]").first).to_be_visible()
    second = page.url.rstrip("/").rsplit("/", 1)[-1]
    assert state(player, second)["config"]["redeals"] == 0
