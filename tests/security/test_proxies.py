"""Test that only a configured proxy can set the client address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from config.management.commands import serve
from tests.installation import Installation, installation, until

pytestmark = [pytest.mark.sqlite, pytest.mark.processes]

FAILURES = 10
"""After these, one address can no longer sign in under the name."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.migrate()
        yield place


def guesses(place: Installation) -> list[str]:
    """The codes of wrong passwords for one name, each forwarded for another address."""

    def guess(number: int) -> str:
        answer = httpx.post(
            f"{place.address}/api/v1/tokens/",
            json={"username": "ann", "password": "wrong"},
            headers={"X-Forwarded-For": f"203.0.113.{number}"},
            timeout=30,
        )
        return str(answer.json()["code"])

    place.start_web()
    until(lambda: _answers(place), "the web process answers")
    return [guess(number) for number in range(FAILURES + 2)]


def _answers(place: Installation) -> bool:
    try:
        return httpx.get(f"{place.address}/healthz", timeout=5).is_success
    except httpx.HTTPError:
        return False


def test_clients_cannot_choose_counted_address(place: Installation) -> None:
    assert guesses(place)[-1] == "sign-in-locked"


def test_serve_trusts_only_configured_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    def named() -> str:
        command = list(serve.programs("127.0.0.1", 8000, 1)[0].command)
        return command[command.index("--forwarded-allow-ips") + 1]

    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert named() == ""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.1")
    assert named() == "192.0.2.1"


def test_configured_proxy_sets_client_address(place: Installation) -> None:
    place.environment["FORWARDED_ALLOW_IPS"] = "127.0.0.1"
    assert "sign-in-locked" not in guesses(place)
