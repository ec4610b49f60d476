"""Parts of the client that cannot be fetched: a table explains itself without them, and a button fetches them."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Opener, Site, Watched
from tests.browser.playing import dealt, solitaire
from tools.weight import first_files


def test_refusals_and_a_lost_connection_are_explained_by_the_first_load(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    game = dealt(site, "vegas-solitaire", site.newcomer("first-load"))
    page = open_page("/healthz", user="first-load", intercepted=True)
    watched.expect("ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to load resource|status of 400")
    first = first_files("vegas-solitaire", "en")

    def only_the_first_load(route: Route) -> None:
        file = route.request.url.rpartition("/static/")[2]
        route.fallback() if file in first else route.abort()

    page.context.route("**/static/client/**", only_the_first_load)
    page.goto(f"{site.address}/games/{game}/")

    fly = json.dumps({"move": {"type": "fly"}})
    page.route("**/moves/", lambda route: route.continue_(post_data=fly), times=1)
    page.locator('[data-pile="stock"][data-at]').focus()
    page.keyboard.press("s")
    refusal = page.get_by_role("alert").filter(has_text="Move refused.")
    expect(refusal).to_contain_text("Your moves:")

    page.context.set_offline(True)
    expect(page.get_by_text("Offline: you cannot move until the connection is back.")).to_be_visible()


@pytest.mark.nightly
def test_a_part_that_cannot_be_fetched_is_fetched_by_its_button(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page, _, _ = solitaire(site, open_page, "lost-part", intercepted=True)
    watched.expect("ERR_FAILED")
    lost: list[str] = []

    def abort(route: Route) -> None:
        lost.append(route.request.url.rpartition(".")[2])
        route.abort()

    part = re.compile(r"/static/client/(HowTo|Dialog)")
    page.route(part, abort)
    page.get_by_role("button", name="How to play").click()
    failure = page.get_by_role("alert").filter(has_text="This part of the page could not be loaded.")
    expect(failure).to_be_visible()
    assert {"js", "css"} <= set(lost)

    page.unroute(part)
    failure.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("dialog")).to_contain_text("How to play")
    expect(failure).to_have_count(0)
    unstyled = "[...document.querySelectorAll('link[rel=stylesheet]')].filter(({sheet}) => !sheet).length"
    assert page.evaluate(unstyled) == 0
