"""A game of each kind, one player of which has a page, and its next moves, over REST or by clicks on the page."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser import ace_race, vegas
from tests.browser.conftest import Caller, Opener, Site
from tests.browser.people import funded

Move = dict[str, Any]

TERMS: dict[str, dict[str, Any]] = {
    "vegas-solitaire": {"config": {"draw": 3, "stake": 0}},
    "idle-aces": {"config": {}},
    "ace-race": {"config": {}, "seats": 2},
    "racing-demons": {"config": {"pace": "turns"}, "seats": 2},
    "racing-aces": {"config": {}, "seats": 0},
}

DEPOSIT = 10_000
"""Pence that a player who stakes has at first."""
SEED = 3
"""The number of a server seed. From it, Vegas Solitaire begins with an Ace in sight, and moves of every kind follow."""

CREATE = """
import django; django.setup()
import json, sys
from django.utils import timezone
from accounts.models import Player
from games import services
from ledger.models import StakeTable
creator, seed, terms = json.loads(sys.argv[-1])
if "stake_table" in terms:
    terms["stake_table"] = StakeTable.objects.get(slug=terms["stake_table"])
creator, seed = Player.objects.get(pk=creator), seed.to_bytes(32, "big")
print(services.create_game(creator=creator, server_seed=seed, now=timezone.now(), **terms).pk)
"""
"""The API permits no choice of the server seed."""


def dealt(
    site: Site, rules: str, *players: Caller, seed: int = SEED, client_seed: str = "", **terms: Any
) -> str:
    """A game that has just been dealt, always the same cards; its id. The first of the players has opened it."""
    terms = {"rules": rules, **TERMS.get(rules, {}), **terms}
    created = json.dumps([players[0].player, seed, {"seats": 1, **terms}])
    game = site.installed.run("-c", CREATE, created).stdout.split()[-1]
    for player in players[: terms.get("seats", 1)]:
        player.post(f"games/{game}/seats/", {"client_seed": client_seed})
    players[0].post(f"games/{game}/start/", {})
    return game


def solitaire(
    site: Site, open_page: Opener, name: str, draw: int = 3, *, stake: int = 0, **options: Any
) -> tuple[Page, Caller, str]:
    """A new player's page with a table of Vegas Solitaire, the player, and the game. The options are the page's."""
    player = funded(site, name, DEPOSIT) if stake else site.newcomer(name)
    terms = {"stake_table": "vegas-classic"} if stake else {}
    game = dealt(site, "vegas-solitaire", player, config={"draw": draw, "stake": stake}, **terms)
    page = open_page(f"/games/{game}/", user=name, **options)
    expect(page.locator(".board [data-card]").first).to_be_visible()
    return page, player, game


def started(player: Caller, terms: dict[str, Any]) -> str:
    """A game of one player that has been dealt by chance; its id."""
    game = str(player.post("games/", terms)["id"])
    player.post(f"games/{game}/seats/", {"client_seed": ""})
    player.post(f"games/{game}/start/", {})
    return game


def play(game: str, players: Sequence[Caller], turns: int, rng: random.Random) -> int:
    """Make at most so many moves, of the players who have one, and return their number."""
    for made in range(turns):
        found = next_move(game, players, rng)
        if found is None:
            return made
        player, move = found
        player.post(f"games/{game}/moves/", {"move": move})
    return turns


def next_move(game: str, players: Sequence[Caller], rng: random.Random) -> tuple[Caller, Move] | None:
    """The first of the players with a move that continues the game, and the move."""
    for player in players:
        state = player.get(f"games/{game}/")
        move = _choose(state, player, game, rng) if state["legal_moves"] else None
        if move is not None:
            return player, move
    return None


def click(page: Page, rules: str, move: Move) -> None:
    """Make a move by the mouse, as a player does."""
    if rules == "ace-race":
        ace_race.make(page, move)
    elif rules == "racing-aces":
        page.get_by_role("button", name="Draw", exact=True).click()
    elif move["type"] == "pass":
        page.get_by_role("button", name="Pass", exact=True).click()
    elif "from" not in move:
        pile = f"column:{move['column']}" if move["type"] == "flip" else "stock"
        page.locator(f'button[data-pile="{pile}"]:not([inert])').last.click()
    else:
        card, pile = ends(page, rules, move)
        card.click(position=CORNER)  # of a fan, which covers the rest
        pile.locator("button:not([inert])").last.click(position=CORNER)


CORNER = {"x": 12, "y": 7}


def ends(page: Page, rules: str, move: Move) -> tuple[Locator, Locator]:
    """The card that a move takes, and the pile that it goes to."""
    if rules == "vegas-solitaire":
        return vegas.ends(page, move)
    card = page.locator(f'button[data-pile="{move["from"]}"][data-at]:not([inert])').nth(
        -int(move.get("count", 1))
    )
    if move["to"] == "aces":  # the first free cell
        return card, page.locator('.pile[data-pile^="aces:"]:has(> .empty)').first
    return card, page.locator(f'.pile[data-pile="{move["to"]}"]')


def _choose(state: dict[str, Any], player: Caller, game: str, rng: random.Random) -> Move | None:
    """A move that continues the game; none if all that is left ends the game."""
    legal = state["legal_moves"]
    if state["rules"] == "ace-race":
        return ace_race.steady(player, game, rng)
    if state["rules"] == "vegas-solitaire":
        return vegas.choose(legal) or next((move for move in legal if move["type"] == "recycle"), None)
    going_on = [move for move in legal if move["type"] not in {"resign", "stuck", "pass"}]
    placed = [move for move in going_on if move["type"] == "move"]
    passes = [move for move in legal if move["type"] == "pass"]
    return rng.choice(placed or going_on or passes) if placed or going_on or passes else None
