"""The staff pages under their content policy: sign-in, dashboard, a game and its proof, every list."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    Opener,
    Site,
    StaffOpener,
    Watched,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.test_races_and_bets import race


@pytest.fixture(scope="session")
def played(site: Site) -> str:
    """A game of Vegas Solitaire for points, collected after one draw."""
    player = site.newcomer("played")
    made = player.post("games/", {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}})
    game = str(made["id"])
    player.post(f"games/{game}/seats/", {"client_seed": "seen in a browser"})
    player.post(f"games/{game}/start/", {})
    for move in ("draw", "collect"):
        player.post(f"games/{game}/moves/", {"move": {"type": move}})
    return game


def test_a_stranger_is_asked_to_sign_in_and_a_wrong_password_is_refused(
    open_page: Opener, site: Site
) -> None:
    page = open_page("/admin/")
    assert violations(page) == []
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


def test_the_dashboard_shows_counts_and_play_money(staff_page: StaffOpener, site: Site, played: str) -> None:
    page = staff_page()
    expect(page.get_by_text("Play money: amounts have no value outside this site")).to_be_visible()
    tile = page.get_by_role("link", name=re.compile(r"^\d+ Players$"))
    expect(tile).to_be_visible()
    counted = int((tile.text_content() or "").split()[0])
    tile.click()
    expect(page.get_by_role("heading", name="Players", exact=True)).to_be_visible()
    assert f"{counted} player" in (page.locator(".paginator").text_content() or "")


def test_a_session_shows_in_the_lobby(staff_page: StaffOpener, site: Site) -> None:
    page = staff_page()
    page.goto(f"{site.address}/")
    expect(page.get_by_text("Signed in as administrator")).to_be_visible()


def test_a_game_shows_its_events_and_its_verification(open_page: Opener, site: Site, played: str) -> None:
    page = open_page(f"/admin/games/gamerecord/{played}/change/")
    page.get_by_label("Name").fill("auditor")
    page.get_by_label("Password").fill(site.passwords["auditor"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    events = page.get_by_role("region", name="Events, scrolls sideways")
    for words in (
        "The table is opened",
        "played sits down",
        "played draws",
        "played collects",
        "The game is over",
    ):
        expect(events.get_by_role("cell", name=re.compile(f"^{words}"))).to_be_visible()
    kept = page.get_by_role("region", name="Events as they are stored")
    expect(kept).to_be_hidden()
    page.get_by_text("Technical details of the events").click()
    for kind in ("created", "seated", "dealt", "draw", "collect", "finished"):
        expect(kept.get_by_role("cell", name=kind, exact=True)).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page.get_by_role("link", name="Verify").click()
    expect(page.get_by_text(re.compile(r"Verified: (\d+) of \1 checks passed"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^Chain"))).to_contain_text("passed")
    assert violations(page) == []


LINES = """(one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getClientRects().length;
}"""


@pytest.mark.both_databases
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
    keep_picture(page, "office-deposit-preview")
    page.set_viewport_size({"width": 390, "height": 844})
    amount = page.locator(".changes td").first
    expect(amount).to_have_text("0.00 play money")
    assert amount.evaluate(LINES) == 1
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Record deposit").click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert player.get("wallet/")["accounts"]["cash"]["total"] == 1250


def money_pages(site: Site) -> dict[str, str]:
    player = site.sign_in("player", site.passwords["player"]).player
    return {
        "money-banks": "/admin/money/banks/",
        "money-players": "/admin/money/players/",
        "money-player": f"/admin/money/players/{player}/",
        "money-reports": "/admin/money/reports/",
        "money-reports-games": "/admin/money/reports/games/?rules=vegas-solitaire",
        "money-reports-tables": "/admin/money/reports/stake-tables/",
        "money-reports-tournaments": "/admin/money/reports/tournaments/",
        "money-deposit": f"/admin/ledger/account/deposit/?player={player}",
        "search-without-result": "/admin/ledger/bet/?q=nothing-has-this",
        "transfers": "/admin/ledger/transfer/",
    }


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
    keep_picture(page, "office-tournament-console")


def test_the_api_guide_works_under_the_policy(open_page: Opener, watched: Watched) -> None:
    page = open_page("/api/v1/docs/")
    # The guide draws the first operations at once and the others bit by bit, as the browser finds the time.
    expect(page.get_by_text("/api/v1/accounts/", exact=True).first).to_be_visible(timeout=30_000)
    keep_picture(page, "api-guide")
    body = page.locator("body")
    expect(body).to_have_css("background-color", "rgb(250, 250, 250)")
    page.emulate_media(color_scheme="dark")
    expect(body).to_have_css("background-color", "rgb(28, 32, 34)")


def test_the_pages_about_money_fit_320_pixels_and_print(staff_page: StaffOpener, site: Site) -> None:
    page = staff_page(viewport={"width": 320, "height": 700})
    faults = []
    for name, path in money_pages(site).items():
        page.goto(site.address + path)
        if scrolls_sideways(page):
            faults.append(name)
        page.emulate_media(media="print")
        expect(page.get_by_role("navigation", name="Sidebar")).to_be_hidden()
        expect(page.locator("#content h1")).to_be_visible()
        page.emulate_media(media="screen")
    assert faults == []


STACKED = """() => [...document.querySelectorAll(
    '.figures.stacked > tbody > tr:first-child > td:not(.blank)')].map(
    (cell) => cell.colSpan > 1 || Boolean(cell.dataset.label))"""
TOO_WIDE = """() => [...document.querySelectorAll('.scrolls')].filter(
    (box) => box.scrollWidth > box.clientWidth).length"""


@pytest.fixture(scope="session")
def market(site: Site) -> None:
    """An open market, whose row among the banks' contains another table."""
    race(site, site.newcomer("bookmaker"), kind="pool", takeout=0)


@pytest.mark.usefixtures("market")
@pytest.mark.parametrize("path", ["money/banks/", "accounts/player/"], ids=["page", "list"])
def test_a_phone_shows_the_rows_of_a_wide_table_as_labelled_blocks(
    staff_page: StaffOpener, path: str
) -> None:
    page = staff_page(path=path)
    assert page.evaluate(STACKED) == []
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".figures.stacked").first).to_be_visible()
    labelled = page.evaluate(STACKED)
    assert labelled
    assert all(labelled)
    assert page.evaluate(TOO_WIDE) == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".figures.stacked")).to_have_count(0)


def test_a_report_works_by_keyboard_and_describes_its_charts(staff_page: StaffOpener) -> None:
    page = staff_page()
    page.get_by_role("link", name="Reports", exact=True).first.click()
    expect(page.get_by_role("heading", name="Reports")).to_be_visible()
    page.get_by_label("Until", exact=True).fill("2020-01-31")
    page.get_by_label("From", exact=True).focus()
    page.get_by_label("From", exact=True).fill("2020-01-01")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("first=2020-01-01"))
    # Days before the installation existed have no data, and the page says so.
    expect(page.get_by_text("No transfers in this period.").first).to_be_visible()
    tabs = page.get_by_role("navigation", name="Reports")
    tabs.get_by_role("link", name="By stake table").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("stake-tables/.*first=2020-01-01"))
    expect(tabs.get_by_role("link", name="By stake table")).to_have_attribute("aria-current", "page")


def _pence(amount: str | None) -> int:
    return int(re.sub(r"\D", "", amount or "") or 0)


def test_a_chart_is_drawn_without_scripts(staff_page: StaffOpener, site: Site) -> None:
    player = site.sign_in("player", site.passwords["player"])
    session = player.post("play-sessions/", {"amount": 1040, "currency": "XTS"})["id"]
    form = {
        "rules": "vegas-solitaire",
        "config": {"draw": 3, "stake": 104},
        "stake_table": "vegas-classic",
        "play_session": session,
    }
    game = str(player.post("games/", form)["id"])
    player.post(f"games/{game}/seats/", {"client_seed": "seen in a browser"})
    player.post(f"games/{game}/start/", {})
    page = staff_page(path="money/reports/")
    picture = page.get_by_role("img", name="Staked and won, by day")
    expect(picture).to_be_visible()
    assert page.locator("#staked-title").text_content() == "Staked and won, by day"
    page.get_by_text("Show as table").first.click()
    drawn = page.locator("figure").first.locator("tbody")
    expect(drawn).to_be_visible()
    days = [_pence(text) for text in drawn.locator("td:nth-child(2)").all_text_contents()]
    # The figures of the same answer: games of other tests go on, and midnight may pass.
    stakes, refunds = (
        _pence(page.locator(f"tfoot td:nth-child({column})").text_content()) for column in (2, 9)
    )
    assert sum(days) == stakes - refunds >= 104
    assert violations(page) == []
    keep_picture(page, "office-money-chart")
    page.goto(f"{site.address}/admin/money/players/{player.player}/")
    expect(page.get_by_role("heading", name="Balances in play money")).to_be_visible()
    assert violations(page) == []
