"""Admin pages of limits and stops: staff read, administrators add, rows are never edited."""

from __future__ import annotations

from django.contrib import admin

from ledger.limits.actions import SetLimit, StopPlay
from ledger.limits.models import LimitChange, PlayStop
from ledger.money import money
from staff.admin import ActionAdmin


@admin.register(LimitChange)
class LimitChangeAdmin(ActionAdmin):
    list_actions = [SetLimit]
    list_display = ["at", "protected", "kind", "period", "amount_money", "was_money", "effective_at", "actor"]
    search_fields = ["=protected"]
    ordering = ["-pk"]
    list_select_related = ["protected"]
    fields = [
        "protected", "kind", "period", "amount_money", "was_money", "at", "effective_at", "actor", "reason",
    ]  # fmt: skip

    @admin.display(description="limit", empty_value="none")
    def amount_money(self, change: LimitChange) -> str | None:
        return None if change.amount is None else money(change.amount, change.currency)

    @admin.display(description="was", empty_value="none")
    def was_money(self, change: LimitChange) -> str | None:
        return None if change.was is None else money(change.was, change.currency)


@admin.register(PlayStop)
class PlayStopAdmin(ActionAdmin):
    list_actions = [StopPlay]
    list_display = ["at", "protected", "kind", "until_text", "actor", "reason"]
    list_filter = ["kind"]
    search_fields = ["=protected"]
    ordering = ["-pk"]
    list_select_related = ["protected"]
    fields = ["protected", "kind", "at", "until_text", "actor", "reason"]

    @admin.display(description="until", empty_value="permanent")
    def until_text(self, stop: PlayStop) -> str | None:
        return None if stop.until is None else f"{stop.until:%d %b %Y %H:%M}"
