"""An organizer opens a Swiss from nothing, and meets another tab."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WIDE, Opener, Site, Watched, scrolls_sideways, violations
from tests.browser.people import open_menu
from tests.browser.visiting import inputs_of

SWISS = {
    "name": "Club night",
    "format": "swiss",
    "rules": "ace-race",
    "config": {},
    "rounds": 3,
    "fee": 500,
    "prizes": [7000, 3000],
    "opens_at": "2099-03-27T19:00",
    "time_zone": "Europe/Berlin",
    "capacity": 16,
    "fewest": 4,
}


def drafted(site: Site, **terms: Any) -> str:
    """Where a draft of the organizer is edited."""
    draft = site.staff("organizer").post("tournaments/", {**SWISS, **terms})["id"]
    return f"/tournaments/{draft}/edit/"


def saved(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text=re.compile("^Saved$"))).to_be_visible()


@pytest.mark.parametrize(
    "viewport",
    [pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow", marks=pytest.mark.nightly)],
)
def test_a_published_swiss_from_nothing(open_page: Opener, viewport: dict[str, int]) -> None:
    page = open_page("/", user="organizer", viewport=viewport)
    count = inputs_of(page)
    if viewport == NARROW:
        open_menu(page)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Tournaments").click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_role("button", name="Friday Swiss").click()
    saved(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_label("Maximum players")).to_have_value("32")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Date and time").first.fill("2099-03-27T19:30")
    expect(page.get_by_text("Ends at the latest: 27 Mar 2099, 22:25 (2:55 h in all)")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("16 players pay 80.00 play money together.", exact=True)).to_be_visible()
    expect(page.get_by_role("row", name="1 40.00 play money")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("4 rounds of at most 40 minutes each, with a break of 5 minutes")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1, name="Friday Swiss")).to_be_visible()
    expect(page.get_by_text("Open for entries")).to_be_visible()
    assert count() <= 12


def test_back_and_a_reload_find_what_was_entered(open_page: Opener, site: Site) -> None:
    page = open_page(drafted(site, name="The club cup"), user="organizer")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Maximum players").fill("8")
    page.get_by_label("Minimum players").fill("12")
    expect(page.get_by_role("status").filter(has_text="check the marked fields")).to_be_visible()
    expect(page.get_by_label("Minimum players")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Minimum players").fill("4")
    saved(page)
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("The club cup")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_label("Maximum players")).to_have_value("8")
    page.reload()
    expect(page.get_by_label("Maximum players")).to_have_value("8")
    page.get_by_role("button", name="Delete draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete draft").click()
    expect(page.get_by_role("heading", level=1, name="Tournaments")).to_be_visible()
    expect(page.get_by_role("heading", name="The club cup")).to_have_count(0)


def test_prizes_with_rake_and_guarantee_are_shown_for_the_expected_field(
    open_page: Opener, site: Site
) -> None:
    money = {"fee": 1000, "rake": 1000, "prizes": [4000, 2500, 1500, 1200, 800], "capacity": 32}
    page = open_page(drafted(site, name="Money", **money) + "?step=4", user="organizer", viewport=NARROW)
    table = page.get_by_role("region", name="Prizes for the expected players")
    pool, paid = table.get_by_role("paragraph"), table.locator("td")
    expect(pool).to_contain_text("16 players pay 160.00 play money together.")
    expect(pool).to_contain_text("The site keeps 16.00 play money of it.")
    expect(paid).to_contain_text(["57.60", "36.00", "21.60", "17.28", "11.52"])
    page.get_by_label("Guaranteed prizes").fill("200")
    expect(pool).to_contain_text("The bank adds 56.00 play money to reach the guarantee.")
    expect(paid).to_contain_text(["80.00", "50.00", "30.00", "24.00", "16.00"])
    expected = page.get_by_role("spinbutton", name="Expected players")
    expected.fill("32")
    expect(pool).to_contain_text("32 players pay 320.00")
    expect(pool).not_to_contain_text("The bank adds")
    full = page.get_by_text("Only 32 players can enter this tournament.")
    expect(full).to_have_count(0)
    expected.fill("33")
    expect(full).to_be_visible()

    # What does not add up is said where it is entered.
    page.get_by_label("Place 3, %").fill("25")
    expect(page.get_by_text("Together 110%")).to_be_visible()
    expect(page.get_by_text("The shares must be more than 0 and add up to 100 percent")).to_be_visible()
    expect(page.get_by_label("Place 3, %")).to_have_attribute("aria-invalid", "true")
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)


def test_a_link_away_loses_no_faulty_edit(open_page: Opener, site: Site) -> None:
    editing = drafted(site, name="Kept in the tab") + "?step=2"
    page = open_page(editing, user="organizer")
    page.get_by_label("Minimum players").fill("17")
    # At once: before the change is checked.
    page.get_by_role("link", name="Tournaments", exact=True).first.click()
    expect(page.get_by_role("heading", level=1, name="Tournaments")).to_be_visible()
    page.goto(site.address + editing)
    expect(page.get_by_label("Minimum players")).to_have_value("17")
    expect(page.get_by_label("Minimum players")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("status").filter(has_text="Kept in this tab only")).to_be_visible()
    page.get_by_label("Minimum players").fill("5")
    saved(page)
    page.goto(site.address + editing)
    expect(page.get_by_label("Minimum players")).to_have_value("5")
    saved(page)


def test_two_tabs_do_not_overwrite_each_other(open_page: Opener, site: Site, watched: Watched) -> None:
    watched.expect("412")
    address = drafted(site)
    page = open_page(address, user="organizer")
    saved(page)
    other = page.context.new_page()
    other.goto(site.address + address)
    other.get_by_label("Rounds", exact=True).fill("5")
    saved(other)
    assert site.staff("organizer").get(address.removeprefix("/").removesuffix("edit/"))["rounds"] == 5
    page.get_by_label("Name", exact=True).fill("Club evening")
    expect(page.get_by_text("This draft was changed in another tab")).to_be_visible()
    page.get_by_role("button", name="Load their version").click()
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("5")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Club night")
    saved(page)


@pytest.mark.nightly
def test_a_tournament_is_duplicated(open_page: Opener, site: Site) -> None:
    organizer = site.staff("organizer")
    held = organizer.post("tournaments/", {**SWISS, "name": "Weekly Swiss"})["id"]
    organizer.post(f"tournaments/{held}/publish/", {})
    page = open_page(f"/tournaments/{held}/", user="organizer")
    page.get_by_role("button", name="Duplicate this tournament").click()
    expect(page.get_by_role("heading", level=1, name="Edit tournament")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Weekly Swiss")
    copy = organizer.get(f"tournaments/{page.url.split('/tournaments/')[1].split('/')[0]}/")
    kept = ("format", "rules", "rounds", "fee", "prizes", "capacity", "fewest", "time_zone")
    assert (copy["status"], [copy[term] for term in kept]) == ("draft", [SWISS[term] for term in kept])
    page.goto(f"{site.address}/tournaments/{held}/edit/")
    expect(page.get_by_text("Its terms can no longer be changed")).to_be_visible()
