import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        ("accounts", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Choices",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("language", models.CharField(blank=True, help_text="empty: the site's", max_length=8)),
                (
                    "time_zone",
                    models.CharField(blank=True, help_text="IANA name; empty: the site's", max_length=64),
                ),
                (
                    "quiet_from",
                    models.TimeField(
                        help_text="in the player's time zone; may be after quiet_until", null=True
                    ),
                ),
                ("quiet_until", models.TimeField(null=True)),
                (
                    "digest",
                    models.CharField(
                        choices=[("none", "each e-mail at once"), ("hourly", "Hourly"), ("daily", "Daily")],
                        default="none",
                        max_length=6,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "choices",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("quiet_from", None), ("quiet_until", None)),
                            models.Q(
                                ("quiet_from__isnull", False),
                                ("quiet_until__isnull", False),
                                models.Q(("quiet_from", models.F("quiet_until")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="notification_quiet_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__in", ["none", "hourly", "daily"])),
                        name="notification_digest_known",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=80)),
                ("occurrence", models.CharField(max_length=80)),
                ("values", models.JSONField(help_text="what its texts name")),
                ("in_page", models.BooleanField(help_text="whether the player's list shows it")),
                ("created_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(null=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=models.Q(("in_page", True)),
                        fields=["player", "-created_at", "-id"],
                        name="notification_newest",
                    ),
                    models.Index(
                        condition=models.Q(("in_page", True), ("read_at", None)),
                        fields=["player"],
                        name="notification_unread",
                    ),
                    models.Index(fields=["player", "created_at", "id"], name="notification_of_player"),
                    models.Index(fields=["created_at"], name="notification_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("player", "kind", "subject", "occurrence"), name="notification_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("page", "in the page"),
                            ("email", "by e-mail"),
                            ("push", "by push message"),
                            ("webhook", "by the player's webhook"),
                        ],
                        max_length=8,
                    ),
                ),
                ("wanted", models.BooleanField()),
            ],
            options={
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("player", "kind", "channel"), name="notification_preference_once"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                ("source", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("epoch", models.BigIntegerField()),
                ("xact", models.BigIntegerField()),
                ("position", models.BigIntegerField()),
            ],
            options={
                "verbose_name_plural": "progress",
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id", "stream", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("stream", models.UUIDField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["seen_at"], name="notification_watch_age")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "notification",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notifications.notification",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("page", "in the page"),
                            ("email", "by e-mail"),
                            ("push", "by push message"),
                            ("webhook", "by the player's webhook"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "due",
                    models.DateTimeField(
                        help_text="not sent before; the end of quiet hours, or the time of the digest"
                    ),
                ),
                (
                    "tries",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="how often the mail server was not reached"
                    ),
                ),
                ("claimed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("dropped", "no longer wanted or allowed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("error", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "verbose_name": "delivery of a notification",
                "verbose_name_plural": "deliveries of notifications",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended_at", None)),
                        fields=["player", "channel", "due"],
                        name="notification_delivery_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("ended_at", None)),
                        fields=["claimed_at"],
                        name="notification_delivery_claim",
                    ),
                    models.Index(fields=["outcome", "-ended_at"], name="notification_delivery_ended"),
                    models.Index(fields=["outcome", "-id"], name="notification_delivery_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("notification", "channel"), name="notification_delivery_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("outcome", "")),
                            models.Q(
                                ("ended_at__isnull", False), ("outcome__in", ["sent", "failed", "dropped"])
                            ),
                            _connector="OR",
                        ),
                        name="notification_delivery_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome", "sent"), _negated=True),
                            ("claimed_at__isnull", False),
                            _connector="OR",
                        ),
                        name="notification_delivery_claimed",
                    ),
                ],
            },
        ),
    ]
