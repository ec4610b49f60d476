"""Entries of a tournament and actions on each."""

from __future__ import annotations

from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.utils import timezone

from accounts.staff import person
from core.errors import NotFound, Problem
from tournaments import access, roles
from tournaments.actions.base import address
from tournaments.entries import check_in
from tournaments.models import Entry, Status, Tournament
from tournaments.staff.console import show, tournament_page, whole_number

PAGE = 100

WHICH = {
    "": ("All", Q(withdrawn_at=None)),
    "absent": ("Not checked in", Q(withdrawn_at=None, checked_in_at=None)),
    "left": ("Left or disqualified", Q(retired_after__isnull=False) | Q(disqualified_at__isnull=False)),
    "withdrawn": ("Withdrawn", Q(withdrawn_at__isnull=False)),
}


@tournament_page("tournament_field", "field/")
def field_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    which, text = request.GET.get("which", ""), request.GET.get("q", "").replace("\x00", "")[:150]
    after = whole_number(request.GET.get("after", "0"))
    if which not in WHICH:
        raise Http404
    found = list(_found(tournament, which, text, after=after)[: PAGE + 1])
    viewer = person(request)
    return show(
        request,
        tournament,
        tab="tournament_field",
        template="field.html",
        entries=found[:PAGE],
        more=found[PAGE - 1].number if len(found) > PAGE else None,
        text=text,
        which=which,
        choices=[(slug, title) for slug, (title, _) in WHICH.items()],
        paged=after != 0,
        may_rule=access.may_rule(viewer, tournament)
        and tournament.status in (Status.PUBLISHED, Status.RUNNING),
        takes_check_in=tournament.check_in_seconds > 0,
        may_check_in=check_in.is_open(tournament, timezone.now())
        and access.may_check_in_others(viewer, tournament),
        may_see_players=viewer.has_perm("accounts.view_player"),
    )


def _found(tournament: Tournament, which: str, text: str, *, after: int) -> QuerySet[Entry]:
    """Return the entries with that number or name, in entry order."""
    _, wanted = WHICH[which]
    entries = tournament.entries.filter(wanted, number__gt=after).select_related("player").order_by("number")
    if text.isdecimal() and text.isascii() and len(text) < 10:
        return entries.filter(number=int(text))
    if text:
        named = Q(player__username__icontains=text) | Q(player__display_name__icontains=text)
        return entries.filter(named)
    return entries


def check_in_entry(
    model_admin: admin.ModelAdmin[Tournament], request: HttpRequest, pk: UUID, number: int
) -> HttpResponse:
    """Check an entrant in with one button, without a reason or a preview. Repeating it has no effect."""
    try:
        tournament = access.assisted(person(request), pk)
    except NotFound:
        raise Http404 from None
    except Problem:
        raise PermissionDenied from None
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        check_in.check_in_other(
            tournament_id=tournament.pk, number=number, actor=person(request), now=timezone.now()
        )
    except Problem as problem:
        model_admin.message_user(request, problem.detail, messages.ERROR)
    else:
        model_admin.message_user(request, f"Entry {number} was checked in.", messages.SUCCESS)
    return HttpResponseRedirect(address("tournament_field", tournament))


@tournament_page("tournament_people", "people/")
def people_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    return show(
        request,
        tournament,
        tab="tournament_people",
        template="people.html",
        given=roles.roles_in(tournament),
        may_give=access.may_manage(person(request), tournament),
    )
