"""Players in the back office: looked at, given roles, helped back in, erased. No password or token is ever shown,
but for a recovery link's own, once, to the one who made it."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts import services
from accounts.models import Player, RecoveryLink, StaffAction
from accounts.roles import Role
from api.errors import Problem
from api.office import ReadOnly


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        choices=[(role.value, role.value) for role in Role],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    reason = forms.CharField(max_length=500)


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=500)


@admin.register(Player)
class PlayerAdmin(ReadOnly):
    list_display = ["username", "display_name", "id", "is_bot", "roles", "is_active", "date_joined"]
    list_filter = ["is_bot", "is_active", "groups"]
    search_fields = ["username", "display_name", "email", "=id"]
    ordering = ["username"]
    fields = [
        "id",
        "username",
        "display_name",
        "email",
        "is_bot",
        "is_active",
        "roles",
        "date_joined",
        "last_login",
        "erased_at",
    ]
    actions = ["grant", "recover", "erase"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, player: Player) -> str:
        return ", ".join(group.name for group in player.groups.all())

    @admin.action(description="Give exactly these roles …", permissions=["grant"])
    def grant(self, request: HttpRequest, queryset: QuerySet[Player]) -> HttpResponse | None:
        form = RolesForm(request.POST if "confirmed" in request.POST else None)
        if not form.is_valid():
            return self._ask(request, queryset, form, action="grant", title="Give exactly these roles")
        roles = frozenset(Role(name) for name in form.cleaned_data["roles"])
        for player in queryset:
            self._try(
                request,
                player,
                "holds these roles now",
                lambda player=player: services.set_roles(
                    player=player,
                    roles=roles,
                    by=_staff(request),
                    now=timezone.now(),
                    reason=form.cleaned_data["reason"],
                ),
            )
        return None

    @admin.action(description="Make a recovery link", permissions=["recover"])
    def recover(self, request: HttpRequest, queryset: QuerySet[Player]) -> None:
        for player in queryset:
            try:
                link, token = services.recovery_link(player=player, by=_staff(request), now=timezone.now())
            except Problem as problem:
                self.message_user(request, f"{player}: {problem.detail}", messages.ERROR)
            else:
                told = (
                    f"{player}: the recovery token, shown this once, good until {link.expires_at:%c}: {token}"
                )
                self.message_user(request, told, messages.SUCCESS)

    @admin.action(description="Erase names, contacts and sign-ins for good …", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Player]) -> HttpResponse | None:
        form = ReasonForm(request.POST if "confirmed" in request.POST else None)
        if not form.is_valid():
            return self._ask(request, queryset, form, action="erase", title="Erase these players for good")
        for player in queryset:
            self._try(
                request,
                player,
                "is erased",
                lambda player=player: services.erase_player(
                    player=player, by=_staff(request), now=timezone.now(), reason=form.cleaned_data["reason"]
                ),
            )
        return None

    def _ask(
        self, request: HttpRequest, queryset: QuerySet[Player], form: forms.Form, *, action: str, title: str
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": title,
            "action": action,
            "form": form,
            "players": queryset,
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/accounts/confirm.html", context)

    def _try(self, request: HttpRequest, player: Player, done: str, deed: Any) -> None:
        name = str(player)
        try:
            deed()
        except Problem as problem:
            self.message_user(request, f"{name}: {problem.detail}", messages.ERROR)
        else:
            self.message_user(request, f"{name} {done}.", messages.SUCCESS)

    def has_grant_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("accounts.grant_roles"))

    def has_recover_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("accounts.recover_player"))

    def has_erase_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("accounts.erase_player"))


@admin.register(RecoveryLink)
class RecoveryLinkAdmin(ReadOnly):
    list_display = fields = ("player", "made_by", "made_at", "expires_at", "used_at")
    list_display_links = None
    ordering = ["-made_at"]


@admin.register(StaffAction)
class StaffActionAdmin(ReadOnly):
    list_display = ["at", "actor", "action", "subject", "reason"]
    list_filter = ["action"]
    search_fields = ["=actor", "subject"]


@admin.register(TOTPDevice)
class EnrolledCodeAdmin(ReadOnly):
    """Who has enrolled a one-time code; the key behind it is shown to nobody."""

    list_display = fields = ("user", "confirmed", "created_at", "last_used_at")
    list_display_links = None


class SignIns(ReadOnly):
    """Who tried to come in, and from where. What else was sent is shown to nobody."""

    search_fields = ("=username", "=ip_address")


@admin.register(AccessAttempt)
class FailedSignInAdmin(SignIns):
    list_display = fields = ("attempt_time", "username", "ip_address", "path_info", "failures_since_start")


@admin.register(AccessLog)
class SignInAdmin(SignIns):
    list_display = fields = ("attempt_time", "username", "ip_address", "path_info", "logout_time")


@admin.register(AccessFailureLog)
class LockedSignInAdmin(SignIns):
    list_display = fields = ("attempt_time", "username", "ip_address", "path_info", "locked_out")


def _staff(request: HttpRequest) -> Player:
    assert isinstance(request.user, Player)  # the site lets nobody else in
    return request.user
