"""Entries, pairings, and standings as CSV and JSON: equal to the API, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, later, promotion, rich, start, status_of
from tests.tournaments.test_api import Api
from tournaments import services
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def table(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(response.streaming_content).decode()
    return list(csv.DictReader(StringIO(text, newline="")))


def at(tournament: Tournament, path: str) -> str:
    return f"/api/v1/tournaments/{tournament.pk}/{path}"


@shared
def finished() -> Tournament:
    """A Swiss tournament of one person and four bots, with two rounds and a bye in each."""
    promotion()
    tournament = publish(
        known("olga", Role.ORGANIZER),
        format="swiss", rules="ace-race", config={}, rounds=2, fill_to=5, prizes=(7000, 3000),
    )  # fmt: skip
    services.enter(tournament_id=tournament.pk, player=rich("cid"), client_seed="=1+2", now=NOW)
    start(tournament)
    run_due(later(600))
    run_due(later(1200))
    assert status_of(tournament) == "finished"
    return tournament


def test_entries_are_exported(api: Api, finished: Tournament, player: Player):
    client = api(player)
    document = client.get(at(finished, "entries/")).json()["results"]
    rows = table(client.get(at(finished, "entries.csv")))
    assert [row["entry"] for row in rows] == [str(one["entry"]) for one in document]
    assert [row["name"] for row in rows] == [one["name"] for one in document]
    assert rows[0]["name"] == "cid"
    assert rows[0]["client_seed"] == "'=1+2", "no formula"


def test_standings_are_exported_now_and_as_of_an_event(api: Api, finished: Tournament, player: Player):
    client = api(player)
    document = client.get(at(finished, "standings/")).json()
    rows = table(client.get(at(finished, "standings.csv")))
    names = [measure["name"] for measure in document["measures"]]
    for row, one in zip(rows, document["standings"], strict=True):
        assert [row[name] for name in names] == [str(total) for total in one["totals"]]
        assert (row["place"], row["player"]) == (str(one["place"]), one["player"])
        assert row["prize"] == str(one["prize"])
    assert sum(int(row["prize"]) for row in rows) == 5 * finished.fee
    before = table(client.get(at(finished, "standings.csv") + "?at=10"))
    assert {row["points"] for row in before} == {"0"}
    assert client.get(at(finished, "standings.csv") + "?at=9999").json()["code"] == "no-such-version"


def test_pairings_are_exported_for_all_rounds_or_one(api: Api, finished: Tournament, player: Player):
    client = api(player)
    rows = table(client.get(at(finished, "pairings.csv")))
    assert len(rows) == 2 * 5, "each entrant has a row in each round"
    assert [row["ended"] for row in rows if not row["table"]] == ["bye", "bye"]
    second = table(client.get(at(finished, "rounds/2.csv")))
    assert second == [row for row in rows if row["round"] == "2"]
    shown = client.get(at(finished, "rounds/2/")).json()
    assert [row["entry"] for row in second if row["table"]] == [
        str(seat["entry"]) for one in shown["tables"] for seat in one["seats"]
    ]
    document = client.get(at(finished, "pairings/")).json()
    assert [one["score"] for one in document["results"] if one["round"] == 2 and one["table"]] == [
        score for one in shown["tables"] for score in one["games"][0]["scores"]
    ]
    for row, one in zip(rows, document["results"], strict=True):
        scores = [row[name] for name in document["measures"]]
        assert scores == [str(each) for each in one["score"] or [""] * len(document["measures"])]


def test_a_running_round_shows_no_scores(api: Api, published: Publish):
    tournament = published(rounds=1)
    for name in ("cid", "dan"):
        services.enter(tournament_id=tournament.pk, player=rich(name), client_seed="", now=NOW)
    start(tournament)
    document = api(None).get(at(tournament, "pairings/")).json()
    assert [one["score"] for one in document["results"]] == [None, None]
    assert {row["points"] for row in table(api(None).get(at(tournament, "rounds/1.csv")))} == {""}


def test_only_signed_in_users_see_names(api: Api, finished: Tournament):
    for path in ("entries.csv", "standings.csv", "pairings.csv"):
        rows = table(api(None).get(at(finished, path)))
        assert {row["name"] for row in rows if row["entry"] == "1"} == {""}
        assert all(row["name"] for row in rows if row["entry"] != "1"), "bots have no secret"


def test_unknown_parameters_and_rounds_are_refused(api: Api, finished: Tournament):
    for path in ("entries.csv", "standings.csv", "pairings.csv", "rounds/1.csv", "pairings/"):
        answer = api(None).get(at(finished, path) + "?page=2")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid-input"), path
    assert api(None).get(at(finished, "rounds/3.csv")).status_code == 404
