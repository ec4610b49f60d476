"""What administrators do to a player in the back office, each with a reason and a preview: roles, a way in, erasure.

The services keep who did it, since each is done over REST as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from knox.models import AuthToken

from accounts import services
from accounts.models import Player, RecoveryLink
from accounts.roles import Role
from api.deeds import Commands, Done, Given, Preview, ReasonForm

Tell = Callable[[Player], Iterable[tuple[str, str]]]
"""What else is good to know of a player before they are erased: a line each."""

_known: list[Tell] = []


def before_erasing(tell: Tell) -> Tell:
    """Declare what tells it: money and games are of packages above this one."""
    _known.append(tell)
    return tell


class RolesForm(ReasonForm):
    roles = forms.MultipleChoiceField(
        choices=[(role.value, role.value.capitalize()) for role in Role],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Exactly these; none: they are a player like any other.",
    )
    field_order = ("roles", "reason")


@dataclass(frozen=True, slots=True)
class Offer:
    """A deed as the page of a player offers it."""

    label: str
    address: str
    grave: bool = False


DEEDS = {
    "roles": ("Give and take roles", "accounts.grant_roles"),
    "recover": ("Make a recovery link", "accounts.recover_player"),
    "erase": ("Erase", "accounts.erase_player"),
}


class PlayerDesk(Commands):
    keeps_deeds: ClassVar[bool] = False

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
        """What this member of staff may do to a player. A bot is nobody, and who is erased is gone."""
        if player.is_bot or player.erased_at is not None:
            return []
        return [
            Offer(label, reverse(f"admin:accounts_player_{name}", args=[player.pk]), name == "erase")
            for name, (label, permission) in DEEDS.items()
            if request.user.has_perm(permission)
        ]

    def roles_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "roles")

        def give(given: Given) -> Done:
            roles = frozenset(Role(name) for name in given["roles"])
            services.set_roles(player=player, roles=roles, by=by, now=timezone.now(), reason=given["reason"])
            return _done(player, f"{player} holds these roles now: {_named(roles)}.")

        def preview(given: Given) -> Preview:
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

        return self.command(
            request,
            title=f"Roles of {player}",
            action="set-roles",
            form_class=RolesForm,
            initial={"roles": list(player.groups.values_list("name", flat=True))},
            preview=preview,
            deed=lambda given, key: give(given),
            button="Give exactly these roles",
            lead="What each role may do is told in the guide of the API. It is in force at once.",
            cancel=_page(player),
        )

    def recover_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "recover")

        def make(given: Given) -> Done:
            link, token = services.recovery_link(
                player=player, by=by, now=timezone.now(), reason=given["reason"]
            )
            return _done(
                player,
                f"{player}: the recovery token, shown this once, good until {link.expires_at:%c}: {token}",
            )

        def preview(given: Given) -> Preview:
            services.check_recoverable(player)
            open_links = RecoveryLink.objects.filter(
                player=player, used_at=None, expires_at__gt=timezone.now()
            )
            earlier = open_links.count()
            facts = [
                ("Player", str(player)),
                ("Good until", f"{timezone.now() + settings.RECOVERY_LINK_LIFE:%d %b %Y %H:%M} UTC, once"),
                ("Links made before", f"{earlier} end" if earlier else "none in force"),
            ]
            return Preview(
                facts=facts, warnings=["Whoever has it sets the password, and is this player then."]
            )

        return self.command(
            request,
            title=f"A recovery link for {player}",
            action="make-recovery-link",
            preview=preview,
            deed=lambda given, key: make(given),
            button="Make the link",
            lead="For somebody who has lost their password, and has shown you who they are. Its token is shown once.",
            cancel=_page(player),
        )

    def erase_view(self, request: HttpRequest, player_id: UUID) -> HttpResponse:
        player, by = _for(request, player_id, "erase")

        def erase(given: Given) -> Done:
            name = str(player)
            services.erase_player(player=player, by=by, now=timezone.now(), reason=given["reason"])
            return _done(player, f"{name} is erased.")

        def preview(given: Given) -> Preview:
            services.check_erasable(player)
            facts = [*_of_erasure(player), *(line for tell in _known for line in tell(player))]
            return Preview(facts=facts, warnings=["This cannot be taken back."])

        return self.command(
            request,
            title=f"Erase {player} for good",
            action="erase-player",
            preview=preview,
            deed=lambda given, key: erase(given),
            button="Erase for good",
            lead="Names, contacts and every way to sign in go. The id stays, since games and transfers hang on it.",
            cancel=_page(player),
        )


def _for(request: HttpRequest, player_id: UUID, name: str) -> tuple[Player, Player]:
    """The player, and who is about to do that to them. Raises PermissionDenied, Http404."""
    if not request.user.has_perm(DEEDS[name][1]):
        raise PermissionDenied
    player = Player.objects.filter(pk=player_id).first()
    if player is None:
        raise Http404
    assert isinstance(request.user, Player)  # the site lets nobody else in
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
        found.append("You take your own role: you will not come in here any more.")
    if had & services.MAY_HAVE_WEBHOOKS and not wanted & services.MAY_HAVE_WEBHOOKS:
        found.append("Their webhooks are forgotten.")
    return found


def _of_erasure(player: Player) -> list[tuple[str, str]]:
    tokens = AuthToken.objects.filter(user=player).count()
    codes = TOTPDevice.objects.filter(user=player).count()
    return [
        ("Name", f"{player.username}, shown as {player.display_name or player.username}: gone"),
        ("Contact", f"{player.email}: gone" if player.email else "none is known"),
        ("Ways in", f"the password and all sessions end; tokens: {tokens}, one-time codes: {codes}"),
        ("What stays", f"the id {player.pk}, with its games, transfers and what staff did"),
    ]
