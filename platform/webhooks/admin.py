"""Webhooks on the staff site: read-only, without their secrets."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from staff.columns import TECHNICAL, html_table, in_words, state
from staff.lists import ReadOnly
from webhooks.models import Attempt, Delivery, Hook


@admin.register(Hook)
class HookAdmin(ReadOnly):
    list_display = ("address", "owner", "subject", "enabled", "created_at")
    list_select_related = ("owner",)
    fields = ("address", "owner", "subject", "enabled", "created_at", "disabled_at", "why", "id")
    search_fields = ("=owner", "=subject")

    @admin.display(description="address")
    def address(self, hook: Hook) -> str:
        return hook.url

    @admin.display(description="state")
    def enabled(self, hook: Hook) -> SafeString:
        return state("active") if hook.disabled_at is None else state("stalled", "disabled")

    @admin.display(description="disabled because")
    def why(self, hook: Hook) -> str:
        return hook.disabled_why

    def subtitle(self, row: Hook) -> str:
        return row.url


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("created_at", "what", "subject", "address", "state", "ended_at")
    fields = (
        "what",
        "subject",
        "hook",
        "state",
        "created_at",
        "ended_at",
        "attempts",
        "position",
        "body",
        "id",
    )
    technical = TECHNICAL | {"body"}
    list_filter = ("state",)
    list_select_related = ("hook",)
    search_fields = ("=id", "=subject")

    @admin.display(description="event")
    def what(self, delivery: Delivery) -> str:
        return in_words(delivery.type)

    @admin.display(description="address")
    def address(self, delivery: Delivery) -> str:
        return delivery.hook.url

    @admin.display(description="attempts")
    def attempts(self, delivery: Delivery) -> SafeString:
        rows = (
            (f"{one.at:%d %b %Y %H:%M:%S}", _result(one), one.answer, f"{one.took} ms")
            for one in delivery.attempts.all()
        )
        return html_table(["at", "result", "beginning of the answer", "took"], rows)

    def subtitle(self, row: Delivery) -> str:
        return f"{in_words(row.type)}: {super().subtitle(row)}"


def _result(attempt: Attempt) -> str:
    return attempt.error or f"HTTP {attempt.status}"
