"""Staff actions on entries, and on the people who help with a tournament."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django import forms
from django.db.models import Q
from django.utils.text import capfirst

from accounts.models import Player
from core.errors import NotFound
from staff.actions import Change, FormData, Preview, ReasonForm
from tournaments import access, roles
from tournaments.actions.base import TournamentAction
from tournaments.entries import registration
from tournaments.models import StaffRole


class Disqualify(TournamentAction):
    name, label, page = "disqualify-entry", "Disqualify", "tournament_disqualify"
    route = "<uuid:pk>/entries/<int:number>/disqualify/"
    operations = ("tournament_entries_disqualify",)
    requires = staticmethod(access.ruled)
    lead = (
        "Before the start, the entrant is removed and refunded. Afterwards, the entrant plays no further round and "
        "takes no prize."
    )
    is_final = True
    tab = "tournament_field"

    def locate(self, number: int) -> None:
        self.number = number

    @cached_property
    def entrant(self) -> str:
        """The name. A number without an entry is refused by the service."""
        entry = self.row.entries.select_related("player").filter(number=self.number).first()
        return entry.player.get_full_name() if entry else f"entry {self.number}"

    @property
    def title(self) -> str:
        return f"Disqualify {self.entrant} in {self.row.name}"

    @property
    def message(self) -> str:
        return f"{self.entrant} was disqualified."

    def preview(self, data: FormData) -> Preview:
        found = super().preview(data)
        return replace(found, changes=[Change(self.entrant, "takes part", "disqualified"), *found.changes])

    def act(self, data: FormData, now: datetime) -> object:
        return registration.disqualify(
            tournament_id=self.row.pk, number=self.number, actor=self.actor, reason=data["reason"], now=now
        )


class RoleForm(ReasonForm):
    player = forms.CharField(max_length=150, help_text="The username or id.")
    role = forms.ChoiceField(
        choices=[(role, capfirst(words)) for role, words in StaffRole.choices],
        widget=forms.RadioSelect,
        initial=StaffRole.JUDGE,
    )
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


class GiveRole(TournamentAction):
    name, label, page = "give-role", "Give role", "tournament_role_give"
    route = "<uuid:pk>/people/give/"
    operations = ("tournament_roles_create",)
    form = RoleForm
    lead = "A judge may not play."
    message = "The role was given."
    tab = "tournament_people"

    @property
    def title(self) -> str:
        return f"Give a role in {self.row.name}"

    def preview(self, data: FormData) -> Preview:
        super().preview(data)
        held = roles.roles_in(self.row).filter(player=data["player"]).first()  # a new role takes its place
        return _role(Player.objects.get(pk=data["player"]), held.role if held else "none", data["role"])

    def act(self, data: FormData, now: datetime) -> object:
        role = StaffRole(data["role"])
        return roles.give(
            tournament_id=self.row.pk, player_id=data["player"], role=role, actor=self.actor, now=now
        )


class TakeRole(TournamentAction):
    name, label, page = "take-role", "Take role away", "tournament_role_take"
    route = "<uuid:pk>/people/<uuid:player>/take/"
    operations = ("tournament_roles_delete",)
    lead = "Their rulings stay in effect."
    message = "The role was taken away."
    tab = "tournament_people"

    def locate(self, player: UUID) -> None:
        held = roles.roles_in(self.row).filter(player=player).first()
        if held is None:
            raise NotFound
        self.held = held

    @property
    def title(self) -> str:
        return f"Take the role of {self.held.role} from {self.held.player.get_full_name()}"

    def preview(self, data: FormData) -> Preview:
        super().preview(data)
        return _role(self.held.player, self.held.role, "none")

    def act(self, data: FormData, now: datetime) -> None:
        player = self.held.player_id
        roles.take(tournament_id=self.row.pk, player_id=player, actor=self.actor, now=now)


def _role(player: Player, before: str, after: str) -> Preview:
    return Preview(changes=[Change(f"Role of {player.get_full_name()}", before, after)])
