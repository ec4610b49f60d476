"""Every format over REST from draft to standings, with people and bots."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tests.due_jobs import run_due, run_due_soon
from tests.tournaments.over_rest import LIST, Api, Desk
from tests.tournaments.playing import FEE

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SOLITAIRE = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}, "round_seconds": 3600}


def collect(legal: list[dict[str, Any]]) -> dict[str, Any]:
    return next(move for move in legal if move["type"] == "collect")


def test_duplicate_by_matchpoints(api: Api, organizer: Player, player: Player, rival: Player):
    client = Desk(
        api, organizer, [player, rival], **SOLITAIRE, format="duplicate", count="matchpoints", rounds=1, fill_to=4
    )  # fmt: skip
    ended = client.run(collect)
    assert ended["count"] == "matchpoints"
    standings = client.get("standings")
    assert [measure["name"] for measure in standings["measures"]] == [
        "matchpoints",
        "points",
        "cards",
        "moves",
    ]
    rows = standings["standings"]
    assert sum(row["totals"][0] for row in rows) == 100 * 4 * 3, "of each pair two points"
    alike = {row["totals"][0] for row in rows if row["player"] in (str(player.pk), str(rival.pk))}
    assert len(alike) == 1, "who does the same on every deal has the same"
    deals = [part["what"] for part in client.get("standings", 1)["columns"][0]["parts"]]
    assert [what.split(":")[0] for what in deals] == ["deal 1"]


def test_matchpoints_require_shared_deals(api: Api, organizer: Player):
    terms = {"name": "No", "format": "swiss", "rules": "ace-race", "config": {}, "rounds": 1}
    document = api(organizer).post(LIST, {**terms, "count": "matchpoints"})
    assert (document.status_code, document.json()["field"]) == (400, "count")
    unknown = api(organizer).post(LIST, {**terms, "count": "beauty"})
    assert unknown.status_code == 400


def first(legal: list[dict[str, Any]]) -> dict[str, Any]:
    return legal[0]


def lost(client: Desk, ended: dict[str, Any]) -> Counter[int]:
    """Count the tables of two from which each entrant did not advance, from the rounds over REST."""
    result: Counter[int] = Counter()
    for number in range(1, ended["round"] + 1):
        for table in client.get("rounds", number)["tables"]:
            scores = [
                (won, -hand, -seat["entry"])
                for seat, (won, hand) in zip(table["seats"], table["games"][0]["scores"], strict=True)
            ]
            result[-min(scores)[2]] += 1
    return result


def test_double_knockout_in_pairs(api: Api, organizer: Player, player: Player):
    client = Desk(
        api, organizer, [player], rules="ace-race", config={}, format="double-knockout", rounds=0, fill_to=3
    )  # fmt: skip
    ended = client.run(first)
    assert ended["rounds"] == 5, "the most it can take"
    winner, *others = client.get("standings")["standings"]
    losses = lost(client, ended)
    assert ended["round"] == 4 + losses[winner["entry"]], "the last only if the final did not decide"
    assert {losses[one["entry"]] for one in others} == {2}
    assert [one["prize"] for one in (winner, *others)] == [3 * FEE, 0, 0]
    assert client.get("rounds", 1)["algorithm"] == "double-knockout@1"
    lives = client.get("standings", winner["entry"])["columns"][2]
    assert (lives["name"], lives["value"]) == ("lives", 2 - losses[winner["entry"]])


@pytest.mark.nightly
def test_double_knockout_with_two_lives_at_tables_of_three(api: Api, organizer: Player, player: Player):
    race = {"rules": "ace-race", "config": {}}
    client = Desk(
        api, organizer, [player], **race, format="double-knockout", rounds=0, seats=3, sizes=[2, 3], fill_to=4
    )  # fmt: skip
    ended = client.run(first)
    [final] = client.get("rounds", ended["round"])["tables"]
    assert ended["round"] <= ended["rounds"]
    seated = sorted(seat["entry"] for seat in final["seats"])
    standings = client.get("standings")["standings"]
    assert sorted(one["entry"] for one in standings[: len(seated)]) == seated
    assert [one["totals"][:2] for one in standings[: len(seated)]] == [
        [ended["round"], place] for place in range(1, len(seated) + 1)
    ]


def test_the_last_remaining_entrant_wins(api: Api, organizer: Player, player: Player, rival: Player):
    client = Desk(
        api, organizer, [player, rival], rules="ace-race", config={}, format="double-knockout", rounds=0
    )  # fmt: skip
    assert api(organizer).post(f"{client.path}start/").status_code == 200
    run_due_soon()
    assert api(rival).delete(f"{client.path}entries/").status_code == 204
    run_due(timezone.now() + timedelta(seconds=3610))
    ended = client.get()
    assert (ended["status"], ended["round"], ended["rounds"]) == ("finished", 1, 3)
    assert [one["player"] for one in client.get("standings")["standings"]] == [str(player.pk), str(rival.pk)]
