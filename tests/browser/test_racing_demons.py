"""Racing Demons in two browsers: one foundation, two players, and an order that the stream decides."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    Watched,
    scrolls_sideways,
    violations,
)
from tests.browser.playing import dealt

UNTIL_STUCK = {"turn": 1, "stuck": "end"}


def seated(players: tuple[Caller, Caller], **stake: Any) -> str:
    first, second = players
    terms = {"rules": "racing-demons", "seats": 2, "config": UNTIL_STUCK, **stake}
    game = str(first.post("games/", terms)["id"])
    for player in players:
        player.post(f"games/{game}/seats/", {})
    second.post(f"games/{game}/start/", {})
    return game


ACE: dict[str, Any] = {"type": "move", "from": "work:0", "to": "foundation:new"}
MINE: dict[str, Any] = {"type": "move", "from": "work:2", "to": "foundation:0"}
THEIRS: dict[str, Any] = {"type": "move", "from": "work:1", "to": "foundation:0"}
CONTESTED = 191
"""A server seed of a deal in which, once the first player has begun a foundation, both have the next card for it."""


def source(page: Page, move: dict[str, Any]) -> Locator:
    return page.locator(f'[data-pile="{move["from"]}"][data-at]').last


def target(page: Page, move: dict[str, Any]) -> Locator:
    return page.locator(f'.pile[data-pile="{move["to"]}"]')


def test_two_race_for_one_foundation_and_the_loser_gets_the_card_back_and_reads_who_was_first(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    players = site.newcomer("slow-demon"), site.newcomer("fast-demon")
    game = dealt(site, "racing-demons", *players, seed=CONTESTED, config=UNTIL_STUCK)
    players[0].post(f"games/{game}/moves/", {"move": ACE})
    mine, theirs = MINE, THEIRS
    slow = open_page(f"/games/{game}/", user="slow-demon", intercepted=True)
    look = {"viewport": NARROW, "colours": "dark", "reduced_motion": True, "touch": True}
    fast = open_page(f"/games/{game}/", user="fast-demon", **look)
    spectator = open_page(f"/games/{game}/")
    for page in (slow, fast):
        expect(page.locator(".board")).to_be_visible()
        assert violations(page) == []
        assert not scrolls_sideways(page)

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

    for page in (slow, fast):
        backs = [back.inner_text() for back in page.get_by_text(re.compile("^back: ")).all()]
        assert len(set(backs)) == len(backs) == 2, "each player's cards have a distinct back with a name"
    expect(spectator.get_by_text("You are watching.")).to_be_visible()
    expect(target(spectator, mine).locator(f'[data-card="{winner}"]')).to_be_visible()


def test_a_round_ends_when_all_are_stuck_and_the_points_are_explained(site: Site, open_page: Opener) -> None:
    players = site.newcomer("stuck-demon"), site.newcomer("stuck-too")
    game = dealt(site, "racing-demons", *players, seed=CONTESTED, config=UNTIL_STUCK)
    players[0].post(f"games/{game}/moves/", {"move": ACE})
    first, second = (open_page(f"/games/{game}/", user=name) for name in ("stuck-demon", "stuck-too"))
    spectator = open_page(f"/games/{game}/")
    expect(spectator.get_by_text("You are watching.")).to_be_visible()
    first.get_by_role("button", name="I am stuck").click()
    expect(spectator.get_by_text("stuck", exact=True)).to_be_visible()
    second.get_by_role("button", name="I am stuck").click()
    for page in (first, second, spectator):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
    outcome = players[0].get(f"games/{game}/")["outcome"]
    for seat, (score, part) in enumerate(zip(outcome["scores"], outcome["detail"], strict=True)):
        assert score == part["placed"] - part["demon_left"] + 5 * part["kings"] + (10 if part["out"] else 0)
        text = f"{part['placed']} placed − {part['demon_left']} left in the demon"
        line = spectator.get_by_role("listitem").filter(has_text=f"Seat {seat + 1}: ")
        expect(line).to_contain_text(text)


LATENCIES = """() => {
  window.latencies = [];
  const shown = document.querySelector(".latency");
  const note = () => window.latencies.push(parseInt(shown.textContent));
  new MutationObserver(note).observe(shown, { characterData: true, childList: true, subtree: true });
}"""
"""From now on, record the times that are shown to a player, in milliseconds."""
MARKED = 150
"""Milliseconds after which a move that is not answered is marked."""


def test_a_countdown_precedes_the_deal_and_players_see_how_long_the_server_takes(
    site: Site, open_page: Opener
) -> None:
    players = site.newcomer("far-away"), site.newcomer("near-by")
    game = str(players[0].post("games/", {"rules": "racing-demons", "seats": 2})["id"])
    for player in players:
        player.post(f"games/{game}/seats/", {})
    page = open_page(f"/games/{game}/", user="far-away", intercepted=True)
    page.get_by_role("button", name="Deal", exact=True).click()
    expect(page.get_by_role("heading", name="Get ready")).to_be_visible()
    expect(page.get_by_role("timer")).to_have_text(re.compile("^[123]$"))
    assert page.locator("[data-card]").count() == 0
    expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()

    shown = page.get_by_title("Time that the server took for its last answer")
    expect(shown).to_have_text(re.compile(r"^\d+ ms$"))
    page.evaluate(LATENCIES)
    held: list[Route] = []
    page.route("**/moves/", lambda route: held.append(route), times=1)
    page.locator('[data-pile="stock"] button').last.click()
    expect(page.get_by_text("Sending …")).to_be_visible()
    held[0].continue_()
    page.wait_for_function("least => window.latencies.some((one) => one >= least)", arg=MARKED)
