"""A paused tournament opens no round and pays no prize. Open rounds are played within their time limit."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from games import state
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import (
    FEE,
    NOW,
    begin,
    enter,
    games_of,
    later,
    play_round,
    rich,
    status_of,
    types,
)
from tests.tournaments.test_api import Api, at, refused
from tournaments import record, services
from tournaments.errors import AlreadyPaused, NotStalled, WrongStatus
from tournaments.models import RoundState, Status, Tournament
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@shared
def tournament() -> Tournament:
    return begin(partial(publish, known("olga", Role.ORGANIZER)))


def pause(tournament: Tournament, seconds: int = 0) -> None:
    services.pause(
        tournament_id=tournament.pk, actor=tournament.organizer, reason="a fire alarm", now=later(seconds)
    )


def resume(tournament: Tournament, seconds: int = 0) -> None:
    services.resume(tournament_id=tournament.pk, actor=tournament.organizer, now=later(seconds))


def numbers(tournament: Tournament) -> list[tuple[int, str]]:
    return list(tournament.played_rounds.values_list("number", "state"))


def test_no_round_opens_until_the_tournament_is_resumed(tournament: Tournament):
    pause(tournament)
    play_round(tournament, 1)
    run_due(later(5000))
    assert numbers(tournament) == [(1, RoundState.CLOSED)]
    resume(tournament, 5000)
    run_due(later(5000))
    assert numbers(tournament) == [(1, RoundState.CLOSED), (2, RoundState.OPEN)]
    assert tournament.played_rounds.get(number=2).closes_at == later(5600)
    play_round(tournament, 2, now=later(5000))
    assert status_of(tournament) == Status.FINISHED


def test_a_running_round_is_played_within_its_time_limit(tournament: Tournament):
    due = tournament.played_rounds.get().closes_at
    pause(tournament)
    assert tournament.played_rounds.get().closes_at == due
    assert not state.load(games_of(tournament, 1)[0].game)[1].ended
    run_due(later(600))
    assert numbers(tournament) == [(1, RoundState.CLOSED)]
    assert {one.ended for one in games_of(tournament, 1)} == {"expired"}


def test_the_gap_between_two_rounds_is_kept(published: Publish):
    tournament = begin(published, gap_seconds=300)
    play_round(tournament, 1)
    pause(tournament, 10)
    resume(tournament, 20)
    run_due(later(299))
    assert len(numbers(tournament)) == 1
    run_due(later(300))
    assert numbers(tournament)[1] == (2, RoundState.OPEN)
    assert types(tournament).count("round-paired") == 2


def test_a_paired_round_is_opened_during_a_pause(published: Publish, monkeypatch):
    monkeypatch.setattr(rounds, "CHUNK", 1)
    tournament = published()
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    assert rounds.open_round(tournament_id=tournament.pk, number=1, now=NOW)
    pause(tournament)
    run_due(NOW)
    assert numbers(tournament) == [(1, RoundState.OPEN)]


def test_a_pause_before_the_first_round_delays_it(published: Publish):
    tournament = published()
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    pause(tournament)
    run_due(NOW)
    assert numbers(tournament) == []
    resume(tournament)
    run_due(NOW)
    assert numbers(tournament) == [(1, RoundState.OPEN)]


def test_no_prize_is_paid_during_a_pause(published: Publish):
    tournament = begin(published, rounds=1)
    pause(tournament)
    play_round(tournament, 1)
    assert status_of(tournament) == Status.RUNNING
    assert available(tournament.subject, "escrow") == 2 * FEE
    resume(tournament)
    run_due(NOW)
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0


def test_a_paused_tournament_can_be_cancelled(tournament: Tournament):
    pause(tournament)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    run_due(NOW)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.paused) == (Status.CANCELLED, "")
    assert available(tournament.subject, "escrow") == 0
    assert record.load(tournament.pk).paused is None


def test_a_pause_records_its_reason_and_a_second_one_is_refused(tournament: Tournament):
    with pytest.raises(NotStalled):
        resume(tournament)
    pause(tournament)
    event = store.read(tournament.pk)[-1]
    assert (event.type, event.data) == (
        "paused",
        {"reason": "a fire alarm", "by": str(tournament.organizer_id)},
    )
    assert record.load(tournament.pk).paused == "a fire alarm"
    with pytest.raises(AlreadyPaused):
        pause(tournament)
    resume(tournament)
    assert record.load(tournament.pk).paused is None
    with pytest.raises(NotStalled):
        resume(tournament)


def test_only_a_running_tournament_can_be_paused(published: Publish):
    tournament = published()
    with pytest.raises(WrongStatus):
        pause(tournament)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tournament.objects.filter(pk=tournament.pk).update(paused="x")


def test_a_tournament_is_paused_and_resumed_over_rest(api: Api, tournament: Tournament, organizer: Player):
    client, path, body = api(organizer), at(tournament, "pause"), {"reason": "a fire alarm"}
    refused(client.post(path, {}), 400, "invalid-input")
    assert client.post(path, body).json()["paused"] == "a fire alarm"
    refused(client.post(path, body), 409, "already-paused")
    assert client.post(at(tournament, "resume")).json()["paused"] is None
