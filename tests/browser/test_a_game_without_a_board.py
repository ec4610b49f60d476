"""A game of a plug-in, for which the client has no folder: opened, played, and replayed on the generic board."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    Caller,
    Opener,
    Site,
    keep_picture,
    opened,
    scrolls_sideways,
    sign_in,
    violations,
)
from tests.browser.people import PASSWORD, caller, open_table_for, sign_up
from tests.installation import ROOT, Installation, Process, until
from tests.plugins.installing import PACKAGE, install

pytestmark = pytest.mark.on_sqlite

PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
[SLUG] = PROJECT["entry-points"]["racecard.games"]
[FORMAT] = PROJECT["entry-points"]["racecard.formats"]
PHONE = {"width": 390, "height": 844}


class Extended(Installation):
    """An installation with the plug-in on its path; a process forked from one without it would not know it."""

    def start(self, name: str, *command: str, kind: type[Process] = Process) -> Process:
        return super().start(name, *command, kind=kind)


@pytest.fixture(scope="module")
def extended(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    plugins = install(tmp_path_factory.mktemp("plugins"))
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform"), str(plugins)])
    with opened(tmp_path_factory.mktemp("extended"), kind=Extended, PYTHONPATH=path) as site:
        yield site


@pytest.fixture
def title(extended: Site) -> str:
    """The name of the game, which only the server knows."""
    rules = httpx.get(f"{extended.address}/api/v1/rules/", timeout=30).json()
    return str(next(game["name"] for game in rules if game["slug"] == SLUG))


def move(page: Page) -> str:
    """Make the first legal move by the keyboard, and return its text."""
    button = page.get_by_role("region", name="Your moves").get_by_role("button").first
    text = button.inner_text()
    button.focus()
    page.keyboard.press("Enter")
    return text


def looks_good(page: Page, picture: str) -> None:
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    shown = page.locator("main form, .felt").first.inner_text()
    assert not re.search(r'[{}\[\]]|":|\b[a-z]+_[a-z]+\b|\b(?:[2-9TJQKA][CDHS])\b|null', shown), shown
    keep_picture(page, picture)


def test_it_is_opened_played_and_replayed(extended: Site, open_page: Opener, title: str) -> None:
    first = open_page("/", address=extended.address)
    second = open_page("/", address=extended.address, viewport=PHONE, colours="dark")
    sign_up(first, "ann")
    sign_up(second, "bob")

    first.get_by_role("region", name="Play", exact=True).get_by_role("link", name=title).click()
    expect(first.get_by_role("heading", level=1)).to_have_text(f"New table: {title}")
    first.get_by_text("Advanced", exact=True).click()
    first.get_by_role("spinbutton", name="Cards in a hand").fill("2")
    looks_good(first, "plug-in-new-wide")
    first.get_by_role("button", name="How to play").click()
    expect(first.get_by_role("dialog")).to_contain_text("Clockwise each seat plays one card of its hand.")
    first.keyboard.press("Escape")
    open_table_for(first)
    expect(first.get_by_text("Waiting for 1 more player.")).to_be_visible()

    second.goto(first.url)
    second.get_by_role("button", name="Sit down").click()
    first.get_by_role("button", name="Deal", exact=True).click()
    for page, rival in ((first, "bob"), (second, "ann")):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(
            page.get_by_role("img", name=re.compile("^[a-z]+ of [a-z]+, [a-z]+ of [a-z]+$"))
        ).to_have_count(1)
        expect(page.get_by_role("img", name="face-down card, face-down card")).to_have_count(1)
        seat = page.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text=rival)
        expect(seat.first).to_contain_text("Hand (2 cards)")
    turn = first.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text="to move")
    expect(turn).to_contain_text("You")
    expect(second.get_by_role("region", name="Your moves")).to_have_count(0)
    at = f"games/{first.url.rstrip('/').rsplit('/', 1)[-1]}/"
    for page, rival in ((first, "bob"), (second, "ann")):
        hands = caller(extended, rival).get(at)["view"]["hands"]
        assert not any(f'"{card}"' in page.content() for hand in hands for card in hand if card != "??")
    looks_good(first, "plug-in-table-wide")
    looks_good(second, "plug-in-table-narrow-dark")

    made = move(first)
    assert re.fullmatch("Play [a-z]+ of [a-z]+", made)
    expect(second.get_by_text(f"Last move: {made} (ann)")).to_be_visible()
    expect(first.get_by_role("list", name="Players")).to_be_focused()
    places = played_out(caller(extended, "ann"), at, first, second)["places"]
    for own, (page, who) in enumerate(((first, "wide"), (second, "narrow-dark"))):
        result = page.get_by_role("region", name="Result")
        expect(result).to_contain_text("Played.")
        winners = ["you" if seat == own else ("ann", "bob")[seat] for seat in places[0]]
        expect(result).to_contain_text(f"Winner{'s' if len(winners) > 1 else ''}: {' and '.join(winners)}.")
        looks_good(page, f"plug-in-result-{who}")

    for page, rival, who in ((first, "bob", "wide"), (second, "ann", "narrow-dark")):
        page.get_by_role("link", name="Replay", exact=True).click()
        expect(page.get_by_text(re.compile("^Event \\d+$")).first).to_be_visible()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_text(re.compile(r"(You|ann|bob) played: [a-z]+ of [a-z]+")).first).to_be_visible()
        looks_good(page, f"plug-in-replay-{who}")
        page.get_by_label("All cards").check()
        cards = page.get_by_role("list", name="All cards")
        expect(cards).to_contain_text(re.compile(f"Hand (You|{rival}) |Trick "))
        looks_good(page, f"plug-in-all-cards-{who}")


def played_out(player: Caller, at: str, *pages: Page) -> dict[str, Any]:
    """Play to the end on the pages of the seats whose turn it is, and return the outcome."""
    for _ in range(10):
        shown = player.get(at)
        if shown["outcome"]:
            return dict(shown["outcome"])
        page, version = pages[shown["to_act"][0]], shown["version"]
        expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
        move(page)
        until(lambda before=version: player.get(at)["version"] > before, "the move is made")
    raise AssertionError("the game does not end")


def test_it_is_readable_in_german_on_a_small_screen(extended: Site, open_page: Opener, title: str) -> None:
    screen = {"width": 320, "height": 640}
    page = open_page("/", address=extended.address, language="de-DE", viewport=screen)
    sign_in(page.context, extended.address, "cid", PASSWORD, "signup")
    page.goto(f"{extended.address}/new/{SLUG}/")
    page.get_by_role("button", name="Freunde", exact=True).click()
    page.get_by_label("Privat: Nur mit dem Link").uncheck()
    looks_good(page, "plug-in-new-german-320")
    page.get_by_role("button", name="Tisch eröffnen", exact=True).click()
    expect(page.get_by_text("Es fehlt noch 1 Person.")).to_be_visible()
    looks_good(page, "plug-in-waiting-german-320")
    extended.newcomer("dan").post(
        f"games/{page.url.rstrip('/').rsplit('/', 1)[-1]}/seats/", {"client_seed": ""}
    )
    page.get_by_role("button", name="Geben", exact=True).click()
    expect(page.get_by_role("region", name="Deine Züge").get_by_role("button")).to_have_count(3)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_role("list", name="Am Tisch").get_by_role("listitem").first).to_contain_text("am Zug")
    looks_good(page, "plug-in-table-german-320")


def test_a_tournament_of_it_in_a_format_of_the_plug_in_names_both(
    extended: Site, open_page: Opener, title: str
) -> None:
    organizer = extended.staff("organizer")
    terms = {"name": "Plugged in", "rules": SLUG, "config": {}, "seats": 2, "round_seconds": 3600}
    made = organizer.post("tournaments/", {**terms, "format": FORMAT, "rounds": 3})
    organizer.post(f"tournaments/{made['id']}/publish/", {})
    page = open_page("/tournaments/", address=extended.address)
    page.get_by_label("Game").select_option(title)
    for _ in ("list", "tournament"):
        expect(page.get_by_text(title).last).to_be_visible()
        expect(page.get_by_text(FORMAT.replace("-", " ").capitalize()).first).to_be_visible()
        shown = page.locator("main").inner_text()
        assert SLUG not in shown
        assert FORMAT not in shown
        if link := page.get_by_role("link", name="Plugged in").all():
            link[0].click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Plugged in")
