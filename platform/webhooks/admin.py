"""Webhooks in the back office: looked at, never their secrets."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from webhooks.models import Attempt, Delivery, Hook


class _ReadOnly:
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Hook)
class HookAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # Django's own is not subscriptable
    list_display = ("url", "owner", "subject", "created_at", "disabled_at", "disabled_why")
    fields = ("id", "url", "owner", "subject", "created_at", "disabled_at", "disabled_why")
    search_fields = ("url", "=subject")


class AttemptInline(_ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = Attempt
    fields = ("number", "at", "status", "error", "answer", "took")
    extra = 0


@admin.register(Delivery)
class DeliveryAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("id", "type", "subject", "position", "hook", "state", "created_at", "ended_at")
    fields = ("id", "hook", "type", "subject", "position", "body", "state", "created_at", "ended_at")
    list_filter = ("state", "type")
    list_select_related = ("hook",)
    search_fields = ("=id", "=subject")
    inlines = (AttemptInline,)
