"""The books: accounts, transfers between them, holds, play sessions and the games staked in them.

Whatever must always be true is kept by the database: here as constraints, in `ledger.schema` as triggers. Balances are
moved by the insertion of transfers and holds and by nothing else.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import F, Q

from eventstore.fields import CompositeForeignKey, CurrentTransaction
from ledger.betting import models as betting_models  # noqa: F401 (Django looks for models here)
from ledger.betting import models_play as play_models  # noqa: F401
from ledger.betting.terms import PLAY_CURRENCY
from ledger.buyins import models as buyins_models  # noqa: F401
from ledger.fields import MOST_BALANCE, MOST_PENCE, PenceField
from ledger.limits import models as limits_models  # noqa: F401
from ledger.payouts import models as payouts_models  # noqa: F401
from ledger.reconciliation import models as reconciliation_models  # noqa: F401
from ledger.stakes import models_rulings as ruling_models  # noqa: F401
from ledger.stakes.models import StakeTable as StakeTable
from ledger.stakes.models import StakeTerms as StakeTerms
from ledger.stakes.models import own_currency as own_currency


class OwnerKind(models.TextChoices):
    PLAYER = "player"
    GAME = "game"
    MARKET = "market"
    TOURNAMENT = "tournament"
    PLAY = "play"
    HOUSE = "house"


class Purpose(models.TextChoices):
    CASH = "cash"
    SESSION = "session"
    ESCROW = "escrow"
    BANK = "bank"
    RAKE = "rake"
    TAKEOUT = "takeout"
    BREAKAGE = "breakage"
    PROMOTION = "promotion"
    PAYABLE = "payable"
    EXTERNAL = "external"
    RECEIVABLE = "receivable"


MAY_BE_NEGATIVE = frozenset({Purpose.EXTERNAL, Purpose.RECEIVABLE})
"""`external` is the world outside, which owes what players have paid in; `receivable` is what a player owes."""


class Account(models.Model):
    """A place where money is. Its balance is credits − debits; what is held of it is not available.

    `key` is a player's, game's or tournament's id, or the slug of a stake table for a bank of the house; of play money
    the id of its event, with the player's number there behind it.
    """

    kind = models.CharField(max_length=16, choices=OwnerKind)
    key = models.CharField(max_length=64, blank=True)
    purpose = models.CharField(max_length=16, choices=Purpose)
    currency = models.CharField(max_length=3)
    debits = PenceField(default=0)
    credits = PenceField(default=0)
    held = PenceField(default=0)
    min_balance = PenceField(
        null=True, help_text="what the available balance never falls below; null: no limit"
    )
    applied = models.BigIntegerField(default=0, help_text="position of the newest transfer in this balance")

    class Meta:
        permissions = [
            ("deposit", "May pay money in for players and fund banks"),
            ("reverse", "May reverse transfers"),
            ("view_ledger", "May see all accounts and transfers"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["kind", "key", "purpose", "currency"], name="account_once"),
            # The target of the foreign keys (account, currency), by which a transfer cannot mix currencies.
            models.UniqueConstraint(fields=["id", "currency"], name="account_currency"),
            models.CheckConstraint(
                condition=Q(min_balance=None) | Q(min_balance__lte=F("credits") - F("debits") - F("held")),
                name="account_balance_floor",
            ),
            models.CheckConstraint(
                condition=Q(debits__range=(0, MOST_BALANCE))
                & Q(credits__range=(0, MOST_BALANCE))
                & Q(held__range=(0, MOST_BALANCE)),
                name="account_sums_bounded",
            ),
            models.CheckConstraint(condition=Q(kind__in=OwnerKind.values), name="account_kind_known"),
            models.CheckConstraint(condition=Q(purpose__in=Purpose.values), name="account_purpose_known"),
            # As no transfer mixes currencies, play money reaches no wallet and no account of the house.
            models.CheckConstraint(
                condition=Q(currency=PLAY_CURRENCY, kind__in=[OwnerKind.PLAY, OwnerKind.MARKET])
                | ~Q(currency=PLAY_CURRENCY) & ~Q(kind=OwnerKind.PLAY),
                name="account_play_apart",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner}/{self.purpose} {self.currency}"

    @property
    def owner(self) -> str:
        return f"{self.kind}:{self.key}" if self.key else self.kind

    @property
    def text(self) -> str:
        """As transfers name it in bundles: `owner/purpose`."""
        return f"{self.owner}/{self.purpose}"

    @property
    def total(self) -> int:
        return int(self.credits - self.debits)

    @property
    def available(self) -> int:
        return int(self.total - self.held)


class TransferQuerySet(models.QuerySet["Transfer"]):
    def touching_any(self, accounts: models.QuerySet[Account]) -> TransferQuerySet:
        return self.filter(Q(debit__in=accounts) | Q(credit__in=accounts))

    def with_accounts(self) -> TransferQuerySet:
        return self.select_related("debit", "credit")


class Transfer(models.Model):
    """Money out of `debit` and into `credit`: one row, so it balances by construction. Never changed, never deleted.

    Rows of one posting share `key`, `posting` and `fingerprint`, and differ in `leg`. (epoch, xact, position) orders
    transfers for readers that must miss none, as it does the events.
    """

    position = models.BigAutoField(primary_key=True)
    uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    posting = models.UUIDField()
    key = models.CharField(max_length=160)
    leg = models.PositiveSmallIntegerField()
    fingerprint = models.CharField(max_length=64)
    debit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="paid", db_constraint=False, db_index=False
    )
    credit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="received", db_constraint=False, db_index=False
    )
    currency = models.CharField(max_length=3)
    amount = PenceField()
    reason = models.CharField(max_length=200)
    subject = models.CharField(max_length=80, blank=True)
    event = models.BigIntegerField(null=True, help_text="version of the event in the subject's stream")
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    reverses = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="reversed_by")
    epoch = models.PositiveIntegerField(default=0)
    xact = models.BigIntegerField(
        db_default=CurrentTransaction(), help_text="PostgreSQL's transaction id; 0 on SQLite"
    )

    objects = TransferQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "leg"], name="transfer_key_once"),
            models.CheckConstraint(
                condition=Q(amount__range=(1, MOST_PENCE)), name="transfer_amount_bounded"
            ),
            models.CheckConstraint(condition=~Q(debit=F("credit")), name="transfer_sides_differ"),
            *(
                CompositeForeignKey(
                    fields=(side, "currency"),
                    via=side,
                    to_fields=("id", "currency"),
                    name=f"transfer_{side}_currency",
                )
                for side in ("debit", "credit")
            ),
        ]
        indexes = [
            # With the amount, so that a statement's sums are made from the index alone.
            models.Index(fields=["debit", "at", "position", "amount"], name="transfer_paid_at"),
            models.Index(fields=["credit", "at", "position", "amount"], name="transfer_received_at"),
            models.Index(fields=["subject"], name="transfer_subject"),
            models.Index(fields=["epoch", "xact", "position"], name="transfer_follow"),
        ]

    def __str__(self) -> str:
        return f"{self.uuid}: {self.amount} {self.currency}"


class HoldState(models.TextChoices):
    HELD = "held"
    CAPTURED = "captured"
    RELEASED = "released"
    EXPIRED = "expired"


class Hold(models.Model):
    """Money that stays on its account but is not available. Resolved once; then nothing of it changes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="holds")
    amount = PenceField()
    subject = models.CharField(max_length=80, blank=True)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=8, choices=HoldState, default=HoldState.HELD)
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.CharField(max_length=80, blank=True)
    posting = models.UUIDField(null=True, help_text="the posting that captured it")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__range=(1, MOST_PENCE)), name="hold_amount_bounded"),
            models.CheckConstraint(
                condition=Q(state=HoldState.HELD, resolved_at=None)
                | Q(state__in=[HoldState.CAPTURED, HoldState.RELEASED, HoldState.EXPIRED])
                & Q(resolved_at__isnull=False),
                name="hold_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state=HoldState.CAPTURED, posting__isnull=False)
                | ~Q(state=HoldState.CAPTURED) & Q(posting=None),
                name="hold_capture_has_posting",
            ),
        ]
        indexes = [
            models.Index(fields=["account"], name="hold_open", condition=Q(state=HoldState.HELD)),
            models.Index(fields=["subject"], name="hold_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.state} on {self.account_id}"


class PlaySession(models.Model):
    """From cash in to cash out. A player has one open at a time per currency; its money is on `player:…/session`."""

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
        indexes = [models.Index(fields=["player", "opened_at"], name="session_history")]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def net(self) -> int | None:
        """What the player gained; None while it is open."""
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
    """A staked game in its session's history. What the game was is the caller's to say, in `summary`."""

    game = models.UUIDField(primary_key=True)
    session = models.ForeignKey(PlaySession, on_delete=models.PROTECT, related_name="stakes")
    player = models.UUIDField()
    stake_table = models.ForeignKey(StakeTable, on_delete=models.PROTECT, related_name="stakes")
    terms = models.ForeignKey(
        StakeTerms,
        on_delete=models.PROTECT,
        related_name="stakes",
        db_index=False,
        help_text="those it was dealt under",
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
        indexes = [models.Index(fields=["session", "staked_at"], name="stake_history")]

    def __str__(self) -> str:
        return f"{self.game}: {self.stake} {self.status}"

    @property
    def subject(self) -> str:
        return f"{OwnerKind.GAME}:{self.game}"

    @property
    def net(self) -> int | None:
        """What the player gained; None while the game is open."""
        if self.status == StakeStatus.OPEN:
            return None
        return 0 if self.winnings is None else self.winnings - self.stake
