"""The page of all parts of the client, which is built for development and tests only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WIDE, ColourScheme, Opener, scrolls_sideways, violations
from tools import frontend

PHONE = {"width": 390, "height": 844}
View = tuple[dict[str, int], ColourScheme]
OTHER_VIEWS: list[View] = [(PHONE, "dark"), (WIDE, "light"), (WIDE, "dark")]
views = pytest.mark.parametrize(
    "view", [(PHONE, "light"), *(pytest.param(view, marks=pytest.mark.nightly) for view in OTHER_VIEWS)]
)

pytestmark = pytest.mark.on_sqlite


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    frontend.build_parts()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=frontend.PARTS)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def kit(open_page: Opener, address: str) -> Page:
    page = open_page("/kit/", address=address)
    expect(page.get_by_role("heading", name="Parts", exact=True)).to_be_visible()
    return page


def look(page: Page, view: View) -> None:
    """Check the page in a view."""
    size, colours = view
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    assert violations(page, uncertain=["target-size"]) == []
    assert not scrolls_sideways(page)


@views
def test_every_part_is_shown_and_accessible(kit: Page, view: View) -> None:
    shown = re.findall(r"src/kit/(\w+)", (frontend.CLIENT / "kit" / "Kit.svelte").read_text())
    parts = {path.stem for path in (frontend.CLIENT / "src" / "kit").glob("*.svelte")}
    assert parts - {"Toast"} == set(shown) - {"toast"}
    look(kit, view)


@views
def test_a_dialog_is_accessible_and_a_sheet_on_a_phone(kit: Page, view: View) -> None:
    for button in ("Open dialog", "Open form", "Ask"):
        kit.get_by_role("button", name=button, exact=True).click()
        look(kit, view)
        if view[0] == PHONE:
            box = kit.get_by_role("dialog").bounding_box()
            assert box is not None
            assert (box["x"], box["width"]) == (0, PHONE["width"])
            assert round(box["y"] + box["height"]) == PHONE["height"]
        kit.keyboard.press("Escape")
        expect(kit.get_by_role("button", name=button, exact=True)).to_be_focused()


@pytest.mark.nightly
def test_a_confirmed_action_says_that_it_is_done(kit: Page) -> None:
    kit.get_by_role("button", name="Ask", exact=True).click()
    kit.get_by_role("button", name="Cancel", exact=True).click()
    expect(kit.get_by_text("Left.")).to_have_count(0)
    kit.get_by_role("button", name="Ask", exact=True).click()
    kit.get_by_role("button", name="Yes", exact=True).click()
    expect(kit.get_by_role("status").filter(has_text="Left.")).to_be_visible()


@pytest.mark.nightly
def test_a_table_is_sorted_by_a_column_in_both_directions(kit: Page) -> None:
    points = kit.get_by_role("columnheader", name="Points")
    first = kit.get_by_role("row").nth(1)
    expect(first).to_contain_text("ann")
    points.get_by_role("button").click()
    expect(points).to_have_attribute("aria-sort", "ascending")
    expect(first).to_contain_text("Berta")
    points.get_by_role("button").click()
    expect(points).to_have_attribute("aria-sort", "descending")
    expect(first).to_contain_text("Ömer")


def test_a_stepper_takes_steps_keys_and_typed_numbers(kit: Page) -> None:
    stake = kit.get_by_role("spinbutton", name="Stake")
    kit.get_by_role("button", name="More", exact=True).click()
    expect(stake).to_have_value("6.20")
    stake.press("ArrowDown")
    expect(stake).to_have_value("5.20")
    stake.fill("7")
    expect(stake).to_have_value("7")


def test_an_amount_is_written_out_once_its_field_is_left(kit: Page) -> None:
    fee = kit.get_by_label("Fee")
    fee.fill("5")
    expect(fee).to_have_value("5")
    fee.blur()
    expect(fee).to_have_value("5.00")
    fee.fill("much")
    expect(fee).not_to_have_attribute("aria-invalid", "true")
    fee.blur()
    expect(fee).to_have_attribute("aria-invalid", "true")
    expect(fee).to_have_accessible_description("Enter an amount, such as 5.00.")
    fee.fill("")
    fee.blur()
    expect(fee).to_have_accessible_description("0 for none.")
