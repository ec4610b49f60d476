"""Signing in by OpenID Connect: a new player chooses a name, and is known from then on."""

from __future__ import annotations

import json
from collections.abc import Iterator

import oidc_provider_mock
import pytest
from oidc_provider_mock import User
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, opened, violations
from tools.services import free_port

pytestmark = pytest.mark.on_sqlite


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Site]:
    """A site that admits the members of a club."""
    port = free_port()
    member = User(sub="zoe", claims={"email": "zoe@club.example", "email_verified": True})
    club = {
        "id": "club",
        "name": "The Club",
        "url": f"http://localhost:{port}",
        "client": "racecard",
        "secret": "hush",
    }
    with (
        oidc_provider_mock.run_server_in_thread(port=port, user_claims=[member]),
        opened(tmp_path_factory.mktemp("club"), has_people=False, RACECARD_OIDC=json.dumps([club])) as place,
    ):
        yield place


@pytest.fixture
def visit(place: Site, open_page: Opener, watched: Watched) -> Opener:
    """Open a page of the site in a browser that loads no style of the provider's page from elsewhere."""

    def visit(path: str, **options: object) -> Page:
        page = open_page("/sign-in/", address=place.address, **options)
        page.context.route(
            "https://cdn.jsdelivr.net/**", lambda route: route.fulfill(body="", content_type="text/css")
        )
        page.goto(place.address + path)
        return page

    watched.expect("favicon")  # the provider has none
    return visit


def leave(page: Page) -> None:
    page.get_by_role("button", name="Continue with The Club").click()
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()


def test_a_new_player_chooses_a_name_and_comes_back(place: Site, visit: Opener) -> None:
    page = visit("/sign-in/?next=/account/", viewport=NARROW)
    leave(page)
    page.get_by_role("button", name="zoe").click()
    expect(page.get_by_text("Choose the name that other players see.")).to_be_visible()
    assert violations(page, "best-practice") == []
    page.get_by_label("Name").fill("bot-zoe")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("It does not begin with bot-")).to_be_visible()
    page.get_by_label("Name").fill("zoe")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/account/")
    expect(page.get_by_text("Signed in as zoe")).to_be_attached()

    other = visit("/sign-in/?next=/account/")
    leave(other)
    other.get_by_role("button", name="zoe").click()
    other.wait_for_url("**/account/")
    expect(other.get_by_text("Signed in as zoe")).to_be_attached()
