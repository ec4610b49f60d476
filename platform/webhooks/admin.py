"""Webhooks on the staff site: read-only, without their secrets."""

from __future__ import annotations

from django.contrib import admin

from staff.columns import TECHNICAL
from staff.lists import NothingIsWritten, ReadOnly
from webhooks.models import Attempt, Delivery, Hook


@admin.register(Hook)
class HookAdmin(ReadOnly):
    list_display = ("url", "owner", "subject", "created_at", "disabled_at", "disabled_why")
    fields = ("url", "owner", "subject", "created_at", "disabled_at", "disabled_why", "id")

    def subtitle(self, row: Hook) -> str:
        return row.url

    search_fields = ("=owner", "=subject")


class AttemptInline(NothingIsWritten, admin.TabularInline):  # type: ignore[type-arg]
    model = Attempt
    fields = ("number", "at", "status", "error", "answer", "took")
    extra = 0


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("created_at", "type", "subject", "hook", "state", "ended_at")
    fields = ("hook", "type", "subject", "state", "created_at", "ended_at", "position", "body", "id")
    technical = TECHNICAL | {"body"}
    list_filter = ("state",)
    list_select_related = ("hook",)
    search_fields = ("=id", "=subject")
    inlines = (AttemptInline,)
