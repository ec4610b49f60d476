"""A line of those who wait for a place."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0014_meeting"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="waiting_list",
            field=models.PositiveIntegerField(
                default=0, help_text="how many may wait for a place when all are taken; 0: nobody"
            ),
        ),
        migrations.CreateModel(
            name="Waiting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="the order of the line")),
                ("client_seed", models.CharField(blank=True, max_length=64)),
                ("since", models.DateTimeField()),
                ("checked_in_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "ended",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("admitted", "Admitted"),
                            ("left", "by themselves"),
                            ("passed-over", "when their turn came they could not enter"),
                            ("started", "the tournament began without them"),
                            ("cancelled", "the tournament was called off"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                ("code", models.CharField(blank=True, help_text="why they were passed over", max_length=40)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiting",
                        to="tournaments.tournament",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "waiting",
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "number"), name="waiting_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("tournament", "player"),
                        name="waiting_player_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="waiting_number_from_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("code", ""), ("ended", ""), ("ended_at", None)),
                            models.Q(("ended", "passed-over"), ("ended_at__isnull", False)),
                            models.Q(
                                ("code", ""),
                                ("ended__in", ["admitted", "left", "passed-over", "started", "cancelled"]),
                                ("ended_at__isnull", False),
                                models.Q(("ended", "passed-over"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="waiting_ended",
                    ),
                ],
            },
        ),
    ]
