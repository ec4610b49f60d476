"""Refusals in the reader's language: sign-in, moves with their rule and ground, and money."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Caller, Opener, Site, Watched, keep_picture
from tests.browser.people import PASSWORD, caller, sign_up
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


def dealt(player: Caller, rules: str, config: dict[str, Any], seats: int = 1) -> str:
    bots = [{"seat": seat, "bot": "steady"} for seat in range(1, seats)]
    game = str(player.post("games/", {"rules": rules, "config": config, "seats": seats, "bots": bots})["id"])
    player.post(f"games/{game}/seats/", {"client_seed": ""})
    player.post(f"games/{game}/start/", {})
    return game


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

    player = caller(site, "deutsch")
    root = re.sub(r"(//[^/]+)/.*", r"\1", page.url)
    vegas = dealt(player, "vegas-solitaire", {"draw": 3, "stake": 0})
    page.goto(f"{root}/games/{vegas}/")
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
    keep_picture(page, "refused-moves-in-german")

    page.goto(f"{root}/games/{dealt(player, 'racing-demons', {'pace': 'turns'}, seats=2)}/")
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


def test_a_refusal_covers_no_pile_of_the_narrowest_phone(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    watched.expect("status of 40[09]")
    page = open_page("/", viewport={"width": 320, "height": 640}, intercepted=True)
    sign_up(page, "narrow")
    player = caller(site, "narrow")
    # The games, each with a move that is refused whatever was dealt.
    games: list[tuple[str, dict[str, Any], int, Move]] = [
        ("vegas-solitaire", {"draw": 3, "stake": 0}, 1, {"type": "recycle"}),
        ("idle-aces", {}, 1, {"type": "redeal"}),
        ("racing-demons", {"pace": "turns"}, 2, {"type": "move", "from": "waste", "to": "work:0"}),
    ]
    page.route("**/moves/", changed_into([move for *_, move in games], []))
    for rules, config, seats, _ in games:
        page.goto(f"{site.address}/games/{dealt(player, rules, config, seats)}/")
        page.locator('[data-pile="stock"][data-at]').first.click()
        refusal = page.get_by_role("alert").filter(has_text="Move refused.")
        expect(refusal).to_contain_text("Rule:")
        assert refusal.evaluate(COVERED) == [], rules
        keep_picture(page, f"refused-narrow-{rules}")
