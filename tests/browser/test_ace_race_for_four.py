"""Ace Race by four people in four browsers; none receives a card that its seat has not seen."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games.rules.protocol import MOVE_CAP
from tests.browser import ace_race
from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    scrolls_sideways,
    violations,
)
from tests.browser.playing import dealt

SEATS = 4
CLICKED = [4, pytest.param(40, marks=pytest.mark.soak)]
"""Moves that are made on the pages, one by each seat at least; the rest of the game is played over REST."""
LOOKED_AT = (0, SEATS + 2, 20)
"""Moves before which what the pages show is held against what their seats may know."""

CARD = re.compile(r"\b(?:[A2-9TJQK][CDHS]|X[12])\b")

LISTEN = """
delete window.SharedWorker;  // the page then has the event stream itself
window.heard = [];
window.asking = 0;
const asked = window.fetch.bind(window);
window.fetch = async (...request) => {
  window.asking += 1;
  try {
    const answer = await asked(...request);
    window.heard.push(await answer.clone().text());
    return answer;
  } finally {
    window.asking -= 1;
  }
};
const Source = window.EventSource;
window.EventSource = class extends Source {
  constructor(...address) {
    super(...address);
    this.addEventListener("message", ({ data }) => window.heard.push(data));
  }
};
"""
"""Records all responses and stream messages of the page, and counts pending requests."""

AT_REST = """last =>
  window.asking === 0 && window.heard.some((text) => JSON.parse(text || "{}").event?.version >= last)
"""

Seen = dict[int, set[str]]


@pytest.fixture
def pages(open_page: Opener, site: Site) -> tuple[list[Page], list[Caller]]:
    opened, callers = [], []
    for seat in range(SEATS):
        look: dict[str, Any] = {"viewport": NARROW, "colours": "dark", "touch": True} if seat == 3 else {}
        callers.append(site.newcomer(f"four-{seat}"))
        page = open_page("/healthz", user=f"four-{seat}", reduced_motion=True, **look)
        page.context.add_init_script(LISTEN)
        opened.append(page)
    return opened, callers


def seen_by(auditor: Caller, game: str, versions: int) -> list[Seen]:
    """What each seat has seen up to each version, as an auditor knows: its own hands until then, and what lay open."""
    seen: list[Seen] = [{0: set()} for _ in range(SEATS)]
    for version in range(1, versions + 1):
        views = auditor.get(f"games/{game}/replay/?at={version}&all=true")["views"] or [None] * SEATS
        for seat, view in enumerate(views):
            before = seen[seat][version - 1]
            seen[seat][version] = before | set((view["hand"] or []) + view["discards"]) if view else before
    return seen


def version_of(given: Any) -> int:
    """Of the state or the events that an answer or a message is about; 0 where it is about no game."""
    if not isinstance(given, dict):
        return 0
    if "event" in given:
        return int(given["event"]["version"])
    if isinstance(given.get("results"), list):
        return max((one.get("version", 0) for one in given["results"] if isinstance(one, dict)), default=0)
    return int(given.get("version", 0))


@pytest.mark.parametrize("clicked", CLICKED)
def test_no_page_response_or_stream_of_a_seat_contains_anothers_cards(
    site: Site, open_page: Opener, pages: tuple[list[Page], list[Caller]], clicked: int
) -> None:
    players, callers = pages
    game = dealt(site, "ace-race", *callers, seats=SEATS)
    for page in players:
        page.goto(f"{site.address}/games/{game}/")
        expect(page.locator("button[data-card]")).to_have_count(12)
    spectator = open_page(f"/games/{game}/")
    expect(spectator.get_by_text("You are watching.")).to_be_visible()
    expect(spectator.locator("[data-card]")).to_have_count(0)
    start = int(callers[0].get(f"games/{game}/")["version"])

    rng = random.Random("four")
    now = callers[0].get(f"games/{game}/")
    for move in range(MOVE_CAP):
        [seat] = now["to_act"]
        if move in LOOKED_AT:
            shows_own_hands(players, callers, game)
        wanted = ace_race.steady(callers[seat], game, rng)
        if move < clicked:
            expect(players[seat].locator(".phase strong")).to_have_text("Your turn.")
            ace_race.make(players[seat], wanted)
            ace_race.settled(players[seat])
        else:
            callers[seat].post(f"games/{game}/moves/", {"move": wanted})
        before, now = now, callers[0].get(f"games/{game}/")
        assert now["version"] > before["version"]
        for (
            page
        ) in players:  # what is asked for late would be answered by the open book of a game that is over
            page.wait_for_function(AT_REST, arg=now["version"])
        if now["status"] != "active":
            break
    assert now["status"] == "finished"

    for page in (*players, spectator):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
    for seat, page in enumerate(players):
        alone = now["outcome"]["winners"] == [seat] and now["outcome"]["result"] == "won"
        expect(page.get_by_text("You won.")).to_have_count(1 if alone else 0)
    shows_own_hands(players, callers, game)
    for page in (players[0], players[3], spectator):
        assert violations(page, "best-practice") == []
        assert not scrolls_sideways(page)

    last = now["version"]
    # A gift that wins is public: the game is over, and all cards are revealed.
    closed = before["version"] if wanted["type"] == "give" else last
    seen = seen_by(site.staff("auditor"), game, last)
    for seat, page in enumerate(players):
        heard: list[str] = page.evaluate("window.heard")
        streamed = 0
        for text in filter(None, heard):
            content = json.loads(text)
            streamed += "event" in content
            version = version_of(content)
            assert version > closed or not set(CARD.findall(text)) - seen[seat][version], (
                f"seat {seat} at {version}: {text}"
            )
        assert streamed >= last - start, "the stream was listened to, to the end"
    hands = [set(seen[seat][SEATS + 2]) for seat in range(SEATS)]
    assert all(hands[0].isdisjoint(hand) for hand in hands[1:]), "at first no seat had seen another's card"


def shows_own_hands(players: Sequence[Page], callers: Sequence[Caller], game: str) -> None:
    for page, own in zip(players, callers, strict=True):
        hand = own.get(f"games/{game}/")["view"]["hand"]
        expect(page.locator("button[data-card]")).to_have_count(len(hand))
        assert {card.get_attribute("data-card") for card in page.locator("[data-card]").all()} == set(hand)
