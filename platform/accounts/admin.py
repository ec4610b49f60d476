"""Players on the staff site: view, roles, recovery, erasure. No password or token is ever shown, except that of a new
recovery link, once, to the administrator who made it.
"""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import Player, RecoveryLink
from accounts.staff import Erase, MakeRecoveryLink, SetRoles
from staff import subjects
from staff.admin import ActionAdmin
from staff.dashboard import CountCard, register_cards
from staff.lists import ReadOnly


@admin.register(Player)
class PlayerAdmin(ActionAdmin):
    staff_actions = [SetRoles, MakeRecoveryLink, Erase]
    list_display = ["username", "display_name", "id", "is_bot", "roles", "is_active", "date_joined"]
    list_filter = ["is_bot", "is_active", "groups"]
    search_fields = ["=id", "=email", "=display_name", "^username"]
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
    change_form_template = "admin/accounts/player.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, player: Player) -> str:
        return ", ".join(group.name for group in player.groups.all())

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        # Django's messages for editors do not apply to read-only pages.
        return super().get_form(request, obj, change, help_texts=dict.fromkeys(self.fields, ""), **kwargs)


subjects.register(
    "player",
    view="admin:accounts_player_change",
    names=subjects.names_of(Player, "username"),
    permission="accounts.view_player",
)


@admin.register(RecoveryLink)
class RecoveryLinkAdmin(ReadOnly):
    list_display = fields = ("player", "made_by", "made_at", "expires_at", "used_at")
    list_display_links = None
    ordering = ["-made_at"]


@admin.register(TOTPDevice)
class EnrolledCodeAdmin(ReadOnly):
    """Enrolled one-time codes, without their keys."""

    list_display = fields = ("user", "confirmed", "created_at", "last_used_at")
    list_display_links = None


class SignIns(ReadOnly):
    """Failed sign-ins and their addresses, without other data that was sent."""

    ordering = ["-id"]
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


register_cards(
    40,
    CountCard(
        "Players",
        Player,
        lambda now: Q(is_active=True, is_bot=False),
        {"is_bot__exact": "0", "is_active__exact": "1"},
    ),
)
