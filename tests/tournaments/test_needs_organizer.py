"""A stalled tournament shows its organizer the cause and a remedy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from accounts.models import Player
from jobs.models import Job
from jobs.services import WorkerLost
from tests.concurrency import at_once
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, begin, enter, later, promotion, rich, types
from tests.tournaments.test_api import Api, at
from tests.tournaments.test_manual_pairing import lay_out, resume
from tests.tournaments.test_pairing_constraints import SWISS, begun, bring_together
from tournaments import formats, services
from tournaments.errors import NotStalled
from tournaments.formats.history import fold
from tournaments.formats.protocol import Pairing, Table
from tournaments.models import Status, Tournament
from tournaments.prizes import money
from tournaments.rounds import services as rounds
from tournaments.rounds import stalls

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def exhaust() -> None:
    """Run every retry of a failing job."""
    for minutes in range(0, 24 * 60, 3):
        run_due(NOW + timedelta(minutes=minutes), strict=False)


def needs_of(tournament: Tournament, viewer: Player) -> dict[str, Any]:
    tournament.refresh_from_db()
    needed = stalls.needed(tournament, viewer)
    assert needed is not None
    assert stalls.state_of(tournament) == "needs-organizer"
    return needed


def actions(needed: dict[str, Any]) -> list[str]:
    return [one["action"] for one in needed["actions"]]


def test_too_few_entrants_for_a_table_stall_the_tournament(published: Publish, organizer: Player):
    tournament = begun(published, 3, seats=3, sizes=(3,), fewest=3)
    bring_together(tournament, 1, 2)
    player = tournament.entries.get(number=3).player
    services.withdraw(tournament_id=tournament.pk, player=player, now=NOW)
    run_due(later(60))
    needed = needs_of(tournament, organizer)
    assert needed["reason"] == "Round 2 has 2 players left, and a table needs 3."
    assert (needed["cause"], needed["code"], needed["round"]) == ("too-few-players", "cannot-seat", 2)
    assert actions(needed) == ["pair-manually", "release", "resume", "disqualify", "cancel"]


def test_a_round_that_cannot_be_seated_stalls_the_tournament(published: Publish, organizer: Player):
    tournament = begun(published, 6, seats=3, sizes=(3,), fewest=3)
    for two in ((1, 2), (3, 4), (5, 6)):
        bring_together(tournament, *two)
    run_due(later(60))
    needed = needs_of(tournament, organizer)
    assert needed["cause"] == "no-seating"
    assert "find no room at one table" in needed["reason"]
    assert types(tournament).count("stalled") == 1, "it is reported at once"
    lay_out(tournament, {"tables": [[1, 2, 3], [4, 5, 6]], "byes": []})
    resume(tournament)
    run_due(later(60))
    tournament.refresh_from_db()
    assert (stalls.state_of(tournament), tournament.played_rounds.count()) == ("running", 2)


def test_a_table_that_does_not_end_stalls_the_tournament(
    published: Publish, organizer: Player, monkeypatch: pytest.MonkeyPatch
):
    tournament = begin(published, "cid", "dan", **{**SWISS, "rounds": 1, "round_seconds": 60})
    monkeypatch.setattr(rounds.games, "expire_game", lambda **_: None)
    exhaust()
    needed = needs_of(tournament, organizer)
    assert needed["reason"] == (
        "Closing round 1 failed in 8 attempts: game 1 of table 1 continues though its time is up."
    )
    assert (needed["cause"], actions(needed)) == ("table-goes-on", ["resume", "disqualify", "cancel"])


def test_a_pairing_that_fails_the_checker_stalls_the_tournament(
    published: Publish, organizer: Player, monkeypatch: pytest.MonkeyPatch
):
    tournament = begun(published, 4)
    swiss = formats.get("swiss")
    wrong = Pairing(2, (Table(1, (1, 2)),))
    with monkeypatch.context() as patch:
        patch.setattr(type(swiss), "pair", lambda *_: wrong)
        exhaust()
    needed = needs_of(tournament, organizer)
    assert needed["reason"] == (
        "Opening round 2 failed in 8 attempts: the engine's tables do not pass the checker "
        "(entry 3 has no place; entry 4 has no place)."
    )
    assert (needed["cause"], needed["code"]) == ("no-seating", "faulty-pairing")
    assert actions(needed)[0] == "pair-manually"


def test_a_refused_scheduled_start_stalls_the_tournament(
    published: Publish, organizer: Player, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(money, "PLAY_MONEY", "none")
    tournament = published(opens_at=later(60), fill_to=4)
    enter(tournament, rich("cid"), rich("dan"))
    exhaust()
    needed = needs_of(tournament, organizer)
    assert (needed["cause"], needed["code"], needed["round"]) == ("refused", "house-cannot-stake", None)
    assert needed["reason"] == "The start was refused: 10.00 play money are missing for 2 bots."
    assert actions(needed) == ["resume", "cancel"]
    promotion()
    services.resume(tournament_id=tournament.pk, actor=organizer, now=later(100_000))
    run_due(later(100_000))
    tournament.refresh_from_db()
    assert (stalls.state_of(tournament), tournament.status) == ("running", Status.RUNNING)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError("[Errno 28] No space left on device: '/srv/racecard'"), "system-error"),
        (OperationalError("deadlock\nDETAIL: (secret)"), "database-error"),
        (KeyError("entry"), "internal-error"),
        (WorkerLost(8), "worker-lost"),
    ],
)
def test_a_failed_job_is_reported_without_internals(error: Exception, code: str):
    trouble = stalls.describe_failure(error, step="close", round=3, attempts=8)
    assert (trouble.cause, trouble.code, trouble.round) == ("failed", code, 3)
    assert "Closing round 3 failed" in trouble.reason
    assert "8 attempts" in trouble.reason
    for inside in ("Error", "Errno", "srv", "secret", "entry", "Traceback", "\n"):
        assert inside not in trouble.reason


def test_events_without_a_cause_have_the_reason():
    state = fold([("stalled", {"reason": "the disk is full"})])
    tournament = Tournament(stalled="the disk is full")
    assert stalls.trouble_of(tournament, state) == stalls.Trouble(
        "failed", "internal-error", "the disk is full"
    )


def test_everyone_sees_the_cause_and_managers_the_remedy(
    api: Api, published: Publish, organizer: Player, player: Player, administrator: Player
):
    tournament = begun(published, 3, seats=3, sizes=(3,), fewest=3)
    assert api(None).get(at(tournament)).json()["needs_organizer"] is None
    bring_together(tournament, 1, 2)
    left = tournament.entries.get(number=3).player
    services.withdraw(tournament_id=tournament.pk, player=left, now=NOW)
    run_due(later(60))
    for who in (None, player, organizer, administrator):
        shown = api(who).get(at(tournament)).json()
        assert (shown["state"], shown["status"]) == ("needs-organizer", "running")
        assert shown["needs_organizer"]["cause"] == "too-few-players"
        assert bool(shown["needs_organizer"]["actions"]) == (who in (organizer, administrator))
    [resume_it] = [one for one in shown["needs_organizer"]["actions"] if one["action"] == "resume"]
    answer = getattr(api(organizer), resume_it["method"].lower())(resume_it["path"])
    assert (answer.status_code, answer.json()["needs_organizer"]) == (200, None)
    for one in shown["needs_organizer"]["actions"]:
        path = one["path"].replace("{entry}", "1")
        assert getattr(api(player), one["method"].lower())(path, {}).status_code == 403, one


@pytest.mark.django_db(transaction=True)
def test_a_failed_step_is_scheduled_again_once(published: Publish, monkeypatch: pytest.MonkeyPatch):
    tournament = published(**{**SWISS, "rounds": 1})
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "_seat", lambda *_: 1 // 0)
        exhaust()
    jobs = Job.objects.filter(kind="tournaments.open_round")
    assert jobs.open().count() == 0
    answers = at_once(*[lambda: resume(tournament)] * 3)
    assert [isinstance(answer, NotStalled) for answer in answers].count(True) == 2
    assert jobs.open().count() == 1
    run_due(NOW)
    assert tournament.played_rounds.count() == 1
    assert types(tournament).count("round-paired") == 1
