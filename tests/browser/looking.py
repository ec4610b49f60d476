"""How a page of the client is come to and waited for, by whoever is to look at it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.conftest import House
from tests.browser.evening import Evening
from tests.browser.people import sign_in_with


def by_reader() -> list[tuple[str, list[pages.ClientPage]]]:
    readers = dict.fromkeys(one.who for one in pages.CLIENT)
    return [(who, [one for one in pages.CLIENT if one.who == who]) for who in readers]


def come_in(page: Page, house: House, tonight: Evening, who: str) -> None:
    if who != pages.GUEST:
        sign_in_as(page, house, tonight.name if who == pages.PLAYER else who)


def sign_in_as(page: Page, house: House, name: str) -> None:
    page.goto(house.address)
    sign_in_with(page, name, house.passwords[name])


def is_drawn(page: Page) -> None:
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.locator(".skeleton")).to_have_count(0)
