"""Playing at a table in a real browser: by keyboard, mouse and drag, each move once, every refusal shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    NARROW,
    WIDE,
    Caller,
    Opener,
    Site,
    Watched,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import PASSWORD, caller, open_table_for, sign_up
from tests.browser.vegas import ends, settled


def deal(page: Page, slug: str, **choices: str) -> str:
    """By the form; the id of the game."""
    page.goto(re.sub(r"(//[^/]+)/.*", rf"\1/new/{slug}/", page.url))
    for name, value in choices.items():
        page.locator(f'input[name="{name}"][value="{value}"]').check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).to_have_url(re.compile("/games/"))
    return page.url.rstrip("/").rsplit("/", 1)[-1]


def board(page: Page) -> Locator:
    return page.locator(".board")


def version(player: Caller, game: str) -> int:
    return int(player.get(f"games/{game}/")["version"])


def events(player: Caller, game: str) -> list[dict[str, Any]]:
    return list(player.get(f"games/{game}/events/?limit=200")["results"])


def test_a_staked_vegas_game_by_keyboard_alone_from_the_stake_to_collect(
    site: Site, open_page: Opener
) -> None:
    page = open_page("/")
    sign_up(page, "keys")
    player = caller(site, "keys")
    site.staff("administrator").post(
        "deposits/", {"player": player.player, "amount": 10_000, "currency": "XTS", "reason": "to play with"}
    )
    page.goto(f"{site.address}/new/vegas-solitaire/")
    dealing = page.get_by_role("button", name="Play", exact=True)
    page.locator('input[name="draw"][value="1"]').focus()
    page.keyboard.press("Space")
    stake = page.get_by_role("spinbutton", name="Stake")
    expect(stake).to_have_value("5.20")
    stake.fill("5")
    expect(page.get_by_text("enter 4.16 play money or 5.20 play money")).to_be_visible()
    expect(stake).to_have_attribute("aria-invalid", "true")
    expect(dealing).to_be_disabled()
    stake.fill("4.16")
    page.keyboard.press("ArrowUp")
    expect(stake).to_have_value("5.20")
    expect(page.get_by_role("status").filter(has_text="5.20")).to_be_visible()
    expect(page.get_by_text("Your balance: 100.00 play money → 94.80 play money.")).to_be_visible()
    expect(dealing).to_be_enabled()
    dealing.focus()
    page.keyboard.press("Enter")
    expect(board(page)).to_be_visible()
    game = page.url.rstrip("/").rsplit("/", 1)[-1]
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 10_000 - 520

    board(page).get_by_role("button").first.focus()
    for drawn in range(1, 25):
        page.keyboard.press("s")
        expect(page.get_by_text(re.compile(rf"^{24 - drawn} cards? left$"))).to_be_visible()
        page.keyboard.press("f")
        page.wait_for_timeout(60)  # long enough that a move that was sent is under way
        settled(page)
    expect(page.locator('[data-pile="stock"]').get_by_text("✕")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('.board') !== null"), "the focus stays at the table"
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="Collect")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()

    outcome = player.get(f"games/{game}/")["outcome"]
    assert outcome["winnings"] == 40 * outcome["cards"]
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 10_000 - 520 + outcome["winnings"]
    assert player.get(f"games/{game}/verification/")["ok"]


def movable(player: Caller, game: str) -> dict[str, Any] | None:
    legal = player.get(f"games/{game}/")["legal_moves"]
    wanted = [
        move for move in legal if move["type"] == "move" and move["from"].startswith(("column", "waste"))
    ]
    return wanted[0] if wanted else None


def until_movable(page: Page, player: Caller, slug: str, **choices: str) -> tuple[str, dict[str, Any]]:
    """A game whose deal leaves a card to be moved."""
    for _ in range(20):
        game = deal(page, slug, **choices)
        if move := movable(player, game):
            return game, move
    raise AssertionError("twenty deals without a move")


def test_a_card_is_moved_by_taking_and_laying_down_by_dragging_and_taken_back(
    site: Site, open_page: Opener
) -> None:
    page = open_page("/")
    sign_up(page, "dragger")
    player = caller(site, "dragger")
    game, move = until_movable(page, player, "vegas-solitaire", draw="3")
    expect(board(page)).to_be_visible()
    before = version(player, game)
    card, pile = ends(page, move)
    name = card.get_attribute("data-card")
    card.click()
    expect(pile).to_have_class(re.compile("target"))
    pile.locator("button").last.click()
    expect(pile.locator(f'[data-card="{name}"]')).to_be_visible()
    settled(page)
    assert version(player, game) == before + 1

    game, move = until_movable(page, player, "vegas-solitaire", draw="3")
    expect(board(page)).to_be_visible()
    before = version(player, game)
    card, pile = ends(page, move)
    name = card.get_attribute("data-card")
    here, there = card.bounding_box(), pile.bounding_box()
    assert here is not None
    assert there is not None
    page.mouse.move(here["x"] + 20, here["y"] + 10)
    page.mouse.down()
    page.mouse.move(here["x"] + 40, here["y"] + 40, steps=4)
    expect(page.locator(".ghost").first).to_be_visible()
    page.mouse.move(there["x"] + 20, there["y"] + 20, steps=6)
    page.mouse.up()
    expect(pile.locator(f'[data-card="{name}"]')).to_be_visible()
    expect(page.locator(".ghost")).to_have_count(0)
    settled(page)
    assert version(player, game) == before + 1

    undo = page.get_by_role("button", name="Undo")
    page.locator('[data-pile="stock"] button').click()
    expect(page.get_by_text("21 cards left")).to_be_visible()
    expect(undo).to_be_enabled()
    undo.click()
    expect(page.get_by_text("24 cards left")).to_be_visible()
    expect(undo).to_be_disabled()
    expect(page.get_by_text("You have just undone a move")).to_be_visible()


def test_a_storm_of_clicks_makes_no_move_that_was_not_meant(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "stormy")
    player = caller(site, "stormy")
    game = deal(page, "vegas-solitaire", draw="3")
    expect(page.get_by_text("24 cards left")).to_be_visible()
    before = version(player, game)
    page.evaluate(
        "() => { for (let n = 0; n < 40; n += 1) document.querySelector('[data-pile=stock] button').click(); }"
    )
    expect(page.get_by_text("21 cards left")).to_be_visible()
    settled(page)
    assert version(player, game) == before + 1


def test_a_refused_move_is_shown_and_changes_nothing(site: Site, open_page: Opener, watched: Watched) -> None:
    page = open_page("/", intercepted=True)
    sign_up(page, "behind")
    player = caller(site, "behind")
    game = deal(page, "vegas-solitaire", draw="3")
    expect(page.get_by_text("24 cards left")).to_be_visible()

    def meanwhile(route: Any) -> None:
        """A program with the same account moves first."""
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
        route.continue_()

    page.route("**/moves/", meanwhile, times=1)
    page.locator('[data-pile="stock"] button').click()
    refused = page.get_by_role("alert").filter(has_text="Move refused.")
    expect(refused).to_be_visible()
    expect(page.get_by_text("21 cards left")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.pile") == "stock", "the focus stays where it was"
    assert [event["type"] for event in events(player, game)].count("draw") == 1
    watched.expect("412")


def test_a_lost_answer_is_requested_again_and_the_move_made_once(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page = open_page("/", intercepted=True)
    sign_up(page, "lossy")
    player = caller(site, "lossy")
    game = deal(page, "vegas-solitaire", draw="3")
    expect(page.get_by_text("24 cards left")).to_be_visible()

    def lose(route: Any) -> None:
        route.fetch()
        route.abort("connectionreset")

    page.route("**/moves/", lose, times=1)
    page.locator('[data-pile="stock"] button').click()
    expect(page.get_by_text("21 cards left")).to_be_visible()
    assert [event["type"] for event in events(player, game)].count("draw") == 1
    watched.expect("ERR_CONNECTION_RESET")


def test_two_browsers_at_one_table_see_each_others_moves_and_never_each_others_cards(
    site: Site, open_page: Opener
) -> None:
    first, second = open_page("/"), open_page("/")
    sign_up(first, "left")
    sign_up(second, "right")
    first.goto(f"{site.address}/new/ace-race/")
    open_table_for(first)
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()
    heard: list[str] = []
    second.on("response", lambda answer: heard.append(answer.url))
    second.goto(first.url)
    second.get_by_role("button", name="Sit down").click()
    second.get_by_role("button", name="Deal", exact=True).click()
    expect(second.get_by_role("list").filter(has=second.locator("[data-card]"))).to_be_visible()
    expect(first.locator("[data-card]").first).to_be_visible()
    own = {card.get_attribute("data-card") for card in first.locator("[data-card]").all()}
    others = {card.get_attribute("data-card") for card in second.locator("[data-card]").all()}
    assert len(own) == len(others) == 12
    assert not own & others
    seen = second.content()
    assert not any(f'data-card="{card}"' in seen for card in own)

    turn = second.locator(".phase strong")
    acting, waiting = (second, first) if turn.inner_text() == "Your turn." else (first, second)
    acting.get_by_role("button", name="Pass").click()
    expect(waiting.locator(".phase strong")).to_have_text("Your turn.")


SETTINGS = {
    "vegas-solitaire": "3 Draw: three cards at a time, three passes",
    "idle-aces": "1 redeal per game",
    "racing-aces": "Finish after 10 cards, the ace included",
}


@pytest.mark.parametrize("slug", SETTINGS)
def test_tables_are_accessible_and_fit_a_phone(site: Site, open_page: Opener, slug: str) -> None:
    for viewport, colours in ((WIDE, "light"), (NARROW, "dark")):
        page = open_page("/", viewport=viewport, colours=colours, reduced_motion=True)
        sign_up(page, f"eyes-{slug[:2]}-{colours}")
        page.goto(f"{site.address}/new/{slug}/")
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        assert violations(page) == []
        assert not scrolls_sideways(page)
        deal(page, slug, **{"vegas-solitaire": {"draw": "3"}, "racing-aces": {"suit": "H"}}.get(slug, {}))
        expect(board(page).or_(page.get_by_role("button", name="Draw")).first).to_be_visible()
        expect(page.get_by_role("region", name="Table settings")).to_contain_text(SETTINGS[slug])
        assert page.locator('.board .pile[data-pile^="aces:"]').count() == (4 if slug == "idle-aces" else 0)
        assert violations(page) == []
        assert not scrolls_sideways(page)
        keep_picture(page, f"{slug}-{colours}")


def test_german_speaks_of_the_cards_too(open_page: Opener) -> None:
    page = open_page("/", language="de-DE")
    page.goto(page.url + "sign-in/")
    page.get_by_role("button", name="Noch kein Konto?").click()
    page.get_by_label("Name").fill("hans")
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Konto anlegen", exact=True).click()
    expect(page.get_by_text("Konto: hans")).to_be_visible()
    page.goto(re.sub(r"(//[^/]+)/.*", r"\1/new/idle-aces/", page.url))
    page.get_by_role("button", name="Spielen", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("Herz-Zwei"))).to_be_visible()
