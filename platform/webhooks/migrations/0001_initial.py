import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Hook",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "subject",
                    models.CharField(blank=True, help_text="empty: whatever is the owner's", max_length=80),
                ),
                ("url", models.CharField(max_length=500)),
                ("secret", models.BinaryField(help_text="the key of the signatures", max_length=64)),
                ("created_at", models.DateTimeField()),
                ("disabled_at", models.DateTimeField(blank=True, null=True)),
                ("disabled_why", models.TextField(blank=True, default="")),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["subject"], name="webhook_subject"),
                    models.Index(fields=["-created_at", "-id"], name="webhook_newest"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("disabled_at", None), ("disabled_why", "")),
                            models.Q(
                                ("disabled_at__isnull", False), models.Q(("disabled_why", ""), _negated=True)
                            ),
                            _connector="OR",
                        ),
                        name="webhook_disabled_why",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "hook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.hook",
                    ),
                ),
                ("subject", models.CharField(max_length=80)),
                (
                    "position",
                    models.PositiveIntegerField(help_text="of the event among those of its subject"),
                ),
                ("type", models.CharField(max_length=60)),
                ("body", models.TextField(help_text="what is sent, to the byte")),
                ("created_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("failed", "Failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "rounds",
                    models.PositiveIntegerField(default=1, help_text="how often its sending was started"),
                ),
                ("tries", models.PositiveIntegerField(default=0, help_text="attempts since it was")),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["hook", "-created_at", "-id"], name="webhook_delivery_newest"),
                    models.Index(fields=["ended_at"], name="webhook_delivery_ended"),
                    models.Index(fields=["-created_at", "-id"], name="webhook_delivery_all"),
                    models.Index(fields=["state", "-created_at", "-id"], name="webhook_delivery_state"),
                    models.Index(fields=["subject", "-created_at"], name="webhook_delivery_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("hook", "subject", "position"), name="webhook_event_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("state", "waiting")),
                            models.Q(("ended_at__isnull", False), ("state__in", ["delivered", "failed"])),
                            _connector="OR",
                        ),
                        name="webhook_delivery_ended_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "delivery",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="webhooks.delivery",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "status",
                    models.PositiveSmallIntegerField(help_text="null: there was no answer", null=True),
                ),
                ("error", models.CharField(blank=True, max_length=200)),
                ("answer", models.CharField(blank=True, max_length=200)),
                ("took", models.PositiveIntegerField(help_text="milliseconds")),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("delivery", "number"), name="webhook_attempt_once")
                ],
                "indexes": [],
            },
        ),
    ]
