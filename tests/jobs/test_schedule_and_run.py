"""The table of jobs without a worker: what is due is done once, errors wait, the hopeless is given up."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from jobs import kinds, services
from jobs.kinds import Again, every, job
from jobs.models import Job
from tests.due_jobs import run_due

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)


class Diary:
    """What the jobs of a test did, in order, and what they are to do next."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any], dt.datetime]] = []
        self.answers: list[Any] = []

    def work(self, payload: dict[str, Any], *, now: dt.datetime, **prepared: Any) -> Again | None:
        self.calls.append(("work", {**payload, **prepared}, now))
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def prepare(self, payload: dict[str, Any], *, now: dt.datetime) -> str:
        assert Job.objects.get().lease_until is not None
        self.calls.append(("prepare", payload, now))
        return "fetched"

    def on_failed(self, payload: dict[str, Any], *, now: dt.datetime, error: Exception) -> None:
        self.calls.append(("on_failed", {**payload, "error": str(error)}, now))
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> Diary:
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    diary = Diary()
    job("test.plain", max_attempts=3, on_failed=diary.on_failed)(diary.work)
    return diary


def plan(key: str = "a", due: dt.datetime = NOON, kind: str = "test.plain", **payload: Any) -> None:
    services.schedule(kind=kind, key=key, payload=payload, due=due)


@pytest.mark.both_databases
def test_a_job_runs_when_due_and_not_before(diary: Diary) -> None:
    plan(game="g")
    assert run_due(NOON - SECOND) == 0
    assert run_due(NOON + SECOND) == 1
    assert diary.calls == [("work", {"game": "g"}, NOON + SECOND)]
    assert Job.objects.get().state == "done"
    assert run_due(NOON + SECOND) == 0


@pytest.mark.both_databases
def test_a_repeated_key_is_one_job_even_when_done(diary: Diary) -> None:
    plan(n=1)
    plan(n=2)
    run_due(NOON)
    plan(n=3)
    run_due(NOON)
    assert [payload for _, payload, _ in diary.calls] == [{"n": 1}]


@pytest.mark.both_databases
def test_a_job_scheduled_in_a_transaction_that_rolls_back_was_never_there(diary: Diary) -> None:
    def event_and_job() -> None:
        with transaction.atomic():
            plan()
            raise RuntimeError("the event was refused")

    with pytest.raises(RuntimeError):
        event_and_job()
    assert run_due(NOON) == 0


def test_an_undeclared_kind_a_naive_time_and_a_payload_that_is_not_json_are_refused(diary: Diary) -> None:
    with pytest.raises(kinds.UnknownKind, match=r"test\.nothing"):
        plan(kind="test.nothing")
    with pytest.raises(ValueError, match="aware"):
        plan(due=NOON.replace(tzinfo=None))
    with pytest.raises(TypeError):
        plan(at=NOON)
    with pytest.raises(ValueError, match="JSON"):
        plan(share=float("nan"))
    assert not Job.objects.exists()


@pytest.mark.both_databases
def test_a_cancelled_job_does_not_run_and_its_key_is_free(diary: Diary) -> None:
    plan(n=1)
    services.cancel(key="a")
    assert run_due(NOON) == 0
    plan(n=2)
    assert run_due(NOON) == 1
    services.cancel(key="a")
    assert Job.objects.get().state == "done"


def test_again_re_arms_the_same_job_with_all_its_attempts(diary: Diary) -> None:
    plan()
    diary.answers = [RuntimeError("first"), Again(due=NOON + 60 * SECOND)]
    run_due(NOON, strict=False)
    run_due(NOON + 10 * SECOND)
    waiting = Job.objects.get()
    assert (waiting.state, waiting.attempts, waiting.last_error) == ("waiting", 0, "")
    assert run_due(NOON + 59 * SECOND) == 0
    assert run_due(NOON + 60 * SECOND) == 1
    assert Job.objects.get().state == "done"


def test_the_slow_part_runs_first_and_its_result_reaches_the_work(diary: Diary) -> None:
    job("test.slow", prepare=diary.prepare)(diary.work)
    plan(kind="test.slow", url="u")
    run_due(NOON)
    assert diary.calls == [
        ("prepare", {"url": "u"}, NOON),
        ("work", {"url": "u", "prepared": "fetched"}, NOON),
    ]


@pytest.mark.both_databases
def test_a_failed_attempt_rolls_back_its_effect_and_waits_longer_each_time(diary: Diary) -> None:
    @job("test.effect", max_attempts=4)
    def effect(payload: dict[str, Any], *, now: dt.datetime) -> None:
        services.schedule(kind="test.plain", key="effect", payload={}, due=now)
        raise RuntimeError("after the effect")

    plan(kind="test.effect")
    waits = []
    now = NOON
    for _ in range(3):
        with pytest.raises(RuntimeError, match="after the effect"):
            run_due(now)
        due = Job.objects.get(key="a").due
        waits.append((due - now).total_seconds())
        now = due
    assert waits == [1, 2, 4]
    assert not Job.objects.filter(key="effect").exists()
    assert "after the effect" in Job.objects.get(key="a").last_error


def test_after_its_attempts_a_job_is_given_up_visibly_and_can_be_retried(diary: Diary) -> None:
    plan(game="g")
    diary.answers = [RuntimeError("one"), RuntimeError("two"), RuntimeError("three")]
    for minute in range(3):
        run_due(NOON + minute * 60 * SECOND, strict=False)
    failed = Job.objects.get()
    assert failed.state == "failed"
    assert failed.last_error.startswith("RuntimeError: three\n")
    assert diary.calls[-1] == ("on_failed", {"game": "g", "error": "three"}, NOON + 120 * SECOND)
    assert run_due(NOON + 3600 * SECOND) == 0

    assert services.retry(job_id=failed.pk, now=NOON + 3600 * SECOND)
    assert not services.retry(job_id=failed.pk, now=NOON + 3600 * SECOND)
    assert run_due(NOON + 3600 * SECOND) == 1
    assert Job.objects.get().state == "done"


def test_a_failing_failure_handler_leaves_the_job_given_up_with_both_errors(diary: Diary) -> None:
    plan()
    Job.objects.update(attempts=2)
    diary.answers = [RuntimeError("the work"), RuntimeError("the handler")]
    run_due(NOON, strict=False)
    failed = Job.objects.get()
    assert failed.state == "failed"
    assert failed.last_error.startswith("RuntimeError: the work")
    assert "RuntimeError: the handler" in failed.last_error


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the program may catch it."""


@pytest.mark.both_databases
def test_a_job_that_kills_its_workers_runs_out_of_attempts(diary: Diary) -> None:
    plan()
    now = NOON
    for attempt in range(1, 4):
        (claim,) = services.claim(now=now)
        diary.answers = [Killed()]
        with pytest.raises(Killed):
            services.carry_out(job_ids=claim.job_ids, now=now)
        assert Job.objects.get().attempts == attempt
        assert services.claim(now=now + 4 * SECOND) == []
        now += 6 * SECOND
    assert services.claim(now=now) == []
    assert Job.objects.get().state == "failed"
    assert "lost in each of 3 attempts" in Job.objects.get().last_error
    said = [what for what, *_ in diary.calls]
    assert said.count("on_failed") == 1
    assert services.carry_out(job_ids=claim.job_ids, now=now) is None
    assert [what for what, *_ in diary.calls] == said


def test_a_job_that_no_worker_has_begun_loses_no_attempt_and_is_sent_again(diary: Diary) -> None:
    plan()
    assert len(services.claim(now=NOON)) == 1
    assert services.claim(now=NOON + 59 * SECOND) == []
    (claim,) = services.claim(now=NOON + 61 * SECOND)
    assert Job.objects.get().attempts == 0
    services.carry_out(job_ids=claim.job_ids, now=NOON + 61 * SECOND)
    assert Job.objects.get().state == "done"


@pytest.mark.both_databases
def test_a_job_in_a_workers_hand_is_not_begun_by_another(diary: Diary) -> None:
    def meanwhile(payload: dict[str, Any], *, now: dt.datetime) -> None:
        assert services.carry_out(job_ids=claim.job_ids, now=NOON + 4 * SECOND) is None
        assert services.claim(now=NOON + 4 * SECOND) == []
        assert not services.on_their_way(now=NOON + 4 * SECOND).exists()

    job("test.slow", prepare=meanwhile)(diary.work)
    plan(kind="test.slow")
    (claim,) = services.claim(now=NOON)
    assert services.carry_out(job_ids=claim.job_ids, now=NOON) is None
    assert len(diary.calls) == 1
    assert Job.objects.get().state == "done"


@pytest.mark.both_databases
def test_a_repeated_or_unclaimed_task_does_nothing(diary: Diary) -> None:
    plan()
    (claim,) = services.claim(now=NOON)
    for _ in range(3):
        services.carry_out(job_ids=claim.job_ids, now=NOON)
    assert len(diary.calls) == 1
    plan("b")
    services.carry_out(job_ids=[Job.objects.get(key="b").pk], now=NOON)
    assert len(diary.calls) == 1


def test_a_worker_whose_clock_is_behind_still_finds_the_job_due(diary: Diary) -> None:
    plan()
    (claim,) = services.claim(now=NOON)
    services.carry_out(job_ids=claim.job_ids, now=NOON - SECOND)
    assert diary.calls == [("work", {}, NOON)]


def test_a_claim_that_reached_no_worker_counts_as_no_attempt(diary: Diary) -> None:
    plan()
    for _ in range(5):
        (claim,) = services.claim(now=NOON)
        services.release(job_ids=claim.job_ids)
    assert Job.objects.get().attempts == 0
    assert run_due(NOON) == 1


@pytest.mark.both_databases
def test_while_paused_no_job_is_claimed_or_run(diary: Diary) -> None:
    plan()
    (claim,) = services.claim(now=NOON)
    services.pause(reason="restored from a backup", now=NOON)
    services.pause(reason="and once more", now=NOON)
    assert services.is_paused()
    services.carry_out(job_ids=claim.job_ids, now=NOON)
    assert run_due(NOON + 3600 * SECOND) == 0
    assert diary.calls == []
    assert Job.objects.get().attempts == 0
    services.resume()
    assert run_due(NOON) == 1


@pytest.mark.both_databases
def test_no_more_jobs_are_leased_than_can_be_done_in_time(
    diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "IN_FLIGHT", 5)
    for number in range(8):
        plan(str(number))
    first = services.claim(now=NOON)
    assert len(first) == 5
    assert services.claim(now=NOON) == []
    services.carry_out(job_ids=first[0].job_ids, now=NOON)
    assert len(services.claim(now=NOON)) == 1


@pytest.mark.both_databases
def test_a_recurring_job_is_armed_once_re_arms_itself_and_is_never_given_up(diary: Diary) -> None:
    every("test.often", seconds=60, max_attempts=2)(diary.work)
    services.arm_recurring(now=NOON)
    services.arm_recurring(now=NOON)
    job_row = Job.objects.filter(kind="test.often")
    assert job_row.count() == 1

    diary.answers = [None, RuntimeError("one"), RuntimeError("two")]
    (claim,) = [claim for claim in services.claim(now=NOON) if claim.kind == "test.often"]
    services.carry_out(job_ids=claim.job_ids, now=NOON)
    assert job_row.get().due == NOON + 60 * SECOND

    for late in (600, 602):
        now = NOON + late * SECOND
        services.claim(now=now)
        services.carry_out(job_ids=claim.job_ids, now=now)
    assert job_row.get().state == "waiting"
    assert job_row.get().due == NOON + 662 * SECOND
    assert "two" in job_row.get().last_error


@pytest.fixture
def later(diary: Diary, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """In its context only a later version declares `test.later`, whose job is due."""
    job("test.later")(diary.work)
    plan(kind="test.later")
    with monkeypatch.context() as earlier:
        earlier.delitem(kinds._kinds, "test.later")
        yield earlier


def test_a_ticker_postpones_a_job_of_a_kind_that_it_does_not_know(
    diary: Diary, later: pytest.MonkeyPatch
) -> None:
    assert services.claim(now=NOON) == []
    found = Job.objects.get()
    assert (found.state, found.due, found.attempts) == ("waiting", NOON + 60 * SECOND, 0)
    assert "test.later" in found.last_error
    later.undo()
    (claim,) = services.claim(now=NOON + 60 * SECOND)
    services.carry_out(job_ids=claim.job_ids, now=NOON + 60 * SECOND)
    assert Job.objects.get().state == "done"


def test_a_worker_postpones_a_job_of_a_kind_that_it_does_not_know(
    diary: Diary, later: pytest.MonkeyPatch
) -> None:
    Job.objects.update(lease_until=NOON + 60 * SECOND, attempts=2)
    assert services.carry_out(job_ids=[Job.objects.get().pk], now=NOON) is None
    found = Job.objects.get()
    assert (found.state, found.due, found.attempts) == ("waiting", NOON + 60 * SECOND, 2)
    assert diary.calls == []


@pytest.mark.both_databases
def test_jobs_that_an_earlier_version_gave_up_for_their_kind_are_retried(diary: Diary) -> None:
    every("test.often", seconds=60)(diary.work)
    often = kinds.get("test.often").recurring_key
    unknown = "no job kind 'test.plain' is declared; known are test.other"  # as 0.2.0 writes it
    plan("one-off")
    plan("other")
    services.arm_recurring(now=NOON)
    Job.objects.update(failed=NOON, attempts=1, last_error=unknown)
    Job.objects.filter(key="other").update(last_error="OSError: full")
    assert not services.recurring_jobs_run(now=NOON)

    services.arm_recurring(now=NOON + SECOND)
    assert services.recurring_jobs_run(now=NOON + SECOND)
    revived = Job.objects.filter(key__in=["one-off", often]).values_list("failed", "attempts", "due")
    assert list(revived) == [(None, 0, NOON + SECOND)] * 2
    assert Job.objects.get(key="other").state == "failed"


def test_a_database_error_is_stored_without_the_row() -> None:
    error = IntegrityError('new row violates check\nDETAIL:  Failing row contains ("the secret seed").')
    assert services.describe(error) == "IntegrityError: new row violates check"


def test_a_kind_is_declared_once(diary: Diary) -> None:
    def other(payload: dict[str, Any], *, now: dt.datetime) -> None: ...

    with pytest.raises(ValueError, match="twice"):
        job("test.plain")(other)


@pytest.mark.both_databases
def test_of_a_kind_that_waits_for_others_only_so_many_are_handed_out_at_once(diary: Diary) -> None:
    job("test.slow", at_once=2)(diary.work)
    for number in range(4):
        plan(f"slow {number}", NOON - SECOND, kind="test.slow")
    plan("quick")
    handed_out = services.claim(now=NOON)
    assert [claim.kind for claim in handed_out] == ["test.slow", "test.slow", "test.plain"]
    assert services.claim(now=NOON) == []
    services.carry_out(job_ids=handed_out[0].job_ids, now=NOON)
    [third] = services.claim(now=NOON)
    assert Job.objects.get(pk__in=third.job_ids).key == "slow 2"
    # A worker that was lost makes room when its time is up.
    again = services.claim(now=NOON + 61 * SECOND)
    assert [claim.kind for claim in again].count("test.slow") == 2
    run_due(NOON + 200 * SECOND)
    assert not Job.objects.open().exists()


class Group:
    """Jobs that are carried out together: what each call got, and the payloads that fail."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.bad: set[int] = set()
        self.again: dict[int, Again] = {}

    def work(self, payloads: Any, *, now: dt.datetime, prepared: Any = ()) -> list[Again | None]:
        numbers = [payload["n"] for payload in payloads]
        assert not prepared or prepared == [-number for number in numbers]
        self.calls.append(numbers)
        for number in numbers:
            services.schedule(kind="test.plain", key=f"effect {number}", payload={}, due=NOON + 3600 * SECOND)
            if number in self.bad:
                raise RuntimeError(f"{number} is bad")
        return [self.again.get(number) for number in numbers]

    def effects(self) -> list[int]:
        keys = Job.objects.filter(key__startswith="effect ").values_list("key", flat=True)
        return sorted(int(key.removeprefix("effect ")) for key in keys)


@pytest.fixture
def group(diary: Diary) -> Group:
    group = Group()
    job("test.group", together=4)(group.work)
    return group


def plan_group(count: int) -> None:
    for number in range(count):
        plan(f"group {number}", kind="test.group", n=number)


def test_jobs_done_together_are_shared_among_workers(group: Group) -> None:
    plan_group(20)
    plan("other")
    claims = services.claim(now=NOON)
    assert [len(claim.job_ids) for claim in claims] == [3, 3, 3, 3, 3, 3, 2, 1]
    assert [claim.kind for claim in claims].count("test.group") == 7
    for number in range(20, 24):
        plan(f"group {number}", kind="test.group", n=number)
    assert [len(claim.job_ids) for claim in services.claim(now=NOON)] == [4], "the others have work already"
    services.release(job_ids=list(Job.objects.values_list("pk", flat=True)))
    plan("one more", kind="test.group", n=24)
    Job.objects.filter(kind="test.group").exclude(key__in=["group 0", "group 1"]).delete()
    assert [len(claim.job_ids) for claim in services.claim(now=NOON)] == [1, 1, 1]


@pytest.mark.both_databases
def test_jobs_done_together_commit_together_and_each_has_its_own_answer(group: Group) -> None:
    group.again = {1: Again(due=NOON + 60 * SECOND)}
    plan_group(16)
    first, *_ = services.claim(now=NOON)
    assert services.carry_out(job_ids=first.job_ids, now=NOON) is None
    assert group.calls == [[0, 1]]
    assert {job.key: job.state for job in Job.objects.filter(pk__in=first.job_ids)} == {
        "group 0": "done",
        "group 1": "waiting",
    }
    assert Job.objects.get(key="group 1").due == NOON + 60 * SECOND


@pytest.mark.both_databases
def test_a_failure_among_jobs_done_together_affects_that_job_alone(group: Group) -> None:
    group.bad = {2}
    plan_group(4)
    ids = list(Job.objects.order_by("pk").values_list("pk", flat=True))
    services.claim(now=NOON)
    error = services.carry_out(job_ids=ids, now=NOON)
    assert str(error) == "2 is bad"
    assert group.calls == [[0, 1, 2, 3], [0], [1], [2], [3]]
    assert group.effects() == [0, 1, 3]
    failed = Job.objects.get(key="group 2")
    assert (failed.state, failed.attempts) == ("waiting", 1)
    assert "2 is bad" in failed.last_error
    assert Job.objects.filter(kind="test.group", done__isnull=False).count() == 3

    # Alone from now on, so that it cannot take others with it if it kills its worker.
    plan_group(40)
    alone = [claim for claim in services.claim(now=NOON + 60 * SECOND) if failed.pk in claim.job_ids]
    assert [list(claim.job_ids) for claim in alone] == [[failed.pk]]


def test_a_failed_preparation_affects_that_job_alone(group: Group) -> None:
    def prepare(payload: dict[str, Any], *, now: dt.datetime) -> int:
        if payload["n"] == 0:
            raise RuntimeError("not prepared")
        return -int(payload["n"])

    job("test.group.prepared", together=4, prepare=prepare)(group.work)
    for number in range(3):
        plan(f"group {number}", kind="test.group.prepared", n=number)
    ids = list(Job.objects.order_by("pk").values_list("pk", flat=True))
    services.claim(now=NOON)
    assert str(services.carry_out(job_ids=ids, now=NOON)) == "not prepared"
    assert group.calls == [[1, 2]]
    assert Job.objects.get(key="group 0").last_error.startswith("RuntimeError: not prepared")


@pytest.mark.both_databases
def test_of_jobs_done_together_those_of_another_worker_are_left_out(group: Group) -> None:
    plan_group(3)
    ids = list(Job.objects.order_by("pk").values_list("pk", flat=True))
    services.claim(now=NOON)
    services.carry_out(job_ids=ids[:1], now=NOON)
    services.carry_out(job_ids=ids, now=NOON)
    services.carry_out(job_ids=ids, now=NOON)
    assert group.calls == [[0], [1, 2]]
