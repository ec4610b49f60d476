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
    """A day on which a player staked, in a group of play (`ledger.reports.flows.stakers`)."""

    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=12)
    key = models.CharField(max_length=40, help_text="which one of the kind; empty if there is only one")
    player = models.CharField(max_length=64)
    day = models.DateField()
    previous = models.DateField(
        null=True,
        help_text="the player's previous day there, or `EVER`; null only while the follower adds days",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["currency", "kind", "key", "player", "day"], name="player_day_once"
            )
        ]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(previous=None), name="player_day_new"),
        ]

    def __str__(self) -> str:
        return f"{self.player} on {self.day}"


class PlayerCount(models.Model):
    """The number of players of a day and group, by their previous day there; of all days if both are `EVER`."""

    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=12)
    key = models.CharField(max_length=40)
    day = models.DateField()
    previous = models.DateField()
    players = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["currency", "kind", "day", "previous", "key"], name="player_count_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.players} players on {self.day} after {self.previous}"


class PurposeSum(models.Model):
    """The debits and credits of all accounts of a kind of owner and purpose, in pence."""

    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=16)
    purpose = models.CharField(max_length=16)
    debits = models.BigIntegerField()
    credits = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["currency", "kind", "purpose"], name="purpose_sum_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind}/{self.purpose}: {self.credits - self.debits} {self.currency}"


class AccountDay(models.Model):
    """What a player's account has staked, lost, and received on a day in UTC (see `ledger.reports.account_days`)."""

    account = models.BigIntegerField()
    day = models.DateField()
    stakes = models.BigIntegerField(help_text="a count")
    staked = models.BigIntegerField()
    paid = models.BigIntegerField()
    taken_back = models.BigIntegerField()
    received = models.BigIntegerField()
    refunded = models.BigIntegerField()
    deposited = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "day"], name="account_day_once")]

    def __str__(self) -> str:
        return f"account {self.account} on {self.day}"


class SubjectDay(models.Model):
    """An escrow with transfers on a day: that of a tournament, or of a game with these rules, or of a market on one."""

    currency = models.CharField(max_length=3)
    tournament = models.BooleanField()
    rules = models.CharField(max_length=40, help_text="empty for a tournament, and without a stake table")
    day = models.DateField()
    escrow = models.BigIntegerField(help_text="the id of the account")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["currency", "tournament", "rules", "day", "escrow"], name="subject_day_once"
            )
        ]
        indexes = [models.Index(fields=["escrow", "day"], name="subject_day_of_escrow")]

    def __str__(self) -> str:
        return f"escrow {self.escrow} on {self.day}"


class StakeLine(models.Model):
    """A line of a player's betting history (see `ledger.reports.history`). `returned` is null while it is open."""

    player = models.CharField(max_length=64)
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=10)
    state = models.CharField(max_length=9)
    at = models.DateTimeField()
    key = models.CharField(max_length=64)
    subject = models.CharField(max_length=80)
    about = models.CharField(max_length=80)
    on = models.CharField(max_length=64)
    stake = models.BigIntegerField()
    returned = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "currency", "kind", "key"], name="stake_line_once")
        ]
        # Descending, because a page reads it in this order from each kind and state.
        indexes = [
            models.Index(
                fields=["player", "currency", "kind", "state", "-at", "-key"], name="stake_line_history"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} of {self.player}"


class StakeDay(models.Model):
    """The number and sums of a player's lines of a kind and state on a day in UTC; of all days if `day` is `EVER`."""

    player = models.CharField(max_length=64)
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=10)
    state = models.CharField(max_length=9)
    day = models.DateField()
    lines = models.BigIntegerField()
    stake = models.BigIntegerField()
    returned = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "currency", "kind", "state", "day"], name="stake_day_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.lines} {self.kind} lines of {self.player} on {self.day}"
