"""Running a tournament from one page: entries to the end, and a result corrected by name; the view for the room."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import Opener, Site, Watched, violations
from tests.browser.cups import FEE, VEGAS, entered, held, in_round, played
from tests.browser.visiting import inputs_of

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("rounds_continue")]

SCREEN: ViewportSize = {"width": 1280, "height": 240}
"""Of a projector, too low for a table of four."""
SCROLLED = "() => document.querySelector('.projector').scrollTop > 0"


def run_page(open_page: Opener, tournament: str) -> Page:
    return open_page(f"/tournaments/{tournament}/run/", user="organizer")


def asked(page: Page, button: str, reason: str) -> None:
    """Press a button of the page, and the same one of the dialog that asks for a reason."""
    page.get_by_role("button", name=button).click()
    page.get_by_role("dialog").get_by_label("Reason").fill(reason)
    page.get_by_role("dialog").get_by_role("button", name=button).click()


def test_an_organizer_runs_a_tournament_from_one_page(site: Site, open_page: Opener) -> None:
    tournament = held(site, name="Run from one page", round_seconds=3600, rounds=1, **VEGAS)
    entered(site, tournament, ("runa", "rolf"))
    page = run_page(open_page, tournament)
    expect(page.get_by_text("All clear")).to_be_visible()
    page.get_by_role("button", name="Close entries and start").click()
    expect(page.get_by_role("heading", name="Round 1 of 1")).to_be_visible()
    expect(page.get_by_role("timer")).to_contain_text("closes in")
    expect(page.get_by_role("row").filter(has_text="runa")).to_contain_text("in play")
    asked(page, "Pause", "lunch")
    paused = page.get_by_role("listitem").filter(has_text="Paused")
    expect(paused).to_contain_text("lunch")
    page.get_by_role("button", name="Resume").click()
    expect(paused).to_have_count(0)
    asked(page, "Cancel tournament", "the hall burns")
    expect(page.get_by_role("heading", name="Cancelled")).to_be_visible()


@pytest.mark.nightly
def test_the_room_sees_a_screen_that_scrolls_only_where_motion_is_welcome(
    site: Site, open_page: Opener
) -> None:
    tournament = held(site, name="On the wall", round_seconds=3600, rounds=1, **VEGAS)
    entered(site, tournament, ("wanda", "wim"))
    in_round(site, tournament)
    calm = open_page(f"/tournaments/{tournament}/projector/", viewport=SCREEN, reduced_motion=True)
    expect(calm.get_by_role("listitem").filter(has_text="Player 1").first).to_be_visible()
    page = run_page(open_page, tournament)
    page.get_by_role("link", name="Projector view").click()
    expect(page.get_by_role("heading", level=1, name="On the wall")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="wanda").first).to_be_visible()
    assert violations(page, "best-practice") == []
    page.set_viewport_size(SCREEN)
    page.wait_for_function(SCROLLED)
    page.get_by_role("button", name="Stop scrolling").click()
    expect(calm.get_by_role("button", name="Scroll", exact=True)).to_be_visible()
    assert not calm.evaluate(SCROLLED)


def test_a_score_is_corrected_in_four_inputs_with_its_effects_by_name(site: Site, open_page: Opener) -> None:
    terms = {"rounds": 1, "fee": FEE, "prizes": [6000, 4000], "capacity": 2}
    tournament = held(site, name="Corrected cup", **terms, **VEGAS)
    played(site, tournament, entered(site, tournament, ("ida", "joan")))
    organizer = site.staff("organizer")
    tables = organizer.get(f"tournaments/{tournament}/rounds/1/")["tables"]
    [table] = [table["table"] for table in tables if table["seats"][0]["name"] == "joan"]
    page = run_page(open_page, tournament)
    expect(page.get_by_text(re.compile("Winners: .*ida.*joan"))).to_be_visible()
    count = inputs_of(page)
    page.get_by_role("button", name=f"Correct game 1 of table {table}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("group", name="joan").get_by_label("Cards", exact=True).fill("40")
    effects = dialog.get_by_role("status")
    expect(effects).to_contain_text("joan: stays 1st, prize 5.00 → 6.00")
    expect(effects).to_contain_text("ida: 1st → 2nd, prize 5.00 → 4.00")
    assert violations(page, "best-practice") == []
    dialog.get_by_role("button", name="Apply correction").click()
    expect(page.get_by_text("The result is corrected.").first).to_be_visible()
    assert count() <= 4
    expect(page.get_by_role("row").filter(has_text="joan")).to_contain_text("corrected")
    standings = organizer.get(f"tournaments/{tournament}/standings/")["standings"]
    assert {one["name"]: (one["place"], one["prize"]) for one in standings} == {
        "joan": (1, 600),
        "ida": (2, 400),
    }

    framed = open_page(f"/embed/tournaments/{tournament}/standings/")
    expect(framed.get_by_role("row").filter(has_text="6.00")).to_contain_text("play money")


def test_rounds_are_closed_and_opened_by_hand_once_whatever_another_desk_does(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    watched.expect("409")
    times = {"rounds": 2, "round_seconds": 3600, "gap_seconds": 3600}
    tournament = held(site, name="Ahead of time", **times, **VEGAS)
    entered(site, tournament, ("rita", "rosa"))
    in_round(site, tournament)
    page, desk = run_page(open_page, tournament), run_page(open_page, tournament)
    dialog, late = page.get_by_role("dialog"), desk.get_by_role("dialog")
    desk.get_by_role("button", name="Close round 1 now").click()
    late.get_by_label("Reason").fill("late")

    count = inputs_of(page)
    page.get_by_role("button", name="Close round 1 now").click()
    expect(dialog).to_contain_text("The server plays for those who have not finished")
    dialog.get_by_label("Reason").fill("the hall closes at ten")
    dialog.get_by_role("button", name="Close round 1 now").click()
    expect(page.get_by_role("timer")).to_contain_text("next round opens in", timeout=60_000)
    assert count() <= 3
    asked(page, "Open round 2 now", "all are here")
    expect(page.get_by_role("heading", name="Round 2 of 2")).to_be_visible(timeout=60_000)
    assert count() <= 6

    # The question about round 1 is about that round still.
    expect(desk.get_by_role("heading", name="Round 2 of 2")).to_be_visible()
    organizer = site.staff("organizer")
    closes = organizer.get(f"tournaments/{tournament}/rounds/2/")["closes_at"]
    late.get_by_role("button", name="Close round 1 now").click()
    expect(late.get_by_role("alert")).to_be_visible()
    assert organizer.get(f"tournaments/{tournament}/rounds/2/")["closes_at"] == closes
