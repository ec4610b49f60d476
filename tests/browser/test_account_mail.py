"""Signing up with an e-mail address, and a lost password, with the e-mails of a real mail server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    NARROW,
    Opener,
    Site,
    Watched,
    keep_picture,
    opened,
    scrolls_sideways,
    violations,
)
from tests.browser.people import PASSWORD
from tests.installation import Installation
from tests.mailbox import Mailbox, mail_server, text

NEW = "another horse battery"
ADDRESS = "zoe@club.example"


class AtItsAddress(Installation):
    """An installation whose e-mails lead to it."""

    def __init__(self, folder: Path, **servers: Any) -> None:
        super().__init__(folder, **servers)
        self.environment["RACECARD_SITE_URL"] = self.address


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[tuple[Site, Mailbox]]:
    """A site on which every account needs a verified address, and its mail."""
    with mail_server() as (box, host, port):
        folder = tmp_path_factory.mktemp("mail")
        url = f"smtp://{host}:{port}"
        with opened(folder, AtItsAddress, EMAIL_URL=url, RACECARD_REQUIRE_EMAIL="1") as place:
            yield place, box


def link(message: Message, place: Site, page: str) -> str:
    """The link to a page of the site, without its address."""
    [path] = re.findall(rf"{re.escape(place.address)}(/{page}/\?key=\S+)", text(message))
    return str(path)


def sign_in(page: Page, password: str) -> None:
    page.get_by_label("Name").fill("zoe")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_an_address_is_verified_and_a_lost_password_replaced(
    place: tuple[Site, Mailbox], open_page: Opener, watched: Watched
) -> None:
    site, box = place
    page = open_page("/sign-in/?new", address=site.address, viewport=NARROW)
    page.get_by_label("Name").fill("zoe")
    page.get_by_label("E-mail address").fill("zoe")
    page.get_by_label("Password").fill(PASSWORD)
    create = page.get_by_role("button", name="Create account")
    create.click()
    assert page.get_by_label("E-mail address").evaluate("field => !field.validity.valid")
    page.get_by_label("E-mail address").fill(ADDRESS)
    assert violations(page, "best-practice") == []
    create.click()
    expect(page.get_by_text("We have sent you an e-mail.")).to_be_visible()
    assert not scrolls_sideways(page)
    keep_picture(page, "sign-up-mail-sent")
    verify = link(box.take(ADDRESS), site, "verify-email")

    early = open_page("/sign-in/", address=site.address)
    sign_in(early, PASSWORD)
    expect(early.get_by_text("Open the link in it to verify your address")).to_be_visible()
    box.messages.clear()

    other = open_page(verify, address=site.address)
    expect(other.get_by_text("Press the button to verify")).to_be_visible()
    assert violations(other, "best-practice") == []
    other.get_by_role("button", name="Verify address").click()
    expect(other.get_by_text("Your address is verified.")).to_be_visible()
    keep_picture(other, "verify-email")
    other.get_by_role("link", name="Sign in").last.click()
    sign_in(other, PASSWORD)
    expect(other.get_by_text("Signed in as zoe")).to_be_attached()

    other.goto(f"{site.address}/account/notifications/")
    mailed = other.get_by_role("checkbox", name="A round opens, E-mail")
    expect(mailed).to_be_checked()
    expect(other.get_by_text("E-mail: your account has no verified address.")).to_have_count(0)
    mailed.uncheck()
    expect(mailed).to_be_enabled()
    other.get_by_role("combobox", name="E-mails", exact=True).select_option("One each day with all of them")
    expect(other.get_by_text("Saved.")).to_be_visible()
    assert violations(other, "best-practice") == []
    keep_picture(other, "notification-settings-mail")
    other.reload()
    expect(mailed).not_to_be_checked()
    expect(other.get_by_role("combobox", name="E-mails", exact=True)).to_have_value("daily")

    page.goto(f"{site.address}/sign-in/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail address").fill(ADDRESS)
    assert violations(page, "best-practice") == []
    keep_picture(page, "reset-password-ask")
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_text("If an account has this address, we have sent an e-mail to it.")).to_be_visible()
    reset = link(box.take(ADDRESS), site, "reset-password")
    page.goto(site.address + reset)
    page.get_by_label("New password").fill("password")
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("This password is too easy to guess")).to_be_visible()
    page.get_by_label("New password").fill(NEW)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    assert "password" in text(box.take(ADDRESS)), "the owner hears of the new password"

    other.goto(f"{site.address}/account/")
    expect(other.get_by_role("link", name="Sign in").first).to_be_visible()
    page.goto(site.address + reset)
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("This link was used before or has expired.")).to_be_visible()
    keep_picture(page, "reset-password-used")
    page.goto(f"{site.address}/sign-in/")
    sign_in(page, PASSWORD)
    expect(page.get_by_text("Name or password is wrong.")).to_be_visible()
    page.get_by_label("Password").fill(NEW)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("Signed in as zoe")).to_be_attached()
