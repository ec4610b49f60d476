from __future__ import annotations

from django.db import models


class StoredResponse(models.Model):
    """The response to a command, stored so that the same command gets the same response."""

    command = models.CharField(primary_key=True, max_length=64)
    fingerprint = models.CharField(max_length=64)
    actor = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(default="null")
    headers = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.command
