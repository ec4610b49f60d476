"""Entries of a tournament and actions on each."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.utils import timezone

from accounts.models import Player
from core.errors import Problem
from games.staff.actions import person
from staff.actions import FormData, ReasonForm
from tournaments import access, roles
from tournaments.entries import check_in, registration
from tournaments.models import Entry, StaffRole, Status, Tournament
from tournaments.staff.actions import ActionAdmin, StaffAction, action_page, address
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


@action_page("tournament_disqualify", "entries/<int:number>/disqualify/", may=access.ruled)
def disqualify_page(
    model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament, number: int
) -> HttpResponse:
    action = StaffAction(
        title=f"Disqualify entry {number} of {tournament.name}",
        action="disqualify-entry",
        carry_out=lambda given, now: registration.disqualify(
            tournament_id=tournament.pk,
            number=number,
            actor=person(request),
            reason=given["reason"],
            now=now,
        ),
        said=f"Entry {number} was disqualified.",
        back=address("tournament_field", tournament),
        lead="Before the start, the entrant is removed and refunded. Afterwards, the entrant plays no further "
        "round and takes no prize.",
        button="Disqualify",
        grave=True,
    )
    return model_admin.do(request, tournament, action)


@action_page("tournament_check_in_entry", "entries/<int:number>/check-in/", may=access.assisted)
def check_in_entry(
    model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament, number: int
) -> HttpResponse:
    """Check an entrant in with one button, without a reason or a preview. Repeating it has no effect."""
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


class RoleForm(ReasonForm):
    player = forms.CharField(max_length=150, help_text="The username or id.")
    role = forms.ChoiceField(choices=StaffRole.choices)
    field_order = ("player", "role", "reason")

    def clean_player(self) -> UUID:
        text = self.cleaned_data["player"]
        named = Q(username=text)
        with suppress(ValueError):
            named |= Q(pk=UUID(text))
        found = Player.objects.filter(named, is_active=True, is_bot=False).first()
        if found is None:
            raise forms.ValidationError("There is no such player.")
        return found.pk


@action_page("tournament_role_give", "people/give/")
def give_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    action = StaffAction(
        title=f"Give a role in {tournament.name}",
        action="give-role",
        carry_out=lambda given, now: roles.give(
            tournament_id=tournament.pk,
            player_id=given["player"],
            role=StaffRole(given["role"]),
            actor=person(request),
            now=now,
        ),
        said="The role was given.",
        back=address("tournament_people", tournament),
        lead="Judges correct, disqualify, pause, and resume. Helpers check others in. A judge may not play.",
        button="Give role",
    )
    return model_admin.do(request, tournament, action, form_class=RoleForm)


@action_page("tournament_role_take", "people/<uuid:player>/take/")
def take_page(
    model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament, player: UUID
) -> HttpResponse:
    held = roles.roles_in(tournament).filter(player=player).first()
    if held is None:
        raise Http404

    def carry_out(given: FormData, now: datetime) -> None:
        roles.take(tournament_id=tournament.pk, player_id=player, actor=person(request), now=now)

    action = StaffAction(
        title=f"Take the role of {held.role} from {held.player.get_full_name()}",
        action="take-role",
        carry_out=carry_out,
        said="The role was taken away.",
        back=address("tournament_people", tournament),
        lead="Their rulings stay in effect.",
        button="Take role away",
    )
    return model_admin.do(request, tournament, action)
