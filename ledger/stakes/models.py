"""Stake tables, each a name for good, and their terms, each a row that is never changed.

`ledger.stakes.selectors.terms_at` decides which are in force; the triggers of `ledger.stakes.schema` keep the rows as
they were written.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.fields import MOST_PENCE, PenceField
from ledger.splits import WHOLE
from ledger.stakes.figures import WINNER_TAKES_ALL, Figures

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
"""From when the terms are in force that an installation starts with, or had before terms were dated."""


def own_currency() -> str:
    return str(settings.RACECARD_CURRENCY)


def winner_takes_all() -> list[int]:
    return list(WINNER_TAKES_ALL)


class StakeTable(models.Model):
    """Where one stakes on a game of the house: what is played, in which currency. Nothing of it ever changes.

    What may be staked, and what the bank may risk, is said by its `terms`.
    """

    slug = models.SlugField(max_length=40, unique=True)
    rules = models.CharField(max_length=40, help_text="slug of the game")
    mode = models.CharField(
        max_length=80, blank=True, help_text="options that a game here has, such as draw=3; empty: any"
    )
    currency = models.CharField(max_length=3, default=own_currency)

    class Meta:
        permissions = [("manage_stakes", "May open stake tables, change their terms and fund their banks")]

    def __str__(self) -> str:
        return self.slug

    @property
    def bank_owner(self) -> str:
        return f"house:{self.slug}"


class StakeTerms(models.Model):
    """The terms of a stake table from a moment on, until newer ones begin. Never changed, never deleted.

    Numbered from 1 in the order of asking. From `effective_from` on they stand for everything that was asked for
    before, also for what was announced for later: that is how an announced change is withdrawn. A game keeps the terms
    that it was dealt under (`GameStake.terms`).
    """

    table = models.ForeignKey(StakeTable, on_delete=models.PROTECT, related_name="terms")
    number = models.PositiveIntegerField()
    minimum = PenceField()
    maximum = PenceField()
    step = PenceField()
    default = PenceField()
    win_rate = models.CharField(
        max_length=20, blank=True, help_text="the pay table: fraction of the stake won per card, as text"
    )
    bank_limit = PenceField(
        null=True, help_text="the most that open games may reserve together; null: all the bank has"
    )
    open = models.BooleanField(default=True)
    rake = models.PositiveIntegerField(default=0, help_text="basis points of a pool of buy-ins")
    split: models.JSONField[Any, Any] = models.JSONField(
        default=winner_takes_all, help_text="basis points of what is left of it, by place"
    )
    effective_from = models.DateTimeField()
    asked_at = models.DateTimeField()
    actor = models.CharField(max_length=80)
    reason = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="stake_terms_number_once"),
            models.CheckConstraint(
                condition=Q(step__gte=1, minimum__gte=1, minimum__lte=F("maximum"), maximum__lte=MOST_PENCE)
                & Q(default__gte=F("minimum"), default__lte=F("maximum")),
                name="stake_terms_in_order",
            ),
            models.CheckConstraint(
                condition=(Q(bank_limit=None) | Q(bank_limit__range=(0, MOST_PENCE))) & Q(rake__lt=WHOLE),
                name="stake_terms_bounded",
            ),
            models.CheckConstraint(
                condition=Q(effective_from__gte=F("asked_at")), name="stake_terms_not_backdated"
            ),
            models.CheckConstraint(condition=~Q(actor="") & ~Q(reason=""), name="stake_terms_accounted_for"),
        ]

    def __str__(self) -> str:
        return f"terms {self.number} of {self.table_id}"

    @property
    def figures(self) -> Figures:
        return Figures(
            minimum=self.minimum,
            maximum=self.maximum,
            step=self.step,
            default=self.default,
            win_rate=self.win_rate,
            bank_limit=self.bank_limit,
            open=self.open,
            rake=self.rake,
            split=tuple(self.split),
        )
