"""An organizer opens a Swiss from nothing, and meets another tab."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, keep_picture, scrolls_sideways, violations
from tests.browser.people import open_menu
from tests.browser.visiting import inputs_of, sign_in_as

pytestmark = pytest.mark.on_sqlite
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


def saved(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text=re.compile("^Saved$"))).to_be_visible()


def look(page: Page, name: str) -> None:
    keep_picture(page, f"wizard-{name}")
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_published_swiss_from_nothing(open_page: Opener, site: Site, size: str) -> None:
    page = open_page("/")
    sign_in_as(page, site, "organizer")
    if size == "narrow":
        page.set_viewport_size({**NARROW, "width": 390})  # type: ignore[typeddict-item]
    page.goto(f"{site.address}/")
    count = inputs_of(page)
    if size == "narrow":
        open_menu(page)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Tournaments").click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_role("button", name="Friday Swiss").click()
    saved(page)
    look(page, f"1-{size}")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_label("Maximum players")).to_have_value("32")
    look(page, f"2-{size}")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Date and time").first.fill("2099-03-27T19:30")
    expect(page.get_by_text("Ends at the latest: 27 Mar 2099, 22:25 (2:55 h in all)")).to_be_visible()
    look(page, f"3-{size}")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("16 players pay 80.00 play money together.", exact=True)).to_be_visible()
    expect(page.get_by_role("row", name="1 40.00 play money")).to_be_visible()
    look(page, f"4-{size}")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("4 rounds of at most 40 minutes each, with a break of 5 minutes")).to_be_visible()
    look(page, f"5-{size}")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1, name="Friday Swiss")).to_be_visible()
    expect(page.get_by_text("Open for entries")).to_be_visible()
    assert count() <= 12


def test_back_keeps_everything_and_a_reload_finds_the_draft(open_page: Opener, site: Site) -> None:
    page = open_page("/")
    sign_in_as(page, site, "organizer")
    page.goto(f"{site.address}/tournaments/new/")
    page.get_by_role("button", name="Knockout of 16").click()
    page.get_by_label("Name", exact=True).fill("The club cup")
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


SHARES = (40, 25, 15, 12, 8)


def money_step(page: Page) -> None:
    page.get_by_role("navigation", name="Steps").get_by_role("button", name="Money").click()
    expect(page.get_by_role("heading", name="Money")).to_be_visible()


def prizes(page: Page) -> list[str]:
    """The amounts of the live table, from the first place on."""
    table = page.get_by_role("region", name="Prizes for the expected players")
    return [text.removesuffix(" play money") for text in table.locator("td").all_inner_texts()]


def test_prizes_in_percent_with_rake_and_guarantee_are_shown_for_the_expected_field(
    open_page: Opener, site: Site
) -> None:
    page = open_page("/", viewport=NARROW)
    sign_in_as(page, site, "organizer")
    page.goto(f"{site.address}/tournaments/new/")
    page.get_by_role("button", name="Friday Swiss").click()
    saved(page)
    money_step(page)
    pool = page.get_by_role("region", name="Prizes for the expected players").get_by_role("paragraph")
    expect(pool).to_contain_text("16 players pay 80.00 play money together.")
    expect(pool).not_to_contain_text("The site keeps")
    assert prizes(page) == ["40.00", "24.00", "16.00"]

    page.get_by_label("Entry fee").fill("10.00")
    page.get_by_label("Rake in percent").fill("10")
    page.get_by_role("button", name="40% · 25% · 15% · 12% · 8%").click()
    expect(pool).to_contain_text("16 players pay 160.00 play money together.")
    expect(pool).to_contain_text("The site keeps 16.00 play money of it.")
    assert prizes(page) == ["57.60", "36.00", "21.60", "17.28", "11.52"]
    page.get_by_label("Guaranteed prizes").fill("200")
    expect(pool).to_contain_text("The bank adds 56.00 play money to reach the guarantee.")
    assert prizes(page) == ["80.00", "50.00", "30.00", "24.00", "16.00"]
    page.get_by_role("spinbutton", name="Expected players").fill("32")
    expect(pool).to_contain_text("32 players pay 320.00")
    expect(pool).not_to_contain_text("The bank adds")
    assert prizes(page) == ["115.20", "72.00", "43.20", "34.56", "23.04"]
    full = page.get_by_text("Only 32 players can enter this tournament.")
    expect(full).to_have_count(0)
    page.get_by_role("spinbutton", name="Expected players").fill("33")
    expect(full).to_be_visible()
    page.get_by_role("spinbutton", name="Expected players").fill("32")
    expect(full).to_have_count(0)

    # What does not add up is said where it is entered, and stored nowhere.
    page.get_by_label("Place 3, %").fill("25")
    expect(page.get_by_text("Together 110%")).to_be_visible()
    expect(page.get_by_text("The shares must be more than 0 and add up to 100 percent")).to_be_visible()
    expect(page.get_by_label("Place 3, %")).to_have_attribute("aria-invalid", "true")
    look(page, "money-wrong-narrow")
    page.get_by_label("Place 3, %").fill("15")
    saved(page)
    look(page, "money-narrow")

    # Back keeps everything, and so does the server.
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Next").click()
    for label, value in {
        "Entry fee": "10.00",
        "Rake in percent": "10",
        "Guaranteed prizes": "200.00",
        **{f"Place {place}, %": str(share) for place, share in enumerate(SHARES, start=1)},
    }.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
    draft = page.url.split("/tournaments/")[1].split("/")[0]
    stored = site.staff("organizer").get(f"tournaments/{draft}/")
    terms = {"fee": 1000, "rake": 1000, "guarantee": 20_000, "prizes": [100 * share for share in SHARES]}
    assert {term: stored[term] for term in terms} == terms


def test_a_link_away_loses_no_faulty_edit(open_page: Opener, site: Site) -> None:
    draft = site.staff("organizer").post("tournaments/", {**SWISS, "name": "Kept in the tab"})
    page = open_page("/")
    sign_in_as(page, site, "organizer")
    editing = f"{site.address}/tournaments/{draft['id']}/edit/?step=2"
    page.goto(editing)
    page.get_by_label("Minimum players").fill("17")
    # At once: before the change is checked.
    page.get_by_role("link", name="Tournaments", exact=True).first.click()
    expect(page.get_by_role("heading", level=1, name="Tournaments")).to_be_visible()
    page.goto(editing)
    expect(page.get_by_label("Minimum players")).to_have_value("17")
    expect(page.get_by_label("Minimum players")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("status").filter(has_text="Kept in this tab only")).to_be_visible()
    page.get_by_label("Minimum players").fill("5")
    saved(page)
    page.goto(editing)
    expect(page.get_by_label("Minimum players")).to_have_value("5")
    saved(page)


def test_two_tabs_do_not_overwrite_each_other(open_page: Opener, site: Site, watched: Watched) -> None:
    watched.expect("412")
    draft = site.staff("organizer").post("tournaments/", SWISS)
    page = open_page("/")
    sign_in_as(page, site, "organizer")
    address = f"{site.address}/tournaments/{draft['id']}/edit/"
    page.goto(address)
    saved(page)
    other = page.context.new_page()
    other.goto(address)
    other.get_by_label("Rounds", exact=True).fill("5")
    saved(other)
    expect_rounds(site, draft, 5)
    page.get_by_label("Name", exact=True).fill("Club evening")
    expect(page.get_by_text("This draft was changed in another tab")).to_be_visible()
    page.get_by_role("button", name="Load their version").click()
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("5")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Club night")
    saved(page)
    other.close()


def expect_rounds(site: Site, draft: dict[str, Any], rounds: int) -> None:
    assert site.staff("organizer").get(f"tournaments/{draft['id']}/")["rounds"] == rounds


def test_a_tournament_is_duplicated(open_page: Opener, site: Site) -> None:
    organizer = site.staff("organizer")
    held = organizer.post("tournaments/", {**SWISS, "name": "Weekly Swiss"})
    organizer.post(f"tournaments/{held['id']}/publish/", {})
    page = open_page("/")
    sign_in_as(page, site, "organizer")
    page.goto(f"{site.address}/tournaments/{held['id']}/")
    page.get_by_role("button", name="Duplicate this tournament").click()
    expect(page.get_by_role("heading", level=1, name="Edit tournament")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Weekly Swiss")
    copy = organizer.get(f"tournaments/{page.url.split('/tournaments/')[1].split('/')[0]}/")
    kept = ("format", "rules", "rounds", "fee", "prizes", "capacity", "fewest", "time_zone")
    assert (copy["status"], [copy[term] for term in kept]) == ("draft", [SWISS[term] for term in kept])
    page.goto(f"{site.address}/tournaments/{held['id']}/edit/")
    expect(page.get_by_text("Its terms can no longer be changed")).to_be_visible()
