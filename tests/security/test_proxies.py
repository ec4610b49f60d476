"""Test that only a configured proxy can set the client address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from config.management.commands import serve
from tests.installation import Installation, installation

pytestmark = [pytest.mark.sqlite, pytest.mark.processes]

FAILURES = 10
"""After these, one address can no longer sign in under the name."""
PROXY = "127.0.0.2"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.environment["FORWARDED_ALLOW_IPS"] = PROXY
        place.migrate()
        place.serve_web()
        yield place


def guesses(place: Installation, sender: str) -> list[str]:
    """The codes of wrong passwords for one name, each forwarded by the sender for another address."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=sender), timeout=30) as client:
        return [
            client.post(
                f"{place.address}/api/v1/tokens/",
                json={"username": "ann", "password": "wrong"},
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
            ).json()["code"]
            for number in range(FAILURES + 2)
        ]


def test_only_the_configured_proxy_sets_the_address_of_its_clients(place: Installation) -> None:
    assert "sign-in-locked" not in guesses(place, PROXY)
    assert guesses(place, "127.0.0.1")[-1] == "sign-in-locked"


def test_serve_trusts_only_configured_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    def named() -> str:
        command = list(serve.programs("127.0.0.1", 8000, 1)[0].command)
        return command[command.index("--forwarded-allow-ips") + 1]

    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert named() == ""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.1")
    assert named() == "192.0.2.1"
