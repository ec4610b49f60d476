"""What the back office's first page counts. Only reads, and only what the reader may open as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Tile:
    """A number on the first page, and the list behind it."""

    label: str
    count: int
    url: str
    is_alert: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    label: str
    model: str
    where: Mapping[str, Any]
    listed: Mapping[str, str]
    """The change list's own query for the same rows."""
    alerts: bool = False


COUNTED = (
    Counted("Tables waiting", "games.GameRecord", {"status": "open"}, {"status__exact": "open"}),
    Counted("Games being played", "games.GameRecord", {"status": "active"}, {"status__exact": "active"}),
    Counted(
        "Tournaments open for entries",
        "tournaments.Tournament",
        {"status": "published"},
        {"status__exact": "published"},
    ),
    Counted(
        "Tournaments running", "tournaments.Tournament", {"status": "running"}, {"status__exact": "running"}
    ),
    Counted("Jobs given up", "jobs.Job", {"failed__isnull": False}, {"state": "failed"}, alerts=True),
    Counted("Players", "accounts.Player", {"is_active": True, "is_bot": False}, {"is_bot__exact": "0"}),
)


def tiles(site: AdminSite, request: HttpRequest) -> list[Tile]:
    """The counts of what is registered with the site and open to this reader."""
    shown = []
    for counted in COUNTED:
        model = apps.get_model(counted.model)
        if not site.is_registered(model) or not site.get_model_admin(model).has_view_permission(request):
            continue
        count = model._default_manager.filter(**counted.where).count()
        page = reverse(f"{site.name}:{model._meta.app_label}_{model._meta.model_name}_changelist")
        shown.append(
            Tile(counted.label, count, f"{page}?{urlencode(counted.listed)}", counted.alerts and count > 0)
        )
    return shown
