from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from core.errors import Conflict
from jobs import services
from jobs.models import Job
from staff.actions import ActionAdmin, ActionForm, Done, Preview
from staff.lists import LARGEST_ID


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"
    states = {
        "waiting": Q(done=None, failed=None, lease_until=None),
        "claimed": Q(done=None, failed=None, lease_until__isnull=False),
        "failed": Q(failed__isnull=False),
        "done": Q(done__isnull=False),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state) for state in self.states]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        wanted = self.value()
        return queryset.filter(self.states[wanted]) if wanted in self.states else queryset


NOT_GIVEN_UP = "Only jobs that have failed in all attempts can be retried."


class RetryForm(ActionForm):
    jobs = forms.CharField(widget=forms.HiddenInput, max_length=2000)

    def clean_jobs(self) -> list[int]:
        ids = self.cleaned_data["jobs"].split(",")
        if not all(id.isascii() and id.isdigit() and int(id) <= LARGEST_ID for id in ids):
            raise forms.ValidationError("The selection contains no jobs.")
        return [int(id) for id in ids]


@admin.register(Job)
class JobAdmin(ActionAdmin):
    """Jobs, with a retry for those that have failed in all attempts. Only the services create and complete jobs."""

    list_display = ["key", "kind", "state", "due", "attempts", "last_error_line"]
    list_filter = [StateFilter, "kind"]
    search_fields = ["key"]
    ordering = ["-due"]
    actions = ["retry"]

    @admin.display(description="last error")
    def last_error_line(self, job: Job) -> str:
        return _first_line(job)

    @admin.action(description="Try again …", permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse:
        ticked = ",".join(str(pk) for pk in queryset.values_list("pk", flat=True))
        return HttpResponseRedirect(f"{reverse('admin:jobs_job_retry')}?{urlencode({'jobs': ticked})}")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.retry_view)
        return [path("retry/", view, name="jobs_job_retry"), *super().get_urls()]

    def retry_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_retry_permission(request):
            raise PermissionDenied
        return self.run_action(
            request,
            title="Try jobs again",
            action="retry-jobs",
            form_class=RetryForm,
            initial={"jobs": request.GET.get("jobs", "")},
            preview=lambda given: _preview(given["jobs"]),
            perform=lambda given, key: _retry(given["jobs"]),
            button="Try again",
            lead="The job gets all its attempts again and is due immediately.",
        )

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_job"))


def _given_up(ids: Sequence[int]) -> list[Job]:
    return list(Job.objects.filter(pk__in=ids, failed__isnull=False).order_by("pk"))


def _preview(ids: Sequence[int]) -> Preview:
    found = _given_up(ids)
    if not found:
        raise Conflict(NOT_GIVEN_UP)
    left = len(ids) - len(found)
    facts = [(job.key, f"{job.attempts} attempts, the last one: {_first_line(job)}") for job in found]
    return Preview(
        facts=facts, warnings=[f"{left} others were not given up and stay as they are."] if left else ()
    )


def _retry(ids: Sequence[int]) -> Done:
    now = timezone.now()
    found = [job for job in _given_up(ids) if services.retry(job_id=job.pk, now=now)]
    if not found:
        raise Conflict(NOT_GIVEN_UP)
    said = "1 job is due again." if len(found) == 1 else f"{len(found)} jobs are due again."
    subject = f"job:{found[0].pk}" if len(found) == 1 else f"jobs:{','.join(str(job.pk) for job in found)}"
    return Done(said, subject[:100], reverse("admin:jobs_job_changelist"))


def _first_line(job: Job) -> str:
    return job.last_error.partition("\n")[0]
