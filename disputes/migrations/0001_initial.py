import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import ledger.money
from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        ("games", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dispute",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        help_text="the id of its stream too",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="disputes",
                        to="games.gamerecord",
                    ),
                ),
                (
                    "opener",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="disputes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "seat",
                    models.PositiveSmallIntegerField(
                        help_text="the opener's seat; null for the organizer", null=True
                    ),
                ),
                ("version", models.PositiveBigIntegerField(help_text="the version of the disputed event")),
                ("hash", models.CharField(help_text="the hash of that event", max_length=64)),
                ("claim", models.CharField(max_length=2000)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("proposed", "Proposed"),
                            ("ruled", "Ruled"),
                            ("appealed", "Appealed"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("instance", models.PositiveSmallIntegerField(default=1, help_text="1, or 2 on appeal")),
                (
                    "suspends",
                    models.BooleanField(default=False, help_text="whether the game is suspended for it"),
                ),
                (
                    "events",
                    models.PositiveBigIntegerField(default=1, help_text="the number of events in its stream"),
                ),
                ("opened_at", models.DateTimeField()),
                ("appeal_until", models.DateTimeField(help_text="the end of the appeal period", null=True)),
                (
                    "ended_at",
                    models.DateTimeField(
                        help_text="the time of the last ruling or of the withdrawal", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["-opened_at", "-id"],
                "indexes": [
                    models.Index(fields=["status", "opened_at"], name="dispute_queue"),
                    models.Index(fields=["-opened_at", "-id"], name="dispute_newest"),
                    models.Index(fields=["game", "-opened_at", "-id"], name="dispute_of_game"),
                    models.Index(fields=["opener", "-opened_at", "-id"], name="dispute_opener"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ("open", "proposed", "appealed"))),
                        fields=("game", "opener"),
                        name="dispute_open_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("events__gte", 1),
                            ("instance__in", [1, 2]),
                            ("status__in", ["open", "proposed", "ruled", "appealed", "withdrawn"]),
                            ("version__gte", 1),
                            models.Q(("claim", ""), _negated=True),
                        ),
                        name="dispute_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("status__in", ("open", "proposed", "appealed"))),
                            models.Q(("ended_at__isnull", False), ("status__in", ["ruled", "withdrawn"])),
                            _connector="OR",
                        ),
                        name="dispute_ended_when_over",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("appeal_until", None),
                            models.Q(("instance", 1), ("status", "ruled")),
                            _connector="OR",
                        ),
                        name="dispute_appealable_in_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "withdrawn"), _negated=True),
                            models.Q(("appeal_until", None), ("instance", 1)),
                            _connector="OR",
                        ),
                        name="dispute_withdrawn_unruled",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Party",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "dispute",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parties",
                        to="disputes.dispute",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("opened_at", models.DateTimeField(help_text="that of the dispute")),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["player", "-opened_at", "-dispute"], name="party_newest")],
                "constraints": [models.UniqueConstraint(fields=("dispute", "player"), name="party_once")],
            },
        ),
        migrations.CreateModel(
            name="PinnedEvidence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "dispute",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evidence",
                        to="disputes.dispute",
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="games.gamerecord"
                    ),
                ),
                ("version", models.PositiveBigIntegerField()),
                ("hash", models.CharField(max_length=64)),
                ("note", models.CharField(blank=True, max_length=500)),
                (
                    "pinned_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "pinned evidence",
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("dispute", "game", "version"), name="evidence_pinned_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 1)), name="evidence_of_an_event"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "dispute",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="disputes.dispute",
                    ),
                ),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        help_text="the number of the ruling in its dispute, from 1"
                    ),
                ),
                ("instance", models.PositiveSmallIntegerField()),
                ("finding", models.CharField(max_length=13)),
                ("remedy", models.CharField(max_length=9)),
                ("terms", models.JSONField(default=dict, help_text="the terms of the remedy")),
                ("reason", models.CharField(max_length=2000)),
                (
                    "auditor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("rules", models.CharField(max_length=40)),
                ("rules_version", models.PositiveSmallIntegerField()),
                (
                    "evidence",
                    models.JSONField(
                        default=list, help_text="the evidence at the time of the ruling: game, version, hash"
                    ),
                ),
                ("effects", models.JSONField(default=dict, help_text="the effects as previewed")),
                (
                    "moves",
                    ledger.money.PenceField(default=0, help_text="the largest amount moved in one currency"),
                ),
                (
                    "second_person",
                    models.BooleanField(help_text="whether it needs a second person's approval"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Proposed"),
                            ("standing", "Standing"),
                            ("refused", "Refused"),
                            ("superseded", "Superseded"),
                        ],
                        max_length=10,
                    ),
                ),
                ("ruled_at", models.DateTimeField()),
                (
                    "decided_by",
                    models.ForeignKey(
                        help_text="the second person who decided",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "decided_why",
                    models.CharField(blank=True, help_text="the second person's reason", max_length=2000),
                ),
                (
                    "caused",
                    models.JSONField(
                        default=list, help_text="its ledger and tournament entries: kind, subject, number"
                    ),
                ),
                (
                    "game",
                    models.UUIDField(help_text="the continuation or the redeal that it made", null=True),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("dispute", "number"), name="ruling_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "standing")),
                        fields=("dispute",),
                        name="ruling_stands_alone",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "proposed")),
                        fields=("dispute",),
                        name="ruling_proposed_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("finding__in", ("rejected", "upheld", "partly-upheld")),
                            ("instance__in", [1, 2]),
                            ("moves__range", (0, 100000000000000)),
                            ("number__gte", 1),
                            ("remedy__in", ("dismissed", "replay", "void", "corrected", "points")),
                            ("state__in", ["proposed", "standing", "refused", "superseded"]),
                            models.Q(("reason", ""), _negated=True),
                        ),
                        name="ruling_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finding", "rejected"), ("remedy", "dismissed")),
                            models.Q(
                                models.Q(("finding", "rejected"), _negated=True),
                                models.Q(("remedy", "dismissed"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="ruling_dismisses_what_it_rejects",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("decided_at", None),
                                ("decided_by", None),
                                ("second_person", True),
                                ("state", "proposed"),
                            ),
                            models.Q(
                                ("decided_at", None),
                                ("decided_by", None),
                                ("second_person", False),
                                ("state__in", ["standing", "superseded"]),
                            ),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("decided_by__isnull", False),
                                ("second_person", True),
                                models.Q(("state", "proposed"), _negated=True),
                                models.Q(("decided_by", models.F("auditor")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="ruling_by_two_where_asked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "refused"), models.Q(("decided_why", ""), _negated=True)),
                            models.Q(
                                models.Q(("state", "refused"), _negated=True),
                                models.Q(("decided_why", ""), ("decided_by__isnull", False), _connector="OR"),
                            ),
                            _connector="OR",
                        ),
                        name="ruling_refused_for_a_reason",
                    ),
                ],
                "indexes": [],
            },
        ),
    ]
