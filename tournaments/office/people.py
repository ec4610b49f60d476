"""Who helps to hold a tournament: judges and helpers, given and taken by its organizer."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse

from accounts.models import Player
from api.deeds import Given, ReasonForm
from games.office.deeds import person
from tournaments import access, roles
from tournaments.models import Tournament
from tournaments.models_roles import Office
from tournaments.office.desk import Deed, Desk, address, deed_page
from tournaments.office.pages import show, tournament_page


@tournament_page("tournament_people", "people/")
def people_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    return show(
        request,
        tournament,
        tab="tournament_people",
        template="people.html",
        given=roles.given_in(tournament),
        may_give=access.may_manage(person(request), tournament),
    )


class RoleForm(ReasonForm):
    player = forms.CharField(max_length=150, help_text="Their username or id.")
    role = forms.ChoiceField(choices=Office.choices)
    field_order = ("player", "role", "reason")

    def clean_player(self) -> UUID:
        text = self.cleaned_data["player"]
        named = Q(username=text)
        with suppress(ValueError):
            named |= Q(pk=UUID(text))
        found = Player.objects.filter(named, is_active=True, is_bot=False).first()
        if found is None:
            raise forms.ValidationError("Nobody is called that.")
        return found.pk


@deed_page("tournament_role_give", "people/give/")
def give_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    deed = Deed(
        title=f"Give a role in {tournament.name}",
        action="give-role",
        carry_out=lambda given, now: roles.give(
            tournament_id=tournament.pk,
            player_id=given["player"],
            role=Office(given["role"]),
            actor=person(request),
            now=now,
        ),
        said="The role is given.",
        back=address("tournament_people", tournament),
        lead="Judges correct, disqualify, pause and resume; helpers check others in. Who judges does not play.",
        button="Give it",
    )
    return desk.do(request, tournament, deed, form_class=RoleForm)


@deed_page("tournament_role_take", "people/<uuid:player>/take/")
def take_page(desk: Desk, request: HttpRequest, tournament: Tournament, player: UUID) -> HttpResponse:
    held = roles.given_in(tournament).filter(player=player).first()
    if held is None:
        raise Http404

    def carry_out(given: Given, now: datetime) -> None:
        roles.take(tournament_id=tournament.pk, player_id=player, actor=person(request), now=now)

    deed = Deed(
        title=f"Take from {held.player.get_full_name()} the role of {held.role}",
        action="take-role",
        carry_out=carry_out,
        said="The role is taken.",
        back=address("tournament_people", tournament),
        lead="What they have ruled stays ruled.",
        button="Take it",
    )
    return desk.do(request, tournament, deed)
