"""Who is in a tournament: the entries with what can be done about each."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.utils import timezone

from api.errors import Problem
from games.office.deeds import person
from tournaments import access, check_in, rulings
from tournaments.models import Entry, Status, Tournament
from tournaments.office.desk import Deed, Desk, address, deed_page
from tournaments.office.pages import show, tournament_page, whole_number

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
    """In entry order, those whose number or name was asked for."""
    _, wanted = WHICH[which]
    entries = tournament.entries.filter(wanted, number__gt=after).select_related("player").order_by("number")
    if text.isdecimal() and text.isascii() and len(text) < 10:
        return entries.filter(number=int(text))
    if text:
        named = Q(player__username__icontains=text) | Q(player__display_name__icontains=text)
        return entries.filter(named)
    return entries


@deed_page("tournament_disqualify", "entries/<int:number>/disqualify/", may=access.ruled)
def disqualify_page(desk: Desk, request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    deed = Deed(
        title=f"Disqualify entry {number} of {tournament.name}",
        action="disqualify-entry",
        carry_out=lambda given, now: rulings.disqualify(
            tournament_id=tournament.pk,
            number=number,
            actor=person(request),
            reason=given["reason"],
            now=now,
        ),
        said=f"Entry {number} is disqualified.",
        back=address("tournament_field", tournament),
        lead="Before the start the entrant is taken out and has the fee back; afterwards it is in no further round "
        "and takes no prize.",
        button="Disqualify",
        grave=True,
    )
    return desk.do(request, tournament, deed)


@deed_page("tournament_check_in_entry", "entries/<int:number>/check-in/", may=access.assisted)
def check_in_entry(desk: Desk, request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """One press at the door, without a reason or a preview: twice is as good as once."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        check_in.check_in_other(
            tournament_id=tournament.pk, number=number, actor=person(request), now=timezone.now()
        )
    except Problem as problem:
        desk.message_user(request, problem.detail, messages.ERROR)
    else:
        desk.message_user(request, f"Entry {number} is checked in.", messages.SUCCESS)
    return HttpResponseRedirect(address("tournament_field", tournament))
