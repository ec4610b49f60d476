"""Tournaments on the staff pages: a list, a draft form, and commands with a reason and a preview.

`tournaments.staff` has the pages of one tournament.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.roles import Role, has_role
from accounts.staff import person
from eventstore.chain import parse_at
from eventstore.models import Stream
from games import rules
from ledger.models import Account, OwnerKind, Purpose
from ledger.money import money
from ledger.selectors import valid_uuids
from ledger.staff.actions import money_column
from ledger.staff.alarms import left_over
from staff import subjects
from staff.actions import ActionLink
from staff.admin import ActionAdmin
from staff.columns import TECHNICAL, state
from staff.dashboard import (
    MOST_NAMED,
    OLDEST,
    Alarm,
    CountCard,
    Task,
    register_alarms,
    register_cards,
    register_tasks,
)
from staff.lists import choices_of
from tournaments import access, formats
from tournaments.actions import commands, corrections, entries, manual_pairing
from tournaments.actions.base import address
from tournaments.models import Entry, Round, Tournament
from tournaments.prizes.money import pool
from tournaments.rounds.stalls import OVER, STALLED
from tournaments.staff import console as console  # Importing a module registers its pages.
from tournaments.staff import entries as entries_pages
from tournaments.staff.draft import DraftTournament, shown_term, term_label
from tournaments.terms import STORED


class StalledFilter(admin.SimpleListFilter):
    title = "stalled"
    parameter_name = "stands_still"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        return queryset.filter(STALLED) if self.value() == "yes" else queryset


def _term(name: str) -> Any:
    """Return a column of a term in words."""

    @admin.display(description=term_label(name))
    def column(tournament: Tournament) -> str:
        return shown_term(name, getattr(tournament, name), tournament.currency)

    return column


SHOWN = tuple(
    _term(column.name) if column.name in STORED and column.name not in TECHNICAL else str(column.name)
    for column in Tournament._meta.concrete_fields
    if column.name != "currency"
)


@admin.register(Tournament)
class TournamentAdmin(ActionAdmin):
    list_actions = (DraftTournament,)
    staff_actions = (
        *commands.ACTIONS,
        *(entries.Disqualify, entries.GiveRole, entries.TakeRole),
        corrections.CorrectResult,
        *(manual_pairing.PairManually, manual_pairing.DropPairing),
        *(manual_pairing.AddConstraint, manual_pairing.ReleaseConstraint),
    )
    list_display = (
        "named", "progress", _term("format"), _term("rules"), "entered", "fee_money", "opens_at", "organizer",
    )  # fmt: skip
    list_display_links = None
    list_filter = (
        "status",
        StalledFilter,
        choices_of("format", lambda: [(each.slug, each.name) for each in formats.catalogue()]),
        choices_of("rules", rules.names, "game"),
    )
    search_fields = ("=id", "=organizer", "^name")
    fields = SHOWN
    readonly_fields = SHOWN

    # --- what is shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        return access.visible_tournaments(person(request)).select_related("organizer")

    def prepare(self, rows: Sequence[Tournament]) -> None:
        entries = Entry.objects.filter(tournament__in=rows, withdrawn_at=None).order_by()
        standing = dict(entries.values_list("tournament").annotate(Count("pk")))
        for tournament in rows:
            tournament.standing = standing.get(tournament.pk, 0)  # type: ignore[attr-defined]

    @admin.display(description="name", ordering="name")
    def named(self, tournament: Tournament) -> SafeString:
        return format_html('<a href="{}">{}</a>', _console(tournament), tournament.name)

    @admin.display(description="status")
    def progress(self, tournament: Tournament) -> SafeString:
        return state("stalled" if tournament.stalled else tournament.status)

    @admin.display(description="entries")
    def entered(self, tournament: Tournament) -> str:
        return f"{tournament.standing} of {tournament.capacity}"  # type: ignore[attr-defined]  # prepared

    fee_money = money_column("fee", "fee")

    def sections(self, request: HttpRequest, row: Any) -> Any:
        """Return the terms that the tournament has."""
        return [(None, {"fields": [each for each in SHOWN if _has(row, each)]})]

    # --- what is done

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(partial(entries_pages.check_in_entry, self))
        route = "<uuid:pk>/entries/<int:number>/check-in/"
        return [path(route, view, name="tournament_check_in_entry"), *super().get_urls()]

    def list_links(self, request: HttpRequest) -> list[ActionLink]:
        """Return the wizard of the web client, and the form with all terms."""
        wizard = ActionLink("New tournament", "/tournaments/new/")
        forms = (replace(each, label="All terms on one page") for each in super().list_links(request))
        return [wizard, *forms] if DraftTournament.may(request.user) else []

    def row_links(self, request: HttpRequest, row: Tournament) -> list[ActionLink]:
        return [ActionLink("Console", _console(row))]


def _has(row: Any, column: Any) -> bool:
    found = column(row) if callable(column) else getattr(row, column, "")
    return found not in (None, "", "none", "0")


def _console(tournament: Tournament) -> str:
    return address("tournament_console", tournament)


MAY_LOOK = "tournaments.view_tournament"


subjects.register("tournaments", view="", names=subjects.called("the server"))  # its actor in transfers
subjects.register(
    OwnerKind.TOURNAMENT, view="admin:tournament_console", names=subjects.names_of(Tournament, "name")
)


TASK = "Stalled round"
"""The kind of the tasks in the work queue."""


@register_tasks
def stalled_rounds(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield the tournaments of this reader that wait for their organizer."""
    viewer = person(request)
    stalled = access.visible_tournaments(viewer).filter(STALLED).select_related("organizer")
    if not has_role(viewer, Role.ADMINISTRATOR):
        stalled = stalled.filter(organizer=viewer)
    found = list(stalled.order_by("pk")[:OLDEST])
    since = dict(Stream.objects.filter(pk__in=[one.pk for one in found]).values_list("pk", "head_at"))
    for tournament in found:
        page = _console(tournament)
        yield Task(
            TASK,
            tournament.name,
            page,
            parse_at(at) if (at := since.get(tournament.pk)) else None,
            "Resume",
            reverse(f"admin:{commands.Resume.page}", args=[tournament.pk]),
            detail=f"{tournament.stalled} Organizer: {tournament.organizer}.",
            amount=money(pot, tournament.currency) if (pot := pool(tournament)) else "",
            is_urgent=True,
        )


@register_alarms(30)
def tournaments_in_trouble(now: datetime) -> Iterator[Alarm]:
    """Yield an alarm for each stalled tournament, and for ended ones that still have money in escrow."""
    stalled = Tournament.objects.filter(STALLED)
    for tournament in stalled.order_by("pk")[:MOST_NAMED]:
        address = reverse("admin:tournament_console", args=[tournament.pk])
        yield Alarm(f"{tournament.name} waits for its organizer", tournament.stalled, address, MAY_LOOK, TASK)
    escrows = Account.objects.filter(kind=OwnerKind.TOURNAMENT, purpose=Purpose.ESCROW)
    having = {account.key: account for account in escrows.exclude(credits=F("debits"))}
    over = Tournament.objects.filter(pk__in=valid_uuids(having), status__in=OVER)
    keys = sorted(str(key) for key in over.values_list("pk", flat=True))
    yield from left_over("tournament", [having[key] for key in keys])


register_cards(
    10,
    CountCard(
        "Tournaments open for entries",
        Tournament,
        lambda now: Q(status="published"),
        {"status__exact": "published"},
    ),
    CountCard(
        "Tournaments running", Tournament, lambda now: Q(status="running"), {"status__exact": "running"}
    ),
    CountCard(
        "Stalled tournaments",
        Tournament,
        lambda now: STALLED,
        {"stands_still": "yes"},
        alerts=True,
        is_work=True,
    ),
    CountCard(
        "Rounds in progress",
        Round,
        lambda now: Q(state="open"),
        {"status__exact": "running"},
        listed=Tournament,
    ),
)
