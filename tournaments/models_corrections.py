"""What corrections left behind that is asked for: places and prizes as they stand since."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class CorrectedAward(models.Model):
    """Where an entrant stands since a correction (its `number`), and the prize (pence) that goes with it.

    The award of the end stays what it was; of several corrections the last one counts.
    """

    award = models.ForeignKey("tournaments.Award", on_delete=models.PROTECT, related_name="corrected")
    number = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["number", "place"]
        constraints = [
            models.UniqueConstraint(fields=["award", "number"], name="correctedaward_once"),
            models.CheckConstraint(
                name="correctedaward_not_negative",
                condition=Q(amount__gte=0) & Q(place__gte=1) & Q(number__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.place}"
