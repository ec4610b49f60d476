"""Whoever comes to the house by its own pages, and how they call the API afterwards."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Caller, House

PASSWORD = "correct horse battery"


def sign_up(page: Page, name: str) -> None:
    page.goto(re.sub(r"(//[^/]+)/.*", r"\1/sign-in/", page.url))
    page.get_by_role("button", name="No account yet?").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text(f"Signed in as {name}")).to_be_visible()


def caller(house: House, name: str) -> Caller:
    return house.sign_in(name, PASSWORD)
