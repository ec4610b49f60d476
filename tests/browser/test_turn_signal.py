"""A turn is signalled on every page of the browser, and the balance in the header follows what happens elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WIDE, Caller, Opener, Site
from tests.browser.people import funded
from tests.browser.playing import dealt, started
from tests.installation import until

BADGE = "navigator.setAppBadge = (n) => { window.badge = n; return Promise.resolve(); };\n" + (
    "navigator.clearAppBadge = () => { window.badge = 0; return Promise.resolve(); };"
)


HEARD = """
  // What Chromium would play, in its order.
  window.sounds = [];
  window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createGain() {
      const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
      return { gain, connect() {} };
    }
    createOscillator() {
      const tone = { frequency: {}, connect: (next) => next, stop() {} };
      return Object.assign(tone, { start: () => sounds.push(tone.frequency.value) });
    }
  };
"""
SILENT = """async () => {
  const { held } = await navigator.locks.query();
  return !held.some(({ name }) => name === "racecard.turn");
}"""
"""Whether the moment is over in which one page sounds for all."""


def await_silence(page: Page) -> None:
    """`wait_for_function` would take the promise of an asynchronous function for its answer."""
    until(lambda: page.evaluate(SILENT), "the moment of a sound is over")


def balance(page: Page, amount: str) -> None:
    expect(
        page.get_by_role("banner").get_by_role("link", name=f"Balance: {amount} play money")
    ).to_be_visible()


def move(game: str, people: list[Caller]) -> int:
    """Make a move of the seat that is to act. Returns the seat that is to act then."""
    state: dict[str, Any] = people[0].get(f"games/{game}/")
    seat = state["to_act"][0]
    legal = people[seat].get(f"games/{game}/")["legal_moves"]
    people[seat].post(f"games/{game}/moves/", {"move": legal[0]})
    return int(people[0].get(f"games/{game}/")["to_act"][0])


def test_a_turn_in_another_page_is_in_title_header_and_badge(site: Site, open_page: Opener) -> None:
    people = [site.newcomer("waiter"), site.newcomer("waiters-rival")]
    game = dealt(site, "ace-race", *people)
    page = open_page("/healthz", user="waiter")
    page.add_init_script(BADGE)
    page.goto(f"{site.address}/")
    turn = page.get_by_role("banner").get_by_role("link", name="Your turn: Ace Race")
    seat = people[0].get(f"games/{game}/")["to_act"][0]
    while seat != 0:
        seat = move(game, people)
    expect(turn).to_be_visible()
    expect(page).to_have_title(re.compile("^● Your turn · Lobby"))
    assert page.evaluate("window.badge") == 1
    while seat == 0:
        seat = move(game, people)
    expect(turn).to_have_count(0)
    expect(page).to_have_title(re.compile("^Lobby"))
    page.wait_for_function("window.badge === 0")
    while seat != 0:
        seat = move(game, people)
    turn.click()
    expect(page.get_by_role("heading", name="Ace Race", level=1)).to_be_visible()
    expect(turn).to_have_count(0)
    expect(page).to_have_title(re.compile("^Ace Race"))


def until_turn_of(seat: int, game: str, people: list[Caller]) -> None:
    """Make moves until the seat is to act, at least one."""
    while move(game, people) != seat:
        pass


@pytest.mark.nightly
def test_a_turn_sounds_once_and_not_for_a_move_of_the_player(site: Site, open_page: Opener) -> None:
    people = [site.newcomer("hearing"), site.newcomer("hearings-rival")]
    page = open_page("/healthz", user="hearing")
    page.context.add_init_script(HEARD)
    page.goto(f"{site.address}/")
    other = page.context.new_page()
    other.goto(f"{site.address}/tournaments/")
    game = dealt(site, "ace-race", *people)
    pages = (page, other)

    def heard() -> int:
        return sum(len(one.evaluate("sounds")) for one in pages)

    def shown(count: int) -> None:
        for one in pages:
            expect(one.get_by_role("banner").get_by_role("link", name="Your turn: Ace Race")).to_have_count(
                count
            )

    def turn_sounds() -> None:
        """Make moves until it is the player's turn again, and wait until one page has sounded.

        Both pages see the rival's turn first: one that is over before a page asks is no new turn for it.
        """
        if people[0].get(f"games/{game}/")["to_act"][0] == 0:
            until_turn_of(1, game, people)
        shown(0)
        await_silence(page)
        before = heard()
        until_turn_of(0, game, people)
        shown(1)
        until(lambda: heard() > before, "one of the pages sounds")
        await_silence(page)
        assert heard() == before + 1

    turn_sounds()

    # Drawing a card leaves the turn with the player. The challenge comes after it.
    while {"type": "draw"} not in people[0].get(f"games/{game}/")["legal_moves"]:
        turn_sounds()
    before = heard()
    people[0].post(f"games/{game}/moves/", {"move": {"type": "draw"}})
    assert people[0].get(f"games/{game}/")["to_act"] == [0]
    people[1].post("challenges/", {"opponents": ["hearing"], "rules": "ace-race", "config": {}})
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    await_silence(page)
    assert heard() == before

    until_turn_of(1, game, people)
    shown(0)
    page.evaluate("localStorage.setItem('racecard.look', JSON.stringify({ sound: false }))")
    other.close()
    pages = (page,)
    page.reload()
    expect(page.get_by_role("banner").get_by_role("link", name="Notifications")).to_be_visible()
    until_turn_of(0, game, people)
    shown(1)
    people[1].post("challenges/", {"opponents": ["hearing"], "rules": "ace-race", "config": {}})
    expect(page.get_by_role("button", name="Accept")).to_have_count(2)
    await_silence(page)
    assert heard() == 0


@pytest.mark.parametrize(
    "viewport", [WIDE, pytest.param(NARROW, marks=pytest.mark.nightly)], ids=["wide", "narrow"]
)
def test_the_balance_follows_stakes_and_prizes_without_a_reload(
    site: Site, open_page: Opener, viewport: dict[str, int]
) -> None:
    name = f"holder-{viewport['width']}"
    player = funded(site, name, 2000)
    page = open_page("/", user=name, viewport=viewport)
    other = page.context.new_page()
    other.goto(f"{site.address}/tournaments/")
    for one in (page, other):
        balance(one, "20.00")

    session = player.post("play-sessions/", {"amount": 1040})["id"]
    terms = {"config": {"draw": 3, "stake": 520}, "stake_table": "vegas-classic", "play_session": session}
    game = started(player, {"rules": "vegas-solitaire", **terms})
    for one in (page, other):
        balance(one, "14.80")
    player.post(f"games/{game}/moves/", {"move": {"type": "collect"}})
    total = player.get("wallet/")["accounts"]
    left = total["cash"]["available"] + total["session"]["available"]
    for one in (page, other):
        balance(one, f"{left / 100:.2f}")
