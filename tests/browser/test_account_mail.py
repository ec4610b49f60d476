"""Signing up with an e-mail address, and a lost password, with the e-mails of a real mail server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, PASSWORD, Opener, Site, opened, violations
from tests.browser.test_account import sign_in_by_form
from tests.installation import Installation
from tests.mailbox import Mailbox, mail_server, text

pytestmark = pytest.mark.on_sqlite

NEW = "another horse battery"


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
        mail = {"EMAIL_URL": f"smtp://{host}:{port}", "RACECARD_REQUIRE_EMAIL": "1"}
        with opened(folder, AtItsAddress, has_people=False, **mail) as place:
            yield place, box


def link(message: Message, place: Site, page: str) -> str:
    """The link to a page of the site, without its address."""
    [path] = re.findall(rf"{re.escape(place.address)}(/{page}/\?key=\S+)", text(message))
    return str(path)


def sign_up(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("E-mail address").fill(f"{name}@club.example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("We have sent you an e-mail.")).to_be_visible()


def verified(page: Page, place: tuple[Site, Mailbox], name: str) -> None:
    """Sign up on the page of a new account, and verify its address."""
    site, box = place
    sign_up(page, name)
    page.goto(site.address + link(box.take(f"{name}@club.example"), site, "verify-email"))
    page.get_by_role("button", name="Verify address").click()
    expect(page.get_by_text("Your address is verified.")).to_be_visible()


def test_an_account_signs_in_once_its_address_is_verified(
    place: tuple[Site, Mailbox], open_page: Opener
) -> None:
    site, box = place
    page = open_page("/sign-in/?new", address=site.address, viewport=NARROW)
    page.get_by_label("E-mail address").fill("zoe")
    assert page.get_by_label("E-mail address").evaluate("field => !field.validity.valid")
    sign_up(page, "zoe")
    verify = link(box.take("zoe@club.example"), site, "verify-email")

    early = open_page("/sign-in/", address=site.address)
    sign_in_by_form(early, "zoe")
    expect(early.get_by_text("Open the link in it to verify your address")).to_be_visible()
    box.messages.clear()

    page.goto(site.address + verify)
    expect(page.get_by_text("Press the button to verify")).to_be_visible()
    page.get_by_role("button", name="Verify address").click()
    expect(page.get_by_text("Your address is verified.")).to_be_visible()
    page.get_by_role("link", name="Sign in").last.click()
    sign_in_by_form(page, "zoe")
    expect(page.get_by_text("Signed in as zoe")).to_be_attached()


def test_a_lost_password_is_replaced_by_e_mail(place: tuple[Site, Mailbox], open_page: Opener) -> None:
    site, box = place
    page = open_page("/sign-in/?new", address=site.address, viewport=NARROW)
    verified(page, place, "yan")
    page.goto(f"{site.address}/sign-in/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail address").fill("yan@club.example")
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_text("If an account has this address, we have sent an e-mail to it.")).to_be_visible()
    reset = site.address + link(box.take("yan@club.example"), site, "reset-password")
    page.goto(reset)
    page.get_by_label("New password").fill("password")
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("This password is too easy to guess")).to_be_visible()
    page.get_by_label("New password").fill(NEW)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    assert "password" in text(box.take("yan@club.example")), "the owner hears of the new password"
    page.goto(reset)
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("This link was used before or has expired.")).to_be_visible()
    page.goto(f"{site.address}/sign-in/")
    sign_in_by_form(page, "yan", NEW)
    expect(page.get_by_text("Signed in as yan")).to_be_attached()


@pytest.mark.nightly
def test_e_mails_are_chosen_by_kind_and_collected_daily(
    place: tuple[Site, Mailbox], open_page: Opener
) -> None:
    site, _ = place
    page = open_page("/sign-in/?new", address=site.address)
    verified(page, place, "xeno")
    page.goto(f"{site.address}/sign-in/?next=/account/notifications/")
    sign_in_by_form(page, "xeno")
    mailed = page.get_by_role("checkbox", name="A round opens, E-mail")
    expect(mailed).to_be_checked()
    expect(page.get_by_text("E-mail: your account has no verified address.")).to_have_count(0)
    mailed.uncheck()
    expect(mailed).to_be_enabled()
    page.get_by_role("combobox", name="E-mails", exact=True).select_option("One each day with all of them")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert violations(page, "best-practice") == []
    page.reload()
    expect(mailed).not_to_be_checked()
    expect(page.get_by_role("combobox", name="E-mails", exact=True)).to_have_value("daily")
