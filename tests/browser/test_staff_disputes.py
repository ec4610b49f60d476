"""Staff pages of disputes in a browser, under the content security policy: queue, evidence, and ruling."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.browser.conftest import Caller, Site, StaffOpener, violations
from tests.browser.people import funded, lose_a_stake
from tests.browser.visiting import inputs_of

CLAIM = "The seven of hearts was mine to play, and the table did not take it."


def disputed(site: Site, name: str) -> tuple[str, str]:
    """Return a game of Vegas Solitaire without a stake that has a refused move, and a dispute of it."""
    player = site.newcomer(name)
    made = player.post("games/", {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}})
    game = str(made["id"])
    player.post(f"games/{game}/seats/", {"client_seed": "seen in a browser"})
    player.post(f"games/{game}/start/", {})
    player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
    headers = {"Authorization": f"Bearer {player.token}", "Idempotency-Key": name}
    refused = httpx.post(
        f"{site.address}/api/v1/games/{game}/moves/", json={"move": {"type": "recycle"}}, headers=headers
    )
    assert refused.status_code == 409
    player.post(f"games/{game}/moves/", {"move": {"type": "collect"}})
    return game, str(player.post(f"games/{game}/disputes/", {"version": 4, "claim": CLAIM})["id"])


def test_a_dispute_goes_from_the_queue_over_the_evidence_to_a_ruling(
    staff_page: StaffOpener, site: Site
) -> None:
    disputed(site, "claimant")
    page = staff_page("auditor")
    page.get_by_role("navigation", name="Sidebar").or_(page.locator("#content-main")).get_by_role(
        "link", name="Disputes", exact=True
    ).first.click()
    page.locator("#result_list tbody a").first.click()
    expect(page.get_by_text(CLAIM).first).to_be_visible()
    page.get_by_role("link", name="All events of the game").click()
    expect(page.get_by_text("each event follows from the rules")).to_be_visible()
    page.get_by_role("link", name="Refused moves").click()
    expect(page.get_by_text("rule-forbids")).to_be_visible()
    page.get_by_role("link", name="event 4").first.click()
    expect(page.get_by_role("heading", name="Changes", exact=True)).to_be_visible()
    page.get_by_role("link", name=re.compile("^Pin to dispute")).click()
    page.get_by_label("What it shows").fill("The draw was taken, the recycling was not.")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Pin event").click()
    page.locator(".messagelist").get_by_role("link", name="Dispute").click()
    expect(
        page.get_by_role("cell", name="The draw was taken, the recycling was not.", exact=True)
    ).to_be_visible()
    page.get_by_role("link", name="Dismiss the claim").click()
    page.get_by_label("Reason").fill("The stock was not empty.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("unchanged", exact=True)).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Make ruling").click()
    expect(page.get_by_role("heading", name=re.compile("Ruling 1"))).to_be_visible()
    expect(page.get_by_text("Decided.")).to_be_visible()


def lost_in_doubt(site: Site, name: str) -> tuple[Caller, str]:
    """Return a player who has lost a staked game at once, and a dispute of the game."""
    player = funded(site, name, 2_000)
    game = lose_a_stake(player, cash_in=2_000)
    return player, str(player.post(f"games/{game}/disputes/", {"version": 3, "claim": CLAIM})["id"])


def dismiss_open_claims(site: Site) -> None:
    """Dismiss the claims that other tests have left open: the work queue shows only the oldest disputes."""
    auditor = site.staff("auditor")
    ruling = {"finding": "rejected", "remedy": "dismissed", "reason": "The event follows from the rules."}
    for dispute in auditor.get("disputes/?status=open")["results"]:
        auditor.post(f"disputes/{dispute['id']}/ruling/", ruling)


def in_play(player: Caller) -> int:
    return int(player.get("wallet/")["accounts"]["session"]["total"])


def test_a_ruling_that_gives_money_back_waits_for_a_second_person(
    staff_page: StaffOpener, site: Site
) -> None:
    dismiss_open_claims(site)
    player, dispute = lost_in_doubt(site, "claimant-of-a-stake")
    assert in_play(player) == 2_000 - 520

    first = staff_page("auditor")
    task = first.locator(".queue li").filter(has_text="claimant-of-a-stake")
    expect(task).to_contain_text(CLAIM)
    count = inputs_of(first)
    first.get_by_role("link", name=re.compile("^Rule: claimant-of-a-stake")).click()
    expect(first.get_by_role("heading", name=re.compile("^Board at event 3 of"))).to_be_visible()
    expect(first.get_by_role("region", name="Money of the game, scrolls sideways")).to_contain_text("5.20")
    first.get_by_role("link", name="Void the game").click()
    first.get_by_label("Reason").fill("The table did not take a move that was legal.")
    first.get_by_role("button", name="Preview").click()
    balance = first.get_by_role("row", name=re.compile("^claimant-of-a-stake: wallet and money in play"))
    expect(balance).to_contain_text("14.80")
    expect(balance).to_contain_text("→ 20.00 play money")
    assert violations(first) == []
    first.get_by_role("button", name="Make ruling").click()
    expect(first.locator(".messagelist .success")).to_contain_text("Ruling proposed.")
    assert count() <= 6
    assert in_play(player) == 2_000 - 520, "nothing moves before the second person has agreed"

    second = staff_page("administrator", f"disputes/{dispute}/")
    second.get_by_role("link", name="Approve the ruling").click()
    second.get_by_label("Reason").fill("I saw event 3 too.")
    expect(second.get_by_text("Void the game").first).to_be_visible()
    assert violations(second) == []
    second.get_by_role("button", name="Approve the ruling").click()
    expect(second.get_by_text("I saw event 3 too.").first).to_be_visible()
    assert in_play(player) == 2_000
    ruled = player.get(f"disputes/{dispute}/")
    [ruling] = ruled["rulings"]
    assert (ruled["status"], ruling["decision_reason"], ruling["second_person"]) == (
        "ruled",
        "I saw event 3 too.",
        True,
    )


def test_the_board_of_a_dispute_is_stepped_by_keys(staff_page: StaffOpener, site: Site) -> None:
    _, dispute = disputed(site, "claimant-at-the-board")
    page = staff_page("auditor", f"disputes/{dispute}/")
    board = page.locator(".board")
    heading = board.get_by_role("heading", level=2)
    expect(heading).to_contain_text("Board at event 4 of")
    waste = board.get_by_role("row", name=re.compile("^Waste"))
    expect(waste.locator(".moved.new")).to_have_count(3)
    expect(waste.locator(".moved.taken")).to_have_count(0)
    expect(board.get_by_text("allowed by Vegas Solitaire")).to_be_visible()
    expect(board.get_by_text("Refused here")).to_be_visible()
    for key, version in (("ArrowLeft", 3), ("j", 2), ("k", 3), ("ArrowRight", 4), ("k", 5)):
        page.keyboard.press(key)
        expect(heading).to_contain_text(f"Board at event {version} of")
    board.get_by_role("link", name="Disputed event 4").click()
    expect(heading).to_contain_text("Board at event 4 of")
