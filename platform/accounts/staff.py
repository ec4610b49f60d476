"""Staff actions on players: roles, recovery links, erasure. Each has a reason and a preview.

The services record them, because they are also available over REST.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from knox.models import AuthToken

from accounts import services
from accounts.models import Player, RecoveryLink, StaffAction
from accounts.roles import Role
from accounts.services import record_action
from staff.actions import ActionAdmin, AlreadyDone, Done, FormData, Preview, ReasonForm

Tell = Callable[[Player], Iterable[tuple[str, str]]]
"""Returns further facts of a player for the preview of an erasure: label and value."""

_known: list[Tell] = []


def before_erasing(tell: Tell) -> Tell:
    """Register facts from packages above this one, such as money and games."""
    _known.append(tell)
    return tell


class RolesForm(ReasonForm):
    roles = forms.MultipleChoiceField(
        choices=[(role.value, role.value.capitalize()) for role in Role],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="The player will have exactly these roles.",
    )
    field_order = ("roles", "reason")


@dataclass(frozen=True, slots=True)
class Offer:
    """An available action on the page of a player."""

    label: str
    address: str
    grave: bool = False


DEEDS = {
    "roles": ("Set roles", "accounts.grant_roles"),
    "recover": ("Make a recovery link", "accounts.recover_player"),
    "erase": ("Erase", "accounts.erase_player"),
}


class PlayerActionAdmin(ActionAdmin):
    records_actions: ClassVar[bool] = False

    def get_urls(self) -> list[URLPattern]:
        views = {"roles": self.roles_view, "recover": self.recover_view, "erase": self.erase_view}
        own = [
            path(
                f"<uuid:player_id>/{name}/", self.admin_site.admin_view(view), name=f"accounts_player_{name}"
            )
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def offers(self, request: HttpRequest, player: Player) -> list[Offer]:
        """The available actions on a player. There are none on bots and erased players."""
        if player.is_bot or player.erased_at is not None:
            return []
        return [
            Offer(label, reverse(f"admin:accounts_player_{name}", args=[player.pk]), name == "erase")
            for name, (label, permission) in DEEDS.items()
            if request.user.has_perm(permission)
        ]

    def roles_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "roles")

        def give(given: FormData) -> Done:
            roles = frozenset(Role(name) for name in given["roles"])
            services.set_roles(player=player, roles=roles, by=by, now=timezone.now(), reason=given["reason"])
            return _done(player, f"{player} holds these roles now: {_named(roles)}.")

        def preview(given: FormData) -> Preview:
            services.check_may_hold_roles(player)
            had = set(player.groups.values_list("name", flat=True))
            wanted = set(given["roles"])
            facts = [
                ("Player", str(player)),
                ("Roles now", _named(had)),
                ("Roles then", _named(wanted)),
                ("Given", _named(wanted - had)),
                ("Taken", _named(had - wanted)),
            ]
            return Preview(facts=facts, warnings=_of_roles(had, wanted, is_own=player == by))

        return self.run_action(
            request,
            title=f"Roles of {player}",
            action="set-roles",
            form_class=RolesForm,
            initial={"roles": list(player.groups.values_list("name", flat=True))},
            preview=preview,
            perform=lambda given, key: give(given),
            button="Set roles",
            lead="The API guide lists the permissions of each role. The change takes effect immediately.",
            cancel=_page(player),
        )

    def recover_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "recover")

        def make(given: FormData) -> Done:
            link, token = services.recovery_link(
                player=player, by=by, now=timezone.now(), reason=given["reason"]
            )
            return _done(
                player,
                f"{player}: the recovery token, shown this once, good until {link.expires_at:%c}: {token}",
            )

        def preview(given: FormData) -> Preview:
            services.check_recoverable(player)
            open_links = RecoveryLink.objects.filter(
                player=player, used_at=None, expires_at__gt=timezone.now()
            )
            earlier = open_links.count()
            facts = [
                ("Player", str(player)),
                ("Good until", f"{timezone.now() + settings.RECOVERY_LINK_LIFE:%d %b %Y %H:%M} UTC, once"),
                ("Earlier links", f"{earlier} end" if earlier else "none active"),
            ]
            return Preview(
                facts=facts, warnings=["Anyone who has the link can set the password and act as this player."]
            )

        return self.run_action(
            request,
            title=f"A recovery link for {player}",
            action="make-recovery-link",
            preview=preview,
            perform=lambda given, key: make(given),
            button="Make recovery link",
            lead="For a player who has lost the password and has proven their identity. The token is shown once.",
            cancel=_page(player),
        )

    def erase_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "erase")

        def erase(given: FormData) -> Done:
            name = str(player)
            services.erase_player(player=player, by=by, now=timezone.now(), reason=given["reason"])
            return _done(player, f"{name} is erased.")

        def preview(given: FormData) -> Preview:
            services.check_erasable(player)
            facts = [*_of_erasure(player), *(line for tell in _known for line in tell(player))]
            return Preview(facts=facts, warnings=["This cannot be undone."])

        return self.run_action(
            request,
            title=f"Erase {player} for good",
            action="erase-player",
            preview=preview,
            perform=lambda given, key: erase(given),
            button="Erase player",
            lead="Names, contacts, and all sign-in methods are removed. The id stays: games and transfers use it.",
            cancel=_page(player),
        )


def _for(request: HttpRequest, player_id: UUID, name: str) -> tuple[Player, Player]:
    """The player, and the member of staff. Raises PermissionDenied, Http404."""
    if not request.user.has_perm(DEEDS[name][1]):
        raise PermissionDenied
    player = Player.objects.filter(pk=player_id).first()
    if player is None:
        raise Http404
    assert isinstance(request.user, Player)  # the site admits only players
    return player, request.user


def _page(player: Player) -> str:
    return reverse("admin:accounts_player_change", args=[player.pk])


def _done(player: Player, said: str) -> Done:
    return Done(said, f"player:{player.pk}", _page(player))


def _named(roles: Iterable[str]) -> str:
    return ", ".join(sorted(roles)) or "none"


def _of_roles(had: set[str], wanted: set[str], *, is_own: bool) -> list[str]:
    found = []
    if is_own and Role.ADMINISTRATOR in had - wanted:
        found.append("You are removing your own administrator role and will lose access to this page.")
    if had & services.MAY_HAVE_WEBHOOKS and not wanted & services.MAY_HAVE_WEBHOOKS:
        found.append("Their webhooks will be deleted.")
    return found


def _of_erasure(player: Player) -> list[tuple[str, str]]:
    tokens = AuthToken.objects.filter(user=player).count()
    codes = TOTPDevice.objects.filter(user=player).count()
    return [
        ("Name", f"{player.username}, shown as {player.display_name or player.username}: gone"),
        ("Contact", f"{player.email}: gone" if player.email else "none"),
        ("Ways in", f"the password and all sessions end; tokens: {tokens}, one-time codes: {codes}"),
        ("What stays", f"the id {player.pk}, with its games, transfers and what staff did"),
    ]


class StaffActionRecorder:
    def check_new(self, key: str) -> None:
        if StaffAction.objects.filter(key=key).exists():
            raise AlreadyDone

    def record(self, *, actor: Player, action: str, done: Done, reason: str, key: str, at: datetime) -> None:
        try:
            with transaction.atomic():
                record_action(
                    actor=actor,
                    action=action,
                    subject=done.subject,
                    at=at,
                    reason=reason,
                    made=done.result,
                    key=key,
                )
        except IntegrityError:
            raise AlreadyDone from None
