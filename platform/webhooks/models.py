"""Webhooks and their deliveries. The deliveries are the outbox: a row is written in the transaction that it
announces.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from webhooks.targets import MOST_URL


class Hook(models.Model):
    """An address that receives all events of its owner, or those of one subject. A disabled webhook keeps its
    deliveries.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    subject = models.CharField(max_length=80, blank=True, help_text="empty: whatever is the owner's")
    url = models.CharField(max_length=MOST_URL)
    secret = models.BinaryField(max_length=64, help_text="the key of the signatures")
    created_at = models.DateTimeField()
    disabled_at = models.DateTimeField(null=True, blank=True)
    disabled_why = models.TextField(default="", blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "webhook"
        indexes = [
            models.Index(fields=["subject"], name="webhook_subject"),
            models.Index(fields=["-created_at", "-id"], name="webhook_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                name="webhook_disabled_why",
                condition=Q(disabled_at=None, disabled_why="")
                | Q(disabled_at__isnull=False) & ~Q(disabled_why=""),
            )
        ]

    def __str__(self) -> str:
        return self.url


class State(models.TextChoices):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Delivery(models.Model):
    """One event for one webhook. Every attempt has the same id, so that a receiver recognises repetitions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="deliveries")
    subject = models.CharField(max_length=80)
    position = models.PositiveIntegerField(help_text="of the event among those of its subject")
    type = models.CharField(max_length=60)
    body = models.TextField(help_text="what is sent, to the byte")
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    rounds = models.PositiveIntegerField(default=1, help_text="how often its sending was started")
    tries = models.PositiveIntegerField(default=0, help_text="attempts since it was")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "delivery of a webhook"
        verbose_name_plural = "deliveries of webhooks"
        indexes = [
            models.Index(fields=["hook", "-created_at", "-id"], name="webhook_delivery_newest"),
            models.Index(fields=["ended_at"], name="webhook_delivery_ended"),
            models.Index(fields=["-created_at", "-id"], name="webhook_delivery_all"),
            models.Index(fields=["state", "-created_at", "-id"], name="webhook_delivery_state"),
            models.Index(fields=["subject", "-created_at"], name="webhook_delivery_subject"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["hook", "subject", "position"], name="webhook_event_once"),
            models.CheckConstraint(
                name="webhook_delivery_ended_once",
                condition=Q(state=State.WAITING, ended_at=None)
                | Q(state__in=[State.DELIVERED, State.FAILED], ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} of {self.subject}"


class Attempt(models.Model):
    """One attempt to send a delivery. Only the beginning of the response is stored."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, help_text="null: there was no answer")
    error = models.CharField(max_length=200, blank=True)
    answer = models.CharField(max_length=200, blank=True)
    took = models.PositiveIntegerField(help_text="milliseconds")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["delivery", "number"], name="webhook_attempt_once")]

    def __str__(self) -> str:
        return f"attempt {self.number}"
