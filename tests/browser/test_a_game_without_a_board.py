"""A game of a plug-in, for which the client has no folder: opened, played, and replayed on the generic board."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    Caller,
    Opener,
    Site,
    opened,
    scrolls_sideways,
    violations,
)
from tests.browser.people import open_table_for
from tests.browser.playing import dealt
from tests.installation import ROOT, Installation, Process, until
from tests.plugins.installing import PACKAGE, install

pytestmark = pytest.mark.on_sqlite

PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
[SLUG] = PROJECT["entry-points"]["racecard.games"]
[FORMAT] = PROJECT["entry-points"]["racecard.formats"]
PHONE = {"width": 390, "height": 844}


class Extended(Installation):
    """An installation with the plug-in on its path, which a process forked from one without it would not know."""

    def start(self, name: str, *command: str, kind: type[Process] = Process) -> Process:
        return super().start(name, *command, kind=kind)

    def run(self, *command: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, *command]
        environment = {"DJANGO_SETTINGS_MODULE": "config.settings", **self.environment}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done


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


def looks_good(page: Page) -> None:
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    shown = page.locator("main form, .felt").first.inner_text()
    assert not re.search(r'[{}\[\]]|":|\b[a-z]+_[a-z]+\b|\b(?:[2-9TJQKA][CDHS])\b|null', shown), shown


ONE_TRICK_EACH = 3
"""A server seed of a deal of two cards a hand, in which the first cards played win both seats a trick."""


def known_or_new(site: Site, name: str) -> Caller:
    return site.staff(name) if name in site.passwords else site.newcomer(name)


@pytest.fixture
def game(extended: Site) -> str:
    """A game that has been dealt to ann and bob."""
    players = [known_or_new(extended, name) for name in ("ann", "bob")]
    return dealt(extended, SLUG, *players, seed=ONE_TRICK_EACH, seats=2, config={"cards": 2})


def test_it_is_opened_on_the_form_of_its_options(extended: Site, open_page: Opener, title: str) -> None:
    extended.newcomer("opener")
    page = open_page("/", address=extended.address, user="opener")
    page.get_by_role("region", name="Play", exact=True).get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"New table: {title}")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("spinbutton", name="Cards in a hand").fill("2")
    looks_good(page)
    page.get_by_role("button", name="How to play").click()
    expect(page.get_by_role("dialog")).to_contain_text("Clockwise each seat plays one card of its hand.")
    page.keyboard.press("Escape")
    open_table_for(page)
    expect(page.get_by_text("Waiting for 1 more player.")).to_be_visible()


def test_it_is_played_to_its_end(extended: Site, open_page: Opener, title: str, game: str) -> None:
    at = f"/games/{game}/"
    first = open_page(at, address=extended.address, user="ann")
    second = open_page(at, address=extended.address, user="bob", viewport=PHONE, colours="dark")
    for page, rival in ((first, "bob"), (second, "ann")):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        hand = page.get_by_role("img", name=re.compile("^[a-z]+ of [a-z]+, [a-z]+ of [a-z]+$"))
        expect(hand).to_have_count(1)
        expect(page.get_by_role("img", name="face-down card, face-down card")).to_have_count(1)
        seat = page.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text=rival)
        expect(seat.first).to_contain_text("Hand (2 cards)")
        looks_good(page)
    turn = first.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text="to move")
    expect(turn).to_contain_text("You")
    expect(second.get_by_role("region", name="Your moves")).to_have_count(0)

    made = move(first)
    assert re.fullmatch("Play [a-z]+ of [a-z]+", made)
    expect(second.get_by_text(f"Last move: {made} (ann)")).to_be_visible()
    expect(first.get_by_role("list", name="Players")).to_be_focused()
    played_out(extended.staff("ann"), f"games/{game}/", first, second)
    for page, winners in ((first, "you and bob"), (second, "ann and you")):
        result = page.get_by_role("region", name="Result")
        expect(result).to_contain_text("Played.")
        expect(result).to_contain_text(f"Winners: {winners}.")
        looks_good(page)


@pytest.mark.nightly
def test_it_is_replayed(extended: Site, open_page: Opener, game: str) -> None:
    players = [extended.staff(name) for name in ("ann", "bob")]
    while acting := (shown := players[0].get(f"games/{game}/"))["to_act"]:
        legal = players[acting[0]].get(f"games/{game}/")["legal_moves"]
        players[acting[0]].post(f"games/{game}/moves/", {"move": legal[0]})
    page = open_page(f"/games/{game}/replay/", address=extended.address, user="ann", viewport=PHONE)
    expect(page.get_by_role("heading", name=f"Event {shown['version']}", exact=True)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text(re.compile(r"(You|bob) played: [a-z]+ of [a-z]+")).first).to_be_visible()
    looks_good(page)
    page.get_by_label("All cards").check()
    cards = page.get_by_role("list", name="All cards")
    expect(cards).to_contain_text(re.compile("Hand (You|bob) |Trick "))
    looks_good(page)


def played_out(player: Caller, at: str, *pages: Page) -> None:
    """Play to the end on the pages of the seats whose turn it is."""
    for _ in range(10):
        shown = player.get(at)
        if shown["outcome"]:
            return
        page, version = pages[shown["to_act"][0]], shown["version"]
        expect(page.locator(".felt")).to_have_attribute("data-version", str(version))
        move(page)
        until(lambda before=version: player.get(at)["version"] > before, "the move is made")
    raise AssertionError("the game does not end")


@pytest.mark.nightly
def test_it_is_readable_in_german_on_a_small_screen(
    extended: Site, open_page: Opener, title: str, game: str
) -> None:
    options = {"address": extended.address, "language": "de-DE", "viewport": {"width": 320, "height": 640}}
    page = open_page(f"/new/{SLUG}/", user="ann", **options)
    page.get_by_role("button", name="Freunde", exact=True).click()
    page.get_by_label("Privat: Nur mit dem Link").uncheck()
    looks_good(page)
    page.get_by_role("button", name="Tisch eröffnen", exact=True).click()
    expect(page.get_by_text("Es fehlt noch 1 Person.")).to_be_visible()
    looks_good(page)
    page.goto(f"{extended.address}/games/{game}/")
    expect(page.get_by_role("region", name="Deine Züge").get_by_role("button")).to_have_count(2)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_role("list", name="Am Tisch").get_by_role("listitem").first).to_contain_text("am Zug")
    looks_good(page)


@pytest.mark.nightly
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
