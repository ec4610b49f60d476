"""Playing Vegas Solitaire in a browser, by whichever hand: what the tests of its table share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Caller, Site
from tests.installation import until

STAKE = 520

Move = dict[str, Any]
Play = Callable[[Page, Move], None]


def collect(page: Page) -> None:
    page.get_by_role("button", name="End game and collect").click()
    page.get_by_role("button", name=re.compile("^Collect")).click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()


def money_agrees(site: Site, player: Caller, game: str, deposit: int) -> None:
    """The wallet and the ledger's own transfers say the same of a game that was collected."""
    outcome = state(player, game)["outcome"]
    assert outcome["winnings"] == 40 * outcome["cards"]
    left = deposit - STAKE + outcome["winnings"]
    accounts = player.get("wallet/")["accounts"]
    assert (accounts["cash"]["total"], accounts["session"]["total"]) == (left, 0)
    moved = """select coalesce(sum(case when account.id = credit_id then amount else -amount end), 0)
        from ledger_account account join ledger_transfer on account.id in (credit_id, debit_id)
        where account.kind = 'player' and account.key = %s and account.purpose = 'cash'"""
    assert site.installed.sql(moved, player.player)[0][0] == left
    escrow = """select coalesce(sum(credits - debits), 0) from ledger_account
        where kind = 'game' and key = %s"""
    assert site.installed.sql(escrow, game)[0][0] == 0
    assert player.get(f"games/{game}/verification/")["ok"]


def board(page: Page) -> Locator:
    return page.locator(".board")


def box(one: Locator) -> dict[str, Any]:
    found = one.bounding_box()
    assert found is not None
    return dict(found)


def settled(page: Page) -> None:
    """Wait until the server's answer is drawn."""
    expect(page.locator(".pace")).to_have_attribute("data-pace", "still")
    expect(page.locator(".flying")).to_have_count(0)


def state(player: Caller, game: str) -> dict[str, Any]:
    return player.get(f"games/{game}/")


def events(player: Caller, game: str) -> list[dict[str, Any]]:
    return list(player.get(f"games/{game}/events/?limit=500")["results"])


def ends(page: Page, move: Move) -> tuple[Locator, Locator]:
    """The card that a move takes, and the pile that it goes to."""
    card = page.locator(f'button[data-pile="{move["from"]}"][data-at]:not([inert])').nth(
        -int(move.get("count", 1))
    )
    to = move["to"]
    if to != "foundation":
        return card, page.locator(f'.pile[data-pile="{to}"]')
    name = card.get_attribute("data-card") or ""
    cells = page.locator('.pile[data-pile^="foundation:"]')
    ids = [str(cells.nth(index).get_attribute("data-pile")) for index in range(4)]
    # An Ace goes to any free cell, such as the first.
    wanted = "foundation:new" if name.startswith("A") else f"foundation:{name[1:2]}"
    return card, cells.nth(next(index for index, one in enumerate(ids) if one.startswith(wanted)))


def is_progress(move: Move) -> bool:
    return move["type"] == "flip" or (move["type"] == "move" and move["to"] == "foundation")


def choose(legal: list[Move]) -> Move | None:
    """The next move of a finite order of play: turn up, to a foundation, off the waste, draw. None at the end."""
    wanted: list[Callable[[Move], bool]] = [
        is_progress,
        lambda move: move["type"] == "move" and move["from"] == "waste",
        lambda move: move["type"] == "draw",
    ]
    return next((move for test in wanted for move in legal if test(move)), None)


def _is_past(player: Caller, game: str, version: int) -> bool:
    return int(state(player, game)["version"]) > version


def play_out(page: Page, player: Caller, game: str, play: Play, most: int) -> list[Move]:
    """Play at most so many moves of a game by `play`, while there is something to be had. The moves."""
    made: list[Move] = []
    while len(made) < most:
        before = state(player, game)
        move = choose(before["legal_moves"])
        if move is None:
            break
        play(page, move)
        until(partial(_is_past, player, game, before["version"]), f"{move} is made")
        settled(page)
        assert state(player, game)["version"] == before["version"] + 1, f"{move} is made once"
        made.append(move)
    return made


def press_pile(page: Page, move: Move) -> Locator:
    """The card that a draw or a turn presses."""
    pile = "stock" if move["type"] == "draw" else f"column:{move['column']}"
    return page.locator(f'button[data-pile="{pile}"]:not([inert])').last
