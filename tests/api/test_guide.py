"""docs/api.md names every operation, in the description's own words, and tells the limits that hold."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "api.md").read_text()


def test_every_operation_stands_in_the_guide() -> None:
    paths = json.loads((DOCS / "openapi.json").read_text())["paths"]
    lines = {
        f"| {method.upper()} | `{path.removeprefix('/api/v1/') or '/'}` | {operation['summary']} |"
        for path, item in paths.items()
        for method, operation in item.items()
    }
    told = {line for line in GUIDE.splitlines() if line.startswith("| ") and "`" in line[:12]}
    told -= {line for line in told if "`feed/`" in line or line.startswith("| method")}
    assert told == lines


def test_the_limits_in_the_guide_are_the_settings() -> None:
    rates = settings.API_RATES
    flat = " ".join(GUIDE.split())
    assert (
        f"{rates['requests'][0]:,} requests and {rates['moves'][0]:,} moves in {rates['moves'][1]} seconds"
        in flat
    )
    assert rates["hints"][1] == 60
    assert f"{rates['hints'][0]} hints a minute" in flat
    assert rates["requests"][1] == rates["moves"][1]
    assert f"{rates['sign-in'][0]} sign-ins a minute" in flat
    assert f"{rates['sign-up'][0]} sign-ups an hour" in flat
    assert (rates["sign-in"][1], rates["sign-up"][1]) == (60, 3600)
    assert f"{settings.OPEN_TABLES_PER_PLAYER} open tables" in flat
    assert f"{settings.STREAMS_PER_PLAYER} open streams" in flat
    assert f"at most {settings.API_BODY_LIMIT // 1024} KiB" in flat
    assert f"ends after {settings.REST_KNOX['TOKEN_TTL'].days} days" in flat
    assert f"within {settings.AXES_COOLOFF_TIME.seconds // 60} minutes" in flat
    assert f"for {settings.RECOVERY_LINK_LIFE.total_seconds() / 3600:.0f} hours" in flat
    assert settings.AXES_FAILURE_LIMIT == 10
    assert "Ten failures" in flat
