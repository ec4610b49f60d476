"""Tournaments that stories make over REST, and play without a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpx

from tests.browser.conftest import Caller, Site
from tests.browser.people import funded
from tests.installation import until

VEGAS = {"format": "duplicate", "rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}}
FEE = 500
FUNDS = 10_000


def held(site: Site, **terms: Any) -> str:
    """A published tournament; its id."""
    organizer = site.staff("organizer")
    made = organizer.post("tournaments/", terms)
    organizer.post(f"tournaments/{made['id']}/publish/", {})
    return str(made["id"])


def entered(site: Site, tournament: str, names: Iterable[str]) -> list[Caller]:
    """New players, with money for the fee, who have entered the tournament in this order."""
    names = tuple(names)
    players = [funded(site, name, FUNDS) for name in names]
    for player, name in zip(players, names, strict=True):
        player.post(f"tournaments/{tournament}/entries/", {"client_seed": f"seed of {name}"})
    return players


def in_round(site: Site, tournament: str, number: int = 1) -> None:
    organizer = site.staff("organizer")
    if number == 1:
        organizer.post(f"tournaments/{tournament}/start/", {})
    until(lambda: organizer.get(f"tournaments/{tournament}/")["round"] == number, f"round {number}")


def finished(site: Site, tournament: str) -> None:
    organizer = site.staff("organizer")
    until(lambda: organizer.get(f"tournaments/{tournament}/")["status"] == "finished", "the end")


def leave(player: Caller, tournament: str) -> None:
    address = f"{player.address}/api/v1/tournaments/{tournament}/entries/"
    httpx.delete(address, headers={"Authorization": f"Bearer {player.token}"}, timeout=30).raise_for_status()


def cash(player: Caller) -> int:
    return int(player.get("wallet/")["accounts"]["cash"]["available"])


def own_game(player: Caller, tournament: str, round: int) -> str:
    """Where the player sits in a round, once that is dealt."""

    def found() -> str | None:
        games = player.get(f"tournaments/{tournament}/")["entry"]["games"]
        return next((str(one["game"]) for one in games if one["round"] == round), None)

    return str(until(found, f"the table of round {round}"))


def collect(player: Caller, tournament: str, round: int = 1) -> None:
    """End the player's game of Vegas Solitaire in a round at once: all who do it have the same score."""
    game = own_game(player, tournament, round)
    player.post(f"games/{game}/moves/", {"move": {"type": "collect"}})


def played(site: Site, tournament: str, players: Iterable[Caller]) -> None:
    """Start a tournament of one round, and play it to its end: a tie of all."""
    in_round(site, tournament)
    for player in players:
        collect(player, tournament)
    finished(site, tournament)
