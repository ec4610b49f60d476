"""Tournaments in a real browser: from the entry to the prize on a page that is never loaded again, and a bracket."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.browser.conftest import NARROW, WIDE, Opener, Site, scrolls_sideways, violations
from tests.browser.cups import (
    FEE,
    FUNDS,
    VEGAS,
    cash,
    collect,
    entered,
    finished,
    held,
    in_round,
    leave,
    own_game,
    played,
)
from tests.browser.people import funded

pytestmark = pytest.mark.usefixtures("rounds_continue")

PRIZED = {"rounds": 1, "fee": FEE, "prizes": [7000, 3000], "rake": 1000, **VEGAS}
CHECK_IN = timedelta(hours=1)
FIELDS = [
    ("bert", "cleo"),
    pytest.param(tuple(f"eighth-{number}" for number in range(8)), marks=pytest.mark.soak),
]
"""Who plays: `make soak` plays with eight."""


def documents(page: Page) -> list[str]:
    """Every document that the page loads from now on."""
    loaded: list[str] = []

    def note(request: Request) -> None:
        if request.is_navigation_request():
            loaded.append(request.url)

    page.on("request", note)
    return loaded


def row(page: Page, name: str) -> Locator:
    rows = page.get_by_role("region", name="Standings", exact=True).get_by_role("row")
    return rows.filter(has=page.get_by_role("button", name=name))


def sheets(page: Page) -> int:
    """The sheets of paper on which the page is printed."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_an_entrant_pays_once_and_chooses_who_reads_the_name(site: Site, open_page: Opener) -> None:
    tournament = held(site, name="For an entry", capacity=4, **PRIZED)
    player = funded(site, "anna", FUNDS)
    page = open_page(f"/tournaments/{tournament}/", user="anna")
    expect(page.get_by_text("All players play the same deals alone")).to_be_visible()
    page.get_by_role("button", name="Enter", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The fee of 5.00 play money is taken")
    expect(dialog).to_contain_text("Your balance: 100.00 play money → 95.00 play money.")
    dialog.get_by_label("Your client seed").fill("seed of anna")
    expect(dialog.get_by_role("button", name="Everyone")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_role("button", name="Signed-in users").click()
    assert violations(page, "best-practice") == []
    dialog.get_by_role("button", name="Enter").dblclick()
    expect(page.get_by_text("You are entered as number")).to_be_visible()
    expect(dialog).to_be_hidden()
    assert cash(player) == FUNDS - FEE, "a double click pays once"
    visitor = open_page(f"/tournaments/{tournament}/")
    expect(visitor.get_by_text("Player 1", exact=True).first).to_be_visible()
    expect(visitor.get_by_text("anna", exact=True)).to_have_count(0)


@pytest.mark.parametrize("names", FIELDS)
def test_a_page_leads_from_the_first_table_to_the_prize_and_is_never_loaded_again(
    site: Site, open_page: Opener, names: tuple[str, ...]
) -> None:
    tournament = held(site, name="All for the Prize", **PRIZED | {"rounds": 2})
    players = entered(site, tournament, names)
    size = len(players)
    spectator = open_page(f"/tournaments/{tournament}/")
    expect(spectator.get_by_role("heading", level=1, name="All for the Prize")).to_be_visible()
    page = open_page(f"/tournaments/{tournament}/", user=names[0])
    loaded, own = documents(spectator), documents(page)
    in_round(site, tournament)
    page.get_by_role("link", name="Go to your table").first.click()
    expect(page).to_have_url(f"{site.address}/games/{own_game(players[0], tournament, 1)}/")
    expect(spectator.get_by_role("heading", name="Round 1", exact=True)).to_be_visible()
    expect(spectator.get_by_text(f"0 of {size} tables done")).to_be_visible()
    expect(spectator.get_by_text("No round has closed yet.")).to_be_visible()
    collect(players[0], tournament)
    expect(page.get_by_text("Your game is over.")).to_be_visible()
    expect(spectator.get_by_text(f"1 of {size} tables done")).to_be_visible()
    for player in players[1:]:
        collect(player, tournament)
    expect(spectator.get_by_text("After 1 closed round.")).to_be_visible()
    expect(page.get_by_text("Your next table is ready: round 2")).to_be_visible()
    page.get_by_role("link", name="Go to table").click()
    expect(page).to_have_url(f"{site.address}/games/{own_game(players[0], tournament, 2)}/")
    for player in players:
        collect(player, tournament, 2)
    expect(spectator.get_by_text("Finished", exact=True)).to_be_visible()
    prizes = spectator.get_by_role("region", name="Prizes")
    podium = spectator.get_by_role("region", name=re.compile("^Winners"))
    for player, name in zip(players, (f"Player {number}" for number in range(1, size + 1)), strict=True):
        assert cash(player) == FUNDS - FEE + FEE * 9 // 10
        expect(prizes.get_by_role("row").filter(has_text=name)).to_contain_text("4.50")
        step = podium.get_by_role("listitem").filter(has_text=name)
        expect(step).to_contain_text("Prize: 4.50 play money")
        game = own_game(player, tournament, 2)
        expect(step.get_by_role("link", name="Deciding game")).to_have_attribute(
            "href", f"/games/{game}/replay/"
        )
    assert violations(spectator, "best-practice") == []
    assert loaded == own == [], "no document was loaded again"


def test_a_change_of_rank_moves_neither_the_page_nor_the_focus(site: Site, open_page: Opener) -> None:
    tournament = held(site, name="Steady", **PRIZED)
    played(site, tournament, entered(site, tournament, ("dora", "emil")))
    page = open_page(f"/tournaments/{tournament}/", user="dora", viewport={"width": 1280, "height": 500})
    second = row(page, "emil")
    expect(second.get_by_role("cell").first).to_have_text("1")
    second.get_by_role("button").focus()
    page.evaluate("scrollTo(0, 420)")
    organizer = site.staff("organizer")
    tables = organizer.get(f"tournaments/{tournament}/rounds/1/")["tables"]
    [table] = [table for table in tables if table["seats"][0]["name"] == "emil"]
    [[_, *rest]] = table["games"][0]["scores"]
    scores = [{"entry": table["seats"][0]["entry"], "score": [40, *rest]}]
    change = {"round": 1, "table": table["table"], "number": 1, "way": "score", "reason": "misread"}
    change |= {"scores": scores, "entries": []}
    token = organizer.post(f"tournaments/{tournament}/corrections/preview/", change)["token"]
    organizer.post(f"tournaments/{tournament}/corrections/", {**change, "token": token})
    expect(row(page, "dora").get_by_role("cell").first).to_have_text("2")
    assert page.evaluate("scrollY") == 420
    assert page.evaluate("document.activeElement.textContent.trim()") == "emil"


@pytest.mark.nightly
def test_who_comes_late_waits_in_line_and_entrants_check_in(site: Site, open_page: Opener) -> None:
    opens_at = (datetime.now(UTC) + CHECK_IN + timedelta(seconds=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    terms = {"capacity": 2, "waiting_list": 1, "check_in_seconds": int(CHECK_IN.total_seconds())}
    tournament = held(site, name="Full house", opens_at=opens_at, rounds=1, **terms, **VEGAS)
    entered(site, tournament, ("fred", "gina"))
    site.newcomer("iris")
    late = open_page(f"/tournaments/{tournament}/", user="iris")
    late.get_by_role("button", name="Join waiting list").click()
    late.get_by_role("dialog").get_by_role("button", name="Join waiting list").click()
    expect(late.get_by_text("You are number 1 on the waiting list")).to_be_visible()
    late.get_by_role("button", name="Leave waiting list").click()
    expect(late.get_by_role("button", name="Join waiting list")).to_be_visible()
    page = open_page(f"/tournaments/{tournament}/", user="fred")
    page.get_by_role("button", name="Check in").click()
    expect(page.get_by_text("You are checked in.")).to_be_visible()


@pytest.mark.nightly
def test_the_winner_is_bet_on_by_entrants_only_on_themselves(site: Site, open_page: Opener) -> None:
    tournament = held(site, name="With a pool", capacity=8, **PRIZED)
    players = entered(site, tournament, ("hans", "hugo"))
    market = {"takeout": 500, "cancellable": True}
    site.staff("organizer").post(f"tournaments/{tournament}/markets/", market)
    bettor = funded(site, "jack", FUNDS)
    pages = {name: open_page(f"/tournaments/{tournament}/", user=name) for name in ("jack", "hans")}
    betting, own = (page.get_by_role("region", name="Betting on the winner") for page in pages.values())
    for name, total in (("hans", "2.00"), ("hugo", "4.00")):
        betting.get_by_role("radio", name=name).check()
        betting.get_by_label("Your stake").fill("2.00")
        betting.get_by_role("button", name=f"Bet 2.00 on {name}").click()
        expect(betting.get_by_text(f"2.00 on {name}").first).to_be_visible()
        expect(betting).to_contain_text(total)
    assert cash(bettor) == FUNDS - 400
    assert violations(pages["jack"], "best-practice") == []
    expect(own.get_by_role("radio", name="hans")).to_be_checked()
    expect(own.get_by_role("radio", name="hugo")).to_be_disabled()
    visitor = open_page(f"/tournaments/{tournament}/").get_by_role("region", name="Betting on the winner")
    expect(visitor).to_contain_text("Sign in to place a bet.")
    played(site, tournament, players)
    expect(visitor).to_contain_text(re.compile("Winner:|All stakes were refunded|[Dd]ead heat"))
    expect(betting.get_by_text(re.compile("^Staked 4.00, returned"))).to_be_visible()


@pytest.mark.nightly
def test_the_draw_proves_itself_and_another_lot_key_is_found(site: Site, open_page: Opener) -> None:
    tournament = held(site, name="Proven", **PRIZED)
    players = entered(site, tournament, ("lena", "lars"))
    in_round(site, tournament)
    page = open_page(f"/tournaments/{tournament}/pairings/", user="lena", intercepted=True)
    expect(page.get_by_role("heading", level=1, name="Pairings of round 1")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="lena")).to_have_count(1)
    assert sheets(page) == 1
    for player in players:
        collect(player, tournament)
    finished(site, tournament)

    def forged(route: Route) -> None:
        answer = route.fetch()
        document = answer.json()
        document["fairness"]["lot_key"] = "ab" * 32
        route.fulfill(response=answer, json=document)

    page.goto(f"{site.address}/tournaments/{tournament}/")
    proof = page.get_by_role("group").filter(has_text="Proof of the deals and the draw")
    proof.get_by_text("Proof of the deals and the draw").click()
    expect(proof.locator("[data-verdict=passed]")).to_have_count(4)
    expect(proof).to_contain_text("Your client seed “seed of lena” is among the published client seeds.")
    page.route(f"**/api/v1/tournaments/{tournament}/", forged)
    page.reload()
    proof.get_by_text("Proof of the deals and the draw").click()
    expect(proof.locator("[data-check=lot-key]")).to_have_attribute("data-verdict", "failed")
    page.unroute_all(behavior="wait")


# --- brackets ---

KNOCKOUT = {"format": "knockout", "rules": "ace-race", "config": {}, "rounds": 0}


def match(page: Page, number: int) -> Locator:
    return page.locator(f'[data-match="{number}"]')


@pytest.fixture(scope="module")
def bracket(site: Site, rounds_continue: None) -> str:
    """Of seven, in its first round: the first seed has a bye, and two people are at tables and do not move."""
    terms = {"seats": 2, "sizes": [2], "capacity": 8, "fill_to": 7, "round_seconds": 36_000}
    tournament = held(site, name="Seven in the Bracket", **terms, **KNOCKOUT)
    entered(site, tournament, ("kate", "leo", "mia"))
    in_round(site, tournament)
    return tournament


@pytest.fixture(scope="module")
def tables(site: Site, rounds_continue: None) -> str:
    """Of nine at tables of up to four, from which two go on."""
    terms = {"seats": 4, "sizes": [2, 3, 4], "through": 2, "capacity": 9, "fill_to": 9}
    tournament = held(site, name="Nine at Tables", **terms, **KNOCKOUT)
    entered(site, tournament, ("nina", "noah"))
    in_round(site, tournament)
    return tournament


@pytest.mark.on_sqlite
def test_a_bracket_is_read_by_keyboard_along_the_way_of_a_player(open_page: Opener, bracket: str) -> None:
    page = open_page(f"/tournaments/{bracket}/", user="kate")
    tops = [
        page.get_by_role("region", name=name, exact=True).evaluate("one => one.getBoundingClientRect().top")
        for name in ("Bracket", "Standings")
    ]
    assert tops == sorted(tops)
    expect(page.locator(".match .score.running").first).to_be_visible()  # of a game that has ended
    # The best seed has a bye and is shown in round 2 with its possible opponents.
    expect(match(page, 1)).to_contain_text("bye")
    expect(match(page, 5)).to_contain_text("kate")
    expect(match(page, 5)).to_contain_text("winner → 7 · loser → 8")
    expect(match(page, 7)).to_contain_text("Winner of 5")
    expect(match(page, 8)).to_contain_text("Third place")
    # One stop for all, right and left along the way of a player, who is marked in every match.
    ways = page.locator(".match.way")
    own = match(page, 5).get_by_role("button", name="kate")
    expect(page.locator('[data-stop][tabindex="0"]')).to_have_count(1)
    expect(own).to_have_attribute("tabindex", "0")
    own.focus()
    expect(ways).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    expect(match(page, 1).get_by_role("button", name="kate")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(own).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("Find a player").focus()
    expect(ways).to_have_count(2)
    own.focus()
    page.keyboard.press("Escape")
    page.get_by_label("Find a player").focus()
    expect(ways).to_have_count(0)
    match(page, 2).get_by_role("button").first.hover()
    expect(ways).not_to_have_count(0)
    page.mouse.move(0, 0)
    expect(ways).to_have_count(0)


@pytest.mark.on_sqlite
def test_a_phone_shows_one_round_of_a_bracket(open_page: Opener, bracket: str) -> None:
    page = open_page(f"/tournaments/{bracket}/bracket/", viewport=NARROW)
    rounds = page.get_by_role("group", name="Show one round")
    expect(rounds.get_by_role("button", pressed=True)).to_have_text("Round 1")
    expect(match(page, 1)).to_be_visible()
    expect(match(page, 5)).to_be_hidden()
    rounds.get_by_role("button", name="Round 2").click()
    expect(match(page, 5)).to_be_visible()
    expect(match(page, 1)).to_be_hidden()
    assert violations(page, "best-practice") == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not scrolls_sideways(page)


CUT = """() => [...document.querySelectorAll(".match .ways")]
  .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
  .map((one) => one.textContent)"""
"""Where players of a match go next, of matches without room for it."""
NIGHTLY = pytest.mark.nightly


WAYS = [(size, language) for size in ("tables", "bracket") for language in ("de", "en", "pl")]


@pytest.mark.on_sqlite
@pytest.mark.parametrize(
    ("size", "language"), [WAYS[0], *(pytest.param(*way, marks=NIGHTLY) for way in WAYS[1:])]
)
def test_where_players_go_next_is_shown_in_full(
    open_page: Opener, request: pytest.FixtureRequest, size: str, language: str
) -> None:
    bracket = request.getfixturevalue(size)
    page = open_page(f"/tournaments/{bracket}/bracket/", language=language, viewport=WIDE)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(match(page, 1)).to_be_visible()
    assert page.evaluate(CUT) == []


@pytest.mark.nightly
@pytest.mark.on_sqlite
def test_a_bracket_is_alone_on_its_page_in_the_dark_and_on_a_sheet(open_page: Opener, bracket: str) -> None:
    page = open_page(f"/tournaments/{bracket}/")
    page.get_by_role("link", name="Full-page bracket for printing").click()
    expect(page.get_by_role("heading", level=1, name="Bracket of Seven in the Bracket")).to_be_visible()
    expect(match(page, 7)).to_be_visible()
    page.emulate_media(color_scheme="dark")
    assert violations(page, "best-practice") == []
    page.emulate_media(forced_colors="active", color_scheme="light")
    assert violations(page, "best-practice") == []
    page.emulate_media(forced_colors="none")
    assert sheets(page) == 1


@pytest.mark.nightly
@pytest.mark.on_sqlite
def test_a_bracket_shows_larger_tables_to_the_final_one(open_page: Opener, tables: str) -> None:
    page = open_page(f"/tournaments/{tables}/bracket/")
    expect(match(page, 1).get_by_role("button")).to_have_count(4)
    expect(match(page, 1)).to_contain_text("best 2 advance · the others are out")
    expect(match(page, 4)).to_contain_text("No. 1, round 1")
    final = page.locator(".match").last
    expect(final).to_contain_text("winner of the table wins the tournament")
    expect(final).to_contain_text(re.compile(r"No. 2 of \d"))
    assert violations(page, "best-practice") == []
    assert sheets(page) == 1


@pytest.mark.nightly
def test_a_bracket_follows_its_rounds_to_the_winner(site: Site, open_page: Opener) -> None:
    terms = {"seats": 2, "sizes": [2], "capacity": 8, "fill_to": 7, "round_seconds": 25}
    tournament = held(site, name="To the winner", **terms, **KNOCKOUT)
    [player] = entered(site, tournament, ("nora",))
    page = open_page(f"/tournaments/{tournament}/", user="nora")
    in_round(site, tournament)
    # Once the round is closed its winners stand in the next one, by themselves. Who leaves then is passed over.
    expect(page.get_by_text("After 1 closed round.")).to_be_visible()
    expect(match(page, 5).get_by_role("button")).to_have_count(2)
    expect(match(page, 6).get_by_role("button")).to_have_count(2)
    expect(match(page, 2).locator("li.won")).to_have_count(1)
    leave(player, tournament)
    expect(page.get_by_role("group", name="Bracket of To").get_by_text("(withdrew)").first).to_be_visible()
    finished(site, tournament)
    winner = player.get(f"tournaments/{tournament}/standings/")["standings"][0]
    expect(match(page, 7).locator("li.won")).to_contain_text(winner["name"])
    expect(match(page, 7).locator("li.won")).to_contain_text("won")
    expect(page.get_by_role("region", name=f"Winner: {winner['name']}")).to_be_visible()
