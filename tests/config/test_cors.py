"""CORS of a real server: other origins may use tokens, never cookies, and only those that the settings name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from tests.conftest import PASSWORD, PLAYER_SCOPES
from tests.installation import Installation, installation

pytestmark = [pytest.mark.processes]
CLUB, EVIL = "https://club.example", "https://evil.example"
GAMES = "/api/v1/games/"
UNKNOWN = "3f1c2a52-6a0c-4c9e-9a6b-0d4f6a9f7d10"
VEGAS = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}
GIVEN = "access-control-"


@contextlib.contextmanager
def served(folder: Path, origins: str) -> Iterator[httpx.Client]:
    with installation(Installation(folder)) as one:
        one.environment["RACECARD_CORS_ORIGINS"] = origins
        one.migrate()
        one.serve_web()
        with httpx.Client(base_url=one.address, timeout=30) as client:
            yield client


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(tmp_path_factory.mktemp("cors"), f"{CLUB},http://localhost:5173") as one:
        yield one


def allowed(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith(GIVEN)}


def preflight(
    client: httpx.Client, path: str, method: str, headers: Sequence[str], origin: str = CLUB
) -> httpx.Response:
    asked = {
        "Origin": origin,
        f"{GIVEN}request-method": method,
        f"{GIVEN}request-headers": ", ".join(headers),
    }
    return client.options(path, headers=asked)


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        (GAMES, "POST", ["authorization", "content-type", "idempotency-key"]),
        (
            f"{GAMES}{UNKNOWN}/moves/",
            "POST",
            ["authorization", "content-type", "if-match", "client-time"],
        ),
        (f"{GAMES}{UNKNOWN}/events/", "GET", ["authorization", "last-event-id"]),
        ("/api/v1/feed/", "GET", ["authorization", "last-event-id"]),
        ("/api/v1/rules/", "GET", ["if-none-match"]),
        ("/api/v1/players/me/", "DELETE", ["authorization"]),
    ],
)
def test_a_preflight_allows_a_token(client: httpx.Client, path: str, method: str, headers: list[str]) -> None:
    answer = preflight(client, path, method, headers)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers[f"{GIVEN}allow-origin"] == CLUB
    assert method in answer.headers[f"{GIVEN}allow-methods"].split(", ")
    assert set(headers) <= set(answer.headers[f"{GIVEN}allow-headers"].split(", "))
    assert f"{GIVEN}allow-credentials" not in answer.headers
    assert "origin" in answer.headers["vary"].lower()


@pytest.mark.parametrize(
    "origin", [EVIL, "null", "http://club.example", f"{CLUB}.evil.example", "https://club.example:8443"]
)
def test_another_origin_is_allowed_nothing(client: httpx.Client, origin: str) -> None:
    assert allowed(preflight(client, GAMES, "POST", ["authorization"], origin)) == {}
    assert allowed(client.get(GAMES, headers={"Origin": origin})) == {}


def test_a_token_works_from_the_origin_and_a_cookie_does_not(client: httpx.Client) -> None:
    who = {"username": "ann", "password": PASSWORD}
    client.post("/api/v1/players/", json=who).raise_for_status()
    made = client.post("/api/v1/tokens/", json={**who, "scopes": PLAYER_SCOPES}).json()
    headers = {"Origin": CLUB, "Authorization": f"Bearer {made['token']}"}
    game = client.post(GAMES, json=VEGAS, headers={**headers, "Idempotency-Key": "k"})
    assert game.status_code == 201
    assert game.headers[f"{GIVEN}allow-origin"] == CLUB
    assert {"etag", "location", "retry-after"} <= set(
        game.headers[f"{GIVEN}expose-headers"].lower().split(", ")
    )
    stream = f"{GAMES}{game.json()['id']}/events/"
    for path in (stream, f"/api/v1/feed/?game={game.json()['id']}"):
        with client.stream("GET", path, headers={**headers, "Accept": "text/event-stream"}) as answer:
            assert answer.status_code == 200
            assert allowed(answer)[f"{GIVEN}allow-origin"] == CLUB
        refused = client.get(path, headers={"Origin": CLUB, "Accept": "text/event-stream"})
        assert (refused.status_code, allowed(refused)[f"{GIVEN}allow-origin"]) == (401, CLUB)

    client.get("/")
    csrf = {"X-CSRFToken": client.cookies.get("csrftoken", "")}
    client.post("/_allauth/browser/v1/auth/login", json=who, headers=csrf).raise_for_status()
    shown = client.get("/api/v1/players/me/", headers={"Origin": CLUB})
    assert (shown.status_code, shown.json()["username"]) == (200, "ann")
    assert f"{GIVEN}allow-credentials" not in shown.headers, "so no browser shows it to a page of the origin"
    client.cookies.clear()


def test_a_body_that_is_refused_early_says_so_to_the_page(client: httpx.Client) -> None:
    answer = client.post(GAMES, content=b"x" * 2_000_000, headers={"Origin": CLUB})
    assert (answer.status_code, answer.headers[f"{GIVEN}allow-origin"]) == (413, CLUB)


def test_pages_outside_the_api_have_no_cors_headers(client: httpx.Client) -> None:
    for path in ("/", "/healthz", "/admin/login/"):
        assert allowed(client.get(path, headers={"Origin": CLUB})) == {}


def test_by_default_no_origin_is_allowed(tmp_path: Path) -> None:
    with served(tmp_path, "") as client:
        assert allowed(preflight(client, GAMES, "POST", ["authorization"])) == {}
        assert allowed(client.get(GAMES, headers={"Origin": CLUB})) == {}
