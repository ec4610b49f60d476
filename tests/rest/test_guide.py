"""docs/api.md lists every operation with the summary of the description, and states the limits of the settings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Player
from accounts.services import TOKEN_DAYS
from tools import reference

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text()


def test_the_guide_lists_every_operation_with_its_summary() -> None:
    """`make openapi` copies changed summaries into the guide."""
    assert reference.operations(GUIDE) == reference.summaries()


def test_the_guide_lists_every_operation_once() -> None:
    assert len(reference.OPERATION_ROW.findall(GUIDE)) == len(reference.summaries())


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/games/", "/api/v1/tournaments/"])
def test_the_examples_are_accepted(api: Callable[[Player | None], Any], organizer: Player, path: str) -> None:
    [body] = re.findall(rf"```http\nPOST {path} HTTP/1.1\n\n(.*?)```", GUIDE, re.DOTALL)
    assert api(organizer).post(path, json.loads(body)).status_code == 201


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
    sign_ins = settings.ACCOUNT_RATE_LIMITS
    assert (sign_ins["login"], sign_ins["signup"]) == ("120/m/ip", "300/h/ip")
    assert "120 sign-ins a minute and 300 sign-ups an hour" in flat
    assert sign_ins["login_failed"] == "10/15m/key"
    assert "Ten failures for one username from one address within 15 minutes" in flat
    assert f"{settings.OPEN_TABLES_PER_PLAYER} open tables" in flat
    assert f"{settings.STREAMS_PER_PLAYER} open streams" in flat
    assert f"at most {settings.API_BODY_LIMIT // 1024} KiB" in flat
    assert f"ends after {TOKEN_DAYS} days" in flat
    assert f"valid for {settings.PASSWORD_RESET_TIMEOUT // 3600} hours" in flat
    assert f"in the last {settings.ACCOUNT_REAUTHENTICATION_TIMEOUT // 60} minutes" in flat
