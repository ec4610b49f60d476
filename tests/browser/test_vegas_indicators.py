"""What the table of Vegas Solitaire points out, and that it makes each move once."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Opener, Site
from tests.browser.playing import solitaire
from tests.browser.vegas import box, ends, events, settled, state


def test_the_arrow_is_over_the_card_that_can_be_played(site: Site, open_page: Opener) -> None:
    page, player, game = solitaire(site, open_page, "archer")
    arrow = page.get_by_role("img", name="the top card can be played")
    for _ in range(3):
        expect(arrow).to_have_count(0)
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
    expect(arrow).to_be_visible()
    settled(page)
    top, mark = box(page.locator('[data-pile="waste"][data-at]').last), box(arrow)
    assert top["x"] < mark["x"] + mark["width"] / 2 < top["x"] + top["width"]
    assert mark["y"] + mark["height"] <= top["y"] + 1


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
