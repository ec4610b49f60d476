"""The staff site: Django's admin site with the dashboard as its first page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from accounts.models import Player, Token
from accounts.roles import lacks_second_factor
from accounts.services import token_names
from accounts.sign_in import needs_confirmation
from accounts.staff import before_erasing
from games.models import GameRecord
from ledger.money import money
from ledger.staff import players
from ledger.staff.actions import VIEW_LEDGER
from ledger.staff.players import LATEST, Part, player_part
from staff import dashboard, pages, subjects
from staff.columns import NOTHING, in_words
from staff.lists import ReadOnly
from staff.models import ActionRecord
from staff.subjects import Link

SEEN = 10
SEE_ALL = "staff.view_actionrecord"


class StaffSite(admin.AdminSite):
    site_header = "Racecard staff"
    site_title = "Racecard"
    index_title = "Dashboard"
    enable_nav_sidebar = True
    empty_value_display = NOTHING

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register only read-only admin classes. Admin pages of libraries show every column and allow any lookup."""
        if admin_class is not None and issubclass(admin_class, ReadOnly):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not lacks_second_factor(request.user)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        context = super().each_context(request)
        context["currency"] = settings.RACECARD_CURRENCY
        context["is_play_money"] = settings.RACECARD_CURRENCY == settings.PLAY_MONEY
        context["staff_pages"] = pages.navigation(self, request)
        return context

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        found = super().get_app_list(request, app_label)
        return found if app_label else pages.grouped(pages.unlisted(found))

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Refuse addresses that the database cannot store, before a list queries them."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def strict(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            values = (value for values in request.GET.lists() for value in values[1])
            if any("\0" in text for text in (request.path_info, *values)):
                raise BadRequest("An address must not contain NUL characters.")
            return inner(request, *args, **kwargs)

        return strict

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseRedirect:
        """Signing in is a page of the web client, also for staff. It returns to the page that was requested."""
        here = reverse("admin:index", current_app=self.name)
        wanted = request.GET.get("next", "")
        inside = wanted if wanted.startswith(here) else here
        if self.has_permission(request):
            return HttpResponseRedirect(inside)
        page = "/account/" if lacks_second_factor(request.user) else "/sign-in/"
        return HttpResponseRedirect(f"{page}?{urlencode({'next': inside})}")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return HttpResponseRedirect("/account/")

    def password_change_done(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return self.password_change(request)

    def confirmation(self, request: HttpRequest) -> HttpResponseRedirect | None:
        """Return the way to the page where the user confirms their identity, if the session must do so first."""
        if not needs_confirmation(request):
            return None
        return HttpResponseRedirect(f"/confirm-identity/?{urlencode({'next': request.get_full_path()})}")

    def get_urls(self) -> list[Any]:
        # The site's own patterns end with a catch-all.
        return [*pages.urls(self), *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        now = timezone.now()
        rings = request.user.has_perm(VIEW_LEDGER)
        work = dashboard.tasks(request, now, by_age=(by_age := request.GET.get("order") == "age"))
        cards = dashboard.cards(request, now)
        alarms = dashboard.beyond(dashboard.alarms(now=now), work) if rings else None
        shown = {
            "work": [{"task": task, "waiting": task.waiting(now)} for task in work],
            "by_age": by_age,
            "alarms": None if alarms is None else dashboard.shown_to(request.user, alarms),
            "cards": cards,
            "lists": [card for card in cards if card.is_work and card.figure != "0"],
            "figures": [card for card in cards if not card.is_work],
            "recent": recent(request),
            "sees_all_staff": request.user.has_perm(SEE_ALL),
        }
        return super().index(request, {**shown, **(extra_context or {})})


@dataclass(frozen=True, slots=True)
class Recent:
    at: datetime
    who: str
    what: str
    subject: Link | None
    made: Link | None
    reason: str


def recent(request: HttpRequest) -> list[Recent]:
    """The latest staff actions, newest first: of all staff, for readers who may see them, else the reader's own.

    Of their subjects, only those that the reader may open are links.
    """
    found = ActionRecord.objects.order_by("-id")
    if not request.user.has_perm(SEE_ALL):
        found = found.filter(actor=str(request.user.pk))
    rows = list(found[:SEEN])
    links = subjects.links(
        (about for row in rows for about in (row.subject, row.made) if about), request.user
    )
    names = dict(Player.objects.filter(pk__in={row.actor for row in rows}).values_list("pk", "username"))
    return [
        Recent(
            row.at,
            names.get(row.actor, "the command line"),
            in_words(row.action),
            *_objects(links.get(row.subject), links.get(row.made)),
            row.reason if row.visible_reason == row.reason else "",
        )
        for row in rows
    ]


def _objects(subject: Link | None, made: Link | None) -> tuple[Link | None, Link | None]:
    """Return the subject and what was made, or only the latter if its name has that of the subject in it."""
    return (made, None) if subject and made and subject.text in made.text else (subject, made)


WHEN = "%d %b %Y %H:%M"


@player_part("games.view_gamerecord")
def games(player: UUID) -> Part:
    """The latest games, without their contents."""
    found = GameRecord.objects.newest_seating(player, None, LATEST)
    rows = [
        [
            Link(str(game), reverse("admin:games_gamerecord_change", args=[game.pk])),
            Link(game.status),
            Link(f"{game.ended_at:{WHEN}}" if game.ended_at else "–"),
        ]
        for game in found
    ]
    return Part("Latest games", ["Game", "State", "Ended"], rows, "No game yet.")


@player_part("accounts.view_player")
def tokens(player: UUID) -> Part:
    """Active tokens, by name or by the id that their owner sees, without the secret."""
    live = Token.objects.filter(player=player, expires__gt=timezone.now()).order_by("-created")[:LATEST]
    names = token_names(token.token_key for token in live)
    rows = [
        [
            Link(names.get(token.token_key) or f"Without a name ({token.token_key[:8]})"),
            Link(", ".join(token.scopes.split())),
            Link(f"{token.created:{WHEN}}"),
            Link(f"{token.expires:{WHEN}}"),
            Link(f"{token.last_used:{WHEN}}" if token.last_used else "–"),
        ]
        for token in live
    ]
    return Part(
        "Active tokens",
        ["Token", "Scopes", "Created", "Expires", "Last used"],
        rows,
        "No active tokens.",
    )


@before_erasing
def open_matters(player: Player) -> Iterable[tuple[str, str]]:
    """Return the balance and the open games that the account would leave behind."""
    wallets = players.wallets([player.pk]).get(player.pk, ())
    had = [money(wallet.total, wallet.currency) for wallet in wallets if wallet.total]
    yield "Balance", f"{', '.join(had)}: pay it out first" if had else "none"
    open_games = GameRecord.objects.filter(seatings__player=player, status__in=["open", "active"]).count()
    yield "Open games", f"{open_games}: they stall or time out" if open_games else "none"
