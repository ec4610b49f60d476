"""Running a tournament from one page: entries to the end, and a result corrected by name; the view for the room."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, scrolls_sideways
from tests.browser.people import sign_in_with
from tests.browser.test_tournaments import held, is_accessible
from tests.browser.visiting import inputs_of
from tests.installation import until

pytestmark = pytest.mark.long

SCREEN: ViewportSize = {"width": 1280, "height": 240}
"""Of a projector, too low for a table of four."""
SCROLLED = "() => document.querySelector('.projector').scrollTop > 0"


@pytest.fixture(scope="module", autouse=True)
def rounds_continue(site: Site) -> Iterator[None]:
    """Jobs deal and close rounds, so a worker is needed."""
    processes = [site.installed.start_ticker(), site.installed.start_worker()]
    yield
    for process in processes:
        process.stop()


def cup(site: Site, **terms: object) -> str:
    bots = {"rules": "ace-race", "config": {}, "seats": 2, "fill_to": 4, "capacity": 4, "rounds": 1}
    return held(site, **{"format": "swiss", "fee": 500, "prizes": [6000, 4000], **bots, **terms})


def opened(open_page: Opener, site: Site, tournament: str) -> Page:
    page = open_page("/")
    sign_in_with(page, "organizer", site.passwords["organizer"])
    page.goto(f"{site.address}/tournaments/{tournament}/run/")
    return page


def test_an_organizer_runs_a_tournament_from_one_page(site: Site, open_page: Opener) -> None:
    tournament = cup(site, name="Run from one page", round_seconds=3600)
    people = [site.newcomer(name) for name in ("runa", "rolf")]
    for one in people:
        body = {"player": one.player, "amount": 10_000, "currency": "XTS", "reason": "to play with"}
        site.staff("administrator").post("deposits/", body)
        one.post(f"tournaments/{tournament}/entries/", {"client_seed": "x"})
    page = opened(open_page, site, tournament)
    expect(page.get_by_text("All clear")).to_be_visible()
    is_accessible(page, "run-published")
    page.get_by_role("button", name="Close entries and start").click()
    expect(page.get_by_role("heading", name="Round 1 of 1")).to_be_visible()
    expect(page.get_by_role("timer")).to_contain_text("closes in")
    expect(page.get_by_role("row").filter(has_text="runa")).to_contain_text("in play")
    is_accessible(page, "run-round")
    page.set_viewport_size(NARROW)
    is_accessible(page, "run-round-narrow")
    page.set_viewport_size({"width": 320, "height": 700})
    assert not scrolls_sideways(page)
    page.set_viewport_size({"width": 1280, "height": 900})

    page.get_by_role("button", name="Pause").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("lunch")
    dialog.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("listitem").filter(has_text="Paused")).to_contain_text("lunch")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("listitem").filter(has_text="Paused")).to_have_count(0)

    # The room sees the same on a large dark screen, which scrolls only where motion is welcome.
    calm = open_page(f"/tournaments/{tournament}/projector/", viewport=SCREEN, reduced_motion=True)
    expect(calm.get_by_role("listitem").filter(has_text="Player 1").first).to_be_visible()
    page.get_by_role("link", name="Projector view").click()
    expect(page.get_by_role("heading", level=1, name="Run from one page")).to_be_visible()
    expect(page.get_by_role("button", name="Stop scrolling")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="runa").first).to_be_visible()
    is_accessible(page, "projector")
    page.set_viewport_size(SCREEN)
    page.wait_for_function(SCROLLED)
    page.get_by_role("button", name="Stop scrolling").click()
    expect(calm.get_by_role("button", name="Scroll", exact=True)).to_be_visible()
    assert not calm.evaluate(SCROLLED)

    page.get_by_role("link", name="Back").click()
    page.get_by_role("link", name="Run tournament").click()
    page.get_by_role("button", name="Cancel tournament").click()
    dialog.get_by_label("Reason").fill("the hall burns")
    dialog.get_by_role("button", name="Cancel tournament").click()
    expect(page.get_by_role("heading", name="Cancelled")).to_be_visible()


def test_a_score_is_corrected_in_four_inputs_with_its_effects_by_name(site: Site, open_page: Opener) -> None:
    tournament = cup(site, name="Corrected cup", round_seconds=60)
    organizer = site.staff("organizer")
    organizer.post(f"tournaments/{tournament}/start/", {})
    until(
        lambda: organizer.get(f"tournaments/{tournament}/")["status"] == "finished",
        "the bots play the cup to its end",
    )
    # One in thousands of games of two bots is blocked and shared.
    table, won = next(
        (table, won)
        for table in organizer.get(f"tournaments/{tournament}/rounds/1/")["tables"]
        if 0 in (won := [score[0] for score in table["games"][0]["scores"]])
    )
    winner, loser = (table["seats"][won.index(number)]["name"] for number in (1, 0))
    before = {one["name"]: one for one in organizer.get(f"tournaments/{tournament}/standings/")["standings"]}
    page = opened(open_page, site, tournament)

    first = next(name for name, one in before.items() if one["place"] == 1)
    expect(page.get_by_text(re.compile(rf"Winners?: .*{re.escape(first)}"))).to_be_visible()
    correct = page.get_by_role("button", name=f"Correct game 1 of table {table['table']}")
    expect(correct).to_be_visible()
    count = inputs_of(page)
    correct.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("group", name=winner).get_by_label("Games won").fill("0")
    dialog.get_by_role("group", name=loser).get_by_label("Games won").fill("1")
    effects = dialog.get_by_role("status")
    expect(effects).to_contain_text(re.compile(rf"{re.escape(loser)}: \d\w\w → 1st, prize [\d.]+ → [\d.]+"))
    expect(effects).to_contain_text(winner)
    is_accessible(page, "run-correction")
    dialog.get_by_role("button", name="Apply correction").click()
    expect(page.get_by_text("The result is corrected.").first).to_be_visible()
    assert count() <= 4

    expect(page.get_by_role("row").filter(has_text=loser)).to_contain_text("corrected")
    after = {one["name"]: one for one in organizer.get(f"tournaments/{tournament}/standings/")["standings"]}
    assert after[loser]["place"] == 1
    assert after[loser]["prize"] > before[loser]["prize"]
    assert sum(one["prize"] for one in after.values()) == sum(one["prize"] for one in before.values())

    # What other sites show in a frame.
    framed = open_page(f"/embed/tournaments/{tournament}/standings/")
    expect(framed.get_by_role("row").filter(has_text=loser)).to_contain_text("play money")
    is_accessible(framed, "embed-standings")


def test_nobody_else_runs_it(site: Site, open_page: Opener) -> None:
    tournament = cup(site, name="Not yours")
    page = open_page(f"/tournaments/{tournament}/run/")
    expect(page.get_by_text("Only the organizer, arbiters, and helpers run this tournament.")).to_be_visible()
    expect(page.get_by_role("button", name="Close entries and start")).to_have_count(0)


def test_a_round_is_closed_and_the_next_one_opened_by_hand(site: Site, open_page: Opener) -> None:
    times = {"rounds": 2, "round_seconds": 3600, "gap_seconds": 3600}
    tournament = cup(site, name="Ahead of time", fee=0, **times)
    site.newcomer("rita").post(f"tournaments/{tournament}/entries/", {"client_seed": "x"})
    site.staff("organizer").post(f"tournaments/{tournament}/start/", {})
    page = opened(open_page, site, tournament)
    expect(page.get_by_role("heading", name="Round 1 of 2")).to_be_visible()
    expect(page.get_by_role("timer")).to_contain_text("closes in")
    dialog = page.get_by_role("dialog")

    count = inputs_of(page)
    page.get_by_role("button", name="Close round 1 now").click()
    expect(dialog).to_contain_text("The server plays for those who have not finished")
    dialog.get_by_label("Reason").fill("the hall closes at ten")
    dialog.get_by_role("button", name="Close round 1 now").click()
    expect(page.get_by_role("timer")).to_contain_text("next round opens in", timeout=60_000)
    assert count() <= 3

    page.get_by_role("button", name="Open round 2 now").click()
    dialog.get_by_label("Reason").fill("all are here")
    is_accessible(page, "run-open-round")
    dialog.get_by_role("button", name="Open round 2 now").click()
    expect(page.get_by_role("heading", name="Round 2 of 2")).to_be_visible(timeout=60_000)
    assert count() <= 6


def test_a_question_about_a_round_is_about_that_round_whatever_happens_meanwhile(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    times = {"rounds": 3, "round_seconds": 3600, "gap_seconds": 3600}
    tournament = cup(site, name="Two organizers", fee=0, **times)
    organizer = site.staff("organizer")
    site.newcomer("rosa").post(f"tournaments/{tournament}/entries/", {"client_seed": "x"})
    organizer.post(f"tournaments/{tournament}/start/", {})
    page = opened(open_page, site, tournament)
    page.get_by_role("button", name="Close round 1 now").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("late")

    reason = {"reason": "from another desk"}
    organizer.post(f"tournaments/{tournament}/rounds/1/close/", reason)
    expect(page.get_by_role("timer")).to_contain_text("next round opens in", timeout=60_000)
    organizer.post(f"tournaments/{tournament}/rounds/2/open/", reason)
    expect(page.get_by_role("heading", name="Round 2 of 3")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("timer")).to_contain_text("closes in")
    closes = organizer.get(f"tournaments/{tournament}/rounds/2/")["closes_at"]
    watched.expect("409")
    dialog.get_by_role("button", name="Close round 1 now").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert organizer.get(f"tournaments/{tournament}/rounds/2/")["closes_at"] == closes
