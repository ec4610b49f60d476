"""Refusals in the reader's language: sign-in, moves with their rule and ground, and money."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.people import PASSWORD, caller
from tests.browser.playing import dealt
from tests.browser.test_vegas_refusals import changed_into
from tests.browser.vegas import Move

GERMAN: list[tuple[str, Move, str, str]] = [
    (
        "stock",
        {"type": "recycle"},
        "Im Stapel liegen noch 24 Karten.",
        "Regel: Der Talon wird nur umgedreht",
    ),
    (
        "stock",
        {"type": "undo"},
        "Der letzte Zug lässt sich nicht zurücknehmen.",
        "Regel: Zurücknehmen lässt sich",
    ),
]
"""The pile that is pressed, the move that is sent instead, and the ground and rule that are shown."""


def refused(page: Page) -> Locator:
    return page.get_by_role("alert").filter(has_text="Zug abgelehnt.")


@pytest.mark.nightly
def test_refusals_are_shown_in_german(site: Site, open_page: Opener, watched: Watched) -> None:
    watched.expect("status of 4(00|01|04|09)")
    page = open_page("/sign-in/", language="de-DE", intercepted=True)
    name, password = page.get_by_label("Name"), page.get_by_label("Passwort")
    do = page.locator("form button.primary")
    name.fill("niemand")
    password.fill("falsch")
    do.click()
    expect(page.get_by_role("alert")).to_have_text("Name oder Passwort stimmt nicht.")
    page.get_by_role("button", name="Noch kein Konto?").click()
    name.fill("deutsch")
    password.fill("12345678")
    do.click()
    expect(page.get_by_role("alert")).to_contain_text("Dieses Passwort ist zu leicht zu erraten")
    password.fill(PASSWORD)
    do.click()
    expect(page.get_by_text("Konto: deutsch")).to_be_visible()

    player, root = caller(site, "deutsch"), site.address
    vegas = dealt(site, "vegas-solitaire", player)
    page.goto(f"{root}/games/{vegas}/")
    expect(page.get_by_role("button", name=re.compile("Kreuz-|Karo-|Herz-|Pik-")).first).to_be_visible()
    sent: list[dict[str, Any]] = []
    last = {"type": "move", "from": "waste", "to": "foundation:new"}
    page.route("**/moves/", changed_into([*(move for _, move, _, _ in GERMAN), last], sent))
    for pile, _, ground, rule in GERMAN:
        page.locator(f'[data-pile="{pile}"][data-at]').click()
        expect(refused(page)).to_contain_text(ground)
        expect(refused(page)).to_contain_text(rule)
        expect(refused(page).locator("[lang]")).to_have_count(0)

    player.post(f"games/{vegas}/moves/", {"move": {"type": "collect"}})
    page.goto(f"{root}/games/{vegas}/audit/")
    for _, _, _, rule in GERMAN:
        recorded = page.get_by_role("row").filter(has_text=rule.removeprefix("Regel: "))
        expect(recorded).to_be_visible()
        expect(recorded.locator("[lang]")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text=GERMAN[0][2])).to_be_visible()

    page.goto(f"{root}/games/{dealt(site, 'racing-demons', player, site.newcomer('deutscher'))}/")
    page.locator('[data-pile="stock"]').first.click()
    expect(refused(page)).to_contain_text("Der Talon ist leer.")
    assert sent[-1]["ground"] == {"key": "waste-empty", "values": {}}

    page.goto(f"{root}/wallet/payouts/")
    page.get_by_label("Betrag").fill("50")
    page.get_by_label("Ziel").fill("Konto")
    page.get_by_role("button", name="Auszahlung anfordern").click()
    expect(page.get_by_role("alert")).to_have_text("Dein verfügbares Guthaben reicht nicht.")

    page.goto(f"{root}/games/00000000-0000-4000-8000-000000000000/")
    expect(page.get_by_role("alert")).to_contain_text("Das gibt es nicht, oder du darfst es nicht sehen.")


COVERED = """(message) => {
  const over = message.getBoundingClientRect();
  const piles = [...document.querySelectorAll(".board [data-pile]")];
  return piles.filter((one) => {
    const box = one.getBoundingClientRect();
    return box.top < over.bottom && box.bottom > over.top && box.left < over.right && box.right > over.left;
  }).map((one) => one.dataset.pile);
}"""
"""The piles that have something of them below a message."""


REFUSED: dict[str, Move] = {
    "vegas-solitaire": {"type": "recycle"},
    "idle-aces": {"type": "redeal"},
    "racing-demons": {"type": "move", "from": "waste", "to": "work:0"},
}
"""The games, each with a move that is refused after the deal."""


@pytest.mark.parametrize(
    "rules",
    [pytest.param(rules, marks=() if rules == "idle-aces" else pytest.mark.nightly) for rules in REFUSED],
)
def test_a_refusal_covers_no_pile_of_the_narrowest_phone(
    site: Site, open_page: Opener, watched: Watched, rules: str
) -> None:
    watched.expect("status of 40[09]")
    name = f"narrow-{rules}"
    game = dealt(site, rules, site.newcomer(name), site.newcomer(f"{name}-rival"))
    narrowest = {"width": 320, "height": 640}
    page = open_page(f"/games/{game}/", user=name, viewport=narrowest, intercepted=True)
    page.route("**/moves/", changed_into([REFUSED[rules]], []))
    page.locator('[data-pile="stock"][data-at]').first.click()
    refusal = page.get_by_role("alert").filter(has_text="Move refused.")
    expect(refusal).to_contain_text("Rule:")
    assert refusal.evaluate(COVERED) == []
