"""Ace Race played through the page: any legal move made by what the page offers for it."""

from __future__ import annotations

import random
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from games.bots import get
from games.bots.protocol import Observation
from tests.browser.conftest import Caller

Move = dict[str, Any]

SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
VALUES = dict(
    zip(
        "A23456789TJQK",
        [
            "ace",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "jack",
            "queen",
            "king",
        ],
        strict=True,
    )
)
RULES = {
    "multiples": "multiples:",
    "series": "series:",
    "high": "high cards:",
    "medium": "medium cards:",
    "low": "low cards:",
    "prime": "prime numbers:",
    "above-below": "above and below:",
}
RULES |= {f"suits {suit}": f"cards of {name}" for suit, name in SUITS.items()}
"""How the text of each rule begins."""


def actions(page: Page) -> Locator:
    return page.get_by_role("group", name="Your moves")


def steady(player: Caller, game: str, rng: random.Random) -> Move:
    """The move of the `steady` bot in the player's place."""
    shown = player.get(f"games/{game}/")
    observation = Observation(shown["view"], shown["legal_moves"], shown["config"], shown["seat"])
    return get("ace-race", "steady").choose(observation, rng)


def make(page: Page, move: Move) -> None:
    """Make a legal move by mouse, whatever is selected on the page."""
    {"bid": _bid, "rule": _name_rule, "give": _give, "play": _play}.get(move["type"], _press)(page, move)


def _press(page: Page, move: Move) -> None:
    names = {"pass": "Pass", "draw": "Draw a card", "decline": "Give nothing away"}
    actions(page).get_by_role("button", name=names[move["type"]], exact=True).click()


def _bid(page: Page, move: Move) -> None:
    shown = actions(page).get_by_role("spinbutton", name="Your bid")
    more = actions(page).get_by_role("button", name="Bid more")
    while int(shown.input_value()) < move["cards"]:
        more.click()
    actions(page).get_by_role("button", name=re.compile("^Bid [0-9]")).click()


def _choose_rule(page: Page, rule: Move) -> None:
    key = f"suits {rule['suit']}" if "suit" in rule else rule["name"]
    actions(page).get_by_role("radio", name=re.compile(f"^{RULES[key]}", re.IGNORECASE)).check()


def _name_rule(page: Page, move: Move) -> None:
    _choose_rule(page, move["rule"])
    actions(page).get_by_role("button", name="Name this rule").click()


def choose(page: Page, *cards: str) -> None:
    """These cards of the hand, and no others."""
    again = actions(page).get_by_role("button", name="Clear selection")
    if again.is_visible():
        again.click()
    for card in cards:
        held = page.locator(f'button[data-card="{card}"]')
        held.click()
        expect(held).to_have_attribute("aria-pressed", "true")


def _give(page: Page, move: Move) -> None:
    choose(page, *(gift["card"] for gift in move["gifts"]))
    for gift in move["gifts"]:
        actions(page).get_by_label(f"{spoken(gift['card'])} to").select_option(str(gift["to"]))
    actions(page).get_by_role("button", name="Give away").click()


def _play(page: Page, move: Move) -> None:
    choose(page, *move["cards"], *([move["joker"]] if "joker" in move else []))
    if "rule" in move:
        _choose_rule(page, move["rule"])
        actions(page).get_by_role("button", name="Play the ace with this rule").click()
    elif "direction" in move:
        actions(page).get_by_role("button", name=re.compile(f"next must be {move['direction']}")).click()
    else:
        offered = actions(page).get_by_role("button", name=re.compile("^Play"))
        top = offered.filter(has_text=f"{spoken(move['cards'][-1])} on top")
        (offered if offered.count() == 1 else top).click()


def spoken(card: str) -> str:
    return f"{VALUES[card[0]]} of {SUITS[card[1]]}"


def settled(page: Page) -> None:
    expect(page.locator(".pace")).to_have_attribute("data-pace", "still")
