"""Accounts, transfers between them, and holds.

Constraints here and the triggers of `ledger.core.schema` enforce the invariants. Only the insertion of transfers and
holds changes a balance.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import models
from django.db.models import F, Q

from eventstore.fields import CompositeForeignKey, CurrentTransaction
from ledger.betting.terms import PLAY_CURRENCY
from ledger.money import MOST_BALANCE, MOST_PENCE, PenceField, money


class OwnerKind(models.TextChoices):
    PLAYER = "player"
    GAME = "game"
    MARKET = "market"
    TOURNAMENT = "tournament"
    PLAY = "play"
    HOUSE = "house"


def player_owner(player: uuid.UUID | str) -> str:
    """Return the owner of a player's accounts, `player:{id}`, which is also the player's name as an actor."""
    return f"{OwnerKind.PLAYER}:{player}"


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
"""`external` is the outside world, whose debt is what players have paid in; `receivable` is what a player owes."""


class Account(models.Model):
    """A place where money is. The balance is credits − debits; the held part is not available.

    `key` is the id of a player, game, or tournament, or the slug of the stake table of a bank. For play money it is the
    id of the event followed by the player's number.
    """

    kind = models.CharField(max_length=16, choices=OwnerKind)
    key = models.CharField(max_length=64, blank=True)
    purpose = models.CharField(max_length=16, choices=Purpose)
    currency = models.CharField(max_length=3)
    debits = PenceField(default=0)
    credits = PenceField(default=0)
    held = PenceField(default=0)
    min_balance = PenceField(null=True, help_text="the least available balance; null: no limit")
    applied = models.BigIntegerField(default=0, help_text="position of the newest transfer in this balance")

    class Meta:
        permissions = [
            ("deposit", "May deposit money for players and fund banks"),
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
            # No transfer mixes currencies, so play money reaches no wallet and no account of the site.
            models.CheckConstraint(
                condition=Q(currency=PLAY_CURRENCY, kind__in=[OwnerKind.PLAY, OwnerKind.MARKET])
                | ~Q(currency=PLAY_CURRENCY) & ~Q(kind=OwnerKind.PLAY),
                name="account_play_apart",
            ),
        ]
        indexes = [models.Index(fields=["kind", "purpose", "id"], name="account_type")]

    def __str__(self) -> str:
        return f"{self.owner}/{self.purpose} {self.currency}"

    @property
    def owner(self) -> str:
        return f"{self.kind}:{self.key}" if self.key else self.kind

    @property
    def text(self) -> str:
        """The account's name in transfers of bundles: `owner/purpose`."""
        return f"{self.owner}/{self.purpose}"

    @property
    def total(self) -> int:
        return int(self.credits - self.debits)

    @property
    def available(self) -> int:
        return int(self.total - self.held)


class TransferQuerySet(models.QuerySet["Transfer"]):
    def newest_touching(self, accounts: Sequence[int], behind: Q, most: int) -> list[Transfer]:
        """Return the newest transfers of any of the accounts, by the indexes of each account."""
        found: dict[int, Transfer] = {}
        for account in accounts:
            for side in ("debit", "credit"):
                rows = self.filter(behind, **{side: account}).order_by("-at", "-position")[:most]
                found.update((row.position, row) for row in rows)
        return sorted(found.values(), key=lambda row: (row.at, row.position), reverse=True)[:most]

    def with_accounts(self) -> TransferQuerySet:
        return self.select_related("debit", "credit")


class Transfer(models.Model):
    """A move of money from `debit` to `credit`: one row, balanced by construction. Never changed, never deleted.

    The rows of one posting share `key`, `posting`, and `fingerprint`, and differ in `leg`. (epoch, xact, position)
    orders transfers for readers that must miss none, as for events.
    """

    position = models.BigAutoField(primary_key=True)
    uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    posting = models.UUIDField()
    key = models.CharField(max_length=160)
    leg = models.PositiveSmallIntegerField(help_text="the place in its posting, from 0")
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
            models.Index(fields=["subject", "position"], name="transfer_subject"),
            models.Index(fields=["epoch", "xact", "position"], name="transfer_follow"),
        ]

    def __str__(self) -> str:
        return f"{money(self.amount, self.currency)}: {self.reason}"


class HoldState(models.TextChoices):
    HELD = "held"
    CAPTURED = "captured"
    RELEASED = "released"
    EXPIRED = "expired"


class Hold(models.Model):
    """Money that stays on its account but is not available. A hold is resolved once and does not change after that."""

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
            models.Index(fields=["subject", "at"], name="hold_subject"),
            models.Index(fields=["at"], name="hold_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.state} since {self.at:%d %b %Y %H:%M}"
