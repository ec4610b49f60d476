"""The landing page: the built client where there is one, a readable page where there is none."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from games.rules import catalogue

PAGE = """<!doctype html>
<html lang="en" data-session="" data-currency="" data-games="">
<title>Racecard</title>
<div id="app"></div>
</html>
"""


@pytest.fixture
def built(tmp_path: Path, settings: Any) -> Path:
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "routes.json").write_text(
        json.dumps(["/", "/new/:rules", "/games/:id/events/:version", "/tournaments/:id"])
    )
    settings.RACECARD_CLIENT = tmp_path
    return tmp_path


@pytest.fixture
def unbuilt(tmp_path: Path, settings: Any) -> None:
    settings.RACECARD_CLIENT = tmp_path / "nothing"


@pytest.mark.django_db
def test_the_built_client_is_served_at_every_address_of_its_pages(built: Path, client: Client) -> None:
    game = "00000000-0000-4000-8000-000000000000"
    for address in (
        "/",
        "/new/ace-race/",
        f"/tournaments/{game}/",
        f"/tournaments/{game}",
        f"/games/{game}/events/4",
        f"/games/{game}/events/4/?h=0123456789ab",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        page = PAGE.replace('data-currency=""', 'data-currency="XTS"')
        head, tail = page.split('data-games=""')
        text = answer.content.decode()
        assert text.startswith(head)
        assert text.endswith(tail)


def test_the_page_names_every_game_with_its_largest_table(built: Path, client: Client) -> None:
    found = re.search(r'data-games="([^"]*)"', client.get("/").content.decode())
    assert found
    games = json.loads(html.unescape(found[1]))
    assert {"slug": "ace-race", "name": "Ace Race", "players": 6} in games
    assert [game["slug"] for game in games] == [game["slug"] for game in catalogue()]


@pytest.mark.usefixtures("built")
def test_the_page_is_never_cached_and_allows_only_its_own_scripts(client: Client) -> None:
    answer = client.get("/")
    assert "no-store" in answer["Cache-Control"]
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
@pytest.mark.usefixtures("built")
def test_only_a_reader_with_a_session_is_marked(client: Client) -> None:
    assert 'data-session=""' in client.get("/").content.decode()
    client.force_login(
        get_user_model().objects.create_user(username="reader", password="a long one 1"),
        backend="accounts.roles.PlayerBackend",
    )
    assert 'data-session="open"' in client.get("/").content.decode()


@pytest.mark.usefixtures("unbuilt")
def test_without_a_build_the_page_names_what_works_and_how_to_build(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "has not been built" in text
    assert "make client" in text
    assert 'href="/api/v1/docs/"' in text
    assert 'href="/admin/"' not in text, "staff sign in with the web client"


@pytest.mark.parametrize(
    "address", ["/nowhere/", "/tournaments/not-an-id/", "/tournaments//", "/games/", "/static/nothing.js"]
)
def test_an_unknown_address_is_a_404_with_the_clients_own_page(
    built: Path, client: Client, address: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert '<div id="app">' in answer.content.decode()


@pytest.mark.usefixtures("unbuilt")
def test_an_unknown_address_without_a_build_says_so(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_an_unknown_address_of_the_api_is_a_problem_document(client: Client) -> None:
    answer = client.get("/api/v1/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not-found"


@pytest.mark.usefixtures("built")
def test_the_page_is_only_read(client: Client) -> None:
    assert client.post("/").status_code in {403, 405}
