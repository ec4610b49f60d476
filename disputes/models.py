"""Disputes, what was ruled on them, and the evidence pinned to them: read models of each dispute's own stream.

What a row may become is kept by constraints here and by the triggers of `disputes.schema`.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from disputes import states
from ledger.fields import MOST_PENCE, PenceField

CLAIM_LENGTH = 2000
REASON_LENGTH = 2000
NOTE_LENGTH = 500
"""Unicode code points."""


class DisputeStatus(models.TextChoices):
    OPEN = states.OPEN
    PROPOSED = states.PROPOSED
    RULED = states.RULED
    APPEALED = states.APPEALED
    WITHDRAWN = states.WITHDRAWN


class Dispute(models.Model):
    """Somebody's claim on a game, from what that had come to at a version. Its events stand in the stream of its id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="also the stream")
    game = models.ForeignKey("games.GameRecord", on_delete=models.PROTECT, related_name="disputes")
    opener = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="disputes")
    seat = models.PositiveSmallIntegerField(null=True, help_text="of the opener; null: the organizer")
    version = models.PositiveBigIntegerField(help_text="of the game's event that the claim is about")
    hash = models.CharField(max_length=64, help_text="of that event")
    claim = models.CharField(max_length=CLAIM_LENGTH)
    status = models.CharField(max_length=9, choices=DisputeStatus, default=DisputeStatus.OPEN)
    instance = models.PositiveSmallIntegerField(default=1, help_text="2: an appeal")
    suspends = models.BooleanField(default=False, help_text="the game is suspended for it")
    events = models.PositiveBigIntegerField(default=1, help_text="in its stream")
    opened_at = models.DateTimeField()
    appeal_until = models.DateTimeField(null=True, help_text="of a first ruling that stands")
    ended_at = models.DateTimeField(null=True, help_text="when it was ruled on last, or withdrawn")

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                name="dispute_open_once", fields=["game", "opener"], condition=Q(status__in=states.PENDING)
            ),
            models.CheckConstraint(
                name="dispute_whole",
                condition=Q(
                    status__in=DisputeStatus.values, version__gte=1, events__gte=1, instance__in=[1, 2]
                )
                & ~Q(claim=""),
            ),
            models.CheckConstraint(
                name="dispute_ended_when_over",
                condition=Q(status__in=states.PENDING, ended_at=None)
                | Q(status__in=[states.RULED, states.WITHDRAWN], ended_at__isnull=False),
            ),
            models.CheckConstraint(
                name="dispute_appealable_in_time",
                condition=Q(appeal_until=None) | Q(status=states.RULED, instance=1),
            ),
            models.CheckConstraint(
                name="dispute_withdrawn_unruled",
                condition=~Q(status=states.WITHDRAWN) | Q(instance=1, appeal_until=None),
            ),
        ]
        indexes = [
            models.Index(name="dispute_queue", fields=["status", "opened_at"]),
            models.Index(name="dispute_newest", fields=["-opened_at", "-id"]),
        ]

    def __str__(self) -> str:
        return f"dispute {self.id}"

    @property
    def is_pending(self) -> bool:
        return self.status in states.PENDING


class RulingState(models.TextChoices):
    PROPOSED = states.PROPOSED
    STANDING = states.STANDING
    REFUSED = states.REFUSED
    SUPERSEDED = states.SUPERSEDED


class Ruling(models.Model):
    """What an auditor found and what follows. What was shown before it was made is what it did; both are kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="rulings")
    number = models.PositiveSmallIntegerField(help_text="in its dispute, from 1")
    instance = models.PositiveSmallIntegerField()
    finding = models.CharField(max_length=13)
    remedy = models.CharField(max_length=9)
    terms: models.JSONField[Any, Any] = models.JSONField(default=dict, help_text="of the remedy")
    reason = models.CharField(max_length=REASON_LENGTH)
    auditor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rulings")
    rules = models.CharField(max_length=40)
    rules_version = models.PositiveSmallIntegerField()
    evidence: models.JSONField[Any, Any] = models.JSONField(
        default=list, help_text="the events that were pinned when it was made: game, version, hash"
    )
    effects: models.JSONField[Any, Any] = models.JSONField(default=dict, help_text="as it was shown")
    moves = PenceField(default=0, help_text="what it moves in all, of the currency in which that is most")
    second_person = models.BooleanField(help_text="whether somebody else was to approve it")
    state = models.CharField(max_length=10, choices=RulingState)
    ruled_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="the second person",
    )
    decided_at = models.DateTimeField(null=True)
    decided_why = models.CharField(
        max_length=REASON_LENGTH, blank=True, help_text="why it was refused or approved"
    )
    caused: models.JSONField[Any, Any] = models.JSONField(
        default=list, help_text="where what it moved stands in the books: kind, subject, number"
    )
    game = models.UUIDField(null=True, help_text="the game that goes on, or is played anew, by it")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(name="ruling_number_once", fields=["dispute", "number"]),
            models.UniqueConstraint(
                name="ruling_stands_alone", fields=["dispute"], condition=Q(state=states.STANDING)
            ),
            models.UniqueConstraint(
                name="ruling_proposed_once", fields=["dispute"], condition=Q(state=states.PROPOSED)
            ),
            models.CheckConstraint(
                name="ruling_whole",
                condition=Q(
                    number__gte=1,
                    instance__in=[1, 2],
                    state__in=RulingState.values,
                    finding__in=states.FINDINGS,
                    remedy__in=states.REMEDIES,
                    moves__range=(0, MOST_PENCE * 1000),
                )
                & ~Q(reason=""),
            ),
            models.CheckConstraint(
                name="ruling_dismisses_what_it_rejects",
                condition=Q(finding=states.REJECTED, remedy=states.DISMISSED)
                | ~Q(finding=states.REJECTED) & ~Q(remedy=states.DISMISSED),
            ),
            models.CheckConstraint(
                name="ruling_by_two_where_asked",
                condition=Q(state=states.PROPOSED, second_person=True, decided_by=None, decided_at=None)
                | Q(second_person=False, decided_by=None, decided_at=None)
                & Q(state__in=[states.STANDING, states.SUPERSEDED])
                | Q(second_person=True, decided_by__isnull=False, decided_at__isnull=False)
                & ~Q(state=states.PROPOSED)
                & ~Q(decided_by=F("auditor")),
            ),
            models.CheckConstraint(
                name="ruling_refused_for_a_reason",
                condition=Q(state=states.REFUSED) & ~Q(decided_why="")
                | ~Q(state=states.REFUSED) & (Q(decided_why="") | Q(decided_by__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"ruling {self.number} on {self.dispute_id}: {self.remedy}"


class PinnedEvidence(models.Model):
    """An event that speaks for or against a claim, by its version and hash. Never changed."""

    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="evidence")
    game = models.ForeignKey("games.GameRecord", on_delete=models.PROTECT, related_name="+")
    version = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    note = models.CharField(max_length=NOTE_LENGTH, blank=True)
    pinned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "pinned evidence"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="evidence_pinned_once", fields=["dispute", "game", "version"]),
            models.CheckConstraint(name="evidence_of_an_event", condition=Q(version__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.game_id} {self.version}"
