"""Stepping through a finished game in a real browser, its proof made there, and what a changed past looks like."""

from __future__ import annotations

import random
import re
import statistics
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    NARROW,
    WIDE,
    Opener,
    Site,
    Watched,
    scrolls_sideways,
    violations,
)
from tests.browser.playing import dealt

LONG = 500
SCRUB = 16.0
"""Milliseconds, at the 95th percentile, from the slider's event to the new layout of table and list."""
GENEROUS = 4

CHANGE = """
from uuid import UUID
from django.db import connection
from core import triggers
game, of = UUID("{game}"), "WHERE stream_id = %s AND version = {version}"
with triggers.removed("eventstore_event"), connection.cursor() as cursor:
    key = game.hex if connection.vendor == "sqlite" else game
    cursor.execute(f"SELECT data FROM eventstore_event {{of}}", [key])
    data = bytes(cursor.fetchone()[0]).replace(b'{before}', b'{after}')
    cursor.execute(f"UPDATE eventstore_event SET data = %s {{of}}", [data, key])
    assert cursor.rowcount == 1
"""

SCRUBBED = """version => {
    const slider = document.querySelector("input[type=range]");
    const began = performance.now();
    slider.value = String(version);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return Promise.resolve().then(() => Promise.resolve()).then(() => {
        document.body.getBoundingClientRect();
        return performance.now() - began;
    });
}"""
"""Wait for the new layout of table, list, and details."""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def vegas(site: Site, name: str) -> str:
    """A game of nine events whose second draw was undone, of a player who is known or new."""
    player = site.staff(name) if name in site.passwords else site.newcomer(name)
    game = dealt(site, "vegas-solitaire", player, client_seed="é seen in a browser")
    for move in ("draw", "draw", "undo", "draw", "collect"):
        player.post(f"games/{game}/moves/", {"move": {"type": move}})
    return game


def idle(site: Site, name: str, events: int) -> str:
    """A long game: piles carry cards to and fro until there are as many events, then it is resigned."""
    player, rng = site.staff(name), random.Random(events)
    game = dealt(site, "idle-aces", player)
    state = player.get(f"games/{game}/")
    while state["version"] < events - 2:
        moves = state["legal_moves"]
        plays = [move for move in moves if move["type"] == "play"]
        others = [move for move in moves if move["type"] not in ("play", "resign")]
        few = state["version"] < 120
        wanted = others if others and (few or not plays) else plays
        state = player.post(f"games/{game}/moves/", {"move": rng.choice(wanted)})
    player.post(f"games/{game}/moves/", {"move": {"type": "resign"}})
    return game


def at(page: Page, version: int) -> None:
    """Slider, list and details all stand at this event."""
    expect(page.get_by_role("slider")).to_have_value(str(version))
    expect(page.locator(".events [aria-current=step]")).to_have_attribute("data-version", str(version))
    expect(page.get_by_role("heading", name=f"Event {version}", exact=True)).to_be_visible()


def opened(page: Page, site: Site, game: str, rest: str = "replay/") -> None:
    page.goto(f"{site.address}/games/{game}/{rest}")
    expect(page.get_by_role("slider")).to_be_visible()


def replayed(
    site: Site, open_page: Opener, name: str, rest: str = "replay/", **options: Any
) -> tuple[Page, str]:
    """A new player's page with a finished game, and the game."""
    game = vegas(site, name)
    page = open_page(f"/games/{game}/{rest}", user=name, **options)
    expect(page.get_by_role("slider")).to_be_visible()
    return page, game


def test_a_finished_game_is_stepped_through_by_keys_and_slider(site: Site, open_page: Opener) -> None:
    page, _ = replayed(site, open_page, "stepper")
    at(page, 9)
    slider = page.get_by_role("slider")
    expect(slider).to_be_focused()

    for key, version in (
        ("Home", 1),
        ("ArrowRight", 2),
        ("k", 3),
        ("j", 2),
        ("Shift+ArrowRight", 9),
        ("ArrowLeft", 8),
        ("End", 9),
        ("Shift+ArrowLeft", 1),
    ):
        page.keyboard.press(key)
        at(page, version)
    expect(page.get_by_text("The cards are not dealt yet.")).to_be_visible()
    page.locator(".events [data-version='5']").click()
    at(page, 5)
    expect(page.locator(".stamp")).to_have_text("taken back")
    expect(page.get_by_text("18 cards left")).to_be_visible()
    slider.fill("6")
    at(page, 6)
    expect(page.get_by_text("21 cards left")).to_be_visible()
    expect(page.get_by_text(re.compile("Your turn|Draw a card"))).to_have_count(0)

    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_label("Speed").select_option("10")
    at(page, 9)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()

    page.get_by_role("checkbox", name="All cards").check()
    slider.fill("3")
    slider.focus()
    expect(page.get_by_role("list", name="All cards").get_by_role("img")).to_have_count(8 + 6)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_text("Changes", exact=True).click()
    expect(page.locator(".changes li").first).to_be_visible()
    # The second draw, undone later: the legal moves there include the draw.
    slider.fill("5")
    page.get_by_text("Legal moves", exact=True).click()
    legal = page.locator(".moves li")
    expect(legal.filter(has_text="made")).to_have_text(re.compile("^draw"))
    assert legal.count() > 1
    slider.fill("2")
    expect(page.get_by_text("Legal moves", exact=True)).to_have_count(0)


def test_a_deal_is_proved_in_the_browser(site: Site, open_page: Opener) -> None:
    page, game = replayed(site, open_page, "prover")
    expect(page.locator(".events [data-verdict=passed]")).to_have_count(9)
    page.get_by_role("button", name="Check in this browser").click()
    expect(page.get_by_text("Verified: 8 of 8 checks passed")).to_be_visible()
    verdicts = {
        row.get_attribute("data-check"): row.get_attribute("data-verdict")
        for row in page.locator("[data-check]").all()
    }
    assert verdicts.pop("rules") == "not-run"
    assert verdicts == dict.fromkeys(
        ("format", "chain", "order", "commitment", "client-seeds", "key", "deal", "seals"), "passed"
    )
    seals = page.locator("[data-check=seals]")
    expect(seals).to_contain_text(
        "Cards that were hidden during the game are the ones that were revealed after it."
    )
    expect(seals.locator("code").first).to_be_hidden()
    seals.get_by_text("Technical details").click()
    expect(seals).to_contain_text("Seals opened")
    page.get_by_role("slider").fill("2")
    detail = page.get_by_role("region", name="Event 2", exact=True)
    expect(detail.locator("code")).to_have_count(0)
    detail.get_by_text("Technical details").click()
    expect(detail.get_by_text("Previous hash")).to_be_visible()

    # From the end of the game one comes to its proof at once.
    page.goto(f"{site.address}/games/{game}/")
    page.get_by_role("region", name="Result").get_by_role("link", name="Fairness check").click()
    expect(page.get_by_text("Verified: 8 of 8 checks passed")).to_be_visible()
    expect(page.get_by_role("heading", name="Fairness check")).to_be_focused()
    expect(page.get_by_role("link", name="Download the record")).to_be_visible()
    page.goto(f"{site.address}/games/{game}/audit/")
    expect(page.get_by_text(re.compile(r"Verified: (\d+) of \1 checks passed"))).to_be_visible()
    expect(page.locator("[data-check=deal]")).to_have_attribute("data-verdict", "passed")
    # For points no money moved, and no tournament shares the deal; nothing else is left out.
    assert page.locator("[data-verdict=failed]").count() == 0


def test_a_link_to_an_event_reports_a_changed_history(site: Site, open_page: Opener) -> None:
    page, game = replayed(site, open_page, "linker", "replay/?at=4")
    at(page, 4)
    page.get_by_role("slider").focus()
    page.keyboard.press("c")
    link = page.locator(".copied a")
    expect(link).to_have_attribute("href", re.compile(rf"/games/{game}/events/4\?h=[0-9a-f]{{12}}$"))
    address = str(link.get_attribute("href"))

    page.goto(address)
    at(page, 4)
    expect(page.get_by_role("alert")).to_have_count(0)
    right, wrong = address[-12:], "0" * 12
    page.goto(address.replace(right, wrong))
    at(page, 4)
    banner = page.get_by_role("alert")
    expect(banner).to_contain_text("The record has changed since this link was made.")
    expect(banner).to_contain_text(wrong)
    expect(banner).to_contain_text(right)
    page.goto(address.replace("events/4", "events/40"))
    expect(page.get_by_role("alert")).to_contain_text("The link is to event 40, but the game has only 9.")


def test_what_a_database_shell_changed_is_marked_at_just_that_event(site: Site, open_page: Opener) -> None:
    game = vegas(site, "victim")
    player = site.staff("victim")
    [event] = player.get(f"games/{game}/events/?after=6&limit=1")["results"]
    card = event["data"]["facts"]["cards"][-1]
    other = "AS" if card != "AS" else "KH"
    site.installed.manage(
        "shell", "-c", CHANGE.format(game=game, version=7, before=f'"{card}"', after=f'"{other}"')
    )
    page = open_page(f"/games/{game}/replay/", user="victim")
    at(page, 7)
    expect(page.get_by_role("alert")).to_contain_text("Event 7 is faulty")
    expect(page.locator(".events [data-verdict=failed]")).to_have_count(1)
    expect(page.locator(".events [data-version='7']")).to_have_attribute("data-verdict", "failed")
    expect(page.locator(".events [data-verdict=passed]")).to_have_count(6)
    expect(page.locator(".events [data-verdict=not-run]")).to_have_count(2)
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    page.keyboard.press("]")
    at(page, 7)

    page.get_by_role("button", name="Check in this browser").click()
    wrong = page.get_by_role("alert").filter(has_text="Not verified: 1 of 8 checks failed")
    expect(wrong).to_contain_text("The record is wrong from event 7 on, which is recorded on")
    expect(wrong).to_contain_text("Tell the auditors of this site")
    expect(wrong.get_by_role("link", name="Dispute this game")).to_have_attribute(
        "href", f"/games/{game}/dispute/?at=7"
    )
    expect(wrong).to_be_visible()
    chain = page.locator("[data-check=chain]")
    expect(chain).to_have_attribute("data-verdict", "failed")
    expect(chain).to_contain_text("Event 7:")
    expect(chain).to_contain_text("It was changed after it was recorded.")
    expect(page.locator(".proof [data-verdict=failed]")).to_have_count(1)
    page.get_by_role("slider").fill("2")
    chain.get_by_role("button", name="Go to event 7").click()
    at(page, 7)
    page.goto(f"{site.address}/games/{game}/audit/")
    expect(page.get_by_text(re.compile(r"Not verified: \d+ of \d+ checks? failed"))).to_be_visible()
    page.get_by_role("link", name="Go to the first faulty event: 7").click()
    at(page, 7)


@pytest.mark.nightly
def test_an_auditors_early_access_is_recorded(site: Site, open_page: Opener) -> None:
    game = dealt(site, "vegas-solitaire", site.newcomer("looked-at"))
    page = open_page("/", user="auditor")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    opened(page, site, game)
    expect(page.get_by_text("24 cards left")).to_be_visible()
    expect(page.locator("[data-verdict]")).to_have_count(0)
    assert not any("/evidence/" in url or "all=true" in url for url in requested), (
        "nothing is looked at unasked"
    )
    page.get_by_role("button", name="Early access").click()
    expect(page.get_by_role("dialog")).to_contain_text("Early access is recorded permanently")
    on_record = page.get_by_role("button", name="Get early access")
    expect(on_record).to_be_disabled()
    page.get_by_label("Reason (recorded)").fill("the phone rang")
    assert violations(page) == []
    on_record.click()
    expect(page.get_by_role("list", name="All cards")).to_be_visible()
    assert all("reason=the" in url for url in requested if "all=true" in url)
    expect(page.locator(".events [data-verdict=passed]")).to_have_count(3)


@pytest.mark.nightly
def test_five_hundred_events_are_scrubbed_within_a_frame(site: Site, open_page: Opener) -> None:
    player = site.newcomer("scrubber")
    game = idle(site, "scrubber", LONG)
    page = open_page("/", user="scrubber")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    opened(page, site, game)
    at(page, LONG)
    assert sum("/recording/" in url for url in requested) == 1, "one answer with all events and states"
    cdp = page.context.new_cdp_session(page)
    # Of the page's own thread, so that other load on the machine does not count.
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        metrics = {one["name"]: one["value"] for one in cdp.send("Performance.getMetrics")["metrics"]}
        return float(sum(metrics[name] for name in WORK))

    took, work = [], []
    for step in range(120):
        began = worked()
        took.append(page.evaluate(SCRUBBED, 1 + step * 7919 % LONG))
        work.append(1000 * (worked() - began))
    print(f"\nscrubbing {LONG} events, ms: by the clock {_summary(took)}; by the processor {_summary(work)}")
    assert statistics.quantiles(work, n=20)[-1] <= GENEROUS * SCRUB
    for version in (77, 300, 26):
        page.get_by_role("slider").fill(str(version))
        at(page, version)
        view = player.get(f"games/{game}/replay/?at={version}")["view"]
        for number, pile in enumerate(view["twos"]):
            top = page.locator(f'.pile[data-pile="twos:{number}"] [data-card]').last
            expect(top).to_have_attribute("data-card", pile[-1])


def _summary(times: list[float]) -> str:
    return f"median {statistics.median(times):.1f}, p95 {statistics.quantiles(times, n=20)[-1]:.1f}"


@pytest.mark.nightly
@pytest.mark.parametrize(("width", "colours"), [("wide", "light"), ("narrow", "dark")])
def test_replay_and_audit_are_accessible_and_fit(
    site: Site, open_page: Opener, watched: Watched, width: str, colours: str
) -> None:
    viewport = WIDE if width == "wide" else {**NARROW, "width": 320}
    name = f"reader-{width}"
    options = {"viewport": viewport, "colours": colours, "reduced_motion": True}
    page, game = replayed(site, open_page, name, **options)
    for shown in ("replay/?at=5", "audit/"):
        page.goto(f"{site.address}/games/{game}/{shown}")
        if "replay" in shown:
            at(page, 5)
            page.get_by_role("button", name="Check in this browser").click()
            expect(page.locator("[data-check=seals][data-verdict=passed]")).to_be_visible()
            for summary in page.locator("main summary").all():
                summary.click()
            expect(page.locator(".changes li").first).to_be_visible()
        else:
            expect(page.locator("[data-check=seals]")).to_be_visible()
        assert violations(page) == []
        assert not scrolls_sideways(page)
    page.goto(f"{site.address}/games/{game}/replay/?at=3")
    page.get_by_role("checkbox", name="All cards").check()
    expect(page.get_by_role("list", name="All cards")).to_be_visible()
    assert violations(page) == []
    assert not scrolls_sideways(page)
