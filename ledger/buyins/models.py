"""Pots, the buy-ins that fill them, and how each was divided.

What a row may become is kept by constraints here and by the triggers of `ledger.buyins.schema`.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import F, Q

from ledger.buyins.terms import PotTerms
from ledger.fields import MOST_PENCE, PenceField
from ledger.splits import WHOLE


class PotStatus(models.TextChoices):
    OPEN = "open"
    SETTLED = "settled"
    VOID = "void"


class Pot(models.Model):
    """What is at stake in `subject`: one amount from each player, on `escrow`, on the terms that it was opened with.

    The row is locked by every buy-in and division, and so decides which of two came first. `division` is the number of
    the one that stands, 0 while the pot is open.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    subject = models.CharField(
        max_length=80, unique=True, help_text="also the owner of the escrow, such as game:…"
    )
    currency = models.CharField(max_length=3)
    amount = PenceField(help_text="of one buy-in")
    stake_table = models.ForeignKey("ledger.StakeTable", on_delete=models.PROTECT, related_name="pots")
    rake = models.PositiveIntegerField(help_text="basis points that the house keeps")
    split: models.JSONField[Any, Any] = models.JSONField(help_text="basis points of the rest, by place")
    escrow = models.OneToOneField("ledger.Account", on_delete=models.PROTECT, related_name="pot")
    opened_at = models.DateTimeField()
    status = models.CharField(max_length=8, choices=PotStatus, default=PotStatus.OPEN)
    division = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("rule_pot", "May divide pots anew after a ruling")]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__range=(1, MOST_PENCE), rake__lt=WHOLE), name="pot_terms_sound"
            ),
            models.CheckConstraint(
                condition=Q(status=PotStatus.OPEN, division=0, ended_at=None)
                | Q(status__in=[PotStatus.SETTLED, PotStatus.VOID], division__gte=1, ended_at__isnull=False),
                name="pot_status_whole",
            ),
        ]
        indexes = [models.Index(fields=["opened_at"], name="pot_history")]

    def __str__(self) -> str:
        return f"pot of {self.subject}"

    @property
    def terms(self) -> PotTerms:
        return PotTerms(stake_table=self.stake_table.slug, rake=self.rake, split=tuple(self.split))


class BuyInStatus(models.TextChoices):
    IN = "in"
    BACK = "back"
    PAID = "paid"
    REFUNDED = "refunded"


class BuyInQuerySet(models.QuerySet["BuyIn"]):
    def standing(self) -> BuyInQuerySet:
        """All but those that were given back before the start."""
        return self.exclude(status=BuyInStatus.BACK)


class BuyIn(models.Model):
    """One player's part in a pot, paid from `purse` when the player sat down.

    `event` is the seating's version, so a player who stands up and sits down again has two. `division` is the number of
    the division that decided `returned` last, 0 while none has.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    pot = models.ForeignKey(Pot, on_delete=models.PROTECT, related_name="buy_ins", db_index=False)
    event = models.BigIntegerField()
    player = models.UUIDField()
    purse = models.ForeignKey(
        "ledger.Account", on_delete=models.PROTECT, related_name="buy_ins", db_index=False
    )
    amount = PenceField()
    status = models.CharField(max_length=8, choices=BuyInStatus, default=BuyInStatus.IN)
    returned = PenceField(null=True)
    division = models.PositiveIntegerField(default=0)
    taken_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = BuyInQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pot", "event"], name="buy_in_event_once"),
            models.UniqueConstraint(
                fields=["pot", "player"], condition=~Q(status=BuyInStatus.BACK), name="buy_in_once"
            ),
            models.CheckConstraint(
                condition=Q(amount__range=(1, MOST_PENCE)) & (Q(returned=None) | Q(returned__gte=0)),
                name="buy_in_amounts_bounded",
            ),
            models.CheckConstraint(
                condition=Q(status=BuyInStatus.IN, division=0, returned=None, ended_at=None)
                | Q(status=BuyInStatus.BACK, division=0, returned=F("amount"), ended_at__isnull=False)
                | Q(
                    status=BuyInStatus.REFUNDED, division__gte=1, returned=F("amount"), ended_at__isnull=False
                )
                | Q(status=BuyInStatus.PAID, division__gte=1, returned__isnull=False, ended_at__isnull=False),
                name="buy_in_status_whole",
            ),
        ]
        indexes = [models.Index(fields=["player", "taken_at"], name="buy_in_history")]

    def __str__(self) -> str:
        return f"{self.amount} of {self.player}: {self.status}"

    @property
    def net(self) -> int | None:
        """What the player gained; None while it is at stake."""
        return None if self.returned is None else self.returned - self.amount


class Division(models.Model):
    """How a pot was divided. Never changed: after a ruling there is another one, of the next number, which stands."""

    pot = models.ForeignKey(Pot, on_delete=models.PROTECT, related_name="divisions", db_index=False)
    number = models.PositiveIntegerField()
    void = models.BooleanField(help_text="every buy-in went back")
    places: models.JSONField[Any, Any] = models.JSONField(
        help_text="players by place; those of one shared it"
    )
    gross = PenceField(help_text="what was in the pot")
    rake = PenceField()
    event = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=200)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pot", "number"], name="division_number_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1, gross__gte=0, rake__gte=0, rake__lte=F("gross"))
                & (Q(void=False) | Q(rake=0)),
                name="division_adds_up",
            ),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"division {self.number} of {self.pot_id}"
