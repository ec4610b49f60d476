"""Tournaments in a real browser: from the list to the prize with a page that is never loaded again, and a bracket."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.browser.conftest import (
    NARROW,
    Caller,
    Opener,
    Site,
    keep_picture,
    scrolls_sideways,
    violations,
)
from tests.browser.people import caller, sign_up
from tests.installation import until

FEE = 500
CHECK_IN = timedelta(hours=1)
FIELDS = [("hugo",), pytest.param(("carl", "dora", "emil", "fred", "gina", "hugo"), marks=pytest.mark.soak)]
"""Who plays against anna and bert: `make soak` plays with eight."""


@pytest.fixture(scope="module", autouse=True)
def rounds_continue(site: Site) -> Iterator[None]:
    """Jobs deal and close rounds, so a worker is needed."""
    processes = [site.installed.start_ticker(), site.installed.start_worker()]
    yield
    for process in processes:
        process.stop()


def deposit(site: Site, player: Caller, amount: int = 10_000) -> None:
    body = {"player": player.player, "amount": amount, "currency": "XTS", "reason": "to play with"}
    site.staff("administrator").post("deposits/", body)


def held(site: Site, **terms: Any) -> str:
    """A published tournament; its id."""
    organizer = site.staff("organizer")
    made = organizer.post("tournaments/", terms)
    organizer.post(f"tournaments/{made['id']}/publish/", {})
    return str(made["id"])


def leave(player: Caller, tournament: str) -> None:
    address = f"{player.address}/api/v1/tournaments/{tournament}/entries/"
    httpx.delete(address, headers={"Authorization": f"Bearer {player.token}"}, timeout=30).raise_for_status()


def cash(player: Caller) -> int:
    return int(player.get("wallet/")["accounts"]["cash"]["available"])


def own_game(player: Caller, tournament: str, round: int) -> str:
    """Where the player sits in a round, once that is dealt."""

    def found() -> str | None:
        games = player.get(f"tournaments/{tournament}/")["entry"]["games"]
        return next((str(one["game"]) for one in games if one["round"] == round), None)

    return str(until(found, f"the table of round {round}"))


def collect(player: Caller, game: str, moves: int = 0) -> None:
    """So many moves, the first that is legal each time, and the end of the game."""
    for _ in range(moves):
        legal = [
            one
            for one in player.get(f"games/{game}/")["legal_moves"]
            if one["type"] not in ("collect", "undo")
        ]
        if not legal:
            break
        player.post(f"games/{game}/moves/", {"move": legal[0]})
    player.post(f"games/{game}/moves/", {"move": {"type": "collect"}})


def enter(page: Page, site: Site, tournament: str, name: str, shown: str) -> None:
    page.goto(f"{site.address}/tournaments/{tournament}/")
    page.get_by_role("button", name="Enter", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The fee of 5.00 play money is taken")
    expect(dialog).to_contain_text("Your balance: 100.00 play money → 95.00 play money.")
    dialog.get_by_label("Your client seed").fill(f"seed of {name}")
    expect(dialog.get_by_role("button", name="Everyone")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_role("button", name=shown).click()
    dialog.get_by_role("button", name="Enter").dblclick()
    expect(page.get_by_text("You are entered as number")).to_be_visible()
    expect(dialog).to_be_hidden()


def documents(page: Page) -> list[str]:
    """Every document that the page loads from now on."""
    loaded: list[str] = []

    def note(request: Request) -> None:
        if request.is_navigation_request():
            loaded.append(request.url)

    page.on("request", note)
    return loaded


def row(page: Page, name: str) -> Locator:
    return (
        page.get_by_role("region", name="Standings", exact=True)
        .get_by_role("row")
        .filter(has=page.get_by_role("button", name=name))
    )


def is_accessible(page: Page, picture: str, *more: str) -> None:
    found = violations(page, "best-practice", *more)
    assert found == [], "\n".join(found)
    assert not scrolls_sideways(page)
    keep_picture(page, picture)


@pytest.mark.long
@pytest.mark.parametrize("others", FIELDS)
def test_players_from_the_list_to_the_prize_before_a_page_that_is_never_loaded_again(
    site: Site, open_page: Opener, others: tuple[str, ...]
) -> None:
    size = 2 + len(others)
    opens_at = datetime.now(UTC) + CHECK_IN + timedelta(seconds=20)
    tournament = held(
        site,
        name="All for the Prize",
        format="duplicate",
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 0},
        rounds=2,
        capacity=size,
        waiting_list=1,
        fewest=size,
        fee=FEE,
        prizes=[7000, 3000],
        rake=1000,
        opens_at=opens_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        check_in_seconds=int(CHECK_IN.total_seconds()),
    )

    # Two enter by their pages, the others over REST; a spectator finds it in the list and stays.
    # To visitors, only those are shown by name who chose so.
    pages = {name: open_page("/") for name in ("anna", "bert")}
    players = {}
    for name, page in pages.items():
        sign_up(page, name)
        players[name] = caller(site, name)
        deposit(site, players[name])
        enter(page, site, tournament, name, "Everyone" if name == "anna" else "Signed-in users")
        assert cash(players[name]) == 10_000 - FEE, "a double click pays once"
    site.staff("organizer").post(f"tournaments/{tournament}/markets/", {"takeout": 500, "cancellable": True})
    for name in others:
        players[name] = site.newcomer(name)
        deposit(site, players[name])
        players[name].post(f"tournaments/{tournament}/entries/", {"client_seed": name})

    spectator = open_page("/")
    loaded = documents(spectator)
    spectator.get_by_role("navigation", name="Main").get_by_role("link", name="Tournaments").click()
    spectator.get_by_role("searchbox", name="Name").fill("for the prize")
    expect(spectator).to_have_url(re.compile(r"/tournaments/\?search=for\+the\+prize$"))
    spectator.get_by_label("Status").select_option("published")
    expect(spectator.get_by_role("heading", name="1 tournament", exact=True)).to_be_visible()
    terms = spectator.locator("li.entry").filter(has_text="All for the Prize")
    expect(terms).to_contain_text(f"Entry fee 5.00 play money · {size} of {size} players · starts")
    is_accessible(spectator, "tournaments-list")
    spectator.get_by_role("link", name="All for the Prize").click()
    expect(spectator.get_by_role("heading", level=1, name="All for the Prize")).to_be_visible()
    expect(spectator.get_by_text(f"{size} of {size}", exact=False).first).to_be_visible()
    expect(spectator.get_by_text("All players play the same deals alone")).to_be_visible()
    is_accessible(spectator, "tournament-entries")

    # All places are taken: who comes now waits in line, and leaves it.
    late = open_page("/")
    sign_up(late, "iris")
    late.goto(f"{site.address}/tournaments/{tournament}/")
    late.get_by_role("button", name="Join waiting list").click()
    late.get_by_role("dialog").get_by_role("button", name="Join waiting list").click()
    expect(late.get_by_text("You are number 1 on the waiting list")).to_be_visible()
    late.get_by_role("button", name="Leave waiting list").click()
    expect(late.get_by_role("button", name="Join waiting list")).to_be_visible()

    # There is a pool on the winner: others bet on any entrant, entrants only on themselves.
    iris = caller(site, "iris")
    deposit(site, iris)
    betting = late.get_by_role("region", name="Betting on the winner")
    betting.get_by_role("radio", name="anna").check()
    betting.get_by_label("Your stake").fill("2.00")
    betting.get_by_role("button", name="Bet 2.00 on anna").click()
    expect(betting.get_by_text("2.00 on anna").first).to_be_visible()
    betting.get_by_role("radio", name="bert").check()
    betting.get_by_role("button", name="Bet 2.00 on bert").click()
    expect(betting).to_contain_text("4.00")
    assert cash(iris) == 10_000 - 400
    is_accessible(late, "tournament-betting")
    own_bet = pages["anna"].get_by_role("region", name="Betting on the winner")
    expect(own_bet.get_by_role("radio", name="anna")).to_be_checked()
    expect(own_bet.get_by_role("radio", name="bert")).to_be_disabled()
    watched = spectator.get_by_role("region", name="Betting on the winner")
    expect(watched).to_contain_text("Sign in to place a bet.")

    # Entrants from before the check-in check in; later entrants are checked in already.
    for page in pages.values():
        here = page.get_by_role("button", name="Check in")
        expect(here.or_(page.get_by_text("You are checked in."))).to_be_visible(timeout=60_000)
        if here.is_visible():
            here.click()
        expect(page.get_by_text("You are checked in.")).to_be_visible()
    for name, player in players.items():
        if name not in pages:
            player.post(f"tournaments/{tournament}/check-in/", {})
    site.staff("organizer").post(f"tournaments/{tournament}/start/", {})

    expect(watched).to_contain_text("Betting closed")

    # The page leads to the table, and from it to the next.
    page = pages["anna"]
    page.get_by_role("link", name="Go to your table").first.click()
    first = own_game(players["anna"], tournament, 1)
    expect(page).to_have_url(f"{site.address}/games/{first}/")
    expect(spectator.get_by_role("heading", name="Round 1", exact=True)).to_be_visible()
    expect(spectator.get_by_text("Tables of this tournament play the same deals")).to_be_visible()
    expect(spectator.get_by_text(f"0 of {size} tables done")).to_be_visible()
    expect(spectator.get_by_text("No round has closed yet.")).to_be_visible()
    collect(players["anna"], first, moves=24)
    expect(page.get_by_text("Your game is over.")).to_be_visible()
    expect(spectator.get_by_text(f"1 of {size} tables done")).to_be_visible()

    # The pairings are one sheet of paper.
    late.goto(f"{site.address}/tournaments/{tournament}/pairings/")
    expect(late.get_by_role("heading", level=1, name="Pairings of round 1")).to_be_visible()
    expect(late.get_by_role("row").filter(has_text="anna")).to_have_count(1)
    sheet = late.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1
    late.go_back()

    # A change of rank leaves the page where it was, and the focus with whom it was.
    spectator.set_viewport_size({"width": 1280, "height": 500})
    hugo = f"Player {size}"
    row(spectator, hugo).get_by_role("button").focus()
    spectator.evaluate("scrollTo(0, 420)")
    for number, name in enumerate(("bert", *others), start=1):
        collect(players[name], own_game(players[name], tournament, 1), moves=5 * (7 - number))
    expect(spectator.get_by_text("After 1 closed round.")).to_be_visible()
    assert spectator.evaluate("scrollY") == 420
    assert spectator.evaluate("document.activeElement.textContent.trim()") == hugo

    expect(page.get_by_text("Your next table is ready: round 2")).to_be_visible()
    page.get_by_role("link", name="Go to table").click()
    second = own_game(players["anna"], tournament, 2)
    expect(page).to_have_url(f"{site.address}/games/{second}/")
    page.get_by_role("link", name="Standings").click()
    expect(page.get_by_text(re.compile(rf"Rank \d of {size}"))).to_be_visible()
    expect(page.get_by_role("link", name="Go to your table").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Go to your table").first).to_have_attribute(
        "href", f"/games/{second}/"
    )
    page.get_by_text("Columns and tie-breaks").click()
    expect(page.get_by_text("cards built at the end of the games")).to_be_visible()
    page.get_by_role("link", name="Show my row").click()
    expect(row(page, "anna")).to_be_in_viewport()
    is_accessible(page, "tournament-running")
    page.set_viewport_size(NARROW)
    is_accessible(page, "tournament-running-narrow")

    for number, player in enumerate(players.values()):
        collect(player, own_game(player, tournament, 2), moves=24 - 3 * number)

    # The end, on the page that was there all the time: standings, prizes, and every penny of them in the wallets.
    expect(spectator.get_by_text("Finished", exact=True)).to_be_visible()
    pool = size * FEE * 9 // 10
    ranked = site.staff("auditor").get(f"tournaments/{tournament}/standings/")["standings"]
    assert sum(one["prize"] for one in ranked) == pool
    prizes = spectator.get_by_role("region", name="Prizes")
    for one in ranked:
        player = next(each for each in players.values() if each.player == one["player"])
        assert cash(player) == 10_000 - FEE + one["prize"]
        name = "anna" if one["name"] == "anna" else f"Player {one['entry']}"
        if one["prize"]:
            paid = prizes.get_by_role("row").filter(has_text=name)
            expect(paid).to_contain_text(f"{one['prize'] / 100:.2f}")
        shown = row(spectator, name)
        expect(shown.get_by_role("cell").first).to_have_text(str(one["place"]))
    expect(spectator.get_by_text("After 2 closed rounds.")).to_be_visible()
    expect(watched).to_contain_text(re.compile("Winner:|All stakes were refunded|[Dd]ead heat"))
    expect(betting.get_by_text(re.compile("^Staked 4.00, returned"))).to_be_visible()
    podium = spectator.get_by_role("region", name=re.compile("^Winner"))
    for one in [each for each in ranked if each["place"] == 1]:
        name = "anna" if one["name"] == "anna" else f"Player {one['entry']}"
        step = podium.get_by_role("listitem").filter(has_text=name)
        expect(step).to_contain_text(f"Prize: {one['prize'] / 100:.2f} play money")
        player = next(each for each in players.values() if each.player == one["player"])
        deciding = step.get_by_role("link", name="Deciding game")
        expect(deciding).to_have_attribute("href", f"/games/{own_game(player, tournament, 2)}/replay/")
    assert loaded == [], "no document was loaded again"
    first = "anna" if ranked[0]["name"] == "anna" else f"Player {ranked[0]['entry']}"
    row(spectator, first).get_by_role("button").click()
    expect(spectator.get_by_role("dialog")).to_contain_text("round 2")
    spectator.get_by_role("dialog").get_by_role("button", name="Close").click()
    spectator.set_viewport_size({"width": 1280, "height": 900})
    is_accessible(spectator, "tournament-finished")

    # The draw proves itself in the entrant's browser, and another lot key is found.
    def forged(route: Route) -> None:
        answer = route.fetch()
        document = answer.json()
        document["fairness"]["lot_key"] = "ab" * 32
        route.fulfill(response=answer, json=document)

    proof = page.get_by_role("group").filter(has_text="Proof of the deals and the draw")
    proof.get_by_text("Proof of the deals and the draw").click()
    expect(proof.locator("[data-verdict=passed]")).to_have_count(4)
    expect(proof).to_contain_text("Your client seed “seed of anna” is among the published client seeds.")
    is_accessible(page, "tournament-proof")
    page.route(f"**/api/v1/tournaments/{tournament}/", forged)
    page.reload()
    proof.get_by_text("Proof of the deals and the draw").click()
    expect(proof.locator("[data-check=lot-key]")).to_have_attribute("data-verdict", "failed")
    page.unroute_all(behavior="wait")


def match(page: Page, number: int) -> Locator:
    return page.locator(f'[data-match="{number}"]')


CUT = """() => [...document.querySelectorAll(".match .ways")]
  .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
  .map((one) => one.textContent)"""
"""Where players of a match go next, of matches without room for it."""


@pytest.mark.long
def test_a_bracket_of_eight_with_a_bye_and_a_withdrawal(site: Site, open_page: Opener) -> None:
    tournament = held(
        site,
        name="Seven in the Bracket",
        format="knockout",
        rules="ace-race",
        config={},
        rounds=0,
        seats=2,
        sizes=[2],
        capacity=8,
        fill_to=7,
        round_seconds=25,
    )
    page = open_page("/")
    sign_up(page, "kate")
    kate, leo = caller(site, "kate"), site.newcomer("leo")
    page.goto(f"{site.address}/tournaments/{tournament}/")
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Enter").click()
    expect(page.get_by_text("You are entered as number 1.")).to_be_visible()
    leo.post(f"tournaments/{tournament}/entries/", {"client_seed": "leo"})
    organizer = site.staff("organizer")
    organizer.post(f"tournaments/{tournament}/start/", {})
    until(lambda: organizer.get(f"tournaments/{tournament}/")["round"] == 1, "the first round")
    # The second round is not to come while the page is looked at.
    organizer.post(f"tournaments/{tournament}/pause/", {"reason": "a look at the bracket"})

    # The bracket comes first, with the scores of the games that have ended while others are played.
    expect(page.get_by_role("region", name="Bracket", exact=True)).to_be_visible()
    for size in (NARROW, {"width": 1280, "height": 900}):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        tops = [
            page.get_by_role("region", name=name, exact=True).evaluate(
                "one => one.getBoundingClientRect().top"
            )
            for name in ("Bracket", "Standings")
        ]
        assert tops == sorted(tops)
    expect(page.locator(".match .score.running").first).to_be_visible()

    # The best seed has a bye and is shown in round 2 with its possible opponents.
    expect(match(page, 1)).to_contain_text("bye")
    expect(match(page, 5)).to_contain_text("kate")
    expect(match(page, 5)).to_contain_text("winner → 7 · loser → 8")
    expect(match(page, 7)).to_contain_text("Winner of 5")
    expect(match(page, 8)).to_contain_text("Third place")
    expect(match(page, 8)).to_contain_text("Loser of 6")
    expect(page.get_by_text("The tournament is paused: a look at the bracket")).to_be_visible()

    # By keyboard: one stop for all, right and left along the way of a player, who is marked in every match.
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

    # Once the round is closed its winners stand in the next one, by themselves. Who leaves then is passed over.
    until(lambda: leo.get(f"tournaments/{tournament}/rounds/1/")["state"] == "closed", "the end of the round")
    expect(page.get_by_text("After 1 closed round.")).to_be_visible()
    expect(match(page, 5).get_by_role("button")).to_have_count(2)
    expect(match(page, 6).get_by_role("button")).to_have_count(2)
    expect(match(page, 2).locator("li.won")).to_have_count(1)
    leave(leo, tournament)
    expect(page.get_by_role("group", name="Bracket of Seven").get_by_text("(withdrew)").first).to_be_visible()
    is_accessible(page, "bracket-wide")

    # On a phone one round at a time.
    page.set_viewport_size(NARROW)
    rounds = page.get_by_role("group", name="Show one round")
    expect(rounds.get_by_role("button", pressed=True)).to_have_text("Round 2")
    expect(match(page, 5)).to_be_visible()
    expect(match(page, 1)).to_be_hidden()
    rounds.get_by_role("button", name="Round 1").click()
    expect(match(page, 1)).to_be_visible()
    expect(match(page, 5)).to_be_hidden()
    is_accessible(page, "bracket-narrow")
    page.set_viewport_size({"width": 320, "height": 700})
    assert not scrolls_sideways(page)

    # Alone on its page, in the dark, and on one sheet of paper.
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="Full-page bracket for printing").click()
    expect(page.get_by_role("heading", level=1, name="Bracket of Seven in the Bracket")).to_be_visible()
    expect(match(page, 7)).to_be_visible()
    page.emulate_media(color_scheme="dark")
    is_accessible(page, "bracket-dark")
    page.emulate_media(forced_colors="active", color_scheme="light")
    assert violations(page, "best-practice") == []
    page.emulate_media(forced_colors="none")
    sheet = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1

    # Kate leaves too, and the bots play to the end: the winner is marked in words as well.
    leave(kate, tournament)
    organizer.post(f"tournaments/{tournament}/resume/", {})
    until(lambda: kate.get(f"tournaments/{tournament}/")["status"] == "finished", "the end of the tournament")
    expect(match(page, 7)).to_have_attribute("data-state", re.compile("decided|bye"))
    winner = kate.get(f"tournaments/{tournament}/standings/")["standings"][0]
    expect(match(page, 7).locator("li.won")).to_contain_text(winner["name"])
    expect(match(page, 7).locator("li.won")).to_contain_text("won")
    expect(match(page, 5)).to_contain_text("(withdrew)")
    keep_picture(page, "bracket-finished")
    page.goto(f"{site.address}/tournaments/{tournament}/")
    podium = page.get_by_role("region", name=f"Winner: {winner['name']}")
    final = organizer.get(f"tournaments/{tournament}/bracket/")["matches"][6]["games"][-1]["game"]
    deciding = podium.get_by_role("link", name=f"Deciding game {winner['name']}")
    expect(deciding).to_have_attribute("href", f"/games/{final}/replay/")

    # Larger tables: who advances from where, and the final table drawn from the start, also in print.
    tables = held(
        site,
        name="Nine at Tables",
        format="knockout",
        rules="ace-race",
        config={},
        rounds=0,
        seats=4,
        sizes=[2, 3, 4],
        through=2,
        capacity=9,
    )
    # People who do not move: the tables stay as they are while the page is looked at.
    for number in range(9):
        newcomer = site.newcomer(f"nine-{number}")
        newcomer.post(f"tournaments/{tables}/entries/", {"client_seed": str(number)})
    organizer.post(f"tournaments/{tables}/start/", {})
    until(lambda: organizer.get(f"tournaments/{tables}/")["round"] == 1, "the first round at tables")
    page.emulate_media(color_scheme="light")
    page.goto(f"{site.address}/tournaments/{tables}/bracket/")
    expect(match(page, 1).get_by_role("button")).to_have_count(4)
    expect(match(page, 1)).to_contain_text("best 2 advance · the others are out")
    expect(match(page, 4)).to_contain_text("No. 1, round 1")
    final = page.locator(".match").last
    expect(final).to_contain_text("winner of the table wins the tournament")
    expect(final).to_contain_text(re.compile(r"No. 2 of \d"))
    is_accessible(page, "bracket-tables")
    sheet = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1
    for bracket in (tournament, tables):
        for language in ("de", "pl", "en"):
            page.evaluate("(language) => localStorage.setItem('racecard.language', language)", language)
            page.goto(f"{site.address}/tournaments/{bracket}/bracket/")
            expect(page.locator("html")).to_have_attribute("lang", language)
            expect(match(page, 1)).to_be_visible()
            assert page.evaluate(CUT) == [], language
