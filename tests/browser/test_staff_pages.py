"""The staff pages under their content policy: sign-in, a deposit, a console that follows, and widths."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener, Site, StaffOpener, scrolls_sideways, violations
from tests.browser.test_races_and_bets import race


@pytest.mark.nightly
def test_a_stranger_is_asked_to_sign_in_and_a_wrong_password_is_refused(
    open_page: Opener, site: Site
) -> None:
    page = open_page("/admin/")
    page.get_by_label("Name").fill("administrator")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("Name or password is wrong")).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Password").fill(site.passwords["administrator"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("Logged out", exact=False).first).to_be_visible()


LINES = """(one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getClientRects().length;
}"""


def test_money_is_paid_in_with_a_reason_after_a_preview(staff_page: StaffOpener, site: Site) -> None:
    player = site.newcomer("depositor-with-a-long-name")
    page = staff_page(path="ledger/account/")
    page.get_by_role("link", name="Deposit").click()
    page.get_by_label("Player").fill(player.player)
    page.get_by_label("Amount").fill("12.50")
    page.get_by_label("Reason").fill("seen in a browser")
    assert violations(page) == []
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Transfers")).to_be_visible()
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 0
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    amount = page.locator(".changes td").first
    expect(amount).to_have_text("0.00 play money")
    assert amount.evaluate(LINES) == 1
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Record deposit").click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 1250


def test_the_console_updates_itself_and_keeps_the_focus(staff_page: StaffOpener, site: Site) -> None:
    organizer = site.staff("organizer")
    terms = {
        "name": "Watched", "format": "duplicate", "rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0},
        "rounds": 1, "round_seconds": 600, "currency": "XTS",
    }  # fmt: skip
    tournament = str(organizer.post("tournaments/", terms)["id"])
    page = staff_page("organizer", f"tournaments/{tournament}/")
    expect(page.get_by_text("Draft: visible to you and staff only.")).to_be_visible()
    page.get_by_role("link", name="Publish").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Reason").fill("seen in a browser")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name=re.compile("Draft.*Published"))).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Open for entries until you start it.")).to_be_visible()
    page.get_by_role("link", name="Cancel").focus()
    site.newcomer("entrant").post(f"tournaments/{tournament}/entries/", {"client_seed": "seen in a browser"})
    expect(page.get_by_role("row", name=re.compile("Entry 1 entered"))).to_be_visible()
    expect(page.get_by_role("link", name="Cancel")).to_be_focused()
    assert violations(page) == []


def test_the_api_guide_is_dark_where_the_system_is(open_page: Opener) -> None:
    page = open_page("/api/v1/docs/")
    body = page.locator("body")
    expect(body).to_have_css("background-color", "rgb(250, 250, 250)")
    page.emulate_media(color_scheme="dark")
    expect(body).to_have_css("background-color", "rgb(28, 32, 34)")


@pytest.mark.nightly
def test_the_api_guide_works_under_the_policy(open_page: Opener) -> None:
    page = open_page("/api/v1/docs/")
    # The guide draws the first operations at once and the others bit by bit, as the browser finds the time.
    expect(page.get_by_text("/api/v1/accounts/", exact=True).first).to_be_visible()


PLAYER = "{player}"


@pytest.mark.parametrize(
    "path",
    [
        "ledger/bet/?q=nothing-has-this",
        *(
            pytest.param(path, marks=pytest.mark.nightly)
            for path in (
                "money/banks/",
                "money/players/",
                f"money/players/{PLAYER}/",
                "money/reports/",
                "money/reports/games/?rules=vegas-solitaire",
                "money/reports/stake-tables/",
                "money/reports/tournaments/",
                f"ledger/account/deposit/?player={PLAYER}",
                "ledger/transfer/",
            )
        ),
    ],
)
def test_a_page_about_money_fits_320_pixels_and_a_sheet_of_paper(
    staff_page: StaffOpener, site: Site, path: str
) -> None:
    player = site.sign_in("player", site.passwords["player"]).player
    page = staff_page(path=path.replace(PLAYER, player), viewport={"width": 320, "height": 700})
    assert not scrolls_sideways(page)
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Sidebar")).to_be_hidden()
    expect(page.locator("#content h1")).to_be_visible()


STACKED = """() => [...document.querySelectorAll(
    '.figures.stacked > tbody > tr:first-child > td:not(.blank)')].map(
    (cell) => cell.colSpan > 1 || Boolean(cell.dataset.label))"""
TOO_WIDE = """() => [...document.querySelectorAll('.scrolls')].filter(
    (box) => box.scrollWidth > box.clientWidth).length"""


def test_a_phone_shows_the_rows_of_a_wide_table_as_labelled_blocks(
    staff_page: StaffOpener, site: Site
) -> None:
    # An open market, whose row among the banks' contains another table.
    race(site, site.newcomer("bookmaker"), kind="pool", takeout=0)
    page = staff_page(path="money/banks/")
    for path in ("money/banks/", "accounts/player/"):
        page.goto(f"{site.address}/admin/{path}")
        assert page.evaluate(STACKED) == []
        page.set_viewport_size({"width": 390, "height": 844})
        expect(page.locator(".figures.stacked").first).to_be_visible()
        labelled = page.evaluate(STACKED)
        assert labelled
        assert all(labelled)
        assert page.evaluate(TOO_WIDE) == 0
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(page.locator(".figures.stacked")).to_have_count(0)
