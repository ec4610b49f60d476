"""A meeting of bots from a file: its balances add up, and the result is deterministic."""

from __future__ import annotations

import json

import pytest
from django.db import transaction

from games import context, state
from tests.tournaments.playing import NOW, later
from tests.tournaments.test_run_from_a_file import held, report
from tournaments import record

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CARD = """
seed = "derby day"

[tournament]
name = "Derby day"
format = "meeting"
rules = "racing-aces"
config = {finish_line = 4}
bank = 10000
rounds = 2
round_seconds = 60
fee = 500
prizes = [6000, 4000]
rake = 500

[[bots]]
count = 2
strategy = "steady"

[[bots]]
count = 1
strategy = "bold"

[[bots]]
count = 2
strategy = "random"
"""


def test_a_meeting_from_a_file_adds_up_and_is_deterministic():
    documents = []
    for now in (NOW, later(86_400)):
        with transaction.atomic():
            result = report(held(CARD, now=now))
            documents.append(json.dumps(result))
            transaction.set_rollback(True)
        record.cache.clear()
        state.cache.clear()
        context.clear_cache()
    assert documents[0] == documents[1]
    assert [(check["what"], check["wrong"]) for check in result["checks"] if not check["ok"]] == []
    assert "the final banks add up to the play money given out" in [
        check["what"] for check in result["checks"]
    ]
    assert result["money"] == {
        "currency": "XTS",
        "fees": 2500,
        "prizes": 2375,
        "rake": 125,
        "overlay": 0,
        "left": 0,
    }
    assert result["measures"] == ["bank", "ahead", "best"]
    assert sum(one["totals"][0] for one in result["standings"]) == 5 * 10_000
    assert len({one["totals"][0] for one in result["standings"]}) > 1, "there is a winner"
