"""Open a page of the client and wait until it is loaded."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.conftest import Site, sign_in
from tests.browser.sample import SampleSite


def by_reader() -> list[tuple[str, list[pages.ClientPage]]]:
    readers = dict.fromkeys(one.who for one in pages.CLIENT)
    return [(who, [one for one in pages.CLIENT if one.who == who]) for who in readers]


def come_in(page: Page, site: Site, sample_site: SampleSite, who: str) -> None:
    if who != pages.GUEST:
        name = sample_site.name if who == pages.PLAYER else who
        sign_in(page.context, site.address, name, site.passwords[name])


def is_drawn(page: Page) -> None:
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.locator(".skeleton")).to_have_count(0)


# A click on the text of a label is followed by one on its control.
_REPORT = """
  addEventListener("click", ({ isTrusted, target }) => {
    const control = target.closest("label")?.control;
    if (isTrusted && (!control || control === target)) reportInput("click");
  }, true);
  addEventListener("change", ({ target }) => {
    if (target.matches("select, textarea, input:not([type=checkbox], [type=radio])")) reportInput("field");
  }, true);
"""


def inputs_of(page: Page) -> Callable[[], int]:
    """Count what a person does from now on, on this page and those after it: clicks and fields filled."""
    counted: list[str] = []
    # Playwright sets an attribute of the function, which a built-in method does not take.
    page.expose_function("reportInput", lambda what: counted.append(what))
    page.add_init_script(_REPORT)
    page.evaluate(_REPORT)
    return lambda: len(counted)
