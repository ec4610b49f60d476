"""The client as an installed app: it can be installed, and opens with a page that says so where it is offline."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Watched, violations

INSTALLED = """
  const { matchMedia } = window;
  const asked = "(display-mode: standalone)";
  window.matchMedia = (query) => (query === asked ? { matches: true } : matchMedia.call(window, query));
"""
WORKS = """async () => {
  const { active } = await navigator.serviceWorker.ready;
  if (active.state !== "activated")
    await new Promise((done) => active.addEventListener("statechange", done, { once: true }));
}"""


def as_installed(page: Page) -> None:
    """Headless Chromium has no window of an installed app; the page is made to see one."""
    page.add_init_script(INSTALLED)
    page.reload()


@pytest.mark.nightly
def test_it_can_be_installed(open_page: Opener) -> None:
    page = open_page("/")
    protocol = page.context.new_cdp_session(page)
    manifest = protocol.send("Page.getAppManifest")
    assert manifest["url"].endswith("/static/manifest.webmanifest")
    assert manifest["errors"] == []
    touch = page.locator("link[rel=apple-touch-icon]").get_attribute("href")
    assert page.request.get(urljoin(page.url, str(touch))).headers["content-type"] == "image/png"
    # Chromium counts a profile without a history as one in private mode.
    obstacles = protocol.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in obstacles] in ([], ["in-incognito"])


def test_it_opens_without_a_connection_and_comes_back(open_page: Opener, watched: Watched) -> None:
    page = open_page("/", viewport=NARROW)
    as_installed(page)
    page.evaluate(WORKS)  # `wait_for_function` takes the promise of an asynchronous function for its answer
    watched.expect("ERR_|Failed to fetch")
    page.context.set_offline(True)
    page.evaluate("location.assign('/tournaments/')")  # a navigation of Playwright's does not ask the worker
    expect(page.get_by_text("You are offline")).to_be_visible()
    assert violations(page, "best-practice") == []
    page.context.set_offline(False)
    expect(page.get_by_role("heading", level=1, name="Tournaments")).to_be_visible()


@pytest.mark.nightly
def test_a_page_in_a_browser_has_no_worker_for_this(open_page: Opener) -> None:
    page = open_page("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
