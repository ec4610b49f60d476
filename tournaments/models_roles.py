"""Who helps the organizer of a tournament, and how far they may go."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Office(models.TextChoices):
    JUDGE = "judge", "rules: corrects results, disqualifies, pauses and resumes, and checks in"
    HELPER = "helper", "checks others in, and nothing else"


class TournamentRole(models.Model):
    """What somebody may do in one tournament besides its organizer, until it is taken away.

    The history of it stands in the tournament's events; the row is for asking.
    """

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="roles")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=10, choices=Office.choices)
    given_at = models.DateTimeField()

    class Meta:
        ordering = ["given_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="tournamentrole_once"),
            models.CheckConstraint(name="tournamentrole_known", condition=Q(role__in=Office.values)),
        ]

    def __str__(self) -> str:
        return self.role
