import django.db.models.deletion
from django.db import migrations, models

import eventstore.fields
from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("number", models.BigIntegerField(primary_key=True, serialize=False)),
                ("body", models.BinaryField(help_text="canonical JSON, as signed")),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "leaves",
                    models.BinaryField(
                        help_text="hash and id of each leaf, source by source, to name what was changed"
                    ),
                ),
                ("signature", models.CharField(max_length=128)),
                ("key", models.CharField(help_text="the Ed25519 public key that signed it", max_length=64)),
            ],
            options={
                "indexes": [models.Index(fields=["key", "-number"], name="checkpoint_by_key")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="CheckpointStream",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("stream", models.UUIDField()),
                ("number", models.BigIntegerField(help_text="of the checkpoint")),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Epoch",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("began", models.DateTimeField()),
                ("reason", models.CharField(max_length=200)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Stream",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=32)),
                ("version", models.BigIntegerField()),
                ("head_hash", models.CharField(max_length=64)),
                (
                    "head_at",
                    models.CharField(
                        help_text="`at` of the head event; empty before the first", max_length=27
                    ),
                ),
                (
                    "suspended_at",
                    models.CharField(
                        editable=False,
                        help_text="since when nothing is appended; null: the stream goes on",
                        max_length=27,
                        null=True,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 0)), name="stream_version_counts"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream_id", "version", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="eventstore.stream",
                    ),
                ),
                ("version", models.BigIntegerField()),
                ("type", models.CharField(max_length=64)),
                ("schema", models.PositiveSmallIntegerField(default=1)),
                ("seat", models.PositiveSmallIntegerField(null=True)),
                ("data", models.BinaryField()),
                ("private", models.BinaryField(null=True)),
                ("seal", models.CharField(max_length=64, null=True)),
                ("at", models.CharField(max_length=27)),
                ("prev", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
                ("command_id", models.CharField(max_length=64, null=True)),
                ("command_fingerprint", models.CharField(max_length=64, null=True)),
                ("command_events", models.PositiveSmallIntegerField(null=True)),
                ("actor", models.UUIDField(help_text="who asked for it", null=True)),
                (
                    "token",
                    models.CharField(help_text="id of the token it came with", max_length=25, null=True),
                ),
                (
                    "client_at",
                    models.CharField(help_text="by the clock of who asked", max_length=27, null=True),
                ),
                ("epoch", models.PositiveIntegerField()),
                (
                    "xact",
                    models.BigIntegerField(
                        help_text="PostgreSQL's transaction id; 0 on SQLite, whose writers queue"
                    ),
                ),
                ("position", eventstore.fields.IdentityField()),
            ],
            options={
                "indexes": [models.Index(fields=["epoch", "xact", "position"], name="event_follow")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 1)), name="event_version_counts"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("command_id__isnull", False)),
                        fields=("stream", "command_id"),
                        name="event_command_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("command_events", None), ("command_fingerprint", None), ("command_id", None)
                            ),
                            models.Q(
                                ("command_events__gte", 1),
                                ("command_fingerprint__isnull", False),
                                ("command_id__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="event_command_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream_id", "version", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="eventstore.stream",
                    ),
                ),
                ("version", models.BigIntegerField()),
                ("hash", models.CharField(help_text="of the event of that version", max_length=64)),
                (
                    "form",
                    models.CharField(
                        help_text="the code that folded it; another form is not read", max_length=16
                    ),
                ),
                ("state", models.BinaryField()),
                (
                    "mac",
                    models.CharField(
                        help_text="HMAC-SHA256 over all of it with the installation's key", max_length=64
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
    ]
