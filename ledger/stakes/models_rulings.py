"""What was ruled about stakes whose games had ended: how each was settled anew."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from ledger.fields import PenceField


class StakeRuling(models.Model):
    """The `number`-th ruling on a stake, from 1; of several the last one counts. Never changed.

    `void`: the stake went back. Otherwise `winnings`, in pence, were paid to `purse`, by `posting`. The stake's own row
    stays what the end of the game made it.
    """

    stake = models.ForeignKey("ledger.GameStake", on_delete=models.PROTECT, related_name="rulings")
    number = models.PositiveIntegerField()
    void = models.BooleanField()
    winnings = PenceField(null=True)
    purse = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="+", db_index=False)
    posting = models.UUIDField()
    reason = models.CharField(max_length=200)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["stake", "number"], name="stake_ruling_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1) & (Q(void=True, winnings=None) | Q(void=False, winnings__gte=0)),
                name="stake_ruling_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"ruling {self.number} on the stake of {self.stake_id}"

    @property
    def returned(self) -> int:
        """What the player had back by it, in pence."""
        back: int = self.stake.stake if self.winnings is None else self.winnings
        return back
