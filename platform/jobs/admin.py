from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from api.office import ReadOnly
from jobs import services
from jobs.models import Job


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


@admin.register(Job)
class JobAdmin(ReadOnly):
    """Jobs can be looked at and, once given up, tried again; only the services make and end them."""

    list_display = ["key", "kind", "state", "due", "attempts", "last_error_line"]
    list_filter = [StateFilter, "kind"]
    search_fields = ["key"]
    ordering = ["-due"]
    actions = ["retry"]

    @admin.display(description="last error")
    def last_error_line(self, job: Job) -> str:
        return job.last_error.partition("\n")[0]

    @admin.action(description="Try again", permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        now = timezone.now()
        retried = sum(services.retry(job_id=job.pk, now=now) for job in queryset)
        if retried:
            self.message_user(request, f"{retried} jobs are due again.", messages.SUCCESS)
        if retried < len(queryset):
            self.message_user(request, "Only jobs that were given up can be tried again.", messages.WARNING)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_job"))
