"""A dispute in a real browser: from the button at an event to its withdrawal, ruling, and appeal."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    NARROW,
    Opener,
    Site,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import sign_up
from tests.browser.test_replay import at, opened, vegas

CLAIM = "The third draw showed me cards that I had seen before."


def claim(page: Page, words: str) -> str:
    """By the form; the address of the dispute."""
    page.get_by_label("What went wrong?").fill(words)
    page.get_by_role("button", name="Dispute game").click()
    expect(page).to_have_url(re.compile("/disputes/[0-9a-f-]{36}/$"))
    expect(page.get_by_text(words)).to_be_visible()
    return page.url


def test_a_dispute_goes_from_its_button_to_its_outcome(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "disputer")
    game = vegas(site, "disputer")
    opened(page, site, game, "replay/?at=7")
    at(page, 7)
    page.get_by_role("link", name="Dispute from event 7").click()
    expect(page.get_by_label("First wrong event")).to_have_value("7")
    expect(page.get_by_text(re.compile("You can dispute it until"))).to_be_visible()
    page.get_by_role("button", name="Dispute game").click()
    expect(
        page.get_by_label("What went wrong?")
    ).to_be_focused()  # and the browser says that it must be filled in
    assert violations(page) == []
    first = claim(page, CLAIM)
    expect(page.get_by_role("status").filter(has_text="Open")).to_be_visible()
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
    keep_picture(page, "dispute-open")
    assert violations(page) == []

    page.goto(f"{site.address}/games/{game}/dispute/")
    expect(page.get_by_text("You already have an open dispute of this game")).to_be_visible()
    page.get_by_role("link", name="Your dispute of this game").click()
    page.get_by_role("button", name="Withdraw dispute").click()
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.get_by_text("Withdrawn", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Withdraw dispute")).to_have_count(0)

    page.goto(f"{site.address}/games/{game}/")
    page.get_by_role("link", name="Dispute game").click()
    second = claim(page, "It is the fourth draw that I mean.")
    assert second != first
    auditor = site.staff("auditor")
    dispute = second.rstrip("/").rsplit("/", 1)[-1]
    ruling = {
        "finding": "rejected",
        "remedy": "dismissed",
        "terms": {},
        "reason": "The draw was undone before.",
    }
    auditor.post(f"disputes/{dispute}/evidence/", {"version": 6, "note": "undone here"})
    auditor.post(f"disputes/{dispute}/ruling/", ruling)
    page.reload()
    expect(page.get_by_role("status").filter(has_text="Ruled: claim rejected, no change")).to_be_visible()
    expect(page.get_by_text("The draw was undone before.")).to_be_visible()
    expect(page.get_by_text("undone here")).to_be_visible()
    keep_picture(page, "dispute-ruled")
    assert violations(page) == []
    page.get_by_label("Why is the ruling wrong?").fill("It was another draw.")
    page.get_by_role("button", name="Appeal").click()
    expect(page.get_by_role("status").filter(has_text="Appealed")).to_be_visible()
    expect(page.get_by_text("It was another draw.")).to_be_visible()

    page.get_by_role("link", name="My disputes").click()
    lines = page.locator("main li")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text=CLAIM)).to_contain_text("yours")
    page.get_by_label("Status").select_option("withdrawn")
    expect(lines).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?status=withdrawn$"))
    page.reload()
    expect(lines).to_have_count(1)
    assert violations(page) == []
    opened(page, site, game, "replay/")
    expect(page.locator(".events .mark").first).to_have_text("disputed from here")


def test_dispute_pages_fit_a_phone_and_are_in_german(site: Site, open_page: Opener) -> None:
    page = open_page("/", viewport={**NARROW, "width": 320}, colours="dark")
    sign_up(page, "narrow-disputer")
    game = vegas(site, "narrow-disputer")
    page.get_by_role("combobox", name="Language").select_option("de")
    for path in (f"games/{game}/dispute/", "disputes/", f"games/{game}/replay/", f"games/{game}/audit/"):
        page.goto(f"{site.address}/{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_text(re.compile("Lädt|Loading"))).to_have_count(0)
        keep_picture(page, f"german-{path.rstrip('/').rsplit('/', 1)[-1]}")
        assert violations(page) == []
        assert not scrolls_sideways(page)
    page.goto(f"{site.address}/games/{game}/dispute/")
    page.get_by_label("Was lief falsch?").fill("Alles.")
    page.get_by_role("button", name="Spiel anfechten").click()
    expect(page.get_by_text("Offen", exact=True)).to_be_visible()
    assert violations(page) == []
    assert not scrolls_sideways(page)
