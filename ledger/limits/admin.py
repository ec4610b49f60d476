"""Admin pages of limits and stops: staff read, administrators add, rows are never edited."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.limits.actions import SetLimit, StopPlay
from ledger.limits.models import LimitChange, PlayStop
from ledger.money import money
from staff.admin import ActionAdmin
from staff.columns import subject_column

PROTECTED = subject_column("protected_id", "player")


@admin.register(LimitChange)
class LimitChangeAdmin(ActionAdmin):
    list_actions = [SetLimit]
    list_display = ["at", PROTECTED, "kind", "period", "amount_money", "was_money", "effective_at", "actor"]
    search_fields = ["=protected"]
    ordering = ["-pk"]
    fields = [
        PROTECTED, "kind", "period", "amount_money", "was_money", "at", "effective_at", "actor", "reason",
    ]  # fmt: skip

    @admin.display(description="limit")
    def amount_money(self, change: LimitChange) -> SafeString | str:
        return _limit(change.amount, change.currency)

    @admin.display(description="before")
    def was_money(self, change: LimitChange) -> SafeString | str:
        return _limit(change.was, change.currency)

    def subtitle(self, row: LimitChange) -> str:
        return f"{row.get_kind_display()} per {row.period}"


def _limit(amount: int | None, currency: str) -> SafeString | str:
    return (
        "none" if amount is None else format_html('<span class="unbroken">{}</span>', money(amount, currency))
    )


@admin.register(PlayStop)
class PlayStopAdmin(ActionAdmin):
    list_actions = [StopPlay]
    list_display = ["at", PROTECTED, "kind", "until_text", "actor", "reason"]
    list_filter = ["kind"]
    search_fields = ["=protected"]
    ordering = ["-pk"]
    fields = [PROTECTED, "kind", "at", "until_text", "actor", "reason"]

    @admin.display(description="until")
    def until_text(self, stop: PlayStop) -> str:
        return "permanent" if stop.until is None else f"{stop.until:%d %b %Y %H:%M}"

    def subtitle(self, row: PlayStop) -> str:
        return f"{row.get_kind_display()}: {self.until_text(row)}"
