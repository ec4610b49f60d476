"""Payouts with their whole history, the batches that they are paid in, and freezes.

What each row may become is kept by constraints here and by the triggers of `ledger.payouts.schema`: a payout is moved
by the insertion of its next step and by nothing else.
"""

from __future__ import annotations

import uuid
from functools import reduce
from operator import or_

from django.db import models
from django.db.models import F, Q

from ledger.fields import MOST_PENCE, PenceField
from ledger.payouts import states

DESTINATION_LENGTH = 140
"""Unicode code points: as much as a bank takes as remittance information in a single line."""


class PayoutKind(models.TextChoices):
    WITHDRAWAL = "withdrawal"
    PRIZE = "prize"


class PayoutState(models.TextChoices):
    REQUESTED = states.REQUESTED
    CHECKED = states.CHECKED
    APPROVED = states.APPROVED
    HELD = states.HELD
    REJECTED = states.REJECTED
    PAID = states.PAID


class PayoutBatch(models.Model):
    """Approved withdrawals that go to the bank in one file and are paid by one posting, or none of them is."""

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
        indexes = [models.Index(fields=["made_at"], name="payout_batch_history")]

    def __str__(self) -> str:
        return f"{self.made_at:%Y-%m-%d %H:%M} {self.currency}"

    @property
    def subject(self) -> str:
        return f"payout-batch:{self.pk}"


class Payout(models.Model):
    """Money that is to leave `account`: a withdrawal to the world outside, a prize to the player's cash.

    It is held from the request on, by `hold`, until the payout is paid or rejected. `payee` is `player:{id}`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.CharField(max_length=64)
    reference = models.CharField(
        max_length=16, unique=True, help_text="as the bank and the statement name it"
    )
    kind = models.CharField(max_length=10, choices=PayoutKind)
    payee = models.CharField(max_length=80)
    account = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="payouts")
    currency = models.CharField(max_length=3)
    amount = PenceField()
    destination = models.CharField(
        max_length=DESTINATION_LENGTH, blank=True, help_text="where the player wants a withdrawal to go"
    )
    subject = models.CharField(
        max_length=80, blank=True, help_text="what a prize is for, such as tournament:…"
    )
    hold = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, related_name="payout")
    two_persons = models.BooleanField(help_text="whether two persons must approve it; settled at the request")
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
            ("approve_payout", "May approve, hold, release and reject payouts"),
            ("pay_payout", "May pay payouts and make batches of them"),
            ("freeze_money", "May freeze what a subject has paid, and end that"),
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
            models.Index(fields=["requested_at"], name="payout_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference}"

    @property
    def ledger_subject(self) -> str:
        """As the transfers of it name it."""
        return f"payout:{self.pk}"

    @property
    def player(self) -> uuid.UUID:
        return uuid.UUID(self.payee.partition(":")[2])

    @property
    def is_open(self) -> bool:
        return self.state in states.OPEN


def _known_moves() -> Q:
    return reduce(or_, (Q(was=was, becomes=to) for was, may in states.MOVES.items() for to in may))


class PayoutStep(models.Model):
    """A transition of a payout. Inserting it is what moves the payout; never changed, never deleted.

    It repeats what it was decided about – amount, payee, who asked (`maker`), who touched it last (`previous`) –
    so that an approval holds for exactly that, and a constraint can keep maker and checker apart.
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

    class Meta:
        ordering = ["number"]
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
                | reduce(or_, (Q(was=was, becomes=to) for was, to in states.BY_PAYEE)),
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
    """What `subject` paid out is held until whoever claimed it wrong is answered. Released once.

    `key` names the claim: made twice it is one freeze. `player` is whose money alone is frozen; null: everybody's.
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
            models.Index(fields=["subject"], name="freeze_subject"),
            models.Index(fields=["at"], name="freeze_history"),
        ]

    def __str__(self) -> str:
        return f"freeze of {self.subject}"

    @property
    def ledger_subject(self) -> str:
        return f"freeze:{self.pk}"


class FrozenMoney(models.Model):
    """A hold that a freeze made on an account of a player's. Never changed; what became of it the hold says."""

    freeze = models.ForeignKey(Freeze, on_delete=models.PROTECT, related_name="money")
    hold = models.OneToOneField("ledger.Hold", on_delete=models.PROTECT, related_name="frozen")

    class Meta:
        verbose_name_plural = "frozen money"

    def __str__(self) -> str:
        return f"{self.freeze_id}: {self.hold_id}"
