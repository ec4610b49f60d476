"""One's own account: names, tokens of programs, a one-time code, the way out."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, Opener, Site, keep_picture, scrolls_sideways, violations
from tests.browser.people import PASSWORD, caller, sign_up_by_form


@pytest.mark.both_databases
def test_names_tokens_and_closing(site: Site, open_page: Opener) -> None:
    page = open_page("/", viewport=NARROW)
    sign_up_by_form(page, "owner")
    page.get_by_role("link", name="Signed in as owner").click()
    page.get_by_label("Display name").fill("The Owner")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_role("link", name="Signed in as The Owner")).to_be_visible()

    page.get_by_text("Create token", exact=True).first.click()
    tokens = page.get_by_role("region", name="API tokens")
    tokens.get_by_label("Name", exact=True).fill("my bot")
    assert tokens.get_by_label("Read", exact=True).is_checked()
    assert tokens.get_by_role("checkbox", checked=True).count() == 1
    tokens.get_by_label("Account", exact=True).check()
    tokens.get_by_label("Expires after").select_option("90 days")
    tokens.get_by_label("Current password").fill(PASSWORD)
    tokens.get_by_role("button", name="Create token").click()
    expect(tokens.get_by_text("Copy the token now")).to_be_visible()
    secret = tokens.locator("code.secret").inner_text()
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{site.address}/api/v1/players/me/", headers=headers).json()["username"] == "owner"
    refused = httpx.get(f"{site.address}/api/v1/wallet/", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-required")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("Key: ")).to_be_visible()
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    keep_picture(page, "account-narrow")
    tokens.get_by_role("button", name="Revoke my bot").click()
    expect(tokens.get_by_role("listitem").filter(has_text="my bot")).to_have_count(0)
    assert httpx.get(f"{site.address}/api/v1/players/me/", headers=headers).status_code == 401
    assert caller(site, "owner").get("players/me/")["display_name"] == "The Owner"

    close = page.get_by_role("region", name="Delete account")
    close.get_by_label("Current password").fill(PASSWORD)
    close.get_by_role("button", name="Delete my account").click()
    page.get_by_role("button", name="Yes", exact=True).click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    answer = httpx.post(f"{site.address}/api/v1/tokens/", json={"username": "owner", "password": PASSWORD})
    assert answer.status_code == 401
