"""Open a page of the client and wait until it is loaded."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.conftest import Site
from tests.browser.people import sign_in_with
from tests.browser.sample import SampleSite


def by_reader() -> list[tuple[str, list[pages.ClientPage]]]:
    readers = dict.fromkeys(one.who for one in pages.CLIENT)
    return [(who, [one for one in pages.CLIENT if one.who == who]) for who in readers]


def come_in(page: Page, site: Site, sample_site: SampleSite, who: str) -> None:
    if who != pages.GUEST:
        sign_in_as(page, site, sample_site.name if who == pages.PLAYER else who)


def sign_in_as(page: Page, site: Site, name: str) -> None:
    page.goto(site.address)
    sign_in_with(page, name, site.passwords[name])


def is_drawn(page: Page) -> None:
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.locator(".skeleton")).to_have_count(0)


COUNT_INPUTS = """() => {
    const filled = new Set();
    window.inputs = 0;
    addEventListener("pointerdown", () => (window.inputs += 1), true);
    addEventListener("input", ({ target }) => {
        if (["checkbox", "radio"].includes(target.type) || filled.has(target)) return;
        filled.add(target);
        window.inputs += 1;
    }, true);
}"""


def inputs_of(page: Page) -> Callable[[], int]:
    """Count presses and filled fields on the page from now on, as long as it is not loaded again."""
    page.evaluate(COUNT_INPUTS)
    return lambda: int(page.evaluate("window.inputs"))
