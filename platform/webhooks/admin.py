"""Webhooks on the staff site: read-only, without their secrets."""

from __future__ import annotations

from django.contrib import admin

from staff.lists import NothingIsWritten, ReadOnly
from webhooks.models import Attempt, Delivery, Hook


@admin.register(Hook)
class HookAdmin(ReadOnly):
    list_display = ("url", "owner", "subject", "created_at", "disabled_at", "disabled_why")
    fields = ("id", "url", "owner", "subject", "created_at", "disabled_at", "disabled_why")
    search_fields = ("=owner", "=subject")


class AttemptInline(NothingIsWritten, admin.TabularInline):  # type: ignore[type-arg]
    model = Attempt
    fields = ("number", "at", "status", "error", "answer", "took")
    extra = 0


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("id", "type", "subject", "position", "hook", "state", "created_at", "ended_at")
    fields = ("id", "hook", "type", "subject", "position", "body", "state", "created_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("hook",)
    search_fields = ("=id", "=subject")
    inlines = (AttemptInline,)
