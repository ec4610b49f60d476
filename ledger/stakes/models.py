"""Stake tables and their terms, play sessions, staked games and rulings on them, pots, and buy-ins.

Constraints here and the triggers of `ledger.stakes.schema` restrict how rows change.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.core.models import Hold, OwnerKind
from ledger.money import MOST_PENCE, PenceField
from ledger.splits import WHOLE
from ledger.stakes.terms import WINNER_TAKES_ALL, Figures, PotTerms

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
"""The time from which the initial terms of an installation are in force."""


def own_currency() -> str:
    return str(settings.RACECARD_CURRENCY)


def winner_takes_all() -> list[int]:
    return list(WINNER_TAKES_ALL)


def table_name(slug: str) -> str:
    """Return the name of a stake table on staff pages.

    >>> table_name("vegas-classic")
    'Vegas classic'
    """
    return slug.replace("-", " ").capitalize()


class StakeTable(models.Model):
    """A table at which players stake on one game in one currency. Rows never change.

    Its `terms` say what may be staked and what the bank may risk.
    """

    slug = models.SlugField(max_length=40, unique=True)
    rules = models.CharField(max_length=40, help_text="slug of the game")
    mode = models.CharField(
        max_length=80, blank=True, help_text="required options of the game, such as draw=3; empty: any"
    )
    currency = models.CharField(max_length=3, default=own_currency)

    class Meta:
        permissions = [("manage_stakes", "May open stake tables, change their terms, and fund their banks")]

    def __str__(self) -> str:
        return table_name(self.slug)

    @property
    def bank_owner(self) -> str:
        return f"house:{self.slug}"


class StakeTerms(models.Model):
    """The terms of a stake table from a time on, until newer terms begin. Never changed, never deleted.

    Numbered from 1 in the order of creation. From `effective_from` on they replace all terms with a lower number,
    including announced ones; that is how an announced change is withdrawn. A game keeps the terms that it was dealt
    under (`GameStake.terms`).
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
        null=True, help_text="the most that open games may reserve together; null: the whole balance"
    )
    open = models.BooleanField(default=True)
    rake = models.PositiveIntegerField(default=0, help_text="basis points of a pool of buy-ins")
    split: models.JSONField[Any, Any] = models.JSONField(
        default=winner_takes_all, help_text="basis points of the rest, by place"
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


class PlaySession(models.Model):
    """Play from cash-in to cash-out. A player has one open session per currency; its money is on `player:…/session`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    player = models.UUIDField()
    currency = models.CharField(max_length=3)
    key = models.CharField(max_length=160, unique=True)
    opened_at = models.DateTimeField()
    cash_in = PenceField()
    closed_at = models.DateTimeField(null=True)
    cash_out = PenceField(null=True)
    cash_out_key = models.CharField(max_length=160, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "currency"], condition=Q(closed_at=None), name="session_open_once"
            ),
            models.CheckConstraint(
                condition=Q(cash_in__range=(1, MOST_PENCE)), name="session_cash_in_bounded"
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, cash_out=None) | Q(closed_at__isnull=False, cash_out__gte=0),
                name="session_closed_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["player", "opened_at"], name="session_history"),
            models.Index(fields=["opened_at"], name="session_newest"),
            models.Index(fields=["player", "currency", "closed_at"], name="session_ended"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def net(self) -> int | None:
        """The player's gain; None while the session is open."""
        return None if self.cash_out is None else self.cash_out - self.cash_in

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def subject(self) -> str:
        return f"session:{self.id}"


class StakeStatus(models.TextChoices):
    OPEN = "open"
    SETTLED = "settled"
    REFUNDED = "refunded"


class GameStake(models.Model):
    """A staked game of a session. The caller describes the game in `summary`."""

    game = models.UUIDField(primary_key=True)
    session = models.ForeignKey(PlaySession, on_delete=models.PROTECT, related_name="stakes", db_index=False)
    player = models.UUIDField()
    stake_table = models.ForeignKey(
        StakeTable, on_delete=models.PROTECT, related_name="stakes", db_index=False
    )
    terms = models.ForeignKey(
        StakeTerms,
        on_delete=models.PROTECT,
        related_name="stakes",
        db_index=False,
        help_text="the terms in force at the deal",
    )
    stake = PenceField()
    max_win = PenceField()
    reserve = models.OneToOneField(Hold, on_delete=models.PROTECT, null=True)
    status = models.CharField(max_length=8, choices=StakeStatus, default=StakeStatus.OPEN)
    winnings = PenceField(null=True)
    summary: models.JSONField[Any, Any] = models.JSONField(default=dict)
    staked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player"], condition=Q(status=StakeStatus.OPEN), name="stake_one_open_game"
            ),
            models.CheckConstraint(
                condition=Q(stake__range=(1, MOST_PENCE), max_win__range=(0, MOST_PENCE)),
                name="stake_amounts_bounded",
            ),
            models.CheckConstraint(
                condition=Q(status=StakeStatus.OPEN, winnings=None, ended_at=None)
                | Q(status=StakeStatus.SETTLED, winnings__gte=0, winnings__lte=F("max_win"))
                & Q(ended_at__isnull=False)
                | Q(status=StakeStatus.REFUNDED, winnings=None, ended_at__isnull=False),
                name="stake_status_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["session", "staked_at"], name="stake_history"),
            models.Index(fields=["player", "-staked_at"], name="stake_of_player"),
            models.Index(fields=["stake_table", "staked_at"], name="stake_at_table"),
            models.Index(fields=["staked_at"], name="stake_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.status} stake on game {str(self.game)[-8:]}"

    @property
    def subject(self) -> str:
        return f"{OwnerKind.GAME}:{self.game}"

    @property
    def net(self) -> int | None:
        """The player's gain; None while the game is open."""
        if self.status == StakeStatus.OPEN:
            return None
        return 0 if self.winnings is None else self.winnings - self.stake


class StakeRuling(models.Model):
    """The `number`-th ruling on a stake, from 1; the last one is in effect. Never changed.

    If `void`, the stake was returned. Otherwise `winnings` pence were paid to `purse` by `posting`. The stake's own row
    keeps the original result.
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
        """Pence that the player got back by the ruling."""
        back: int = self.stake.stake if self.winnings is None else self.winnings
        return back


# --- pots -------------------------------------------------------------------------------------------


class PotStatus(models.TextChoices):
    OPEN = "open"
    SETTLED = "settled"
    VOID = "void"


class Pot(models.Model):
    """The stakes of `subject`: one amount from each player, on `escrow`, with fixed terms.

    Every buy-in and division locks the row, which orders them. `division` is the number of the division in effect, 0
    while the pot is open.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    subject = models.CharField(
        max_length=80, unique=True, help_text="also the owner of the escrow, such as game:…"
    )
    currency = models.CharField(max_length=3)
    amount = PenceField(help_text="of one buy-in")
    stake_table = models.ForeignKey(
        "ledger.StakeTable", on_delete=models.PROTECT, related_name="pots", db_index=False
    )
    rake = models.PositiveIntegerField(help_text="the site's share in basis points")
    split: models.JSONField[Any, Any] = models.JSONField(help_text="basis points of the rest, by place")
    escrow = models.OneToOneField("ledger.Account", on_delete=models.PROTECT, related_name="pot")
    opened_at = models.DateTimeField()
    status = models.CharField(max_length=8, choices=PotStatus, default=PotStatus.OPEN)
    division = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("rule_pot", "May divide pots again after a ruling")]
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
        indexes = [
            models.Index(fields=["opened_at"], name="pot_history"),
            models.Index(fields=["subject"], name="pot_open", condition=Q(status=PotStatus.OPEN)),
            models.Index(fields=["stake_table", "opened_at"], name="pot_at_table"),
        ]

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
        """Return all but the buy-ins that were returned before the start."""
        return self.exclude(status=BuyInStatus.BACK)


class BuyIn(models.Model):
    """A player's part in a pot, paid from `purse` when the player sat down.

    `event` is the version of the seating, so a player who leaves and sits down again has two. `division` is the number
    of the last division that decided `returned`, or 0.
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
        verbose_name = "buy-in"
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
        indexes = [
            models.Index(fields=["player", "taken_at"], name="buy_in_history"),
            models.Index(fields=["taken_at"], name="buy_in_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.status} buy-in of {self.taken_at:%d %b %Y %H:%M}"

    @property
    def net(self) -> int | None:
        """The player's gain; None while the pot is open."""
        return None if self.returned is None else self.returned - self.amount


class Division(models.Model):
    """A division of a pot. Rows never change; a ruling adds a division with the next number."""

    pot = models.ForeignKey(Pot, on_delete=models.PROTECT, related_name="divisions", db_index=False)
    number = models.PositiveIntegerField()
    void = models.BooleanField(help_text="every buy-in was refunded")
    places: models.JSONField[Any, Any] = models.JSONField(
        help_text="players by place; players may share a place"
    )
    gross = PenceField(help_text="the sum of the buy-ins")
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
