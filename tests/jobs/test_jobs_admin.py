"""Staff pages of jobs: view jobs that were given up and retry them."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from jobs.models import Job
from staff.models import ActionRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def jobs() -> tuple[Job, Job]:
    """One that was given up, and one that waits."""
    now = timezone.now()
    given_up = Job.objects.create(
        kind="k", key="given up", due=now, failed=now, attempts=5, last_error="ValueError: no\n  at line 1"
    )
    return given_up, Job.objects.create(kind="k", key="waiting", due=now + timedelta(hours=1))


def staff_client(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend="accounts.roles.PlayerBackend")
    return client


def sent(*jobs: Job) -> dict[str, str]:
    return {"jobs": ",".join(str(job.pk) for job in jobs), "key": uuid4().hex}


RETRY = "admin:jobs_job_retry"


def test_jobs_are_listed_viewed_and_retried(administrator: Player, jobs: tuple[Job, Job]) -> None:
    client = staff_client(administrator)
    ticked = {"action": "retry", "_selected_action": [str(job.pk) for job in jobs]}
    preview = client.post(reverse("admin:jobs_job_changelist"), ticked, follow=True).content.decode()
    for each in ("Failed 5 times: ValueError: no", "1 other job has not failed in all attempts"):
        assert each in preview
    jobs[0].refresh_from_db()
    assert jobs[0].failed is not None
    form = sent(*jobs)
    for each in ("1 job is due again.", "Already done; not repeated."):
        answer = client.post(reverse(RETRY), {**form, "confirmed": "yes"}, follow=True)
        assert each in answer.content.decode()
    jobs[0].refresh_from_db()
    assert (jobs[0].failed, jobs[0].attempts) == (None, 0)
    [kept] = ActionRecord.objects.filter(action="retry-jobs")
    assert (kept.actor, kept.subject) == (administrator.pk, f"job:{jobs[0].pk}")


def test_a_job_that_was_not_given_up_is_left_alone(administrator: Player, jobs: tuple[Job, Job]) -> None:
    for more in ({}, {"confirmed": "yes"}):
        answer = staff_client(administrator).post(reverse(RETRY), {**sent(jobs[1]), **more})
        assert "Only jobs that have failed in all attempts" in answer.content.decode()
    assert not ActionRecord.objects.filter(action="retry-jobs").exists()


@pytest.mark.parametrize("jobs_named", ["", "x", "1,,2", "-1", str(2**63)])
def test_an_invalid_list_of_jobs_is_refused(administrator: Player, jobs_named: str) -> None:
    answer = staff_client(administrator).post(
        reverse(RETRY), {"jobs": jobs_named, "key": uuid4().hex, "confirmed": "yes"}
    )
    assert answer.status_code == 200
    assert not ActionRecord.objects.filter(action="retry-jobs").exists()
