from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from core.errors import Conflict
from jobs import services
from jobs.models import Job, Pause
from staff import subjects
from staff.actions import ActionForm, ActionLink, Done, FormData, Preview, StaffAction
from staff.admin import ActionAdmin
from staff.columns import TECHNICAL, in_words, subject_column
from staff.dashboard import (
    MOST_NAMED,
    OLDEST,
    Alarm,
    CountCard,
    Task,
    at_most,
    register_alarms,
    register_cards,
    register_tasks,
)
from staff.lists import COUNTED, LARGEST_ID


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"
    states = {
        "waiting": Q(done=None, failed=None, lease_until=None),
        "claimed": Q(done=None, failed=None, lease_until__isnull=False),
        "failed": Q(failed__isnull=False),
        "done": Q(done__isnull=False),
    }
    unfinished = ("waiting", "claimed")

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in self.states]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        wanted = self.value()
        if wanted not in self.states:
            return queryset
        found = queryset.filter(self.states[wanted])
        if wanted in self.unfinished:
            # Few among many: by the index of unfinished jobs instead of the order of the list.
            first = found.order_by("due").values_list("pk", flat=True)[: COUNTED + 1]
            return queryset.filter(pk__in=list(first))
        return found


NOT_GIVEN_UP = "Only jobs that have failed in all attempts can be retried."


class RetryForm(ActionForm):
    jobs = forms.CharField(widget=forms.HiddenInput, required=False, max_length=2000)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        ids = given.get("jobs", "").split(",")
        if not all(id.isascii() and id.isdigit() and int(id) <= LARGEST_ID for id in ids):
            raise forms.ValidationError("Select failed jobs in the list of jobs first.")
        return {**given, "jobs": [int(id) for id in ids]}


class Retry(StaffAction[None]):
    """Make the jobs of the form due again."""

    name, label, page = "retry-jobs", "Try again", "jobs_job_retry"
    route = "retry/"
    permission = "jobs.change_job"
    form = RetryForm
    lead = "The job gets all its attempts again and is due immediately."
    title = "Try jobs again"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"jobs": query.get("jobs", "")}

    def preview(self, data: FormData) -> Preview:
        found = _given_up(data["jobs"])
        if not found:
            raise Conflict(NOT_GIVEN_UP)
        left = len(data["jobs"]) - len(found)
        titles = _titles(found)
        facts = [(titles[job.pk], _failure(job)) for job in found]
        others = "1 other job has" if left == 1 else f"{left} other jobs have"
        warnings = [f"{others} not failed in all attempts, and nothing changes there."] if left else ()
        return Preview(facts=facts, warnings=warnings)

    def carry_out(self, data: FormData, key: str, now: datetime) -> list[Job]:
        found = [job for job in _given_up(data["jobs"]) if services.retry(job_id=job.pk, now=now)]
        if not found:
            raise Conflict(NOT_GIVEN_UP)
        return found

    def done(self, made: list[Job]) -> Done:
        message = "1 job is due again." if len(made) == 1 else f"{len(made)} jobs are due again."
        subject = f"job:{made[0].pk}" if len(made) == 1 else f"jobs:{','.join(str(job.pk) for job in made)}"
        return Done(message, subject[:100], reverse("admin:jobs_job_changelist"))


def _given_up(ids: Sequence[int]) -> list[Job]:
    return list(Job.objects.filter(pk__in=ids, failed__isnull=False).order_by("pk"))


def _about(job: Job) -> str:
    """Return the first subject that the payload of a job names, such as `game:…`; an empty text if there is none."""
    named = (
        f"{kind}:{key}"
        for kind, key in job.payload.items()
        if isinstance(key, str) and subjects.is_known(kind)
    )
    return next(named, "")


ABOUT = subject_column("subject", of=_about)


@admin.register(Job)
class JobAdmin(ActionAdmin):
    """Jobs, with a retry for those that have failed in all attempts. Only the services create and complete jobs."""

    staff_actions = [Retry]

    list_display = ["named", ABOUT, "state", "due", "attempts", "last_error_line"]
    fields = [
        "named", ABOUT, "state", "due", "begun", "attempts", "done", "failed", "last_error",
        "kind", "queue", "key", "payload", "lease_until",
    ]  # fmt: skip
    technical = TECHNICAL | {"kind", "queue", "lease_until"}
    list_filter = [StateFilter]
    search_fields = ["=key"]
    ordering = ["-pk"]
    actions = ["retry"]

    @admin.display(description="job")
    def named(self, job: Job) -> str:
        return in_words(job.kind)

    def subtitle(self, row: Job) -> str:
        return _titles([row])[row.pk]

    @admin.display(description="last error")
    def last_error_line(self, job: Job) -> str:
        return _first_line(job)

    @admin.action(description="Try again …", permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse:
        ticked = ",".join(str(pk) for pk in queryset.values_list("pk", flat=True))
        return HttpResponseRedirect(f"{reverse('admin:jobs_job_retry')}?{urlencode({'jobs': ticked})}")

    def row_links(self, request: HttpRequest, row: Job) -> list[ActionLink]:
        if row.failed is None or not Retry.may(request.user):
            return []
        return [ActionLink(Retry.label, f"{reverse('admin:jobs_job_retry')}?{urlencode({'jobs': row.pk})}")]

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return Retry.may(request.user)


def _titles(jobs: Sequence[Job]) -> dict[int, str]:
    """Return the kinds of jobs in words, with their subjects, by the ids of the jobs."""
    about = {job.pk: _about(job) for job in jobs}
    links = subjects.links(filter(None, about.values()))
    return {
        job.pk: f"{in_words(job.kind)}, {links[about[job.pk]].text}" if about[job.pk] else in_words(job.kind)
        for job in jobs
    }


def _first_line(job: Job) -> str:
    return job.last_error.partition("\n")[0]


def _failure(job: Job) -> str:
    return f"Failed {job.attempts} times: {_first_line(job) or 'no error recorded'}"


subjects.register(
    "job",
    view="admin:jobs_job_change",
    names=subjects.names_of(Job, "kind", lambda key, kind: in_words(kind)),
    permission="jobs.view_job",
)


register_cards(
    50,
    CountCard("Jobs due now", Job, lambda now: Q(done=None, failed=None, due__lte=now), {"state": "waiting"}),
    CountCard(
        "Failed jobs",
        Job,
        lambda now: Q(failed__isnull=False),
        {"state": "failed"},
        alerts=True,
        is_work=True,
    ),
)

LATE = timedelta(minutes=2)
"""The delay after which a due job counts as late."""

STEPPED_WITHIN = timedelta(days=1)

TASK = "Job"
"""The kind of the tasks in the work queue."""


@register_tasks
def failed_jobs(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield the jobs that have failed in all attempts."""
    if not Retry.may(request.user):
        return
    jobs = list(Job.objects.filter(failed__isnull=False).order_by("failed")[:OLDEST])
    titles = _titles(jobs)
    for job in jobs:
        yield Task(
            TASK,
            titles[job.pk],
            reverse("admin:jobs_job_change", args=[job.pk]),
            job.failed,
            Retry.label,
            f"{reverse('admin:jobs_job_retry')}?{urlencode({'jobs': job.pk})}",
            detail=_failure(job),
            is_urgent=True,
        )


@register_alarms(10)
def job_alarms(now: datetime) -> Iterator[Alarm]:
    """Yield alarms for paused, failed, and late jobs."""
    may, address = "jobs.view_job", reverse("admin:jobs_job_changelist")
    if pause := Pause.objects.first():
        yield Alarm("All jobs are paused", f"Since {pause.since:%d %b %H:%M}: {pause.reason}", address, may)
    given_up = Job.objects.filter(failed__isnull=False)[: MOST_NAMED + 1].count()
    if given_up:
        detail = "Check the error, then retry them."
        yield Alarm(f"Jobs given up: {at_most(given_up)}", detail, f"{address}?state=failed", may, work=TASK)
    late = Job.objects.open().filter(due__lt=now - LATE).order_by("due")[: MOST_NAMED + 1].count()
    if late:
        detail = "They were due more than two minutes ago. Is a worker running?"
        yield Alarm(f"Late jobs: {at_most(late)}", detail, f"{address}?state=waiting", may)


@register_alarms(20)
def clock_alarms(now: datetime) -> Iterator[Alarm]:
    """Yield the alarm that a system clock was changed within the last day."""
    stepped = services.last_beat(name=services.CLOCK_STEP)
    if stepped is not None and abs(now - stepped) < STEPPED_WITHIN:
        yield Alarm(
            f"A system clock was changed at about {stepped:%d %b %H:%M}",
            "Times of events and jobs may be wrong. Is the clock synchronized (NTP)?",
        )
