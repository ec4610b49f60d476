"""A race with a market: bets on the page, the start, the settlement, and the money in wallet and ledger."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    Watched,
    scrolls_sideways,
    violations,
)
from tests.browser.people import funded

TINY = {"width": 320, "height": 640}


def race(site: Site, operator: Caller, **terms: Any) -> tuple[str, dict[str, Any]]:
    game = operator.post("games/", {"rules": "racing-aces", "config": {"finish_line": 6}, "seats": 0})["id"]
    return game, site.staff("administrator").post(f"games/{game}/market/", terms)


def market(page: Page) -> Locator:
    return page.get_by_role("region", name="Betting")


def bet(page: Page, suit: str, amount: str) -> None:
    market(page).get_by_role("radio", name=re.compile(suit)).check()
    market(page).get_by_label(re.compile("Your stake")).fill(amount)
    market(page).get_by_role("button", name=re.compile(f"Bet {amount} on {suit}")).click()
    expect(market(page).get_by_text(re.compile(rf"Bet \d+ placed: {amount} on {suit}"))).to_be_visible()


def cash(player: Caller) -> int:
    return int(player.get("wallet/")["accounts"]["cash"]["total"])


def test_a_pool_is_bet_on_raced_and_settled_to_the_penny(site: Site, open_page: Opener) -> None:
    player, other = funded(site, "poolside", 10_000), funded(site, "poolrival", 10_000)
    game, made = race(site, player, kind="pool", takeout=1000)
    page = open_page(f"/games/{game}/", user="poolside")
    rival = open_page(f"/games/{game}/", user="poolrival", viewport=NARROW)
    placing = market(page).get_by_role("button", name="Place bet")
    expect(placing).to_be_disabled()
    expect(market(page).get_by_text("Choose a selection first.")).to_be_visible()
    market(page).get_by_label(re.compile("Your stake")).fill("200")
    expect(market(page).get_by_text("is lower than the stake")).to_be_visible()
    bet(page, "hearts", "5.00")
    bet(page, "spades", "3.00")
    market(page).get_by_role("button", name="Cancel bet 3.00 spades").click()
    expect(market(page).get_by_text("cancelled")).to_be_visible()
    for suit in ("clubs", "diamonds", "hearts", "spades"):
        bet(rival, suit, "2.50")
    pool = market(page).get_by_text("In the pool")
    expect(pool).to_contain_text("15.00")
    market(page).get_by_role("radio", name=re.compile("hearts")).check()
    market(page).get_by_label(re.compile("Your stake")).fill("1")
    expect(market(page).get_by_text("Returns 1.69 if hearts wins")).to_be_visible()  # 16 × 0.9 × 1 / 8.50
    for shown in (page, rival):
        assert violations(shown) == []
        assert not scrolls_sideways(shown)
    assert cash(player) == 10_000 - 500
    assert cash(other) == 10_000 - 1000

    page.get_by_role("button", name="Start now").click()
    expect(market(page).get_by_text("Betting closed")).to_be_visible()
    expect(market(rival).get_by_text("Betting closed")).to_be_visible()
    expect(market(rival).get_by_role("radio")).to_have_count(0)
    expect(page.get_by_text("hearts 1 of 6").or_(page.get_by_text(re.compile("of 6"))).first).to_be_visible()
    page.get_by_label("Speed").select_option("automatic, fast")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    expect(market(page).get_by_text("The bets are settled.")).to_be_visible()
    expect(market(rival).get_by_text("The bets are settled.")).to_be_visible()

    winner = player.get(f"games/{game}/")["outcome"]["winner"]
    bets = player.get(f"markets/{made['id']}/bets/")["results"]
    returned = sum(one["returned"] or 0 for one in bets if one["status"] != "cancelled")
    assert returned == (1350 * 500 // 750 if winner == "H" else 0)
    settlement = player.get(f"markets/{made['id']}/")["settlements"][-1]
    assert (settlement["gross"], settlement["takeout"], settlement["paid"]) == (1500, 150, 1350)
    settled = market(page).get_by_role("region", name="Settlement")
    expect(settled).to_contain_text("− 1.50")
    expect(settled).to_contain_text("13.50")
    expect(market(page).get_by_text(f"Staked 5.00, returned {returned / 100:.2f}")).to_be_visible()
    assert cash(player) == 10_000 - 500 + returned
    assert cash(other) == 10_000 - 1000 + 1350 - returned
    assert player.get("wallet/statement/")["closing"] == cash(player)
    site.installed.manage("reconcile")  # exits with an error over any difference between bets and books


def test_a_bet_is_never_queued_and_is_made_once_if_its_answer_is_lost(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    player = funded(site, "oddsmaker", 10_000)
    site.staff("administrator").post(
        "stakes/race-bets/funding/", {"amount": 100_000, "reason": "to pay at fixed odds"}
    )
    game, made = race(site, player, kind="fixed", margin=500)
    look = {"viewport": TINY, "colours": "dark", "reduced_motion": True}
    page = open_page(f"/games/{game}/", user="oddsmaker", intercepted=True, **look)
    market(page).get_by_role("radio", name=re.compile("spades")).check()
    expect(market(page).get_by_text("Returns 3.80 if spades wins.")).to_be_visible()  # 4 × 0.95
    placing = market(page).get_by_role("button", name="Bet 1.00 on spades at 3.80")
    expect(placing).to_be_enabled()
    page.context.set_offline(True)
    expect(placing).to_be_disabled()
    expect(market(page).get_by_text("Bets are never stored to be sent later.")).to_be_visible()
    page.context.set_offline(False)
    expect(placing).to_be_enabled()

    def lose(route: Any) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        route.fetch()
        route.abort("connectionreset")

    page.route(re.compile("/bets/$"), lose)
    placing.click()
    asking = market(page).get_by_role("button", name="Check again")
    expect(asking).to_be_visible()
    page.unroute(re.compile("/bets/$"))
    asking.click()
    expect(market(page).get_by_text("Bet 1 placed: 1.00 on spades.")).to_be_visible()
    assert len(player.get(f"markets/{made['id']}/bets/")["results"]) == 1
    assert cash(player) == 9_900
    assert violations(page) == []
    assert not scrolls_sideways(page)

    site.staff("administrator").post(f"markets/{made['id']}/void/", {"reason": "The wrong race."})
    expect(market(page).get_by_role("status").filter(has_text="All stakes were refunded")).to_be_visible()
    expect(market(page).get_by_text("1.00 refunded")).to_be_visible()
    assert cash(player) == 10_000
    watched.expect("ERR_CONNECTION_RESET|ERR_INTERNET_DISCONNECTED")


@pytest.mark.nightly
def test_a_stake_is_written_and_typed_in_german(site: Site, open_page: Opener) -> None:
    player = funded(site, "wetter", 200_000)
    game, _ = race(site, player, kind="pool")
    page = open_page(f"/games/{game}/", user="wetter")
    expect(market(page).get_by_label("Your stake")).to_have_value("1.00")
    page.get_by_role("combobox", name="Language").select_option("Deutsch")
    betting = page.get_by_role("region", name="Wetten")
    stake = betting.get_by_label("Dein Einsatz")
    expect(stake).to_have_value("1,00")
    betting.get_by_role("radio", name=re.compile("Herz")).check()

    stake.fill("1.000")
    expect(betting.get_by_role("button", name="Wetten")).to_be_disabled()
    stake.blur()
    expect(betting.get_by_text("1.000 könnte 1000,00 oder 1,00 bedeuten.")).to_be_visible()
    expect(stake).to_have_attribute("aria-invalid", "true")
    assert violations(page) == []
    assert not scrolls_sideways(page)

    stake.fill("1.000,50")
    stake.blur()
    expect(stake).to_have_value("1000,50")
    stake.fill("5,00")
    betting.get_by_role("button", name="5,00 auf Herz setzen").click()
    expect(betting.get_by_text(re.compile("5,00 auf Herz"))).not_to_have_count(0)
    stake.fill("2.50")
    betting.get_by_role("button", name="2,50 auf Herz setzen").click()
    expect(betting.get_by_text(re.compile("2,50 auf Herz"))).not_to_have_count(0)
    stake.blur()
    expect(stake).to_have_value("2,50")
    assert cash(player) == 200_000 - 500 - 250
