"""An empty list has a drawing of the sheet and the next step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import Player

ROOT = Path(__file__).resolve().parents[2]
SHEET = ROOT / "platform" / "config" / "static" / "racecard" / "drawings.svg"


def test_every_drawing_that_a_page_names_is_in_the_sheet_and_the_other_way_round() -> None:
    drawn = set(re.findall(r'<symbol id="(\w+)"', SHEET.read_text()))
    named = set()
    packages = [ROOT / name for name in ("platform", "ledger", "games", "tournaments", "disputes")]
    templates = [path for package in packages for path in package.glob("**/templates/**/*.html")]
    for path in [*templates, *(ROOT / "frontend" / "src").glob("**/*.svelte")]:
        for value in re.findall(r"drawing=(\S+|\{.*?\})(?=\s+title|\s|$)", path.read_text(), re.MULTILINE):
            named |= set(re.findall(r'"(\w+)"', value))
    lists = (ROOT / "platform" / "staff" / "lists.py").read_text()
    named |= set(re.findall(r': "(\w+)"', lists.split("_DRAWINGS", 1)[1].split("}", 1)[0]))
    assert named == drawn


@pytest.mark.django_db
def test_an_empty_list_of_staff_offers_what_fills_it_and_a_filtered_one_all_rows(
    client: Client, administrator: Player
) -> None:
    client.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
    empty = client.get("/admin/ledger/payoutbatch/").content.decode()
    assert "No payout batches yet." in empty
    assert "#coins" in empty
    assert 'href="/admin/ledger/payoutbatch/make/">Create payout batch</a></p></div>' in empty
    filtered = client.get("/admin/ledger/payoutbatch/?paid_at__isempty=1").content.decode()
    assert "No payout batches match." in filtered
    assert "#search" in filtered
    assert '<a href="?">Show all</a>' in filtered
