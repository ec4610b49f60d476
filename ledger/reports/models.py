"""Rollups: daily sums of transfers, so that a report reads days instead of transfers.

They are derived from the transfers and may be deleted at any time (see `ledger.reports.rollups`).
"""

from __future__ import annotations

from django.db import models


class RollupProgress(models.Model):
    """The last transfer that is contained in the rollups, in the order of checkpoints. At most one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    zone = models.CharField(max_length=64, help_text="the time zone of the days")
    epoch = models.IntegerField()
    xact = models.BigIntegerField()
    position = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="rollup_progress_once")]

    def __str__(self) -> str:
        return f"rollups to transfer {self.position}, days of {self.zone}"


class FlowRollup(models.Model):
    """The flows of a day between two sides; of all days if `day` is `EVER`.

    `stake_table` is the id of the stake table, 0 without one. `amount` is in pence, less reversals; `times` counts the
    transfers without reversals, and `games` those that are the first stake of their game.
    """

    currency = models.CharField(max_length=3)
    day = models.DateField()
    stake_table = models.BigIntegerField()
    tournament = models.BooleanField(help_text="whether it is about a tournament, or bets on one")
    payer = models.CharField(max_length=16)
    receiver = models.CharField(max_length=16)
    refund = models.BooleanField()
    of = models.CharField(max_length=16, help_text="the kind of the escrow")
    amount = models.BigIntegerField()
    times = models.BigIntegerField()
    games = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["currency", "day", "stake_table", "tournament", "payer", "receiver", "refund", "of"],
                name="flow_rollup_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.payer} to {self.receiver}: {self.amount} {self.currency}"


class PlayerDay(models.Model):
    """A player who staked on a day at a stake table, or without one."""

    currency = models.CharField(max_length=3)
    day = models.DateField()
    stake_table = models.BigIntegerField()
    tournament = models.BooleanField()
    player = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["currency", "day", "stake_table", "tournament", "player"], name="player_day_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.player} on {self.day}"
