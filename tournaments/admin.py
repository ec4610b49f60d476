"""Tournaments on the staff pages: a list, a draft form, and commands with a reason and a preview.

`tournaments.staff` has the pages of one tournament.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.errors import Problem
from games.staff.actions import person
from ledger.models import Account, OwnerKind, Purpose
from ledger.selectors import valid_uuids
from ledger.staff import subjects
from ledger.staff.alarms import MOST_NAMED, Alarm, left_over, register_alarm
from staff.actions import Done, FormData, Preview, dry_run
from tournaments import access, services
from tournaments.models import Tournament
from tournaments.rounds.stalls import OVER, STALLED
from tournaments.staff import commands as commands
from tournaments.staff import console as console  # Importing a module registers its pages.
from tournaments.staff import corrections as corrections
from tournaments.staff import entries as entries
from tournaments.staff import manual_pairing as manual_pairing
from tournaments.staff.actions import ActionAdmin, address
from tournaments.staff.draft import TermsForm, preview


class StalledFilter(admin.SimpleListFilter):
    title = "stalled"
    parameter_name = "stands_still"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        return queryset.filter(STALLED) if self.value() == "yes" else queryset


SHOWN = tuple(str(column.name) for column in Tournament._meta.concrete_fields)


@admin.register(Tournament)
class TournamentAdmin(ActionAdmin):
    list_display = (
        "named", "status", "runs_by_itself", "format", "rules", "entered", "capacity", "fee", "opens_at",
        "organizer",
    )  # fmt: skip
    list_display_links = None
    list_filter = ("status", StalledFilter, "format", "rules")
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

    @admin.display(description="runs automatically", boolean=True)
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

        def create(given: FormData, key: str) -> Done:
            made = services.create(
                organizer=person(request),
                terms=given["terms"],
                tournament_id=given["key"],
                now=timezone.now(),
            )
            return Done(f"{made.name} is drafted.", made.subject, _console(made))

        def shown(given: FormData) -> Preview:
            dry_run(lambda: create(given, ""))
            return preview(given["terms"], settings.RACECARD_CURRENCY)

        return self.run_action(
            request,
            title="Draft a tournament",
            action="draft-tournament",
            form_class=TermsForm,
            preview=shown,
            perform=create,
            button="Save the draft",
            lead="Only you and the staff see a draft. Its terms cannot be changed after publication.",
            template="tournaments/admin/draft.html",
        )


def _console(tournament: Tournament) -> str:
    return address("tournament_console", tournament)


MAY_LOOK = "tournaments.view_tournament"


def _names(keys: Collection[str]) -> dict[str, str]:
    named = Tournament.objects.filter(pk__in=valid_uuids(keys)).values_list("pk", "name")
    return {str(key): name for key, name in named}


subjects.register(OwnerKind.TOURNAMENT, view="admin:tournament_console", names=_names)


@register_alarm
def tournaments_in_trouble(now: datetime) -> Iterator[Alarm]:
    """Yield an alarm for each stalled tournament, and for ended ones that still have money in escrow."""
    stalled = Tournament.objects.filter(STALLED)
    for tournament in stalled.order_by("pk")[:MOST_NAMED]:
        address = reverse("admin:tournament_console", args=[tournament.pk])
        yield Alarm(f"{tournament.name} waits for its organizer", tournament.stalled, address, MAY_LOOK)
    escrows = Account.objects.filter(kind=OwnerKind.TOURNAMENT, purpose=Purpose.ESCROW)
    having = {account.key: account for account in escrows.exclude(credits=F("debits"))}
    over = Tournament.objects.filter(pk__in=valid_uuids(having), status__in=OVER)
    keys = sorted(str(key) for key in over.values_list("pk", flat=True))
    yield from left_over("tournament", [having[key] for key in keys])
