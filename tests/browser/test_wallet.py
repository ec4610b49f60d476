"""The wallet: every figure the server's own, deposits and withdrawals, limits that hold in words before and after."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, dots_of, opened, violations
from tests.browser.people import caller, deposit, funded, lose_a_stake, sign_up


def pounds(pence: int) -> str:
    return f"{pence / 100:,.2f} play money"


def figures(page: Page) -> list[str]:
    return [re.sub(r"\s+", " ", text) for text in page.locator("dl.balances").locator("dd").all_inner_texts()]


def test_a_statement_has_the_figures_of_the_ledger(site: Site, open_page: Opener) -> None:
    player = funded(site, "saver", 5000)
    deposit(site, player, 700)
    game = lose_a_stake(player)
    statement = player.get("wallet/statement/?account=all")
    wallet = player.get("wallet/")["accounts"]
    page = open_page("/wallet/", user="saver")
    expect(page.get_by_role("row")).to_have_count(len(statement["results"]) + 1)
    whole = {name: wallet["cash"][name] + wallet["session"][name] for name in ("available", "held", "total")}
    expect(page.locator("dl.balances dd")).to_contain_text([pounds(amount) for amount in whole.values()])
    expect(page.locator("[data-check=reconciles] dd")).to_have_text(
        [f"{statement[part] / 100:,.2f}" for part in ("opening", "received", "paid", "closing")]
    )
    for row, line in zip(page.get_by_role("row").all()[1:], statement["results"], strict=True):
        expect(row.get_by_role("cell").last).to_have_text(f"{line['balance'] / 100:,.2f}")
    balances = [line["balance"] for line in statement["results"]]
    chart = page.get_by_role("figure", name=f"Balance after each of the {len(balances)} transfers shown")
    for name, value in (("Highest", max(balances)), ("Last", balances[0]), ("Lowest", min(balances))):
        expect(chart.get_by_text(f"{name}{pounds(value)}", exact=True)).to_be_visible()
    assert statement["closing"] == whole["total"]
    expect(page.get_by_role("link", name="Stake: Vegas Solitaire")).to_have_attribute(
        "href", f"/games/{game}/"
    )


def test_a_correction_leads_to_the_line_that_it_corrects(site: Site, open_page: Opener) -> None:
    player = funded(site, "corrected", 5000)
    staff = site.staff("administrator")
    mistake = {"player": player.player, "amount": 700, "currency": "XTS", "reason": "by mistake"}
    wrong = staff.post("deposits/", mistake)["transfers"][0]["id"]
    staff.post("reversals/", {"transfer": wrong, "reason": "meant for another"})
    page = open_page("/wallet/", user="corrected")
    page.get_by_role("link", name="reverses an earlier transfer").click()
    expect(page).to_have_url(re.compile(f"#line-{wrong}$"))
    page.get_by_role("combobox", name="Type").select_option("correction")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("combobox", name="Period").select_option("7")
    expect(page).to_have_url(re.compile(r"kind=correction&days=7"))
    page.reload()
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="reverses an earlier transfer").click()
    expect(page.get_by_text("This is one line of your statement.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="by mistake")).to_be_visible()


@pytest.mark.nightly
def test_a_statement_is_printed_and_downloaded(site: Site, open_page: Opener) -> None:
    lose_a_stake(funded(site, "bookkeeper", 5000))
    page = open_page("/wallet/", user="bookkeeper")
    lines = page.get_by_role("row")
    expect(lines).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.path().read_text().count("\n") == 3
    page.get_by_role("combobox", name="Account").select_option("cash")
    expect(lines.filter(has_text="To the play session")).to_be_visible()
    page.get_by_role("combobox", name="Account").select_option("")
    expect(lines.filter(has_text="To the play session")).to_have_count(0)
    page.emulate_media(media="print")
    expect(page.get_by_role("contentinfo")).to_be_hidden()
    expect(page.get_by_text("Racecard: bookkeeper")).to_be_visible()
    expect(page.get_by_role("table")).to_be_visible()


@pytest.mark.nightly
def test_stakes_and_play_sessions_are_listed_with_what_came_back(site: Site, open_page: Opener) -> None:
    player = funded(site, "staker", 5000)
    game = lose_a_stake(player)
    page = open_page("/wallet/bets/", user="staker")
    item = page.get_by_role("row").filter(has=page.locator(f'a[href="/games/{game}/"]'))
    row = player.get("wallet/history/")["results"][0]
    expect(item.get_by_role("link")).to_contain_text("Stake: Vegas Solitaire")
    cells = item.get_by_role("cell")
    amounts = f"{row['stake'] / 100:.2f}", f"{row['returned'] / 100:.2f}", f"−{-row['net'] / 100:.2f}"
    for place, amount in enumerate(amounts, start=2):
        expect(cells.nth(place)).to_have_text(re.compile(rf"{amount}$"))
    page.get_by_role("combobox", name="Status").select_option("open")
    expect(page.get_by_text("No matching lines.")).to_be_visible()
    page.get_by_role("button", name="Show all stakes").click()
    expect(item).to_be_visible()
    expect(page.get_by_role("link", name="Wallet", exact=True)).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="Statement").click()
    page.get_by_text("Technical details").click()
    page.get_by_role("link", name="Play sessions").click()
    expect(page.get_by_role("link", name="Play sessions")).to_have_attribute("aria-current", "page")
    page.get_by_text("Show games").click()
    expect(page.get_by_role("row")).to_have_count(2)
    total = player.get("wallet/")["accounts"]["session"]["total"]
    expect(page.get_by_text("Session balance")).to_contain_text(pounds(total))
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    played = page.get_by_role("row").get_by_role("link").bounding_box()
    assert played is not None
    assert played["width"] > played["height"], "its time is written in one line"


def test_a_payout_is_requested_and_cancelled(site: Site, open_page: Opener, watched: Watched) -> None:
    player = funded(site, "leaver", 3000)
    page = open_page("/wallet/payouts/", user="leaver")
    expect(page.get_by_text(f"Available for payout: {pounds(3000)}.")).to_be_visible()
    page.get_by_label("Destination").fill("my bank")
    ask = page.get_by_role("button", name="Request payout")
    for wrong in ("0", "much"):
        page.get_by_label("Amount").fill(wrong)
        ask.click()
        expect(page.get_by_label("Amount")).to_have_accessible_description("Enter an amount, such as 20.00.")
    page.get_by_label("Amount").fill("40")
    ask.click()
    expect(page.get_by_role("alert")).to_contain_text("The account has insufficient funds")
    watched.expect("409")
    page.get_by_label("Amount").fill("12.50")
    ask.click()
    expect(page.get_by_text("Payout requested. The money is held.")).to_be_visible()
    expect(page.locator("dl.balances")).to_contain_text(pounds(1250))
    expect(page.get_by_role("link", name="Waiting for payout")).to_be_visible()
    assert player.get("wallet/")["accounts"]["cash"] == {"available": 1750, "held": 1250, "total": 3000}
    assert figures(page)[:3] == [pounds(1750), pounds(1250), pounds(3000)]
    expect(page.get_by_role("listitem").filter(has_text="Waiting for approval")).to_contain_text("my bank")
    assert dots_of(page, 1280) == {"shown": [True, True], "hidden": []}
    assert dots_of(page, 320) == {"shown": [True], "hidden": [False]}
    page.get_by_role("button", name="Cancel payout").click()
    expect(page.get_by_role("listitem").filter(has_text="Rejected")).to_be_visible()
    assert player.get("wallet/")["accounts"]["cash"]["held"] == 0


def test_a_limit_is_shown_before_it_refuses_and_a_raise_waits(site: Site, open_page: Opener) -> None:
    funded(site, "frugal", 3000)
    page = open_page("/wallet/protection/", user="frugal")
    expect(page.get_by_text("Lower limits and breaks apply at once")).to_be_visible()
    stakes = page.get_by_role("region", name="Stakes")
    for amount in ("4", "50"):
        page.get_by_role("button", name="Change stakes in 24 hours").click()
        page.get_by_label("New limit").fill(amount)
        page.get_by_role("button", name="Set limit", exact=True).click()
        expect(stakes.get_by_role("listitem").first).to_contain_text("4.00 play money")
    expect(stakes).to_contain_text(re.compile("From .*: 50.00 play money"))
    page.get_by_role("button", name="Keep current limit").click()
    expect(stakes.get_by_text(re.compile("50.00 play money"))).to_have_count(0)
    page.goto(f"{site.address}/new/racing-demons/")
    page.get_by_role("button", name="Higher stake").click()
    words = "Your limit of stakes in 24 hours is 4.00 play money, with 4.00 play money left."
    expect(page.get_by_text(words).first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^(Play|Find opponents)$"))).to_be_disabled()
    body = {"rules": "racing-demons", "seats": 2, "stake_table": "racing-demons-table", "buy_in": 500}
    game = site.newcomer("unlimited").post("games/", body)["id"]
    page.goto(f"{site.address}/games/{game}/")
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_role("button", name="Sit down")).to_have_count(0)


@pytest.mark.nightly
def test_a_time_out_is_confirmed_and_keeps_its_player_from_new_games(site: Site, open_page: Opener) -> None:
    player = site.newcomer("tired")
    page = open_page("/wallet/protection/", user="tired")
    page.get_by_role("region", name="Time-out").get_by_role("combobox", name="Duration").select_option("6")
    page.get_by_role("button", name="Start time-out").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert player.get("wallet/time-outs/")["results"] == []
    page.get_by_role("button", name="Start time-out").click()
    page.get_by_role("dialog").get_by_role("button", name="Start time-out").click()
    expect(page.get_by_text(re.compile("In force until"))).to_be_visible()
    expect(page.get_by_role("button", name="Exclude me from play")).to_be_disabled()
    page.goto(f"{site.address}/new/idle-aces/")
    expect(page.get_by_text(re.compile("You have a time-out until"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^(Play|Find opponents)$"))).to_be_disabled()


@pytest.mark.nightly
def test_a_player_who_has_lost_the_play_money_tops_it_up(tmp_path: Path, open_page: Opener) -> None:
    with opened(tmp_path / "generous", RACECARD_PLAY_CREDIT="520") as site:
        page = open_page("/", address=site.address)
        sign_up(page, "newcomer")
        wallet = page.get_by_role("banner").get_by_role("link", name="Balance")
        expect(wallet).to_contain_text("5.20")
        lose_a_stake(caller(site, "newcomer"), cash_in=520)
        wallet.click()
        expect(page.get_by_text("You have little play money left.")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("button", name="Add 5.20 play money").click()
        expect(page.get_by_role("cell", name="Play money topped up")).to_be_visible()
        expect(wallet).to_contain_text("5.20")
        expect(page.get_by_role("button", name="Add")).to_have_count(0)
