"""Ace Race by four people in four browsers, none of which is ever told a card that its seat has not seen."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    House,
    Opener,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import caller, sign_up

SEATS = 4
MOVES = 16
"""Bidding, naming a rule and some rounds of play."""

CARD = re.compile(r"\b(?:[A2-9TJQK][CDHS]|X[12])\b")

LISTEN = """
delete window.SharedWorker;  // the page then has the event stream itself
window.heard = [];
const asked = window.fetch.bind(window);
window.fetch = async (...request) => {
  const answer = await asked(...request);
  answer.clone().text().then((text) => window.heard.push(text));
  return answer;
};
const Source = window.EventSource;
window.EventSource = class extends Source {
  constructor(...address) {
    super(...address);
    this.addEventListener("message", ({ data }) => window.heard.push(data));
  }
};
"""
"""Keeps the text of all that the page is answered and told."""

Seen = dict[int, set[str]]


@pytest.fixture
def pages(open_page: Opener, house: House) -> tuple[list[Page], list[Caller]]:
    opened, callers = [], []
    for seat in range(SEATS):
        look: dict[str, Any] = {"viewport": NARROW, "colours": "dark", "touch": True} if seat == 3 else {}
        page = open_page("/", reduced_motion=True, **look)
        sign_up(page, f"four-{seat}")
        page.context.add_init_script(LISTEN)
        opened.append(page)
        callers.append(caller(house, f"four-{seat}"))
    return opened, callers


def actions(page: Page) -> Locator:
    return page.get_by_role("group", name="What you may do")


def act(page: Page) -> None:
    """One move of those that the page offers, the first that it can find."""
    offered = actions(page)
    expect(offered).to_be_visible()
    named = offered.get_by_role("group", name=re.compile("first rule"))
    if offered.get_by_role("button", name="Bid more").is_visible():
        if "passed" in page.locator(".players").inner_text():
            offered.get_by_role("button", name="Pass").click()
        else:
            bid(page)
    elif named.is_visible():
        named.get_by_role("radio").nth(2).check()
        offered.get_by_role("button", name="Name this rule").click()
    elif offered.locator(".set").count() > 0:
        offered.locator(".set").first.click()
        offered.get_by_role("button", name=re.compile("^Play ")).first.click()
    elif page.locator('button[data-card^="A"]').count() > 0:
        page.locator('button[data-card^="A"]').first.click()
        offered.get_by_role("radio").first.check()
        offered.get_by_role("button", name="Play the ace with this rule").click()
    else:
        offered.get_by_role("button", name=re.compile("^(Draw a card|Pass|Give nothing away)$")).first.click()


def bid(page: Page) -> None:
    more = actions(page).get_by_role("button", name="Bid more")
    if page.locator(".players").get_by_text(re.compile(r"^bids")).count() > 0:
        actions(page).get_by_role("button", name="Pass").click()
        return
    more.click()
    more.click()
    actions(page).get_by_role("button", name="Bid 2 cards").click()


def seen_by(auditor: Caller, game: str, versions: int) -> list[Seen]:
    """What each seat has seen up to each version, as an auditor knows: its own hands until then, and what lay open."""
    seen: list[Seen] = [{0: set()} for _ in range(SEATS)]
    for version in range(1, versions + 1):
        views = auditor.get(f"games/{game}/replay/?at={version}&all=true")["views"] or [None] * SEATS
        for seat, view in enumerate(views):
            before = seen[seat][version - 1]
            seen[seat][version] = before | set((view["hand"] or []) + view["discards"]) if view else before
    return seen


def version_of(told: Any) -> int:
    """Of the state or the events that an answer or a message is about; 0 where it is about no game."""
    if not isinstance(told, dict):
        return 0
    if "event" in told:
        return int(told["event"]["version"])
    if isinstance(told.get("results"), list):
        return max((one.get("version", 0) for one in told["results"] if isinstance(one, dict)), default=0)
    return int(told.get("version", 0))


def test_no_page_answer_or_stream_of_a_seat_tells_anothers_cards(
    house: House, open_page: Opener, pages: tuple[list[Page], list[Caller]]
) -> None:
    players, callers = pages
    game = str(callers[0].post("games/", {"rules": "ace-race", "seats": SEATS})["id"])
    for one in callers:
        one.post(f"games/{game}/seats/", {})
    callers[0].post(f"games/{game}/start/", {})
    for page in players:
        page.goto(f"{house.address}/games/{game}/")
        expect(page.locator("button[data-card]")).to_have_count(12)
    spectator = open_page(f"/games/{game}/")
    expect(spectator.get_by_text("You are watching.")).to_be_visible()
    expect(spectator.locator("[data-card]")).to_have_count(0)

    for move in range(MOVES):
        now = callers[0].get(f"games/{game}/")
        if now["status"] != "active":
            break
        [seat] = now["to_act"]
        page = players[seat]
        expect(page.locator(".phase strong")).to_have_text("Your turn.")
        if move in (0, SEATS + 2):
            keep_picture(page, f"ace-race-four-{move}")
        act(page)
        expect(page.locator(".pace")).to_have_attribute("data-pace", "still")
        assert callers[0].get(f"games/{game}/")["version"] > now["version"]
    for page, own in zip(players, callers, strict=True):
        hand = own.get(f"games/{game}/")["view"]["hand"]
        expect(page.locator("button[data-card]")).to_have_count(len(hand))
        shown = {card.get_attribute("data-card") for card in page.locator("[data-card]").all()}
        assert shown == set(hand)
        assert violations(page) == []
        assert not scrolls_sideways(page)
    keep_picture(players[3], "ace-race-four-narrow-dark")
    assert violations(spectator) == []
    keep_picture(spectator, "ace-race-spectator")

    last = callers[0].get(f"games/{game}/")["version"]
    seen = seen_by(house.staff("auditor"), game, last)
    for seat, page in enumerate(players):
        page.wait_for_function(
            "last => window.heard.some((text) => JSON.parse(text).event?.version >= last)", arg=last
        )
        heard: list[str] = page.evaluate("window.heard")
        streamed = 0
        for text in heard:
            told = json.loads(text)
            streamed += "event" in told
            version = version_of(told)
            assert not set(CARD.findall(text)) - seen[seat][min(version, last)], (
                f"seat {seat} at {version}: {text}"
            )
        assert streamed >= MOVES, "the stream was listened to"
    hands = [set(seen[seat][SEATS + 2]) for seat in range(SEATS)]
    assert all(hands[0].isdisjoint(hand) for hand in hands[1:]), "at first nobody had seen a card of another"
