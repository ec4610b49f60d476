"""People who sign up on the pages, and their calls of the API."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Caller, Site, sign_in


def sign_up(page: Page, name: str) -> None:
    """A new player, signed in on this browser. The form itself is for the tests of the account and the staff pages."""
    [address] = re.findall(r"^\w+://[^/]+", page.url)
    sign_in(page.context, address, name, PASSWORD, "signup")
    page.goto(f"{address}/")
    expect(page.get_by_text(f"Signed in as {name}")).to_be_attached()  # on a phone in the menu


def sign_up_by_form(page: Page, name: str) -> None:
    page.goto(re.sub(r"(//[^/]+)/.*", r"\1/sign-in/", page.url))
    page.get_by_role("button", name="No account yet?").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text(f"Signed in as {name}")).to_be_attached()


def open_menu(page: Page) -> None:
    """On a phone the links of the header are a menu."""
    page.get_by_role("button", name="Menu").click()


def caller(site: Site, name: str) -> Caller:
    return site.sign_in(name, PASSWORD)


def open_table_for(page: Page) -> None:
    """On the form of a new table: choose friends as opponents, and open it."""
    page.get_by_role("button", name="Friends", exact=True).click()
    page.get_by_label("Private: only players with the link").uncheck()
    page.get_by_role("button", name="Open table", exact=True).click()


def funded(site: Site, name: str, pence: int) -> Caller:
    """A new player with so much play money."""
    player = site.newcomer(name)
    deposit(site, player, pence)
    return player


def deposit(site: Site, player: Caller, pence: int) -> None:
    body = {"player": player.player, "amount": pence, "currency": "XTS", "reason": "to play with"}
    site.staff("administrator").post("deposits/", body)


def lose_a_stake(player: Caller, cash_in: int = 1040) -> str:
    """A game of Vegas Solitaire with a stake of 5.20, collected at once; its id."""
    session = player.post("play-sessions/", {"amount": cash_in})["id"]
    staked = {"config": {"draw": 3, "stake": 520}, "stake_table": "vegas-classic", "play_session": session}
    return _ended(player, {"rules": "vegas-solitaire", **staked}, "collect")


def resigned(player: Caller) -> str:
    """A game of Idle Aces for points, resigned at once; its id."""
    return _ended(player, {"rules": "idle-aces"}, "resign")


def _ended(player: Caller, terms: dict[str, Any], move: str) -> str:
    game = str(player.post("games/", terms)["id"])
    player.post(f"games/{game}/seats/", {})
    player.post(f"games/{game}/start/", {})
    player.post(f"games/{game}/moves/", {"move": {"type": move}})
    return game
