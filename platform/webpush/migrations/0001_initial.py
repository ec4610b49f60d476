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
            name="Subscription",
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
                    "endpoint",
                    models.CharField(
                        help_text="its address at the push service", max_length=500, unique=True
                    ),
                ),
                ("p256dh", models.CharField(help_text="the browser's public key, base64url", max_length=100)),
                (
                    "auth",
                    models.CharField(
                        help_text="the secret shared with the browser, base64url", max_length=40
                    ),
                ),
                ("name", models.CharField(help_text="the browser and its system", max_length=60)),
                ("created_at", models.DateTimeField()),
                (
                    "used_at",
                    models.DateTimeField(
                        help_text="the last time that the push service took a message", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [],
                "constraints": [],
            },
        ),
    ]
