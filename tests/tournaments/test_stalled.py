"""A task that fails finally stalls the tournament, and the organizer can resume it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import Player
from jobs.models import Job
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, begin, enter, later, play_round, rich, status_of, types
from tournaments import record, selectors, services
from tournaments.errors import NotStalled
from tournaments.models import Status, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FAILED = (
    "failed in 8 attempts: the operating system reported an error. "
    "Administrators find details in the job on the staff pages."
)


def exhaust(days: int = 1) -> None:
    """Run every retry of a failing job."""
    for minutes in range(0, 60 * days, 3):
        run_due(NOW + timedelta(minutes=minutes), strict=False)


@pytest.fixture
def broken(monkeypatch):
    def break_(module, name: str):
        def fails(*args, **kwargs):
            raise OSError("the disk is full\nand this line may hold a secret")

        patch = pytest.MonkeyPatch()
        patch.setattr(module, name, fails)
        return patch

    return break_


def test_a_failed_opening_is_explained_and_resumed(published: Publish, organizer: Player, broken):
    tournament = published(rounds=1, fee=0, round_seconds=7 * 24 * 3600)
    enter(tournament, rich("cid"), rich("dan"))
    patch = broken(rounds.games, "seat_tables")
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    exhaust()
    patch.undo()

    tournament.refresh_from_db()
    assert tournament.stalled == f"Opening round 1 {FAILED}"
    shown = selectors.document(tournament, organizer, now=NOW)
    assert (shown["state"], shown["stalled"]) == ("needs-organizer", tournament.stalled)
    assert record.load(tournament.pk).stalled == tournament.stalled
    assert Job.objects.get(kind="tournaments.open_round").failed

    services.resume(tournament_id=tournament.pk, actor=organizer, now=later(86_400))
    run_due(later(86_400))
    tournament.refresh_from_db()
    assert tournament.stalled == ""
    assert types(tournament)[-5:] == [
        "stalled", "resumed", "round-paired", "games-dealt", "round-opened",
    ]  # fmt: skip
    play_round(tournament, 1, now=later(86_401))
    assert status_of(tournament) == Status.FINISHED


def test_a_failed_settlement_is_resumed_and_pays_once(published: Publish, organizer: Player, broken):
    tournament = begin(published, "cid", "dan", rounds=1)
    patch = broken(settlement.games, "reveal_tournament_seed")
    try:
        play_round(tournament, 1)
    except OSError:
        exhaust()
    patch.undo()
    assert status_of(tournament) == Status.RUNNING
    assert tournament.stalled
    assert available(tournament.subject, "escrow") == 1000

    services.resume(tournament_id=tournament.pk, actor=organizer, now=later(86_400))
    run_due(later(86_400))
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0


def test_a_failed_scheduled_start_is_resumed(published: Publish, organizer: Player, broken):
    tournament = published(opens_at=later(1), fee=0)
    enter(tournament, rich("cid"), rich("dan"))
    patch = broken(services.steps, "open_round")
    exhaust()
    patch.undo()
    tournament.refresh_from_db()
    assert (tournament.status, tournament.stalled) == (Status.PUBLISHED, f"The start {FAILED}")
    services.resume(tournament_id=tournament.pk, actor=organizer, now=later(86_400))
    run_due(later(86_400))
    assert status_of(tournament) == Status.RUNNING


def test_a_stalled_tournament_can_be_cancelled(published: Publish, organizer: Player, broken):
    tournament = published(rounds=1)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    patch = broken(rounds.games, "seat_tables")
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    exhaust()
    patch.undo()
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="give up", now=later(86_400))
    run_due(later(86_400))
    tournament.refresh_from_db()
    assert (tournament.status, tournament.stalled) == (Status.CANCELLED, "")
    assert [available(f"player:{each.pk}") for each in (cid, dan)] == [10_000, 10_000]


def test_only_a_stalled_tournament_can_be_resumed(published: Publish, organizer: Player):
    tournament: Tournament = published()
    with pytest.raises(NotStalled):
        services.resume(tournament_id=tournament.pk, actor=organizer, now=NOW)
