"""Concurrent requests do not exceed the limit of open tables."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from accounts.models import Player
from games.models import GameRecord

MOST, ASKED = 3, 8


@pytest.mark.django_db(transaction=True)
def test_concurrently_opened_tables_are_counted_one_after_the_other(
    api: Any, player: Player, settings: Any
) -> None:
    settings.OPEN_TABLES_PER_PLAYER = MOST
    clients, together = [api(player) for _ in range(ASKED)], Barrier(ASKED)

    def open_one(client: Any) -> Any:
        try:
            together.wait(60)
            return client.post("/api/v1/games/", {"rules": "racing-aces"}).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(ASKED) as threads:
        answers = Counter(threads.map(open_one, clients))
    assert answers == {201: MOST, 429: ASKED - MOST}
    assert GameRecord.objects.filter(creator=player).count() == MOST
