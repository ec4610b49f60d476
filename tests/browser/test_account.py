"""One's own account: names, ways to sign in, tokens of programs, the way out."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, keep_picture, scrolls_sideways, violations
from tests.browser.people import PASSWORD, caller, open_menu, sign_up, sign_up_by_form
from tests.signing_in import shown_code


def confirm(page: Page) -> None:
    """Prove who one is, in the dialog that asks for it."""
    dialog = page.get_by_role("dialog", name="Confirm your identity")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)


@pytest.mark.both_databases
def test_names_tokens_and_closing(site: Site, open_page: Opener, watched: Watched) -> None:
    page = open_page("/", viewport=NARROW)
    sign_up_by_form(page, "owner")
    open_menu(page)
    page.get_by_role("link", name="Signed in as owner").click()
    page.get_by_label("Display name").fill("The Owner")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    open_menu(page)
    expect(page.get_by_role("link", name="Signed in as The Owner")).to_be_visible()
    page.keyboard.press("Escape")

    page.get_by_text("Create token", exact=True).first.click()
    tokens = page.get_by_role("region", name="API tokens")
    tokens.get_by_label("Name", exact=True).fill("my bot")
    assert tokens.get_by_label("Read", exact=True).is_checked()
    assert tokens.get_by_role("checkbox", checked=True).count() == 1
    tokens.get_by_label("Account", exact=True).check()
    tokens.get_by_label("Expires after").select_option("90 days")
    watched.expect("403")
    tokens.get_by_role("button", name="Create token").click()
    confirm(page)
    expect(tokens.get_by_text("Copy the token now")).to_be_visible()
    secret = tokens.locator("code.secret").inner_text()
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{site.address}/api/v1/players/me/", headers=headers).json()["username"] == "owner"
    refused = httpx.get(f"{site.address}/api/v1/wallet/", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-required")
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    keep_picture(page, "account-narrow")
    tokens.get_by_role("button", name="Revoke my bot").click()
    expect(tokens.get_by_role("listitem").filter(has_text="my bot")).to_have_count(0)
    assert httpx.get(f"{site.address}/api/v1/players/me/", headers=headers).status_code == 401
    assert caller(site, "owner").get("players/me/")["display_name"] == "The Owner"

    watched.expect("401")  # the bell and the balance may ask once more before the page goes
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete my account").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    open_menu(page)
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    answer = httpx.post(f"{site.address}/api/v1/tokens/", json={"username": "owner", "password": PASSWORD})
    assert answer.status_code == 401


def code_for(page: Page) -> str:
    """The code that an app shows for the key on the page."""
    return shown_code(page.get_by_text("Key: ").inner_text().removeprefix("Key: "), lasting=10)


@pytest.mark.both_databases
def test_an_authenticator_app_and_recovery_codes(site: Site, open_page: Opener) -> None:
    page = open_page("/")
    sign_up(page, "careful")
    page.goto(site.address + "/account/")
    factors = page.get_by_role("region", name="Second factor")
    factors.get_by_role("button", name="Set up an authenticator app").click()
    confirm(page)
    image = factors.get_by_role("img", name="QR code with the key")
    expect(image).to_be_visible()
    assert image.evaluate("it => it.decode().then(() => it.naturalWidth)") > 0
    assert violations(page, "best-practice") == []
    factors.get_by_label("Code shown by the app").fill(code_for(page))
    factors.get_by_role("button", name="Confirm").click()
    expect(factors.get_by_text("10 codes are left")).to_be_visible()
    recovery = factors.locator(".codes code").all_inner_texts()
    assert len(recovery) == 10
    keep_picture(page, "account-second-factor")

    other = open_page("/sign-in/?next=/account/", viewport=NARROW)
    other.get_by_label("Name").fill("careful")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in", exact=True).click()
    other.get_by_label("Code").fill("000000")
    other.get_by_role("button", name="Continue").click()
    form = other.locator("form").filter(has=other.get_by_label("Code"))
    expect(form.get_by_text("This code is not right")).to_be_visible()
    assert violations(other, "best-practice") == []
    other.get_by_label("Code").fill(recovery[0])
    other.get_by_role("button", name="Continue").click()
    sessions = other.get_by_role("region", name="Signed-in browsers")
    expect(sessions.get_by_role("listitem")).to_have_count(2)
    sessions.get_by_role("button", name="Sign out").click()
    expect(sessions.get_by_role("listitem")).to_have_count(1)
    page.goto(site.address + "/wallet/")
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


@pytest.fixture
def passkeys(open_page: Opener) -> Page:
    """A page on a device that stores passkeys and knows its owner."""
    page = open_page("/")
    protocol = page.context.new_cdp_session(page)
    protocol.send("WebAuthn.enable")
    protocol.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    return page


@pytest.mark.both_databases
def test_a_passkey_signs_in_alone_and_is_a_second_factor(site: Site, passkeys: Page) -> None:
    page, local = passkeys, site.address.replace("127.0.0.1", "localhost")
    page.goto(local)
    sign_up(page, "keyholder")
    page.goto(local + "/account/")
    factors = page.get_by_role("region", name="Second factor")
    factors.get_by_label("Name of the new passkey").fill("my laptop")
    factors.get_by_role("button", name="Add passkey").click()
    confirm(page)
    expect(factors.get_by_text("my laptop").first).to_be_visible()
    expect(factors.get_by_text("10 codes are left")).to_be_visible()
    assert violations(page, "best-practice") == []

    page.get_by_role("button", name="Sign out", exact=True).first.click()
    page.get_by_role("link", name="Sign in", exact=True).first.click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("Signed in as keyholder")).to_be_visible()

    page.get_by_role("button", name="Sign out", exact=True).first.click()
    page.get_by_role("link", name="Sign in", exact=True).first.click()
    page.get_by_label("Name").fill("keyholder")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("This account has a second factor")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Signed in as keyholder")).to_be_visible()

    page.goto(local + "/account/")
    page.get_by_role("button", name="Remove my laptop").click()
    dialog = page.get_by_role("dialog", name="Confirm your identity")
    dialog.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Remove my laptop")).to_have_count(0)


def test_a_browser_without_a_passkey_says_so(site: Site, passkeys: Page) -> None:
    page = passkeys
    sign_up(page, "keyless")
    page.goto(site.address + "/account/")
    factors = page.get_by_role("region", name="Second factor")
    factors.get_by_label("Name of the new passkey").fill("for an IP address, which has none")
    factors.get_by_role("button", name="Add passkey").click()
    confirm(page)
    expect(factors.get_by_text("or this browser has no passkey for it.")).to_be_visible()


def test_a_lost_password_without_mail(site: Site, open_page: Opener) -> None:
    page = open_page("/sign-in/", viewport=NARROW)
    assert violations(page, "best-practice") == []
    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_text("An administrator can give you a link")).to_be_visible()
    player = site.newcomer("forgetful").player
    made = site.staff("administrator").post(f"players/{player}/recovery/", {})
    page.goto(made["url"])
    page.get_by_label("New password").fill("another horse battery")
    assert violations(page, "best-practice") == []
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    page.get_by_role("link", name="Sign in").last.click()
    page.get_by_label("Name").fill("forgetful")
    page.get_by_label("Password").fill("another horse battery")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("Signed in as forgetful")).to_be_attached()
