"""A rematch of Racing Demons: one table for both players, offered in the result, with a countdown before the deal."""

from __future__ import annotations

import random
import re
import time
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    Watched,
    scrolls_sideways,
    violations,
)
from tests.browser.people import funded
from tests.browser.playing import play
from tests.browser.test_racing_demons import seated
from tests.browser.visiting import inputs_of

GAME = re.compile(r"/games/([0-9a-f-]{36})/$")


def pauses(page: Page, game: str, loads: int) -> bool:
    """Whether a page takes over two seconds to load the game so often, at the latest at the third try.

    What has just happened is loaded at once, several times. A page that loads in a loop never pauses.
    """

    def is_load(answer: Response) -> bool:
        return answer.request.method == "GET" and answer.url.endswith(f"/games/{game}/")

    def seconds() -> float:
        began = time.monotonic()
        for _ in range(loads):
            page.wait_for_event("response", is_load)
        return time.monotonic() - began

    return any(seconds() > 2 for _ in range(3))


def shown_game(page: Page) -> str:
    found = GAME.search(page.url)
    assert found is not None
    return found[1]


def stuck(players: tuple[Caller, Caller], **stake: Any) -> str:
    """A game of Racing Demons that its players have ended."""
    game = seated(players, **stake)
    for player in players:
        player.post(f"games/{game}/moves/", {"move": {"type": "stuck"}})
    return game


def test_two_players_meet_again_at_one_table(site: Site, open_page: Opener) -> None:
    players = site.newcomer("again"), site.newcomer("again-too")
    game = stuck(players)
    first = open_page(f"/games/{game}/", user="again")
    second = open_page(f"/games/{game}/", user="again-too", viewport=NARROW, colours="dark")

    first.get_by_role("button", name="Rematch").click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    expect(second.get_by_text("A rematch is offered.")).to_be_visible()
    assert violations(second) == []
    assert not scrolls_sideways(second)
    second.get_by_role("button", name="Join").click()
    for page in (first, second):
        expect(page.get_by_role("heading", name="Get ready")).to_be_visible()
        expect(page.get_by_role("timer")).to_have_text(re.compile("^[123]$"))
        assert page.locator("[data-card]").count() == 0
    for page in (first, second):
        expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()
    assert shown_game(first) == shown_game(second) != game
    assert players[0].get(f"games/{game}/")["rematch"] == shown_game(first)


def test_a_staked_rematch_is_paid_by_each_player_who_confirms_it(site: Site, open_page: Opener) -> None:
    players = funded(site, "again-paid", 2000), funded(site, "again-paid-too", 2000)
    game = stuck(players, stake_table="racing-demons-table", buy_in=500)
    first = open_page(f"/games/{game}/", user="again-paid")
    second = open_page(f"/games/{game}/", user="again-paid-too", viewport=NARROW, colours="dark")
    before = [cash(player) for player in players]

    count = inputs_of(first)
    first.get_by_role("button", name="Rematch").click()
    asking = first.get_by_role("dialog", name="Sit down and pay 5.00 play money from your balance?")
    expect(asking).to_be_visible()
    assert violations(first) == []
    assert cash(players[0]) == before[0]
    asking.get_by_role("button", name="Yes", exact=True).click()
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    assert count() == 2
    expect(second.get_by_text("A rematch is offered.")).to_be_visible()
    assert [cash(player) for player in players] == [before[0] - 500, before[1]]
    second.get_by_role("button", name="Join").click()
    second.get_by_role("button", name="Yes", exact=True).click()
    for page in (first, second):
        expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()
    assert [cash(player) for player in players] == [before[0] - 500, before[1] - 500]
    assert shown_game(first) == shown_game(second) != game


def cash(player: Caller) -> int:
    return int(player.get("wallet/")["accounts"]["cash"]["available"])


def test_a_match_continues_with_its_next_deal_and_has_a_rematch(site: Site, open_page: Opener) -> None:
    players = [site.newcomer("match-again"), site.newcomer("match-rival")]
    match = players[0].post("matches/", {"rules": "ace-race", "config": {}, "seats": 2, "deals": 2})
    first = str(match["game"])
    for player in players:
        player.post(f"games/{first}/seats/", {})
    players[0].post(f"games/{first}/start/", {})
    page = open_page(f"/games/{first}/", user="match-again")
    expect(page.locator("[data-card]").first).to_be_visible()
    to_the_end(site, first, players)
    expect(page.get_by_text("The next deal of the match follows.")).to_be_visible()
    site.installed.run("-c", NEXT_DEAL, first)
    page.get_by_role("link", name="Next deal").click()
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_text("Waiting for 1 more player.")).to_be_visible()
    second = shown_game(page)
    assert second != first
    players[1].post(f"games/{second}/seats/", {})
    expect(page.locator("[data-card]").first).to_be_visible()
    to_the_end(site, second, players)
    site.installed.run("-c", NEXT_DEAL, second)
    page.get_by_role("button", name="Rematch").click()
    expect(page.get_by_text("Waiting for 1 more player.")).to_be_visible()
    again = players[0].get(f"games/{shown_game(page)}/")
    assert (again["match"]["number"], again["match"]["id"] != match["id"]) == (1, True)


@pytest.mark.nightly
def test_an_invited_spectator_follows_a_private_match(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    site.newcomer("match-guest")
    page = open_page("/", user="match-guest", viewport=NARROW, intercepted=True)
    players = [site.newcomer("match-host"), site.newcomer("match-private-rival")]
    terms = {"rules": "ace-race", "config": {}, "seats": 2, "deals": 2, "private": True}
    match = players[0].post("matches/", terms)
    first, invited = str(match["game"]), f"?invite={match['invite']}"
    for player in players:
        player.post(f"games/{first}/seats/", {"invite": match["invite"]})
    players[0].post(f"games/{first}/start/", {})
    to_the_end(site, first, players)

    a_match = re.compile(r"/api/v1/matches/")
    page.route(a_match, lambda route: route.fulfill(status=404, json={"code": "not-found"}))
    watched.expect("404")
    page.goto(f"{site.address}/games/{first}/{invited}")
    expect(page.get_by_role("link", name="Play again")).to_be_visible()
    page.unroute(a_match)
    expect(page.get_by_text("The next deal of the match follows.")).to_be_visible()
    site.installed.run("-c", NEXT_DEAL, first)
    page.get_by_role("link", name="Next deal").click()
    second = players[0].get(f"matches/{match['id']}/")["game"]
    expect(page).to_have_url(f"{site.address}/games/{second}/{invited}")
    expect(page.get_by_text("Waiting for 2 more players.")).to_be_visible()


PLAY_OUT = """
import django; django.setup()
import sys
from uuid import UUID
from django.utils import timezone
from games import services, state
game = UUID(sys.argv[-1])
while not state.load(game)[1].ended:
    services.expire_game(game_id=game, now=timezone.now())
"""
NEXT_DEAL = """
import django; django.setup()
import sys
from uuid import UUID
from django.utils import timezone
from games.matches.services import open_next_deal
open_next_deal(game_id=UUID(sys.argv[-1]), now=timezone.now())
"""
"""What the worker does; in its place, when the page has shown the state before."""


def to_the_end(site: Site, game: str, players: list[Caller]) -> None:
    """Make a move of a player, without which the match would end, and let the server play the others."""
    play(game, players, 1, random.Random(1))
    site.installed.run("-c", PLAY_OUT, game)


@pytest.mark.nightly
def test_a_page_that_waits_for_others_asks_at_intervals(site: Site, open_page: Opener) -> None:
    game = stuck((site.newcomer("patient"), site.newcomer("leaving")))
    first, second = (open_page(f"/games/{game}/", user=name) for name in ("patient", "leaving"))
    expect(first.get_by_role("heading", name="Result")).to_be_visible()
    assert pauses(first, game, loads=3)  # one every 3 s

    first.get_by_role("button", name="Rematch").click()
    second.get_by_role("button", name="Join").click()
    expect(second.get_by_role("heading", name="Get ready")).to_be_visible()
    again = shown_game(second)
    second.goto("about:blank")  # the deal waits for the player who has left
    expect(first.get_by_role("heading", name="Waiting for leaving")).to_be_visible()
    assert pauses(first, again, loads=6)  # one every 0.5 s
    second.goto(f"{site.address}/games/{again}/")
    for page in (first, second):
        expect(page.locator('.pile[data-pile="demon"] [data-card]')).to_be_visible()
