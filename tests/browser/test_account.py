"""One's own account: names, ways to sign in, tokens of programs, the way out."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, PASSWORD, Opener, Site, Watched
from tests.browser.people import caller, open_menu, sign_up, sign_up_by_form
from tests.signing_in import shown_code


def confirm(page: Page) -> None:
    """Prove who one is, in the dialog that asks for it."""
    dialog = page.get_by_role("dialog", name="Confirm your identity")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)


def sign_in_by_form(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_token_is_created_once_its_owner_has_confirmed_who_they_are(
    site: Site, open_page: Opener, watched: Watched
) -> None:
    page = open_page("/sign-in/", viewport=NARROW)
    sign_up(page, "owner")  # which, unlike signing in, confirms nothing
    page.goto(f"{site.address}/account/")
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
    tokens.get_by_role("button", name="Revoke my bot").click()
    expect(tokens.get_by_role("listitem").filter(has_text="my bot")).to_have_count(0)
    assert httpx.get(f"{site.address}/api/v1/players/me/", headers=headers).status_code == 401


@pytest.mark.nightly
@pytest.mark.both_databases
def test_an_account_from_its_form_to_its_end(site: Site, open_page: Opener, watched: Watched) -> None:
    page = open_page("/", viewport=NARROW)
    sign_up_by_form(page, "leaving")
    open_menu(page)
    page.get_by_role("link", name="Signed in as leaving").click()
    page.get_by_label("Display name").fill("The Owner")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    open_menu(page)
    expect(page.get_by_role("link", name="Signed in as The Owner")).to_be_visible()
    page.keyboard.press("Escape")
    assert caller(site, "leaving").get("players/me/")["display_name"] == "The Owner"
    watched.expect("403")
    watched.expect("401")  # the bell and the balance may ask once more before the page goes
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete my account").click()
    confirm(page)
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    open_menu(page)
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    answer = httpx.post(f"{site.address}/api/v1/tokens/", json={"username": "leaving", "password": PASSWORD})
    assert answer.status_code == 401


def code_for(page: Page) -> str:
    """The code that an app shows for the key on the page."""
    return shown_code(page.get_by_text("Key: ").inner_text().removeprefix("Key: "), lasting=10)


def test_an_authenticator_app_is_set_up_and_a_recovery_code_replaces_it(
    site: Site, open_page: Opener
) -> None:
    site.newcomer("careful")
    page = open_page("/account/", user="careful")
    factors = page.get_by_role("region", name="Second factor")
    factors.get_by_role("button", name="Set up an authenticator app").click()
    confirm(page)
    image = factors.get_by_role("img", name="QR code with the key")
    expect(image).to_be_visible()
    assert image.evaluate("it => it.decode().then(() => it.naturalWidth)") > 0
    factors.get_by_label("Code shown by the app").fill(code_for(page))
    factors.get_by_role("button", name="Confirm").click()
    expect(factors.get_by_text("10 codes are left")).to_be_visible()
    recovery = factors.locator(".codes code").all_inner_texts()
    assert len(recovery) == 10

    other = open_page("/sign-in/?next=/account/", viewport=NARROW)
    sign_in_by_form(other, "careful")
    other.get_by_label("Code").fill("000000")
    other.get_by_role("button", name="Continue").click()
    form = other.locator("form").filter(has=other.get_by_label("Code"))
    expect(form.get_by_text("This code is not right")).to_be_visible()
    other.get_by_label("Code").fill(recovery[0])
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_role("region", name="Signed-in browsers")).to_be_visible()


def holds_passkeys(page: Page) -> None:
    """Let the page be on a device that stores passkeys and knows its owner."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    protocol.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_signs_in_alone_and_is_a_second_factor(site: Site, open_page: Opener) -> None:
    site.newcomer("keyholder")
    local = site.address.replace("127.0.0.1", "localhost")
    page = open_page("/account/", user="keyholder", address=local)
    holds_passkeys(page)
    factors = page.get_by_role("region", name="Second factor")
    factors.get_by_label("Name of the new passkey").fill("my laptop")
    factors.get_by_role("button", name="Add passkey").click()
    confirm(page)
    expect(factors.get_by_text("my laptop").first).to_be_visible()
    expect(factors.get_by_text("10 codes are left")).to_be_visible()

    page.get_by_role("button", name="Sign out", exact=True).first.click()
    page.get_by_role("link", name="Sign in", exact=True).first.click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("Signed in as keyholder")).to_be_visible()

    page.get_by_role("button", name="Sign out", exact=True).first.click()
    page.get_by_role("link", name="Sign in", exact=True).first.click()
    sign_in_by_form(page, "keyholder")
    expect(page.get_by_text("This account has a second factor")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Signed in as keyholder")).to_be_visible()

    page.goto(local + "/account/")
    page.get_by_role("button", name="Remove my laptop").click()
    dialog = page.get_by_role("dialog", name="Confirm your identity")
    dialog.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Remove my laptop")).to_have_count(0)


def test_a_lost_password_is_replaced_by_the_link_of_an_administrator(site: Site, open_page: Opener) -> None:
    page = open_page("/sign-in/", viewport=NARROW)
    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_text("An administrator can give you a link")).to_be_visible()
    player = site.newcomer("forgetful").player
    made = site.staff("administrator").post(f"players/{player}/recovery/", {})
    page.goto(made["url"])
    page.get_by_label("New password").fill("another horse battery")
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    page.get_by_role("link", name="Sign in").last.click()
    sign_in_by_form(page, "forgetful", "another horse battery")
    expect(page.get_by_text("Signed in as forgetful")).to_be_attached()
