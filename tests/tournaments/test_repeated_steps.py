"""Every step takes effect once if it runs twice, is interrupted, is late, or runs concurrently."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection, transaction

from eventstore import store
from games.models import GameRecord
from games.play import stream
from jobs import services as jobs
from jobs.models import Job
from ledger.models import Transfer
from tests.concurrency import at_once
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    FEE,
    NOW,
    begin,
    enter,
    entrants,
    games_of,
    later,
    play_round,
    rich,
    score,
    status_of,
)
from tournaments import services
from tournaments.errors import AlreadyEntered, TournamentFull, WrongStatus
from tournaments.models import Entry, Score, Status, TableGame, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import services as rounds

pytestmark = pytest.mark.slow


def marks(tournament: Tournament) -> tuple[Any, ...]:
    """Return everything that a repeated step would change."""
    return (
        store.head(tournament.pk),
        Transfer.objects.count(),
        GameRecord.objects.count(),
        TableGame.objects.count(),
        Score.objects.count(),
        tournament.played_rounds.count(),
    )


def open_all(tournament: Tournament, number: int, now: datetime = NOW) -> None:
    while rounds.open_round(tournament_id=tournament.pk, number=number, now=now):
        pass


@pytest.mark.django_db
def test_each_step_run_again_has_no_effect(published: Publish):
    tournament = published(rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    steps: list[Callable[[], Any]] = [
        lambda: open_all(tournament, 1),
        lambda: [score(one.game, NOW) for one in games_of(tournament, 1)],
        lambda: rounds.close_round(tournament_id=tournament.pk, number=1, now=later(600)),
        lambda: settlement.finish(tournament_id=tournament.pk, now=later(600)),
    ]
    for number, step in enumerate(steps):
        if number == 1:
            play_round(tournament, 1)
        step()
        after = marks(tournament)
        for earlier in steps[: number + 1]:
            earlier()
        assert marks(tournament) == after
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0


@pytest.mark.django_db
def test_a_job_that_runs_before_its_time_has_no_effect(published: Publish):
    tournament = published()
    enter(tournament, rich("cid"), rich("dan"))
    before = marks(tournament)
    assert rounds.open_round(tournament_id=tournament.pk, number=1, now=NOW) is False
    assert rounds.close_round(tournament_id=tournament.pk, number=1, now=NOW) is False
    settlement.finish(tournament_id=tournament.pk, now=NOW)
    assert settlement.clear(tournament_id=tournament.pk, now=NOW) is False
    assert marks(tournament) == before


@pytest.mark.django_db
def test_finishing_before_the_last_round_is_refused(published: Publish):
    tournament = begin(published, "cid", "dan")
    before = marks(tournament)
    with pytest.raises(settlement.RoundsRemain):
        settlement.finish(tournament_id=tournament.pk, now=NOW)
    assert marks(tournament) == before


@pytest.mark.django_db
def test_a_job_scheduled_twice_is_stored_once(published: Publish):
    tournament = begin(published, "cid", "dan")
    play_round(tournament, 1)
    # The time limit of round 1 is stored as well as the close that its last game scheduled.
    kinds = list(Job.objects.filter(kind="tournaments.close_round").values_list("key", flat=True))
    assert len(kinds) == len(set(kinds))
    run_due(later(700))
    run_due(later(1400))
    assert [event.type for event in store.read(tournament.pk)].count("round-closed") == 2


class Killed(BaseException):
    """Simulates SIGKILL: nothing in the program may catch it."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "calls_before_the_kill", [4, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 6))]
)
def test_opening_a_round_resumes_after_a_kill(published: Publish, monkeypatch, calls_before_the_kill: int):
    monkeypatch.setattr(rounds, "CHUNK", 3)
    tournament = published(fee=0, rounds=1)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "flo")))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    real, calls = stream.append, 0

    def dying(*where: Any, **arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == calls_before_the_kill:
            raise Killed
        return real(*where, **arguments)

    def opening() -> None:
        more = True
        while more:
            with transaction.atomic():
                more = rounds.open_round(tournament_id=tournament.pk, number=1, now=NOW)

    with monkeypatch.context() as patch:
        patch.setattr(stream, "append", dying)
        try:
            opening()
        except Killed:
            assert connection.in_atomic_block is False
    opening()

    made = games_of(tournament, 1)
    assert len(made) == 4
    assert {one.game for one in made} == set(GameRecord.objects.values_list("pk", flat=True))
    assert all(one.dealt_at for one in made)
    assert [event.type for event in store.read(tournament.pk)].count("round-opened") == 1
    assert set(GameRecord.objects.values_list("status", flat=True)) == {"active"}


@pytest.mark.django_db(transaction=True)
def test_paying_prizes_resumes_after_a_kill_and_pays_once(published: Publish, monkeypatch):
    tournament = begin(published, "cid", "dan", rounds=1)
    cid, dan = entrants(tournament)
    monkeypatch.setattr("jobs.services.schedule_all", _but_not("tournaments.finish", jobs.schedule_all))
    play_round(tournament, 1)

    def dying(**arguments: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(settlement.games, "reveal_tournament_seed", dying)
        with pytest.raises(Killed), transaction.atomic():
            settlement.finish(tournament_id=tournament.pk, now=NOW)
    assert available(tournament.subject, "escrow") == 2 * FEE
    for _ in range(2):
        with transaction.atomic():
            settlement.finish(tournament_id=tournament.pk, now=NOW)
    assert available(tournament.subject, "escrow") == 0
    assert available(f"player:{cid.pk}") + available(f"player:{dan.pk}") == 20_000
    assert [event.type for event in store.read(tournament.pk)].count("prizes") == 1


def _but_not(kind: str, schedule_all: Callable[..., None]) -> Callable[..., None]:
    return lambda planned: schedule_all(one for one in planned if one.kind != kind)


@pytest.mark.django_db(transaction=True)
def test_of_two_concurrent_starts_one_takes_effect(published: Publish):
    tournament = published()
    enter(tournament, rich("cid"), rich("dan"))
    press = lambda: services.start(tournament_id=tournament.pk, actor=None, now=NOW)  # noqa: E731
    answers = at_once(press, press, press)
    assert sum(isinstance(answer, Tournament) for answer in answers) == 1
    assert sum(isinstance(answer, WrongStatus) for answer in answers) == 2
    assert [event.type for event in store.read(tournament.pk)].count("entries-closed") == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_entries_fill_the_last_place_once(published: Publish):
    tournament = published(capacity=3)
    enter(tournament, rich("cid"), rich("dan"))
    rivals = [rich(name) for name in ("eva", "flo", "gus")]
    answers = at_once(
        *(
            lambda rival=rival: services.enter(
                tournament_id=tournament.pk, player=rival, client_seed="", now=NOW
            )
            for rival in rivals
        )
    )
    assert sum(isinstance(answer, Entry) for answer in answers) == 1
    assert sum(isinstance(answer, TournamentFull) for answer in answers) == 2
    assert available(tournament.subject, "escrow") == 3 * FEE


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_entries_of_one_player_are_one(published: Publish):
    tournament, player = published(), rich("cid")
    attempt = lambda: services.enter(  # noqa: E731
        tournament_id=tournament.pk, player=player, client_seed="", now=NOW
    )
    answers = at_once(attempt, attempt)
    assert sum(isinstance(answer, Entry) for answer in answers) == 1
    assert sum(isinstance(answer, AlreadyEntered) for answer in answers) == 1
    assert available(f"player:{player.pk}") == 10_000 - FEE


@pytest.mark.django_db(transaction=True)
def test_each_task_run_by_two_workers_concurrently_takes_effect_once(published: Publish):
    tournament = published(rounds=1)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva")))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)

    def in_one(work: Callable[..., Any], **arguments: Any) -> Callable[[], Any]:
        def run() -> Any:
            with transaction.atomic():
                return work(tournament_id=tournament.pk, **arguments)

        return run

    for _ in range(3):
        at_once(*[in_one(rounds.open_round, number=1, now=NOW)] * 2)
    assert GameRecord.objects.filter(status="active").count() == 3
    at_once(*[in_one(rounds.close_round, number=1, now=later(600))] * 3)
    at_once(*[in_one(settlement.finish, now=later(600))] * 3)

    types = [event.type for event in store.read(tournament.pk)]
    assert [types.count(once) for once in ("round-opened", "round-closed", "prizes", "finished")] == [1] * 4
    assert Score.objects.count() == 3
    assert available(tournament.subject, "escrow") == 0


@pytest.mark.django_db(transaction=True)
def test_the_last_two_games_of_a_round_end_concurrently(published: Publish):
    from tests.tournaments.playing import play

    tournament = begin(published, "cid", "dan", rounds=1, fee=0)
    cid, dan = entrants(tournament)
    first, second = games_of(tournament, 1)
    play(first, cid)
    play(second, dan)

    def ended(game: Any) -> Callable[[], None]:
        def run() -> None:
            with transaction.atomic():
                score(game, NOW)

        return run

    assert at_once(ended(first.game), ended(second.game)) == [None, None]
    assert Job.objects.filter(kind="tournaments.close_round", key__contains=":played:").count() == 1
    run_due(NOW)
    assert status_of(tournament) == Status.FINISHED
