"""Frequent queries use an index on both databases."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from games import access
from games.models import GameRecord
from ledger.models import Hold, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def plan(requested: QuerySet[Any]) -> str:
    if connection.vendor == "postgresql":  # PostgreSQL scans small tables unless that is disabled
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    return str(requested.explain())


@pytest.mark.parametrize(
    ("requested", "index"),
    [
        (lambda: access.visible_games(None).order_by("-created_at", "-id")[:50], "game_newest"),
        (lambda: GameRecord.objects.running().filter(deal_group="one").order_by(), "game_deal_group"),
        (lambda: GameRecord.objects.filter(tournament=uuid.uuid4()).order_by(), "game_tournament"),
        (lambda: Transfer.objects.filter(subject="game:one").order_by(), "transfer_subject"),
        (lambda: Hold.objects.filter(subject="game:one").order_by(), "hold_subject"),
    ],
)
def test_frequent_queries_use_an_index(requested: Any, index: str) -> None:
    assert index in plan(requested())
