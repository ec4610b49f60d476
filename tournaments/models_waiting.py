"""Who waits for a place in a tournament that is full."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

MOST_WAITING = 1_000


class WaitingEnd(models.TextChoices):
    ADMITTED = "admitted"
    LEFT = "left", "by themselves"
    PASSED_OVER = "passed-over", "when their turn came they could not enter"
    STARTED = "started", "the tournament began without them"
    CANCELLED = "cancelled", "the tournament was called off"


class WaitingQuerySet(models.QuerySet["Waiting"]):
    def in_line(self) -> WaitingQuerySet:
        """Those who still wait, the first of them first."""
        return self.filter(ended_at=None).order_by("number").select_related("player")


class Waiting(models.Model):
    """A place in the line of a tournament. No money is taken before they are admitted.

    The history of it stands in the tournament's events, except `code`: why somebody could not enter is theirs alone.
    """

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="waiting")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="the order of the line")
    client_seed = models.CharField(max_length=64, blank=True)
    since = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=12, choices=WaitingEnd.choices, default="", blank=True)
    code = models.CharField(max_length=40, blank=True, help_text="why they were passed over")

    objects = WaitingQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "waiting"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="waiting_number_once"),
            models.UniqueConstraint(
                fields=["tournament", "player"], condition=Q(ended_at=None), name="waiting_player_once"
            ),
            models.CheckConstraint(name="waiting_number_from_1", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="waiting_ended",
                condition=Q(ended_at=None, ended="", code="")
                | Q(ended_at__isnull=False, ended=WaitingEnd.PASSED_OVER)
                | (
                    Q(ended_at__isnull=False, ended__in=WaitingEnd.values, code="")
                    & ~Q(ended=WaitingEnd.PASSED_OVER)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"number {self.number} in line"
