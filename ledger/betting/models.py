"""Markets, their runners, the bets on them, and their settlements.

What each row may become is kept by constraints here and by the triggers of `ledger.betting.schema`.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import F, Q

from ledger.betting.pools import STEPS
from ledger.betting.prices import LONGEST
from ledger.betting.terms import PLAY_CURRENCY, Terms
from ledger.betting.wagers import ON_DRAW, REFUND
from ledger.fields import MOST_BALANCE, MOST_PENCE, PenceField
from ledger.splits import WHOLE

BET_SEED_LENGTH = 64
"""Unicode code points."""


class MarketKind(models.TextChoices):
    FIXED = "fixed"
    POOL = "pool"


class MarketStatus(models.TextChoices):
    OPEN = "open"
    CLOSED = "closed"
    SETTLING = "settling"
    SETTLED = "settled"
    VOID = "void"


ENDED = (MarketStatus.SETTLED, MarketStatus.VOID)


class Market(models.Model):
    """On what `subject` comes to: one of the runners wins, several do together, or none.

    All money of it is on `escrow`, which is at zero whenever the market is settled or void. The row is locked by every
    bet, cancellation, closing and settlement, and so decides which of two came first.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    subject = models.CharField(max_length=80, help_text="what it is about, such as game:…")
    kind = models.CharField(max_length=8, choices=MarketKind)
    currency = models.CharField(max_length=3)
    play = models.CharField(
        max_length=80,
        default="",
        blank=True,
        help_text="the event whose play money is bet, such as play:…; empty: money",
    )
    stake_table = models.ForeignKey(
        "ledger.StakeTable",
        on_delete=models.PROTECT,
        null=True,
        related_name="markets",
        help_text="none where play money is bet",
    )
    escrow = models.OneToOneField("ledger.Account", on_delete=models.PROTECT, related_name="market")
    margin = models.PositiveIntegerField(
        help_text="fixed odds: basis points that the house keeps of a fair return"
    )
    takeout = models.PositiveIntegerField(help_text="pool: basis points that the house keeps of it")
    step = models.PositiveSmallIntegerField(
        help_text="pool: pence to which a dividend is rounded down; 0: not at all"
    )
    on_draw = models.CharField(
        max_length=8, help_text="what becomes of bets where nobody won: refund or lose"
    )
    cancellable = models.BooleanField()
    in_running = models.BooleanField()
    cap = PenceField(null=True, help_text="of the bank's risk, or of the pool; null: none of its own")
    minimum = PenceField()
    maximum = PenceField()
    stake_step = PenceField()
    opened_by = models.CharField(max_length=80)
    opened_at = models.DateTimeField()

    status = models.CharField(max_length=8, choices=MarketStatus, default=MarketStatus.OPEN)
    version = models.PositiveIntegerField(default=1, help_text="grows with each change of status or prices")
    round = models.PositiveIntegerField(default=1, help_text="how often it has been open")
    opened_event = models.BigIntegerField(null=True, help_text="the event that opened it again")
    closed_event = models.BigIntegerField(null=True, help_text="the event that closed it last")
    closed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    bets_made = models.PositiveIntegerField(default=0, help_text="cancelled ones too")
    reserve = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, null=True, related_name="market")
    settlement = models.PositiveIntegerField(
        default=0, help_text="the number of the one that stands or is being made"
    )

    class Meta:
        permissions = [
            ("open_market", "May open markets without a limit"),
            ("offer_market", "May open markets within the limit for organizers"),
            ("rule_market", "May settle, void and settle markets anew"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=MarketKind.values), name="market_kind_known"),
            models.CheckConstraint(condition=Q(status__in=MarketStatus.values), name="market_status_known"),
            models.CheckConstraint(
                condition=Q(margin__lt=WHOLE, takeout__lt=WHOLE, step__in=STEPS, on_draw__in=ON_DRAW)
                & (
                    Q(kind=MarketKind.FIXED, takeout=0, step=0)
                    | Q(kind=MarketKind.POOL, margin=0, in_running=False)
                )
                & (Q(cap=None) | Q(cap__range=(1, MOST_PENCE))),
                name="market_terms_sound",
            ),
            models.CheckConstraint(
                # Of play money the house keeps nothing: what is staked goes back to those who staked it.
                condition=Q(play="", stake_table__isnull=False) & ~Q(currency=PLAY_CURRENCY)
                | ~Q(play="")
                & Q(
                    currency=PLAY_CURRENCY,
                    stake_table=None,
                    kind=MarketKind.POOL,
                    takeout=0,
                    step=0,
                    on_draw=REFUND,
                ),
                name="market_play_apart",
            ),
            models.CheckConstraint(
                condition=Q(
                    minimum__gte=1, minimum__lte=F("maximum"), maximum__lte=MOST_PENCE, stake_step__gte=1
                ),
                name="market_stakes_in_order",
            ),
            models.CheckConstraint(
                condition=Q(status__in=ENDED, ended_at__isnull=False, settlement__gte=1, reserve=None)
                | Q(status=MarketStatus.SETTLING, ended_at=None, settlement__gte=1)
                | Q(status__in=[MarketStatus.OPEN, MarketStatus.CLOSED], ended_at=None, settlement=0),
                name="market_status_whole",
            ),
            models.CheckConstraint(
                condition=Q(status=MarketStatus.OPEN, closed_at=None)
                | ~Q(status=MarketStatus.OPEN) & Q(closed_at__isnull=False),
                name="market_closed_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["subject"], name="market_subject"),
            models.Index(fields=["opened_at"], name="market_history"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.subject}"

    @property
    def owner(self) -> str:
        """As accounts and transfers name it."""
        return f"market:{self.pk}"

    @property
    def terms(self) -> Terms:
        return Terms(
            margin=self.margin,
            takeout=self.takeout,
            step=self.step,
            on_draw=self.on_draw,
            cancellable=self.cancellable,
            in_running=self.in_running,
            cap=self.cap,
            stake_table=self.stake_table.slug if self.stake_table else "",
        )


class Runner(models.Model):
    """What one may bet on. `stakes` sums the bets on it that stand, `returns` what they come to if it wins alone."""

    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="runners")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=64)
    price = models.CharField(
        max_length=LONGEST, blank=True, help_text="odds to one, such as 5/2; empty: not offered"
    )
    stakes = PenceField(default=0)
    returns = PenceField(default=0)
    withdrawn_at = models.DateTimeField(null=True, help_text="no bets since; those on it are refunded")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["market", "number"], name="runner_number_once"),
            models.UniqueConstraint(fields=["market", "name"], name="runner_name_once"),
            models.CheckConstraint(
                condition=Q(stakes__range=(0, MOST_BALANCE), returns__range=(0, MOST_BALANCE)),
                name="runner_sums_bounded",
            ),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return self.name


class BetStatus(models.TextChoices):
    OPEN = "open"
    CANCELLED = "cancelled"
    WON = "won"
    LOST = "lost"
    REFUNDED = "refunded"


class Bet(models.Model):
    """A stake on a runner, paid from `purse` into the market's escrow when it was accepted.

    `number` is its place in the order of betting, which it keeps when it is cancelled. `settlement` is the number of
    the settlement that judged it last, 0 while none has.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="bets", db_index=False)
    number = models.PositiveIntegerField()
    round = models.PositiveIntegerField()
    player = models.UUIDField()
    purse = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="bets", db_index=False)
    runner = models.ForeignKey(Runner, on_delete=models.PROTECT, related_name="bets", db_index=False)
    stake = PenceField()
    price = models.CharField(max_length=LONGEST, blank=True, help_text="odds to one; empty in a pool")
    most = PenceField(null=True, help_text="fixed odds: what it returns if its runner wins alone")
    client_seed = models.CharField(max_length=BET_SEED_LENGTH, blank=True)
    placed_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=BetStatus, default=BetStatus.OPEN)
    returned = PenceField(null=True)
    settlement = models.PositiveIntegerField(default=0)
    cancelled_at = models.DateTimeField(null=True)
    cancel_key = models.CharField(max_length=160, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["market", "number"], name="bet_number_once"),
            models.CheckConstraint(
                condition=Q(stake__range=(1, MOST_PENCE), number__gte=1), name="bet_stake_bounded"
            ),
            models.CheckConstraint(
                condition=Q(price="", most=None)
                | ~Q(price="") & Q(most__gte=F("stake"), most__lte=MOST_PENCE),
                name="bet_price_whole",
            ),
            models.CheckConstraint(
                condition=Q(status=BetStatus.OPEN, settlement=0, returned=None, cancelled_at=None)
                | Q(status=BetStatus.CANCELLED, settlement=0, returned=None, cancelled_at__isnull=False)
                | Q(status=BetStatus.LOST, settlement__gte=1, returned=0, cancelled_at=None)
                | Q(status=BetStatus.REFUNDED, settlement__gte=1, returned=F("stake"), cancelled_at=None)
                | Q(status=BetStatus.WON, settlement__gte=1, cancelled_at=None)
                & (Q(price="", returned__gte=F("stake")) | Q(returned__gte=0, returned__lte=F("most"))),
                name="bet_status_whole",
            ),
        ]
        indexes = [models.Index(fields=["player", "placed_at"], name="bet_history")]

    def __str__(self) -> str:
        return f"{self.stake} on {self.runner_id}: {self.status}"

    @property
    def net(self) -> int | None:
        """What the player gained; None while it is open."""
        if self.status == BetStatus.CANCELLED:
            return 0
        return None if self.returned is None else self.returned - self.stake


class VoidedBet(models.Model):
    """A bet that was voided before it arrived: whatever comes under this key later is refused."""

    key = models.CharField(max_length=160, primary_key=True)
    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="voided_bets")
    player = models.UUIDField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class Settlement(models.Model):
    """What a market came to. Made in steps that can each be interrupted: judged once, then paid bet by bet.

    A market has one that stands. After a ruling the next one, of the next number, first reverses what this one moved.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="settlements")
    number = models.PositiveIntegerField()
    void = models.BooleanField(help_text="every stake goes back")
    winners: models.JSONField[Any, Any] = models.JSONField(help_text="names of runners; none: nobody won")
    off = models.DateTimeField(null=True, help_text="bets made at that time or later are refunded")
    event = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=200)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    gross = PenceField(null=True, help_text="staked and not cancelled")
    paid = PenceField(null=True)
    takeout = PenceField(null=True)
    breakage = PenceField(null=True)
    bank = PenceField(null=True, help_text="the bank's result: negative where it paid")
    paid_through = models.PositiveIntegerField(
        default=0, help_text="the last bet's number that has its money"
    )
    done_at = models.DateTimeField(null=True)
    reversed_at = models.DateTimeField(
        null=True, help_text="when a later settlement had taken all of it back"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["market", "number"], name="settlement_number_once"),
            models.CheckConstraint(
                condition=Q(gross=None, paid=None, takeout=None, breakage=None, bank=None, done_at=None)
                | Q(gross__gte=0, paid__gte=0, takeout__gte=0, breakage__gte=0)
                & Q(gross=F("paid") + F("takeout") + F("breakage") + F("bank")),
                name="settlement_adds_up",
            ),
            models.CheckConstraint(
                condition=Q(reversed_at=None) | Q(done_at__isnull=False), name="settlement_reversed_whole"
            ),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"settlement {self.number} of {self.market_id}"
