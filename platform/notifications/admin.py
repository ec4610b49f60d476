"""Deliveries of notifications on the staff site: read-only, without the texts."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin
from django.db.models import Q

from notifications.models import Delivery, Outcome
from staff.dashboard import CountCard, register_cards
from staff.lists import ReadOnly


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("id", "channel", "due", "claimed_at", "ended_at", "outcome", "error")
    fields = ("id", "channel", "due", "tries", "claimed_at", "ended_at", "outcome", "error")
    list_filter = ("outcome",)
    ordering = ("-id",)


register_cards(
    95,
    CountCard(
        "Failed notifications of a day",
        Delivery,
        lambda now: Q(outcome=Outcome.FAILED, ended_at__gte=now - timedelta(days=1)),
        {"outcome__exact": Outcome.FAILED.value},
    ),
)
