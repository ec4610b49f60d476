"""Browsers that receive push messages."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from webhooks.targets import MOST_URL


class Subscription(models.Model):
    """A browser of a player: where its messages are sent, and the keys that encrypt them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    endpoint = models.CharField(max_length=MOST_URL, unique=True, help_text="its address at the push service")
    p256dh = models.CharField(max_length=100, help_text="the browser's public key, base64url")
    auth = models.CharField(max_length=40, help_text="the secret shared with the browser, base64url")
    name = models.CharField(max_length=60, help_text="the browser and its system")
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, help_text="the last time that the push service took a message")

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name
