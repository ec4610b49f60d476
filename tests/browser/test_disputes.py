"""A dispute in a real browser: from the button at an event to its withdrawal, ruling, and appeal."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, scrolls_sideways, violations
from tests.browser.test_replay import at, vegas

CLAIM = "The third draw showed me cards that I had seen before."


def test_a_game_is_disputed_from_an_event_and_the_dispute_withdrawn(site: Site, open_page: Opener) -> None:
    site.newcomer("disputer")
    game = vegas(site, "disputer")
    page = open_page(f"/games/{game}/replay/?at=7", user="disputer")
    at(page, 7)
    page.get_by_role("link", name="Dispute from event 7").click()
    expect(page.get_by_label("First wrong event")).to_have_value("7")
    expect(page.get_by_text(re.compile("You can dispute it until"))).to_be_visible()
    send, claim = page.get_by_role("button", name="Dispute game"), page.get_by_label("What went wrong?")
    send.click()
    expect(claim).to_be_focused()  # and the browser says that it must be filled in
    claim.fill(CLAIM)
    send.click()
    expect(page).to_have_url(re.compile("/disputes/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("status").filter(has_text="Open")).to_be_visible()
    assert violations(page) == []
    page.goto(f"{site.address}/games/{game}/dispute/")
    expect(page.get_by_text("You already have an open dispute of this game")).to_be_visible()
    page.get_by_role("link", name="Your dispute of this game").click()
    page.get_by_role("button", name="Withdraw dispute").click()
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.get_by_text("Withdrawn", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Withdraw dispute")).to_have_count(0)


def disputed(site: Site, name: str, version: int = 7) -> tuple[str, str]:
    """Return a game of a new player, and a dispute of it."""
    player = site.newcomer(name)
    game = vegas(site, name)
    body = {"version": version, "claim": CLAIM}
    return game, str(player.post(f"games/{game}/disputes/", body)["id"])


def test_the_board_at_the_disputed_event_is_stepped_by_keys(site: Site, open_page: Opener) -> None:
    game, dispute = disputed(site, "stepping-disputer")
    page = open_page(f"/disputes/{dispute}/", user="stepping-disputer")
    expect(page.get_by_role("link", name="event 7")).to_have_attribute(
        "href", re.compile(rf"/games/{game}/events/7\?h=[0-9a-f]{{12}}$")
    )
    board = page.get_by_role("region", name="Board at the event")
    expect(board.get_by_role("status")).to_contain_text("Event 7 of 9 · disputed event")
    expect(board.locator(".moved")).to_have_count(6)  # three cards, before and after
    board.get_by_role("button", name="Previous event").focus()
    for key, version in (("k", 8), ("ArrowLeft", 7), ("j", 6)):
        page.keyboard.press(key)
        expect(board.get_by_role("status")).to_contain_text(f"Event {version} of 9")
    board.get_by_role("button", name="Disputed event 7").click()
    expect(board.get_by_role("status")).to_contain_text("Event 7 of 9")


def test_a_ruling_is_read_and_appealed(site: Site, open_page: Opener) -> None:
    _, dispute = disputed(site, "appellant")
    auditor = site.staff("auditor")
    ruling = {"finding": "rejected", "remedy": "dismissed", "terms": {}, "reason": "It was undone before."}
    auditor.post(f"disputes/{dispute}/evidence/", {"version": 6, "note": "undone here"})
    auditor.post(f"disputes/{dispute}/ruling/", ruling)
    page = open_page(f"/disputes/{dispute}/", user="appellant")
    expect(page.get_by_role("status").filter(has_text="Ruled: claim rejected, no change")).to_be_visible()
    expect(page.get_by_text("It was undone before.")).to_be_visible()
    expect(page.get_by_text("undone here")).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Why is the ruling wrong?").fill("It was another draw.")
    page.get_by_role("button", name="Appeal").click()
    expect(page.get_by_role("status").filter(has_text="Appealed")).to_be_visible()
    expect(page.get_by_text("It was another draw.")).to_be_visible()


@pytest.mark.nightly
def test_own_disputes_are_listed_by_status(site: Site, open_page: Opener) -> None:
    game, dispute = disputed(site, "lister")
    page = open_page(f"/disputes/{dispute}/", user="lister")
    page.get_by_role("link", name="My disputes").click()
    lines = page.locator("main li")
    expect(lines.filter(has_text=CLAIM)).to_contain_text("yours")
    page.get_by_label("Status").select_option("withdrawn")
    expect(lines).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?status=withdrawn$"))
    page.reload()
    expect(page.get_by_label("Status")).to_have_value("withdrawn")
    page.goto(f"{site.address}/games/{game}/replay/")
    expect(page.locator(".events .mark").first).to_have_text("disputed from here")


@pytest.mark.nightly
def test_dispute_pages_fit_a_phone_and_are_in_german(site: Site, open_page: Opener) -> None:
    game, dispute = disputed(site, "narrow-disputer")
    page = open_page(
        "/disputes/", user="narrow-disputer", viewport={**NARROW, "width": 320}, language="de-DE"
    )
    rest = ("dispute/", "replay/", "audit/")
    for path in ("disputes/", f"disputes/{dispute}/", *(f"games/{game}/{part}" for part in rest)):
        page.goto(f"{site.address}/{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_text(re.compile("Lädt|Loading"))).to_have_count(0)
        assert violations(page) == []
        assert not scrolls_sideways(page)
