"""Markets, runners, bets, and settlements.

Constraints here and the triggers of `ledger.betting.schema` restrict how rows change.
"""

from __future__ import annotations

import uuid
from functools import reduce
from operator import or_
from typing import Any

from django.db import models
from django.db.models import F, Q

from ledger.betting.kinds import CHOICES, KINDS, POOL, Kind
from ledger.betting.prices import LONGEST, as_decimal
from ledger.betting.terms import ON_DRAW, PLAY_CURRENCY, REFUND, STEPS, Terms
from ledger.money import MOST_BALANCE, MOST_PENCE, PenceField
from ledger.splits import WHOLE

BET_SEED_LENGTH = 64
"""In Unicode code points."""


class MarketStatus(models.TextChoices):
    OPEN = "open"
    CLOSED = "closed"
    SETTLING = "settling"
    SETTLED = "settled"
    VOID = "void"


ENDED = (MarketStatus.SETTLED, MarketStatus.VOID)


class Market(models.Model):
    """A market on the result of `subject`: one runner wins, several tie, or none wins.

    All its money is on `escrow`, which is zero when the market is settled or void. Every bet, cancellation, closing,
    and settlement locks the row, which orders them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    subject = models.CharField(max_length=80, help_text="the subject that is bet on, such as game:…")
    kind = models.CharField(max_length=8, choices=CHOICES)
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
        help_text="empty for markets in play money",
    )
    escrow = models.OneToOneField("ledger.Account", on_delete=models.PROTECT, related_name="market")
    margin = models.PositiveIntegerField(
        help_text="fixed odds: the site's part of a fair return, in basis points"
    )
    takeout = models.PositiveIntegerField(help_text="pool: the site's part in basis points")
    step = models.PositiveSmallIntegerField(
        help_text="pool: pence to which a dividend is rounded down; 0: not at all"
    )
    on_draw = models.CharField(
        max_length=8, help_text="the treatment of bets if no runner won: refund or lose"
    )
    cancellable = models.BooleanField()
    in_running = models.BooleanField()
    cap = PenceField(null=True, help_text="of the bank's risk, or of the pool; null: no cap")
    minimum = PenceField()
    maximum = PenceField()
    stake_step = PenceField()
    opened_by = models.CharField(max_length=80)
    opened_at = models.DateTimeField()

    status = models.CharField(max_length=8, choices=MarketStatus, default=MarketStatus.OPEN)
    version = models.PositiveIntegerField(default=1, help_text="grows with each change of status or prices")
    round = models.PositiveIntegerField(default=1, help_text="the number of the betting round")
    opened_event = models.BigIntegerField(null=True, help_text="the event that reopened it")
    closed_event = models.BigIntegerField(null=True, help_text="the event that last closed it")
    closed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    bets_made = models.PositiveIntegerField(default=0, help_text="including cancelled bets")
    reserve = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, null=True, related_name="market")
    settlement = models.PositiveIntegerField(
        default=0, help_text="the number of the settlement in effect or in progress"
    )

    class Meta:
        permissions = [
            ("open_market", "May open markets without a limit"),
            ("offer_market", "May open markets within the limit for organizers"),
            ("rule_market", "May settle markets, void them, and settle them again"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=list(KINDS)), name="market_kind_known"),
            models.CheckConstraint(condition=Q(status__in=MarketStatus.values), name="market_status_known"),
            models.CheckConstraint(
                condition=Q(margin__lt=WHOLE, takeout__lt=WHOLE, step__in=STEPS, on_draw__in=ON_DRAW)
                & reduce(or_, (Q(kind=kind.name, **kind.unused) for kind in KINDS.values()))
                & (Q(cap=None) | Q(cap__range=(1, MOST_PENCE))),
                name="market_terms_sound",
            ),
            models.CheckConstraint(
                # The site keeps nothing of play money: all stakes return to the players.
                condition=Q(play="", stake_table__isnull=False) & ~Q(currency=PLAY_CURRENCY)
                | ~Q(play="")
                & Q(
                    currency=PLAY_CURRENCY,
                    stake_table=None,
                    kind=POOL.name,
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
            models.Index(fields=["subject", "status", "opened_at"], name="market_subject"),
            models.Index(fields=["opened_at"], name="market_history"),
            models.Index(fields=["status", "opened_at"], name="market_status"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.subject}"

    @property
    def owner(self) -> str:
        """The owner as accounts and transfers name it."""
        return f"market:{self.pk}"

    @property
    def rules(self) -> Kind:
        """The rules of its kind."""
        return KINDS[self.kind]

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
    """A selection of a market. `stakes` is the sum of its open bets, `returns` their return if it wins alone."""

    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="runners")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=64)
    price = models.CharField(
        max_length=LONGEST, blank=True, help_text="odds to one, such as 5/2; empty: not offered"
    )
    price_hundredths = models.PositiveIntegerField(
        null=True, help_text="the decimal price, such as 350; empty: not offered, or a fraction of 0.2.0"
    )
    stakes = PenceField(default=0)
    returns = PenceField(default=0)
    withdrawn_at = models.DateTimeField(
        null=True, help_text="no bets are taken after this; bets on it are refunded"
    )

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

    @property
    def decimal(self) -> str:
        """The decimal price, such as 3.50; empty without one."""
        return as_decimal(self.price)


class BetStatus(models.TextChoices):
    OPEN = "open"
    CANCELLED = "cancelled"
    WON = "won"
    LOST = "lost"
    REFUNDED = "refunded"


class Bet(models.Model):
    """A stake on a runner, paid from `purse` into the market's escrow.

    `number` is its place in the order of betting, also after a cancellation. `settlement` is the number of the last
    settlement that judged it, or 0.
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
    price_hundredths = models.PositiveIntegerField(
        null=True, help_text="the decimal price, such as 350; empty in a pool, or for a fraction of 0.2.0"
    )
    most = PenceField(null=True, help_text="fixed odds: the return if the runner wins alone")
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
        indexes = [
            models.Index(fields=["player", "placed_at"], name="bet_history"),
            models.Index(fields=["placed_at"], name="bet_newest"),
        ]

    def __str__(self) -> str:
        return f"bet {self.number}: {self.status}"

    @property
    def decimal(self) -> str:
        """The decimal price at which it was placed; empty in a pool."""
        return as_decimal(self.price)

    @property
    def net(self) -> int | None:
        """The player's gain; None while the bet is open."""
        if self.status == BetStatus.CANCELLED:
            return 0
        return None if self.returned is None else self.returned - self.stake


class VoidedBet(models.Model):
    """A bet that was voided before it arrived. A bet that arrives later under this key is refused."""

    key = models.CharField(max_length=160, primary_key=True)
    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="voided_bets")
    player = models.UUIDField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class Settlement(models.Model):
    """A settlement of a market, made in steps that can be interrupted: bets are judged once, then paid in chunks.

    One settlement of a market is in effect. After a ruling, the next settlement first reverses the transfers of this
    one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    market = models.ForeignKey(Market, on_delete=models.PROTECT, related_name="settlements")
    number = models.PositiveIntegerField()
    void = models.BooleanField(help_text="every stake goes back")
    winners: models.JSONField[Any, Any] = models.JSONField(
        help_text="names of runners; none if no runner won"
    )
    off = models.DateTimeField(null=True, help_text="bets placed at this time or later are refunded")
    event = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=200)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    gross = PenceField(null=True, help_text="stakes that were not cancelled")
    paid = PenceField(null=True)
    takeout = PenceField(null=True)
    breakage = PenceField(null=True)
    bank = PenceField(null=True, help_text="the bank's result; negative for a loss")
    paid_through = models.PositiveIntegerField(default=0, help_text="the number of the last bet that is paid")
    done_at = models.DateTimeField(null=True)
    reversed_at = models.DateTimeField(null=True, help_text="when a later settlement had reversed it")

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


class PlayBank(models.Model):
    """The account from which a player bets in an event's markets. `number` is the player's number in the event.

    Rows never change. A trigger accepts bets from the account for its own player and event only.
    """

    account = models.OneToOneField(
        "ledger.Account", on_delete=models.PROTECT, primary_key=True, related_name="play_bank"
    )
    event = models.CharField(max_length=80, help_text="such as play:…")
    number = models.PositiveIntegerField()
    player = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="play_bank_number_once"),
            models.UniqueConstraint(fields=["event", "player"], name="play_bank_player_once"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.number}"
