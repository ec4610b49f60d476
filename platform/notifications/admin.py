"""Deliveries of notifications on the staff site: read-only, without the texts."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin
from django.db.models import Q

from notifications.models import Delivery, Outcome
from staff.columns import state_column
from staff.dashboard import CountCard, register_cards
from staff.lists import ReadOnly

OUTCOME = state_column("outcome")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("due", "channel", OUTCOME, "claimed_at", "ended_at", "error")
    fields = ("due", "channel", OUTCOME, "tries", "claimed_at", "ended_at", "error", "id")
    list_filter = ("outcome",)
    ordering = ("-id",)

    def subtitle(self, row: Delivery) -> str:
        return f"{row.get_channel_display()}, due {row.due:%d %b %Y %H:%M}"


register_cards(
    95,
    CountCard(
        "Failed notifications of a day",
        Delivery,
        lambda now: Q(outcome=Outcome.FAILED, ended_at__gte=now - timedelta(days=1)),
        {"outcome__exact": Outcome.FAILED.value},
        is_work=True,
    ),
)
