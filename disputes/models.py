"""Disputes, rulings, and pinned evidence: projections of the stream of each dispute.

Constraints here and the triggers of `disputes.schema` restrict how rows may change.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from disputes import states
from ledger.money import MOST_PENCE, PenceField

CLAIM_LENGTH = 2000
REASON_LENGTH = 2000
NOTE_LENGTH = 500
"""The maximum lengths, in Unicode code points."""


class DisputeStatus(models.TextChoices):
    OPEN = states.OPEN
    PROPOSED = states.PROPOSED
    RULED = states.RULED
    APPEALED = states.APPEALED
    WITHDRAWN = states.WITHDRAWN


class Dispute(models.Model):
    """A player's or organizer's claim that a game is wrong from a version on. The dispute's id is its stream."""

    id = models.UUIDField(
        primary_key=True, default=uuid.uuid4, editable=False, help_text="the id of its stream too"
    )
    game = models.ForeignKey(
        "games.GameRecord", on_delete=models.PROTECT, related_name="disputes", db_index=False
    )
    opener = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="disputes", db_index=False
    )
    seat = models.PositiveSmallIntegerField(null=True, help_text="the opener's seat; null for the organizer")
    version = models.PositiveBigIntegerField(help_text="the version of the disputed event")
    hash = models.CharField(max_length=64, help_text="the hash of that event")
    claim = models.CharField(max_length=CLAIM_LENGTH)
    status = models.CharField(max_length=9, choices=DisputeStatus, default=DisputeStatus.OPEN)
    instance = models.PositiveSmallIntegerField(default=1, help_text="1, or 2 on appeal")
    suspends = models.BooleanField(default=False, help_text="whether the game is suspended for it")
    events = models.PositiveBigIntegerField(default=1, help_text="the number of events in its stream")
    opened_at = models.DateTimeField()
    appeal_until = models.DateTimeField(null=True, help_text="the end of the appeal period")
    ended_at = models.DateTimeField(null=True, help_text="the time of the last ruling or of the withdrawal")

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
            models.Index(name="dispute_of_game", fields=["game", "-opened_at", "-id"]),
            models.Index(name="dispute_opener", fields=["opener", "-opened_at", "-id"]),
        ]

    def __str__(self) -> str:
        return f"dispute {self.id}"

    @property
    def is_pending(self) -> bool:
        return self.status in states.PENDING


class PartyQuerySet(models.QuerySet["Party"]):
    def newest(
        self, player: uuid.UUID, status: str | None, after: Sequence[Any] | None, most: int
    ) -> list[Dispute]:
        """Return the newest disputes of a player, after one with this time and id."""
        found = self.filter(player=player)
        if status is not None:
            found = found.filter(dispute__status=status)
        if after is not None:
            at, dispute = after
            found = found.filter(Q(opened_at__lt=at) | Q(dispute__lt=dispute), opened_at__lte=at)
        rows = found.select_related("dispute__game__stake_table", "dispute__opener").order_by(
            "-opened_at", "-dispute_id"
        )
        return [row.dispute for row in rows[:most]]


class Party(models.Model):
    """A person who may see a dispute: its opener, a player of its game, or the organizer of its tournament.

    Only a game that has started can be disputed, so these people do not change.
    """

    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="parties", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    opened_at = models.DateTimeField(help_text="that of the dispute")

    objects = PartyQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(name="party_once", fields=["dispute", "player"])]
        indexes = [models.Index(name="party_newest", fields=["player", "-opened_at", "-dispute"])]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.dispute_id}"


class RulingState(models.TextChoices):
    PROPOSED = states.PROPOSED
    STANDING = states.STANDING
    REFUSED = states.REFUSED
    SUPERSEDED = states.SUPERSEDED


class Ruling(models.Model):
    """An auditor's finding, its remedy, and the effects of the remedy, which equal those of the preview."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="rulings")
    number = models.PositiveSmallIntegerField(help_text="the number of the ruling in its dispute, from 1")
    instance = models.PositiveSmallIntegerField()
    finding = models.CharField(max_length=13)
    remedy = models.CharField(max_length=9)
    terms: models.JSONField[Any, Any] = models.JSONField(default=dict, help_text="the terms of the remedy")
    reason = models.CharField(max_length=REASON_LENGTH)
    auditor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rulings")
    rules = models.CharField(max_length=40)
    rules_version = models.PositiveSmallIntegerField()
    evidence: models.JSONField[Any, Any] = models.JSONField(
        default=list, help_text="the evidence at the time of the ruling: game, version, hash"
    )
    effects: models.JSONField[Any, Any] = models.JSONField(default=dict, help_text="the effects as previewed")
    moves = PenceField(default=0, help_text="the largest amount moved in one currency")
    second_person = models.BooleanField(help_text="whether it needs a second person's approval")
    state = models.CharField(max_length=10, choices=RulingState)
    ruled_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="the second person who decided",
    )
    decided_at = models.DateTimeField(null=True)
    decided_why = models.CharField(
        max_length=REASON_LENGTH, blank=True, help_text="the second person's reason"
    )
    caused: models.JSONField[Any, Any] = models.JSONField(
        default=list, help_text="its ledger and tournament entries: kind, subject, number"
    )
    game = models.UUIDField(null=True, help_text="the continuation or the redeal that it made")

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
    """An event that is evidence for or against a claim, by version and hash. Rows are immutable."""

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
