"""Payouts with their history, batches, and freezes.

Constraints here and the triggers of `ledger.payouts.schema` restrict how rows change. Only the insertion of a step
changes a payout.
"""

from __future__ import annotations

import uuid
from functools import reduce
from operator import or_

from django.db import models
from django.db.models import F, Q

from eventstore.fields import CurrentTransaction
from ledger.money import MOST_PENCE, PenceField

REQUESTED = "requested"
CHECKED = "checked"
APPROVED = "approved"
HELD = "held"
REJECTED = "rejected"
PAID = "paid"

STATES = (REQUESTED, CHECKED, APPROVED, HELD, REJECTED, PAID)
UNDECIDED = (REQUESTED, CHECKED)
"""States that wait for an approval."""

OPEN = (REQUESTED, CHECKED, APPROVED, HELD)
"""States in which the money is held on the player's account."""

MOVES: dict[str, tuple[str, ...]] = {
    "": (REQUESTED,),
    REQUESTED: (CHECKED, APPROVED, HELD, REJECTED),
    CHECKED: (APPROVED, HELD, REJECTED),
    APPROVED: (PAID, HELD, REJECTED),
    HELD: (REQUESTED, REJECTED),
    REJECTED: (),
    PAID: (),
}

BY_PAYEE = (("", REQUESTED), (REQUESTED, REJECTED))
"""The transitions that the payee may make: request, and cancel before any decision."""


def is_cancellable(state: str) -> bool:
    """Return whether the payee may cancel: no decision and no first approval yet.

    >>> is_cancellable("requested"), is_cancellable("checked")
    (True, False)
    """
    return (state, REJECTED) in BY_PAYEE


def may_become(was: str, becomes: str) -> bool:
    """
    >>> may_become("approved", "paid"), may_become("held", "paid")
    (True, False)
    """
    return becomes in MOVES[was]


DESTINATION_LENGTH = 140
"""In Unicode code points: the length of a bank's remittance information in one line."""


class PayoutKind(models.TextChoices):
    WITHDRAWAL = "withdrawal"
    PRIZE = "prize"


class PayoutState(models.TextChoices):
    REQUESTED = REQUESTED
    CHECKED = CHECKED
    APPROVED = APPROVED
    HELD = HELD
    REJECTED = REJECTED
    PAID = PAID


class PayoutBatch(models.Model):
    """Approved withdrawals that go to the bank in one file and are paid in one posting."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    currency = models.CharField(max_length=3)
    made_by = models.CharField(max_length=80)
    made_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True)
    paid_by = models.CharField(max_length=80, blank=True)
    posting = models.UUIDField(null=True)
    checksum = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file that was paid")

    class Meta:
        verbose_name_plural = "payout batches"
        constraints = [
            models.CheckConstraint(
                condition=Q(paid_at=None, posting=None, paid_by="", checksum="")
                | Q(paid_at__isnull=False, posting__isnull=False) & ~Q(paid_by="") & ~Q(checksum=""),
                name="payout_batch_whole",
            )
        ]
        indexes = [
            models.Index(fields=["made_at"], name="payout_batch_history"),
            models.Index(fields=["made_at"], name="payout_batch_unpaid", condition=Q(paid_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.made_at:%d %b %Y %H:%M}"

    @property
    def subject(self) -> str:
        return f"payout-batch:{self.pk}"


class Payout(models.Model):
    """Money that is to leave `account`: a withdrawal to the outside, or a prize to the player's cash.

    `hold` holds it from the request until the payout is paid or rejected. `payee` is `player:{id}`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    reference = models.CharField(
        max_length=16, unique=True, help_text="the reference shown by the bank and on the statement"
    )
    kind = models.CharField(max_length=10, choices=PayoutKind)
    payee = models.CharField(max_length=80)
    account = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="payouts")
    currency = models.CharField(max_length=3)
    amount = PenceField()
    destination = models.CharField(
        max_length=DESTINATION_LENGTH, blank=True, help_text="where a withdrawal is sent"
    )
    subject = models.CharField(
        max_length=80, blank=True, help_text="the subject of a prize, such as tournament:…"
    )
    hold = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, related_name="payout")
    two_persons = models.BooleanField(help_text="whether two persons must approve it; set at the request")
    origin = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="again", help_text="the rejected prize"
    )
    requested_by = models.CharField(max_length=80)
    requested_at = models.DateTimeField()

    state = models.CharField(max_length=9, choices=PayoutState, default=PayoutState.REQUESTED)
    version = models.PositiveIntegerField(default=1, help_text="number of its newest step")
    batch = models.ForeignKey(PayoutBatch, on_delete=models.PROTECT, null=True, related_name="payouts")

    class Meta:
        permissions = [
            ("approve_payout", "May approve, hold, release, and reject payouts"),
            ("pay_payout", "May pay payouts and create payout batches"),
            ("freeze_money", "May freeze the payments of a subject and release them"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount__range=(1, MOST_PENCE)), name="payout_amount_bounded"),
            models.CheckConstraint(condition=Q(state__in=PayoutState.values), name="payout_state_known"),
            models.CheckConstraint(
                condition=Q(kind=PayoutKind.WITHDRAWAL, subject="", requested_by=F("payee"))
                & ~Q(destination="")
                | Q(kind=PayoutKind.PRIZE, destination="", batch=None) & ~Q(subject=""),
                name="payout_kind_whole",
            ),
            models.CheckConstraint(
                condition=Q(batch=None) | Q(state__in=[PayoutState.APPROVED, PayoutState.PAID]),
                name="payout_batch_of_approved",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "requested_at"], name="payout_queue"),
            models.Index(fields=["payee", "requested_at"], name="payout_history"),
            models.Index(fields=["payee", "kind", "requested_at"], name="payout_of_payee"),
            models.Index(fields=["state", "kind", "currency", "requested_at"], name="payout_to_batch"),
            models.Index(fields=["requested_at"], name="payout_newest"),
            models.Index(fields=["kind", "requested_at"], name="payout_kind"),
            models.Index(fields=["state", "kind", "requested_at"], name="payout_state_kind"),
            models.Index(fields=["currency", "requested_at"], name="payout_currency"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference}"

    @property
    def ledger_subject(self) -> str:
        """The payout's subject in transfers."""
        return f"payout:{self.pk}"

    @property
    def player(self) -> uuid.UUID:
        return uuid.UUID(self.payee.partition(":")[2])

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


def _known_moves() -> Q:
    return reduce(or_, (Q(was=was, becomes=to) for was, may in MOVES.items() for to in may))


class PayoutStep(models.Model):
    """A transition of a payout. Inserting it changes the payout. Never changed, never deleted.

    It repeats what was decided about (amount, payee, requester `maker`, last actor `previous`), so that an approval is
    for exactly that and a constraint can separate maker and checker.
    """

    payout = models.ForeignKey(Payout, on_delete=models.PROTECT, related_name="steps")
    number = models.PositiveIntegerField()
    was = models.CharField(max_length=9, blank=True)
    becomes = models.CharField(max_length=9, choices=PayoutState)
    payee = models.CharField(max_length=80)
    amount = PenceField()
    currency = models.CharField(max_length=3)
    two_persons = models.BooleanField()
    maker = models.CharField(max_length=80)
    previous = models.CharField(max_length=80, blank=True)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    reason = models.CharField(max_length=200, blank=True)
    # The trigger compares it with the payout's. A foreign key would lock the batch here, after the payout.
    batch = models.ForeignKey(
        PayoutBatch, on_delete=models.PROTECT, null=True, related_name="steps", db_constraint=False
    )
    freeze = models.ForeignKey("ledger.Freeze", on_delete=models.PROTECT, null=True, related_name="steps")
    epoch = models.PositiveIntegerField(db_default=0, help_text="with xact and id the order of all steps")
    xact = models.BigIntegerField(
        db_default=CurrentTransaction(), help_text="PostgreSQL's transaction id; 0 on SQLite"
    )

    class Meta:
        ordering = ["number"]
        indexes = [models.Index(fields=["epoch", "xact", "id"], name="payout_step_follow")]
        constraints = [
            models.UniqueConstraint(fields=["payout", "number"], name="payout_step_once"),
            models.CheckConstraint(condition=_known_moves(), name="payout_step_legal"),
            models.CheckConstraint(
                condition=~Q(becomes__in=[PayoutState.CHECKED, PayoutState.APPROVED])
                | ~Q(actor=F("maker"))
                & ~Q(actor=F("payee"))
                & (Q(becomes=PayoutState.CHECKED) | Q(two_persons=False) | ~Q(actor=F("previous"))),
                name="payout_maker_is_not_checker",
            ),
            models.CheckConstraint(
                condition=~Q(actor=F("payee"))
                | reduce(or_, (Q(was=was, becomes=to) for was, to in BY_PAYEE)),
                name="payout_not_by_payee",
            ),
            models.CheckConstraint(
                condition=~Q(reason="")
                | Q(was="")
                | Q(becomes__in=[PayoutState.CHECKED, PayoutState.APPROVED, PayoutState.PAID]),
                name="payout_step_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.was} → {self.becomes}"


class Freeze(models.Model):
    """A hold on what `subject` paid, until a claim about it is decided. Released once.

    `key` names the claim, which has one freeze. `player` is the only player whose money is frozen; null: all players.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    subject = models.CharField(max_length=80)
    player = models.UUIDField(null=True)
    reason = models.CharField(max_length=200)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField()
    released_at = models.DateTimeField(null=True)
    released_by = models.CharField(max_length=80, blank=True)
    released_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(released_at=None, released_by="", released_reason="")
                | Q(released_at__isnull=False) & ~Q(released_by="") & ~Q(released_reason=""),
                name="freeze_released_whole",
            )
        ]
        indexes = [
            models.Index(fields=["subject", "at"], name="freeze_subject"),
            models.Index(fields=["player", "at"], name="freeze_player"),
            models.Index(fields=["at"], name="freeze_history"),
            models.Index(fields=["at"], name="freeze_open", condition=Q(released_at=None)),
        ]

    def __str__(self) -> str:
        return f"freeze of {self.subject}"

    @property
    def ledger_subject(self) -> str:
        return f"freeze:{self.pk}"


class FrozenMoney(models.Model):
    """A hold of a freeze on a player's account. Never changed; the hold has the state."""

    freeze = models.ForeignKey(Freeze, on_delete=models.PROTECT, related_name="money")
    hold = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, related_name="frozen")

    class Meta:
        verbose_name_plural = "frozen money"

    def __str__(self) -> str:
        return f"{self.freeze_id}: {self.hold_id}"
