"""Racing Demons in two browsers: one foundation, two players, and an order that the stream decides."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    Watched,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import caller, sign_up

MOST_TURNS = 40
"""More than a stock has cards: by then each of them has been on the top of the waste."""


def seated(players: tuple[Caller, Caller]) -> str:
    first, second = players
    config = {"turn": 1, "stuck": "end"}
    game = str(first.post("games/", {"rules": "racing-demons", "seats": 2, "config": config})["id"])
    for player in players:
        player.post(f"games/{game}/seats/", {})
    second.post(f"games/{game}/start/", {})
    return game


def to_foundations(legal: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A way onto each of the foundations that the player has a card for, those begun with an Ace among them."""
    return {move["to"]: move for move in reversed(legal) if str(move.get("to")).startswith("foundation")}


def turned_until(player: Caller, game: str, wanted: set[str]) -> dict[str, dict[str, Any]] | None:
    """Turn the stock until the player has a card for one of these foundations; null if it has none."""
    legal = player.get(f"games/{game}/")["legal_moves"]
    for _ in range(MOST_TURNS):
        found = {to: move for to, move in to_foundations(legal).items() if to in wanted}
        if found or {"type": "turn"} not in legal:
            return found or None
        legal = player.post(f"games/{game}/moves/", {"move": {"type": "turn"}})["legal_moves"]
    return None


def contested(players: tuple[Caller, Caller]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A game in which both players have a card for one and the same foundation, and the two moves."""
    first, second = players
    for _ in range(20):
        game = seated(players)
        for player in chain(players, players):
            ace = turned_until(player, game, {"foundation:new"})
            if ace:
                player.post(f"games/{game}/moves/", {"move": ace["foundation:new"]})
        begun = {f"foundation:{index}" for index in range(4 * len(players))}
        mine = turned_until(first, game, begun)
        theirs = turned_until(second, game, set(mine or ()))
        if mine and theirs:
            to = next(iter(theirs))
            return game, mine[to], theirs[to]
    raise AssertionError("twenty deals without two players after one foundation")


def source(page: Page, move: dict[str, Any]) -> Locator:
    return page.locator(f'[data-pile="{move["from"]}"][data-at]').last


def target(page: Page, move: dict[str, Any]) -> Locator:
    return page.locator(f'.pile[data-pile="{move["to"]}"]')


@pytest.mark.both_databases
def test_two_race_for_one_foundation_and_the_loser_gets_the_card_back_and_reads_who_was_first(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    slow, fast = (
        open_page("/", intercepted=True),
        open_page("/", viewport=NARROW, colours="dark", reduced_motion=True, touch=True),
    )
    sign_up(slow, "slow-demon")
    sign_up(fast, "fast-demon")
    players = caller(site, "slow-demon"), caller(site, "fast-demon")
    game, mine, theirs = contested(players)
    spectator = open_page(f"/games/{game}/")
    for page in (slow, fast):
        page.goto(f"{site.address}/games/{game}/")
        expect(page.locator(".board")).to_be_visible()
        assert violations(page) == []
        assert not scrolls_sideways(page)
    keep_picture(slow, "racing-demons")
    keep_picture(fast, "racing-demons-narrow-dark")

    held: list[Route] = []
    slow.route("**/moves/", lambda route: held.append(route), times=1)
    card = str(source(slow, mine).get_attribute("data-card"))
    source(slow, mine).click()
    target(slow, mine).locator("button").last.click()
    expect(target(slow, mine).locator(f'.flying[data-card="{card}"]')).to_be_visible()

    winner = str(source(fast, theirs).get_attribute("data-card"))
    assert winner[:2] == card[:2], "of the same rank and suit, out of different packs"
    source(fast, theirs).tap()
    target(fast, theirs).locator("button").last.tap()
    expect(fast.locator(".pace")).to_have_attribute("data-pace", "still")
    expect(target(fast, theirs).locator(f'[data-card="{winner}"]')).to_be_visible()

    held[0].continue_()
    refused = slow.get_by_role("alert").filter(has_text="was faster")
    expect(refused).to_contain_text("fast-demon was faster, with the")
    expect(source(slow, mine)).to_have_attribute("data-card", card)
    expect(target(slow, mine).locator(f'[data-card="{winner}"]')).to_be_visible()
    expect(target(slow, mine)).to_contain_text("fast-demon")
    watched.expect("409")

    assert {route["to"] for route in (mine, theirs)} == {mine["to"]}
    for page in (slow, fast):
        backs = [back.inner_text() for back in page.get_by_text(re.compile("^back: ")).all()]
        assert len(set(backs)) == len(backs) == 2, "each player's cards have a distinct back with a name"
    expect(spectator.get_by_text("You are watching.")).to_be_visible()
    expect(target(spectator, mine).locator(f'[data-card="{winner}"]')).to_be_visible()

    slow.get_by_role("button", name="I am stuck").click()
    expect(spectator.get_by_text("stuck", exact=True)).to_be_visible()
    fast.get_by_role("button", name="I am stuck").tap()
    for page in (slow, fast, spectator):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
    outcome = players[0].get(f"games/{game}/")["outcome"]
    for seat, (score, part) in enumerate(zip(outcome["scores"], outcome["detail"], strict=True)):
        assert score == part["placed"] - part["demon_left"] + 5 * part["kings"] + (10 if part["out"] else 0)
        text = f"{part['placed']} placed − {part['demon_left']} left in the demon"
        line = spectator.get_by_role("listitem").filter(has_text=f"Seat {seat + 1}: ")
        expect(line).to_contain_text(text)
    keep_picture(slow, "racing-demons-end")
