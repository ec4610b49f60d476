"""The one event stream of a browser: cut off and resumed without a gap, and shared by any number of tabs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.playing import solitaire
from tests.browser.relay import Relay, relay
from tests.browser.vegas import events, settled, state
from tests.installation import until


@pytest.fixture
def wire(site: Site) -> Iterator[Relay]:
    with relay(site.address) as one:
        yield one


def stands(page: Page, state: str) -> None:
    expect(page.locator(".connection")).to_have_attribute("data-state", state)


def test_a_stream_that_is_cut_during_a_move_resumes_without_a_gap(
    site: Site, open_page: Opener, watched: Watched, wire: Relay
) -> None:
    watched.expect("ERR_|Failed to load resource|504|503")
    page, player, game = solitaire(site, open_page, "tunnel", 1, address=wire.address, intercepted=True)
    stands(page, "live")
    until(lambda: wire.feeds == 1, "the stream is open")

    def into_the_tunnel(route: Route) -> None:
        wire.cut()
        route.continue_()

    page.route("**/moves/", into_the_tunnel, times=1)
    page.locator('[data-pile="stock"][data-at]').focus()
    page.keyboard.press("s")
    expect(page.get_by_text("The server is slow to answer. Your move is not lost.")).to_be_visible()
    expect(page.locator(".connection")).not_to_have_attribute("data-state", "live")
    assert state(player, game)["version"] == 3
    wire.mend()
    expect(page.get_by_text("23 cards left")).to_be_visible()
    settled(page)
    stands(page, "live")
    assert [event["type"] for event in events(player, game)].count("draw") == 1
    expect(page.locator('[data-pile="stock"][data-at]')).to_be_focused()

    # Events during the interruption arrive when the stream is back, and so do later ones.
    until(lambda: wire.feeds == 1, "the stream is open again")
    wire.cut()
    for _ in range(3):
        player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
    expect(page.locator(".connection")).not_to_have_attribute("data-state", "live")
    expect(page.get_by_text("23 cards left")).to_be_visible()
    wire.mend()
    expect(page.get_by_text("20 cards left")).to_be_visible()
    until(lambda: wire.feeds == 1, "the stream is open again")
    player.post(f"games/{game}/moves/", {"move": {"type": "draw"}})
    expect(page.get_by_text("19 cards left")).to_be_visible()


def test_offline_moves_are_disabled_and_not_queued(site: Site, open_page: Opener, watched: Watched) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED|Failed to load resource")
    page, player, game = solitaire(site, open_page, "cellar", draw=1)
    stands(page, "live")
    page.context.set_offline(True)
    stands(page, "offline")
    expect(page.get_by_text("Offline: you cannot move until the connection is back.")).to_be_visible()
    expect(page.get_by_role("button", name="End game and collect")).to_be_disabled()
    page.locator('[data-pile="stock"][data-at]').focus()
    page.keyboard.press("s")
    page.locator('[data-pile="stock"][data-at]').click()
    page.context.set_offline(False)
    stands(page, "live")
    expect(page.get_by_text("24 cards left")).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_text("23 cards left")).to_be_visible()
    assert [event["type"] for event in events(player, game)].count("draw") == 1


@pytest.mark.nightly
def test_an_answer_from_before_the_loss_leaves_the_page_offline(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED|Failed to load resource")
    page, _, _ = solitaire(site, open_page, "overtaken", intercepted=True)
    held: list[Route] = []
    page.route("**/events/**", lambda route: held.append(route))
    page.reload()
    until(lambda: held or page.wait_for_timeout(20), "the table asks for its last event")
    stands(page, "live")
    page.context.set_offline(True)
    stands(page, "offline")
    with page.expect_event("requestfinished"):
        held[0].fulfill(json={"results": []})
    expect(page.get_by_text("Offline: you cannot move until the connection is back.")).to_be_visible()
    stands(page, "offline")


@pytest.mark.parametrize("count", [3, pytest.param(8, marks=pytest.mark.nightly)])
def test_tabs_share_one_stream_and_the_last_one_plays(
    site: Site, open_page: Opener, wire: Relay, watched: Watched, count: int
) -> None:
    first, player, game = solitaire(site, open_page, f"tabs-{count}", 1, address=wire.address)
    tabs = [first]
    while len(tabs) < count:
        tab = first.context.new_page()
        watched.watch(tab)
        tab.goto(f"{wire.address}/games/{game}/")
        expect(tab.get_by_text("24 cards left")).to_be_visible()
        tabs.append(tab)
    for tab in tabs:
        stands(tab, "live")
    until(lambda: wire.feeds == 1, "one stream for all tabs")
    last = tabs[-1]
    last.bring_to_front()
    last.locator('[data-pile="stock"][data-at]').click()
    for tab in tabs:
        expect(tab.get_by_text("23 cards left")).to_be_visible()
    assert wire.feeds == 1
    assert state(player, game)["version"] == 4
    for tab in tabs[:-1]:
        tab.close()
    last.locator('[data-pile="stock"][data-at]').click()
    expect(last.get_by_text("22 cards left")).to_be_visible()
    until(lambda: wire.feeds == 1, "the stream stays with the last tab")
