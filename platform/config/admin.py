"""The back office: Django's admin site under our name, with the state of the house on its first page."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.urls import reverse

from accounts.password_form import PasswordPage
from accounts.roles import needs_enrolment
from accounts.signin_form import SignInForm
from api.office import ReadOnly
from config import player_parts as player_parts  # told to the page of a player by importing it
from config.dashboard import needs, tiles
from config.recent import SEE_ALL, recent
from ledger.office import pages

PLAY_MONEY = "XTS"


class Office(admin.AdminSite):
    site_header = "Racecard back office"
    site_title = "Racecard"
    index_title = "The house today"
    enable_nav_sidebar = True
    login_form = SignInForm
    login_template = "admin/accounts/login.html"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Leaves out the pages that libraries bring: they show every column and allow any lookup on it."""
        if admin_class is not None and issubclass(admin_class, ReadOnly):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not needs_enrolment(request.user)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        context = super().each_context(request)
        context["currency"] = settings.RACECARD_CURRENCY
        context["is_play_money"] = settings.RACECARD_CURRENCY == PLAY_MONEY
        context["office_pages"] = pages.navigation(self, request)
        return context

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """As Django's; what no database takes is refused before a list looks for it."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def strict(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            values = (value for values in request.GET.lists() for value in values[1])
            if any("\0" in text for text in (request.path_info, *values)):
                raise BadRequest("An address holds no NUL character.")
            return inner(request, *args, **kwargs)

        return strict

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        shown = {**self.each_context(request), **(extra_context or {})}
        done = reverse("admin:password_change_done", current_app=self.name)
        request.current_app = self.name
        return PasswordPage.as_view(
            success_url=done,
            extra_context=shown,
            template_name=self.password_change_template or PasswordPage.template_name,
        )(request)

    def get_urls(self) -> list[Any]:
        # The site's own end with one that takes whatever is left.
        return [*pages.urls(self), *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        shown = {
            "tiles": tiles(self, request),
            "alarms": needs(request),
            "recent": recent(request),
            "sees_all_staff": request.user.has_perm(SEE_ALL),
        }
        return super().index(request, {**shown, **(extra_context or {})})
