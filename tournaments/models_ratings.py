"""Ratings as rows: each change with the table that caused it, for good, and where everybody stands now.

What they follow from stands in the tournaments' event streams: `manage.py derive_ratings` makes them all anew.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class RatedGame(models.Model):
    """How many rounds of a game have been rated. Locked while one is, so that each finds what those before it left."""

    rules = models.CharField(max_length=40, primary_key=True)
    rounds = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.rules


class RatingChange(models.Model):
    """What one table did to the rating of one player. In thousandths of a point; `number` counts from 1 for each.

    `version` is that of the tournament's event `round-closed`, which was committed with it.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    rules = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="+")
    round = models.PositiveIntegerField()
    table = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    mu_before = models.IntegerField()
    sigma_before = models.PositiveIntegerField()
    mu = models.IntegerField()
    sigma = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["player", "rules", "number"], name="ratingchange_number_once"),
            models.UniqueConstraint(
                fields=["tournament", "round", "player"], name="ratingchange_once_a_round"
            ),
            models.CheckConstraint(
                name="ratingchange_sound",
                condition=Q(number__gte=1)
                & Q(round__gte=1)
                & Q(table__gte=1)
                & Q(version__gte=1)
                & Q(place__gte=1)
                & Q(sigma__gte=1)
                & Q(sigma_before__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rules} {self.number}"


class Rating(models.Model):
    """Where a player stands at a game now: the last change, and `worth`, which is mu - 3 sigma."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    rules = models.CharField(max_length=40)
    mu = models.IntegerField()
    sigma = models.PositiveIntegerField()
    worth = models.IntegerField()
    tables = models.PositiveIntegerField(help_text="rated so far")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["-worth", "pk"]
        indexes = [models.Index(fields=["rules", "-worth", "id"], name="rating_best")]
        constraints = [
            models.UniqueConstraint(fields=["player", "rules"], name="rating_once"),
            models.CheckConstraint(
                name="rating_sound",
                condition=Q(tables__gte=1) & Q(sigma__gte=1) & Q(worth=F("mu") - 3 * F("sigma")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rules} {self.worth}"
