"""Tournaments in the back office: listed, drafted by a form, moved on by commands with a reason and a preview.

What goes on in one of them is shown by the pages of its console (`tournaments.office`).
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from api.deeds import Done, Given, Preview, rehearse
from api.errors import Problem
from games.office.deeds import person
from tournaments import access, services
from tournaments.alarms import STANDS_STILL
from tournaments.models import Tournament
from tournaments.office import by_hand as by_hand
from tournaments.office import console as console  # pages, said by importing them
from tournaments.office import corrections as corrections
from tournaments.office import field as field
from tournaments.office import market as market
from tournaments.office import pairs as pairs
from tournaments.office import people as people
from tournaments.office import rounds as rounds
from tournaments.office.desk import Desk, address
from tournaments.office.draft import TermsForm, preview


class StandsStillFilter(admin.SimpleListFilter):
    title = "stands still"
    parameter_name = "stands_still"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        return queryset.filter(STANDS_STILL) if self.value() == "yes" else queryset


SHOWN = tuple(str(column.name) for column in Tournament._meta.concrete_fields)


@admin.register(Tournament)
class TournamentAdmin(Desk):
    list_display = (
        "named", "status", "runs_by_itself", "format", "rules", "entered", "capacity", "fee", "opens_at",
        "organizer",
    )  # fmt: skip
    list_display_links = None
    list_filter = ("status", StandsStillFilter, "format", "rules")
    search_fields = ("=id", "name")
    change_form_template = "tournaments/admin/tournament.html"
    fields = SHOWN
    readonly_fields = SHOWN

    # --- what is shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        standing = Count("entries", filter=Q(entries__withdrawn_at=None))
        return (
            access.visible_tournaments(person(request))
            .select_related("organizer")
            .annotate(standing=standing)
        )

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

        def create(given: Given, key: str) -> Done:
            made = services.create(
                organizer=person(request),
                terms=given["terms"],
                tournament_id=given["key"],
                now=timezone.now(),
            )
            return Done(f"{made.name} is drafted.", made.subject, _console(made))

        def shown(given: Given) -> Preview:
            rehearse(lambda: create(given, ""))
            return preview(given["terms"], settings.RACECARD_CURRENCY)

        return self.command(
            request,
            title="Draft a tournament",
            action="draft-tournament",
            form_class=TermsForm,
            preview=shown,
            deed=create,
            button="Save the draft",
            lead="Only you and the staff see a draft. Once it is published, its terms stay as they are.",
            template="tournaments/admin/draft.html",
        )


def _console(tournament: Tournament) -> str:
    return address("tournament_console", tournament)
