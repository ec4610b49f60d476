"""Notifications, their deliveries by channel, what players have chosen, and how far the followers have come."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from notifications.kinds import Channel

SUBJECT_LENGTH = 80
ERROR_LENGTH = 200


class Notification(models.Model):
    """A notification, which a player gets once: `occurrence` distinguishes the times that it happens to a subject."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    occurrence = models.CharField(max_length=SUBJECT_LENGTH)
    values = models.JSONField(help_text="what its texts name")
    in_page = models.BooleanField(help_text="whether the player's list shows it")
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["player", "kind", "subject", "occurrence"], name="notification_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["player", "-created_at", "-id"],
                condition=Q(in_page=True),
                name="notification_newest",
            ),
            models.Index(
                fields=["player"], condition=Q(in_page=True, read_at=None), name="notification_unread"
            ),
            models.Index(fields=["player", "created_at", "id"], name="notification_of_player"),
            models.Index(fields=["created_at"], name="notification_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}"


class Outcome(models.TextChoices):
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped", "no longer wanted or allowed"


class Delivery(models.Model):
    """A notification on its way by one channel. It is claimed before it is sent, so it is sent at most once."""

    notification = models.ForeignKey(
        Notification, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    channel = models.CharField(max_length=8, choices=Channel.choices)
    due = models.DateTimeField(help_text="not sent before; the end of quiet hours, or the time of the digest")
    tries = models.PositiveSmallIntegerField(default=0, help_text="how often the mail server was not reached")
    claimed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True)
    error = models.CharField(max_length=ERROR_LENGTH, blank=True)

    class Meta:
        default_permissions = ("view",)
        verbose_name = "delivery of a notification"
        verbose_name_plural = "deliveries of notifications"
        constraints = [
            models.UniqueConstraint(fields=["notification", "channel"], name="notification_delivery_once"),
            models.CheckConstraint(
                name="notification_delivery_whole",
                condition=Q(ended_at=None, outcome="")
                | Q(ended_at__isnull=False, outcome__in=Outcome.values),
            ),
            models.CheckConstraint(
                name="notification_delivery_claimed",
                condition=~Q(outcome=Outcome.SENT) | Q(claimed_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["player", "channel", "due"],
                condition=Q(ended_at=None),
                name="notification_delivery_waiting",
            ),
            models.Index(
                fields=["claimed_at"], condition=Q(ended_at=None), name="notification_delivery_claim"
            ),
            models.Index(fields=["outcome", "-ended_at"], name="notification_delivery_ended"),
            models.Index(fields=["outcome", "-id"], name="notification_delivery_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} of {self.notification_id}"


class Digest(models.TextChoices):
    NONE = "none", "each e-mail at once"
    HOURLY = "hourly"
    DAILY = "daily"


class Choices(models.Model):
    """What a player has chosen for all kinds. Without a row the defaults hold."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    language = models.CharField(max_length=8, blank=True, help_text="empty: the site's")
    time_zone = models.CharField(max_length=64, blank=True, help_text="IANA name; empty: the site's")
    quiet_from = models.TimeField(null=True, help_text="in the player's time zone; may be after quiet_until")
    quiet_until = models.TimeField(null=True)
    digest = models.CharField(max_length=6, choices=Digest.choices, default=Digest.NONE)

    class Meta:
        default_permissions = ()
        verbose_name_plural = "choices"
        constraints = [
            models.CheckConstraint(
                name="notification_quiet_whole",
                condition=Q(quiet_from=None, quiet_until=None)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False) & ~Q(quiet_from=F("quiet_until")),
            ),
            models.CheckConstraint(name="notification_digest_known", condition=Q(digest__in=Digest.values)),
        ]

    def __str__(self) -> str:
        return f"choices of {self.player_id}"


class Preference(models.Model):
    """Whether a player wants a kind by a channel. Without a row the default of the kind holds."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=20)
    channel = models.CharField(max_length=8, choices=Channel.choices)
    wanted = models.BooleanField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["player", "kind", "channel"], name="notification_preference_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.channel}: {self.wanted}"


class Watch(models.Model):
    """A player who had an event stream open at `seen_at`, and may have closed it since. Deleted after an hour."""

    pk = models.CompositePrimaryKey("player_id", "stream")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    stream = models.UUIDField()
    seen_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, help_text="when the stream was closed; null: it is open")

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(fields=["seen_at"], name="notification_watch_age"),
            models.Index(fields=["stream"], name="notification_watch_stream"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} at {self.stream}"


class Progress(models.Model):
    """The position up to which a source has been followed; it commits with the notifications that follow from it."""

    source = models.CharField(max_length=20, primary_key=True)
    epoch = models.BigIntegerField()
    xact = models.BigIntegerField()
    position = models.BigIntegerField()

    class Meta:
        default_permissions = ()
        verbose_name_plural = "progress"

    def __str__(self) -> str:
        return f"{self.source} at {self.position}"
