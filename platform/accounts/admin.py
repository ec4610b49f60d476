"""Players on the staff site: view, roles, reset of sign-in, erasure.

No password or token is ever shown, except the link for a new password, once, to the administrator who made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount import providers
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import STAFF_NAME, Player, PlayerReport, staff_name
from accounts.roles import Role
from accounts.staff import CloseReport, Erase, Reinstate, Rename, ResetSignIn, SetRoles, Suspend
from staff import subjects
from staff.admin import ActionAdmin
from staff.columns import state, subject_column
from staff.dashboard import MOST_NAMED, OLDEST, CountCard, Task, at_most, register_cards, register_tasks
from staff.lists import ReadOnly, choices_of, named_filter, whether

RoleFilter = choices_of("groups__name", lambda: [(role.value, role.value) for role in Role], "role")


@admin.register(Player)
class PlayerAdmin(ActionAdmin):
    staff_actions = [SetRoles, Rename, Suspend, Reinstate, ResetSignIn, Erase]
    list_display = ["username", "display_name", "roles", "account", "bot", "date_joined"]
    list_filter = [named_filter("is_bot", "bot"), named_filter("is_active", "active"), RoleFilter]
    search_fields = ["=id", "=email", "=display_name", "^username"]
    ordering = ["username"]
    fields = [
        "id",
        "username",
        "display_name",
        "email",
        "bot",
        "owner",
        "account",
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

    @admin.display(description="state")
    def account(self, player: Player) -> SafeString:
        if player.erased_at:
            return state("erased")
        return state("active" if player.is_active else "suspended")

    @admin.display(description="bot", boolean=True)
    def bot(self, player: Player) -> bool:
        return player.is_bot

    @admin.display(description="reports")
    def reports(self, player: Player) -> SafeString:
        """The number of reports about a player, with a link to them."""
        about = PlayerReport.objects.filter(player=player).order_by().values("pk")
        waiting, total = (
            at_most(rows[: MOST_NAMED + 1].count()) for rows in (about.filter(closed=None), about)
        )
        return format_html(
            '<a href="{}?q={}">{} open, {} in total</a>',
            reverse("admin:accounts_playerreport_changelist"),
            player.pk,
            waiting,
            total,
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        reports = ["reports"] if request.user.has_perm("accounts.view_playerreport") else []
        return [*self.fields, *reports]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        # Django's messages for editors do not apply to read-only pages.
        return super().get_form(request, obj, change, help_texts=dict.fromkeys(self.fields, ""), **kwargs)


subjects.register(
    "player",
    view="admin:accounts_player_change",
    names=subjects.names_of(Player, STAFF_NAME[0], lambda key, *name: staff_name(*name), *STAFF_NAME[1:]),
    permission="accounts.view_player",
)


IN_GAME = subject_column("game", of=lambda report: f"game:{report.game}" if report.game else "")


@admin.register(PlayerReport)
class PlayerReportAdmin(ActionAdmin):
    staff_actions = [CloseReport]
    list_display = ["created", "player", "reason", "reporter", "outcome"]
    list_filter = [whether("closed", "Open", "Closed")]
    list_select_related = ["player", "reporter"]
    search_fields = ["=player__id", "^player__username"]
    ordering = ["-created", "-pk"]
    fields = [
        *("created", "player", "reason", "text", IN_GAME, "reporter", "closed", "closed_by", "outcome"),
    ]

    def subtitle(self, row: PlayerReport) -> str:
        return f"{row.player}: {row.get_reason_display()}"


class SignInData(ReadOnly):
    """What a player signs in with or has signed in from, without keys."""

    list_display_links = None
    ordering = ["-pk"]
    search_fields: ClassVar[tuple[str, ...]] = ("=user__id", "^user__username")
    list_select_related = ["user"]

    @admin.display(description="player")
    def player(self, row: Any) -> SafeString:
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:accounts_player_change", args=[row.user_id]), row.user
        )


@admin.register(EmailAddress)
class EmailAddressAdmin(SignInData):
    list_display = fields = ("player", "email", "verified", "primary")
    search_fields: ClassVar[tuple[str, ...]] = (*SignInData.search_fields, "=email")


@admin.register(Authenticator)
class SecondFactorAdmin(SignInData):
    list_display = fields = ("player", "type", "created_at", "last_used_at")


@admin.register(SocialAccount)
class LinkedAccountAdmin(SignInData):
    list_display = fields = ("player", "service", "date_joined", "last_login")

    @admin.display(description="service")
    def service(self, account: SocialAccount) -> str:
        known = providers.registry.get_class(account.provider)
        return str(known.name) if known else account.provider


BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {
    **{name: name for name in ("Android", "iPhone", "iPad", "Windows")}, "Mac OS": "macOS", "Linux": "Linux"
}  # fmt: skip


def device(agent: str) -> str:
    """Return the browser and system of a User-Agent header as the web client does, or the beginning of another.

    >>> device("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"), device("curl/8.5.0")
    ('Firefox, Linux', 'curl/8.5.0')
    """
    named = (
        next((name for sign, name in known.items() if sign in agent), "") for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, named)) or agent[:40]


@admin.register(UserSession)
class SessionAdmin(SignInData):
    list_display = fields = ("created_at", "player", "address", "browser")

    @admin.display(description="IP address")
    def address(self, session: UserSession) -> str:
        return str(session.ip)

    @admin.display(description="browser")
    def browser(self, session: UserSession) -> str:
        return device(session.user_agent)


register_cards(
    40,
    CountCard(
        "Open reports of players",
        PlayerReport,
        lambda now: Q(closed=None),
        {"closed__isempty": "1"},
        is_work=True,
    ),
    CountCard(
        "Players",
        Player,
        lambda now: Q(is_active=True, is_bot=False),
        {"is_bot__exact": "0", "is_active__exact": "1"},
    ),
)

READ_WITHIN = timedelta(days=2)


@register_tasks
def reports_to_read(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield the oldest open reports of players."""
    if not CloseReport.may(request.user):
        return
    waiting = PlayerReport.objects.filter(closed=None).select_related("player", "reporter")
    for report in waiting.order_by("created", "pk")[:OLDEST]:
        yield Task(
            "Report",
            str(report.player),
            reverse("admin:accounts_playerreport_change", args=[report.pk]),
            report.created,
            "Close report",
            reverse("admin:accounts_playerreport_close", args=[report.pk]),
            detail=f"{report.get_reason_display()}, reported by {report.reporter}. {report.text}".strip(),
            is_urgent=now - report.created > READ_WITHIN,
        )
