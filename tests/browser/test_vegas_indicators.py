"""What the table of Vegas Solitaire points out is what the server's view and legal moves say."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Caller, Opener, Site
from tests.browser.playing import solitaire
from tests.browser.vegas import Move, board, box, ends, events, settled, state

MOST = 120


def counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more} left"


def passes(view: dict[str, Any]) -> str:
    """The view counts the pass under way (RULEBOOK 3 (9)); the table says how many follow it."""
    if view["exhausted"]:
        return "No passes left"
    return "Last pass" if view["passes_left"] == 1 else counted(view["passes_left"] - 1, "pass", "passes")


def agrees(page: Page, seen: dict[str, Any]) -> None:
    """Arrow, counters, X and winnings against the server's own answer."""
    view = seen["view"]
    fits = any(move["type"] == "move" and move["from"] == "waste" for move in seen["legal_moves"])
    expect(page.get_by_text(counted(view["stock"], "card", "cards"), exact=True)).to_be_visible()
    expect(page.get_by_text(passes(view))).to_be_visible()
    expect(page.get_by_role("img", name="the top card can be played")).to_have_count(1 if fits else 0)
    assert fits == view["waste_playable"]
    expect(page.locator('[data-pile="stock"]').get_by_text("✕")).to_have_count(1 if view["exhausted"] else 0)
    winnings = page.get_by_role("complementary").locator("div", has_text="Winnings").locator("dd")
    expect(winnings).to_have_text(str(view["winnings"]))


def make(player: Caller, game: str, move: Move) -> None:
    player.post(f"games/{game}/moves/", {"move": move})


def test_the_arrow_is_over_the_card_that_can_be_played(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "archer")
    arrow = page.get_by_role("img", name="the top card can be played")
    for _ in range(3):
        expect(arrow).to_have_count(0)
        make(player, game, {"type": "draw"})
    agrees(page, state(player, game))
    settled(page)
    top, mark = box(page.locator('[data-pile="waste"][data-at]').last), box(arrow)
    assert top["x"] < mark["x"] + mark["width"] / 2 < top["x"] + top["width"]
    assert mark["y"] + mark["height"] <= top["y"] + 1


@pytest.mark.nightly
def test_arrow_counters_and_x_at_every_state_of_a_game_of_three_passes(site: Site, open_page: Opener) -> None:
    """Another program plays; the table follows it live."""
    page, player, game = solitaire(site, open_page, "pointer")
    pass_counts = set()
    for _ in range(MOST):
        seen = state(player, game)
        agrees(page, seen)
        pass_counts.add(seen["view"]["passes_left"])
        legal = seen["legal_moves"]
        onward = [move for move in legal if move["type"] in ("draw", "recycle")]
        home = [move for move in legal if move.get("to") == "foundation"]
        if not (move := next(iter([*home, *onward]), None)):
            break
        make(player, game, move)
    assert pass_counts == {3, 2, 1}
    assert state(player, game)["view"]["exhausted"]
    page.get_by_role("button", name="End game and collect").click()
    page.get_by_role("button", name="End game", exact=True).click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    expect(page.get_by_text("No passes left")).to_be_visible()
    expect(page.get_by_role("img", name="the top card can be played")).to_have_count(0)


WHY_NOT = {
    "dealt": "No move to undo.",
    "undo": "You have just undone a move. Play another move first.",
    "flip": "Turning up a card cannot be undone.",
    "recycle": "Turning the play deck over cannot be undone.",
    "across": "A move between columns cannot be undone.",
}


def kind(event: dict[str, Any]) -> str:
    """Of what was done last, as far as it matters to undo: `waste`, `home`, `down` and `draw` can be undone."""
    if event["type"] != "move":
        return str(event["type"])
    move = event["data"]["move"]
    if move["from"] == "waste":
        return "waste"
    if move["from"].startswith("foundation"):
        return "down"
    return "home" if move["to"] == "foundation" else "across"


def unseen_first(legal: list[Move], seen: set[str]) -> Move | None:
    """A move of a kind that was not looked at yet, or one that brings the game on."""
    kinds = [
        (kind({"type": move["type"], "data": {"move": move}}), move)
        for move in legal
        if move["type"] not in ("collect", "undo")
    ]
    order = ["across", "flip", "down", "home", "waste", "recycle", "draw"]
    fresh = [move for name in order for each, move in kinds if each == name and name not in seen]
    onward = [move for name in ("home", "flip", "draw", "recycle") for each, move in kinds if each == name]
    return next(iter([*fresh, *onward]), None)


@pytest.mark.nightly
def test_undo_says_what_it_takes_back_or_why_it_cannot(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "undoer")
    seen: set[str] = set()
    wanted = {"dealt", "draw", "waste", "home", "down", "across", "flip", "recycle", "undo"}
    for _ in range(MOST):
        now = state(player, game)
        last = events(player, game)[-1]
        name = kind(last)
        if name not in seen:
            check_undo(page, name, last)
            seen.add(name)
            if now["view"]["undoable"]:
                undone(page, player, game, now)
                if "undo" not in seen:
                    check_undo(page, "undo", events(player, game)[-1])
                    seen.add("undo")
        move = unseen_first(state(player, game)["legal_moves"], seen)
        if move is None or seen == wanted:
            break
        with page.expect_response(lambda answer: answer.url.endswith(f"/games/{game}/")):
            make(player, game, move)
        settled(page)
    assert seen == wanted
    # A reopened table shows the last move too.
    page.reload()
    check_undo(page, kind(last := events(player, game)[-1]), last)


def check_undo(page: Page, name: str, last: dict[str, Any]) -> None:
    why = page.locator("#undo-why")
    undo = page.get_by_role("button", name="Undo")
    if name in WHY_NOT:
        expect(why).to_have_text(WHY_NOT[name])
        expect(undo).to_be_disabled()
        return
    if name == "draw":
        expect(why).to_have_text(f"Takes back the draw of {len(last['data']['facts']['cards'])} cards.")
    else:
        start = {"waste": "the play deck", "home": "column", "down": "foundation of"}[name]
        expect(why).to_contain_text(start)
        expect(why).to_contain_text("Takes back:")
    expect(undo).to_be_enabled()


def undone(page: Page, player: Caller, game: str, now: dict[str, Any]) -> None:
    """Undo by the key: one event, and the table as it was before the move."""
    before = int(now["version"])
    board(page).get_by_role("button").first.focus()
    page.keyboard.press("z")
    expect(page.locator("#undo-why")).to_have_text(WHY_NOT["undo"])
    after = state(player, game)
    assert after["version"] == before + 1
    assert not after["view"]["undoable"]


def test_undo_keeps_the_focus_whether_by_key_or_by_button(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "keeper")
    move = next(one for one in state(player, game)["legal_moves"] if one.get("to") == "foundation")
    card, pile = ends(page, move)
    name = card.get_attribute("data-card")
    card.focus()
    page.keyboard.press("f")
    expect(pile.locator(f'[data-card="{name}"]')).to_be_focused()
    settled(page)
    page.keyboard.press("z")
    column = page.locator(f'.pile[data-pile="{move["from"]}"]')
    expect(column.locator(f'[data-card="{name}"]')).to_be_focused()
    settled(page)
    page.keyboard.press("s")
    expect(page.get_by_text("21 cards left")).to_be_visible()
    settled(page)

    undo = page.get_by_role("button", name="Undo")
    undo.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("24 cards left")).to_be_visible()
    expect(undo).to_be_disabled()
    expect(undo).to_be_focused()


def test_a_storm_and_a_double_submission_make_one_event_each(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "hasty", draw=1)
    many = """selector => { for (let n = 0; n < 30; n += 1) {
        const one = document.querySelector(selector);
        one.click(); one.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));
        one.dispatchEvent(new KeyboardEvent('keydown', {key: 's', bubbles: true})); } }"""
    page.evaluate(many, "[data-pile=stock][data-at]")
    expect(page.get_by_text("23 cards left")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="End game and collect").click()
    twice = "button => { button.click(); button.click(); button.click(); }"
    page.get_by_role("button", name="End game", exact=True).evaluate(twice)
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    kinds = [event["type"] for event in events(player, game)]
    assert kinds == ["created", "seated", "dealt", "draw", "collect", "finished"]
