"""Limits and stops of players. Rows are added, never changed; what is in force follows from them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from ledger.limits import terms
from ledger.money import MOST_PENCE, PenceField


class Period(models.TextChoices):
    DAY = terms.DAY
    WEEK = terms.WEEK
    MONTH = terms.MONTH


class StopKind(models.TextChoices):
    TIME_OUT = "time-out", "Time-out"
    EXCLUSION = "self-exclusion", "Self-exclusion"


class ProtectedPlayer(models.Model):
    """A player who has or had a limit or a stop. The row is locked while a stake or a deposit is checked.

    So two stakes are checked one after the other, and a player without limits costs one query.
    """

    player = models.UUIDField(primary_key=True)
    since = models.DateTimeField()

    class Meta:
        permissions = [
            ("protect", "May set limits, time-outs, and exclusions for players"),
        ]

    def __str__(self) -> str:
        return str(self.player)


class LimitChange(models.Model):
    """A requested limit of a kind and period. See `ledger.limits.terms.Change`."""

    protected = models.ForeignKey(
        ProtectedPlayer,
        on_delete=models.PROTECT,
        related_name="limit_changes",
        db_column="player",
        db_index=False,
    )
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=8, choices=terms.CHOICES)
    period = models.CharField(max_length=8, choices=Period)
    amount = PenceField(null=True, help_text="pence; null: no limit")
    was = PenceField(null=True, help_text="the limit in force at the request")
    at = models.DateTimeField(help_text="time of the request")
    effective_at = models.DateTimeField()
    actor = models.CharField(max_length=80)
    reason = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=list(terms.KINDS), period__in=Period.values), name="limit_known"
            ),
            models.CheckConstraint(
                condition=(Q(amount=None) | Q(amount__range=(0, MOST_PENCE)))
                & (Q(was=None) | Q(was__range=(0, MOST_PENCE))),
                name="limit_bounded",
            ),
            # A trigger checks the delay, because the databases compute with times differently.
            models.CheckConstraint(
                condition=Q(effective_at__gt=F("at"))
                | Q(effective_at=F("at")) & (Q(was=None) | Q(amount__isnull=False, amount__lte=F("was"))),
                name="limit_raised_later",
            ),
        ]
        indexes = [
            models.Index(fields=["protected", "currency", "kind", "period", "id"], name="limit_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} per {self.period}"

    @property
    def terms(self) -> terms.Change:
        return terms.Change(self.kind, self.period, self.amount, self.was, self.at, self.effective_at)


class PlayStop(models.Model):
    """A stop of all play, bets, deposits, and entries from `at` to `until`, or without end."""

    protected = models.ForeignKey(
        ProtectedPlayer, on_delete=models.PROTECT, related_name="stops", db_column="player", db_index=False
    )
    kind = models.CharField(max_length=16, choices=StopKind)
    at = models.DateTimeField()
    until = models.DateTimeField(null=True, help_text="null: permanent")
    actor = models.CharField(max_length=80)
    reason = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=StopKind.TIME_OUT, until__gt=F("at"))
                | Q(kind=StopKind.EXCLUSION) & (Q(until=None) | Q(until__gt=F("at"))),
                name="stop_known",
            ),
        ]
        indexes = [
            models.Index(fields=["protected", "at"], name="stop_history"),
            models.Index(fields=["kind", "id"], name="stop_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} until {self.until}"
