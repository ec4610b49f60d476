"""Tournaments in the back office: listed, drafted by a form, moved on by commands with a reason and a preview.

What goes on in one of them is shown by the pages of its console (`tournaments.office`).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from api.errors import Problem
from games.office.deeds import person
from tournaments import access, services
from tournaments import alarms as alarms  # what the back office asks of tournaments, said by importing it
from tournaments.models import Tournament
from tournaments.office import by_hand as by_hand
from tournaments.office import console as console  # pages, said by importing them
from tournaments.office import corrections as corrections
from tournaments.office import field as field
from tournaments.office import pairs as pairs
from tournaments.office import people as people
from tournaments.office import rounds as rounds
from tournaments.office.desk import Desk, address
from tournaments.office.draft import TermsForm

SHOWN = tuple(str(column.name) for column in Tournament._meta.concrete_fields)


@admin.register(Tournament)
class TournamentAdmin(Desk):
    list_display = (
        "named", "status", "runs_by_itself", "format", "rules", "entered", "capacity", "fee", "opens_at",
        "organizer",
    )  # fmt: skip
    list_display_links = None
    list_filter = ("status", "format", "rules")
    search_fields = ("=id", "name")
    change_form_template = "tournaments/admin/tournament.html"
    fields = SHOWN
    readonly_fields = SHOWN

    # --- what is shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        standing = Count("entries", filter=Q(entries__withdrawn_at=None))
        return access.visible_tournaments(person(request)).annotate(standing=standing)

    @admin.display(description="name", ordering="name")
    def named(self, tournament: Tournament) -> SafeString:
        return format_html('<a href="{}">{}</a>', _console(tournament), tournament.name)

    @admin.display(description="entries", ordering="standing")
    def entered(self, tournament: Tournament) -> int:
        count: int = tournament.standing  # type: ignore[attr-defined]
        return count

    @admin.display(description="runs by itself", boolean=True)
    def runs_by_itself(self, tournament: Tournament) -> bool:
        return not tournament.stalled

    # --- who may

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        try:
            access.require_organizer(person(request))
        except Problem:
            return False
        return True

    # --- what is done

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TermsForm(request.POST) if request.method == "POST" else TermsForm(initial={"key": uuid4()})
        if request.method == "POST" and form.is_valid():
            try:
                return self._drafted(request, self._create(request, form))
            except Problem as problem:
                form.add_error(None, problem.detail)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Draft a tournament",
            "form": form,
        }
        return TemplateResponse(request, "tournaments/admin/draft.html", context)

    def _create(self, request: HttpRequest, form: TermsForm) -> Tournament:
        key: UUID = form.cleaned_data["key"]
        made = Tournament.objects.filter(pk=key, organizer=person(request)).first()
        return made or services.create(
            organizer=person(request), terms=form.terms(), tournament_id=key, now=timezone.now()
        )

    def _drafted(self, request: HttpRequest, tournament: Tournament) -> HttpResponse:
        self.message_user(request, f"{tournament.name} is drafted.", messages.SUCCESS)
        return HttpResponseRedirect(_console(tournament))


def _console(tournament: Tournament) -> str:
    return address("tournament_console", tournament)
