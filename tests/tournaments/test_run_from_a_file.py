"""A tournament of bots from one file: its checks pass, and the same file gives the same tournament."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction

from accounts.services import create_bot
from config.cli.tournament import read
from eventstore import store
from games import context, state
from games.models import Seat
from tests.databases import shared
from tests.tampering import rehash
from tests.tournaments.playing import NOW, later
from tournaments import record
from tournaments.errors import BadTerms, NoBots
from tournaments.formats.replay import replay
from tournaments.models import Score, Tournament
from tournaments.report import account, proofs
from tournaments.simulation import hold

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CLUB = """
seed = "club night"

[tournament]
name = "Club night"
format = "swiss"
rules = "ace-race"
rounds = 2
seeding = "lot"
seats = 2
fee = 500
prizes = [6000, 4000]
rake = 500

[[bots]]
count = 3
strategy = "steady"

[[bots]]
count = 2
strategy = "random"
"""
Document = dict[str, Any]


def held(text: str = CLUB, *, now: Any = NOW) -> Tournament:
    return hold(read(text), organizer=create_bot(name="organizer"), now=now)


@shared
def club() -> Tournament:
    return held()


def stream(tournament: Tournament) -> list[Document]:
    return [event.public() for event in store.read(tournament.pk)]


def report(tournament: Tournament) -> Document:
    replayed = replay(str(tournament.pk), stream(tournament))
    return account(tournament, replayed, list(proofs(tournament)))


def test_the_money_of_the_tournament_adds_up(club: Tournament):
    result = report(club)
    assert [(check["what"], check["wrong"]) for check in result["checks"] if not check["ok"]] == []
    assert len(result["checks"]) == 8
    assert result["money"] == {
        "currency": "XTS", "fees": 2500, "overlay": 0, "prizes": 2375, "rake": 125, "left": 0,
    }  # fmt: skip
    assert [one["prize"] for one in result["standings"]] == [1425, 950, 0, 0, 0]
    assert [len(round["byes"]) for round in result["rounds"]] == [1, 1]
    assert [one["name"] for one in result["entrants"]] == [
        "steady 1", "steady 2", "steady 3", "random 4", "random 5",
    ]  # fmt: skip


def test_each_bot_plays_its_strategy(club: Tournament):
    requested = {one.player: one.strategy for one in record.load(club.pk).entrants}
    seats = Seat.objects.filter(game__tournament=club.pk)
    assert seats.count() == 8
    assert all(seat.bot == requested[str(seat.player_id)] for seat in seats)


def test_the_same_file_gives_the_same_document():
    """The document contains nothing that depends on the players, the time, or the keys of the database."""
    small = CLUB.replace("rounds = 2", "rounds = 1")
    documents = []
    for now in (NOW, later(86_400)):
        with transaction.atomic():
            documents.append(json.dumps(report(held(small, now=now))))
            transaction.set_rollback(True)
        record.cache.clear()
        state.cache.clear()
        context.clear_cache()
    assert documents[0] == documents[1]
    other = json.loads(json.dumps(report(held(small.replace("club night", "another night")))))
    assert other["rounds"] != json.loads(documents[0])["rounds"]


def test_impossible_terms_and_unknown_bots_are_refused():
    with pytest.raises(BadTerms):
        held(CLUB.replace("seats = 2", "seats = 5"))
    with pytest.raises(NoBots):
        held(CLUB.replace('"random"', '"psychic"'))


def rechained(tournament: str, events: list[Document]) -> list[Document]:
    """Return the changed events with recomputed hashes, as a forger would write them."""
    rehash(tournament, events)
    return events


def test_a_tampered_stream_is_found_at_its_first_difference(club: Tournament):
    tournament = club
    whole = stream(tournament)
    id = str(tournament.pk)
    assert rechained(id, json.loads(json.dumps(whole))) == whole

    def swap(rows: list[Any]) -> None:
        rows[0], rows[1] = rows[1], rows[0]

    def more(award: Document) -> None:
        award["amount"] += 1

    forgeries = {
        ("entries-closed", "the seeding"): lambda data: swap(data["seeding"]),
        ("entries-closed", "the entropy"): lambda data: data.update(entropy="00" * 32),
        ("entries-closed", "the number of client seeds"): lambda data: data["client_seeds"].pop(),
        ("entries-closed", "the event cannot be replayed: 'lot_key'"): lambda data: data.pop("lot_key"),
        ("entries-closed", "the number of rounds"): lambda data: data.update(rounds=1),
        ("round-paired", "the pairing"): lambda data: swap(data["tables"]),
        ("round-paired", "the snapshot of the pairing"): lambda data: data.update(known="00" * 32),
        ("games-dealt", "the deal of game 1 at table 1 of round 1"): lambda data: data["games"][0].update(
            deal=9
        ),
        ("games-dealt", "the seats of game 1 at table 1 of round 1"): lambda data: swap(
            data["games"][0]["entries"]
        ),
        ("round-closed", "the entries with results of round 1"): lambda data: data["results"].pop(),
        ("standings", "the standings"): lambda data: swap(data["standings"]),
        ("prizes", "the pool"): lambda data: data.update(pool=2501),
        ("prizes", "the rake"): lambda data: data.update(rake=124),
        ("prizes", "the prizes"): lambda data: more(data["awards"][0]),
        ("finished", "the seed that was committed to"): lambda data: data.update(seed="00" * 32),
    }
    for (type, what), forge in forgeries.items():
        events = json.loads(json.dumps(whole))
        forged = next(event for event in events if event["type"] == type)
        forge(forged["data"])
        plain = replay(id, json.loads(json.dumps(events)))
        assert plain.difference is not None, what
        assert plain.difference.version == forged["version"], "the chain breaks there"
        found = replay(id, rechained(id, events))
        assert found.difference is not None, what
        assert (found.difference.version, found.difference.what) == (forged["version"], what)


def test_a_score_that_does_not_follow_from_the_game_is_found(club: Tournament):
    tournament = club
    score = Score.objects.filter(table_game__table__round__tournament=tournament).first()
    assert score is not None
    measures = [each + 1 for each in score.measures]
    Score.objects.filter(pk=score.pk).update(measures=measures)
    [fault] = [one.fault for one in proofs(tournament) if one.fault]
    assert fault.startswith(f"entry {score.entry.number} has {measures}, but the game gives")
    Score.objects.filter(pk=score.pk).update(measures=score.measures)


def test_an_event_of_an_unknown_type_is_reported(club: Tournament):
    tournament = club
    events = stream(tournament)
    last = {**events[-1], "version": len(events) + 1, "type": "conjured"}
    found = replay(str(tournament.pk), rechained(str(tournament.pk), [*events, last])).difference
    assert found is not None
    assert (found.version, "conjured" in found.what) == (len(events) + 1, True)
