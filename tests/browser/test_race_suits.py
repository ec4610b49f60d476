"""Racing Aces with chosen suits in two browsers: a pool is agreed on, suits are chosen, and the winner is named."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.people import funded, open_table_for

SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def test_suits_are_chosen_and_the_winner_is_named(site: Site, open_page: Opener) -> None:
    player = funded(site, "ann", 2000)
    funded(site, "bob", 2000)
    first = open_page("/new/racing-aces/", user="ann")
    second = open_page("/", user="bob", viewport=NARROW, colours="dark")
    expect(first.get_by_label("Each player chooses a suit")).to_be_checked()
    first.get_by_role("button", name="Friends", exact=True).click()
    first.get_by_role("button", name="Higher stake").click()
    expect(first.get_by_text("The seats of the winning suit share it")).to_be_visible()
    expect(first.get_by_text("Your balance: 20.00 play money → 19.00 play money.")).to_be_visible()
    first.get_by_role("radio", name="hearts").check()
    assert violations(first, "best-practice") == []
    assert not scrolls_sideways(first)
    open_table_for(first)
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()

    second.goto(first.url)
    seats = second.get_by_role("list", name="Players at this table").get_by_role("listitem")
    expect(seats.first).to_contain_text("hearts")
    expect(second.get_by_role("radio", name="hearts")).to_have_count(0)
    expect(second.get_by_text("if no seat has it, all stakes are refunded")).to_be_visible()
    second.get_by_role("radio", name="spades").check()
    assert violations(second) == []
    assert not scrolls_sideways(second)
    second.get_by_role("button", name="Sit down").click()
    second.get_by_role("button", name="Yes", exact=True).click()
    first.get_by_role("button", name="Deal", exact=True).click()
    expect(second.get_by_text("The player who opened the race draws.")).to_be_visible()
    expect(second.locator(".riders")).to_have_text(["ann", "You"])
    first.get_by_label("Speed").select_option("automatic, fast")
    for page in (first, second):
        expect(page.get_by_role("heading", name="Result")).to_be_visible()

    game = player.get(f"games/{first.url.rstrip('/').rsplit('/', 1)[-1]}/")
    winner, winners = game["outcome"]["winner"], game["outcome"]["winners"]
    assert game["outcome"]["suits"] == ["H", "S"]
    assert winners == {"H": [0], "S": [1]}.get(winner, [])
    for own, page in enumerate((first, second)):
        ended = page.get_by_role("region", name="Result")
        if not winners:
            expect(ended).to_contain_text(f"The ace of {SUITS[winner]} wins. No player had that suit.")
            expect(ended).to_contain_text("All stakes were refunded.")
        else:
            who = "You win" if winners == [own] else f"{('ann', 'bob')[winners[0]]} wins"
            expect(ended).to_contain_text(f"{who} with {SUITS[winner]}.")
            expect(ended).to_contain_text(re.compile(r"2\.00.* from the pot"))
        assert violations(page) == []
        assert not scrolls_sideways(page)
    site.installed.manage("reconcile")
