"""Moves of Ace Race by mouse: a bid, the first rule, a gift, a joker with its card, and an Ace with its rule."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import ace_race
from tests.browser.conftest import (
    NARROW,
    Opener,
    Site,
    scrolls_sideways,
    violations,
)
from tests.browser.playing import dealt

HANDS = {"dealer": 2, "previous_winner": 0}
"""The first seat may give cards away before the first play. It holds AS X1 TH 2C 9S 5S AD QS 5C TD QD JS."""


def test_a_rule_is_named_a_card_given_a_joker_paired_and_an_ace_played(site: Site, open_page: Opener) -> None:
    players = [site.newcomer(name) for name in ("race-dora", "race-emil", "race-fritz")]
    game = dealt(site, "ace-race", *players, seats=3, config=HANDS)
    look = {"viewport": NARROW, "colours": "dark", "touch": True}
    page = open_page(f"/games/{game}/", user="race-dora", reduced_motion=True, **look)
    other = open_page(f"/games/{game}/", user="race-emil", reduced_motion=True)
    offered = ace_race.actions(page)

    def hand() -> list[str]:
        return list(players[0].get(f"games/{game}/")["view"]["hand"])

    def make(move: ace_race.Move) -> None:
        expect(page.locator(".phase strong")).to_have_text("Your turn.")
        ace_race.make(page, move)
        ace_race.settled(page)

    def others_pass() -> None:
        for one in players[1:]:
            one.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
            one.post(f"games/{game}/moves/", {"move": {"type": "pass"}})

    expect(page.locator(".last").get_by_text("No bids yet.")).to_be_visible()
    make({"type": "bid", "cards": 1})
    expect(other.locator(".last").get_by_text("The highest bid is 1 card: race-dora.")).to_be_visible()
    for one in players[1:]:
        one.post(f"games/{game}/moves/", {"move": {"type": "pass"}})

    expect(offered.get_by_role("radio")).to_have_count(11)
    expect(offered.get_by_role("button", name="Name this rule")).to_be_disabled()
    make({"type": "rule", "rule": {"name": "suits", "suit": "H"}})
    expect(other.locator(".rule").get_by_text("Rule: cards of hearts.")).to_be_visible()

    # Keeps an Ace, a joker, and a card that goes with the joker alone.
    ace, joker, paired, gift = "AS", "X1", "2C", "TH"
    expect(offered.get_by_text("You may give up to two cards to other players.")).to_be_visible()
    ace_race.choose(page, gift, paired, "9S")
    expect(offered.get_by_text("At most two cards.")).to_be_visible()
    expect(offered.get_by_role("button", name="Give away")).to_be_disabled()
    assert not scrolls_sideways(page)
    assert violations(page, "best-practice") == []
    make({"type": "give", "gifts": [{"card": gift, "to": 1}]})
    expect(
        other.locator(".last").get_by_text(
            re.compile(f"race-dora gave cards away. You received {ace_race.spoken(gift)}")
        )
    ).to_be_visible()
    expect(other.locator(f'button[data-card="{gift}"]')).to_be_visible()

    ace_race.choose(page, joker)
    expect(offered.get_by_text("These cards cannot be played together now.")).to_be_visible()
    make({"type": "play", "cards": [paired], "joker": joker})
    expect(
        other.locator(".last").get_by_text(f"race-dora played joker, {ace_race.spoken(paired)}.")
    ).to_be_visible()
    others_pass()

    ace_race.choose(page, ace)
    legend = f"Which rule does the {ace_race.spoken(ace)} bring?"
    expect(offered.get_by_role("group", name=legend)).to_be_visible()
    assert violations(page, "best-practice") == []
    rule = next(
        move["rule"]
        for move in players[0].get(f"games/{game}/")["legal_moves"]
        if move["type"] == "play" and move["cards"] == [ace]
    )
    make({"type": "play", "cards": [ace], "rule": rule})
    expect(
        other.locator(".last").get_by_text(f"race-dora played {ace_race.spoken(ace)}. New rule:")
    ).to_be_visible()
    expect(page.locator(".phase strong")).to_have_text("Your turn.")
    assert not {ace, joker, paired, gift} & set(hand())
    assert not scrolls_sideways(page)
