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
            name="AuditReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(help_text="the start of the audit")),
                ("seconds", models.PositiveIntegerField(help_text="the duration of the audit")),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("installation", "Installation"),
                            ("ledger", "Ledger"),
                            ("tournament", "Tournament"),
                            ("game", "Game"),
                        ],
                        max_length=12,
                    ),
                ),
                ("subject", models.UUIDField(blank=True, help_text="the game or the tournament", null=True)),
                (
                    "since",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="the checkpoint after which data was checked", null=True
                    ),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty for the nightly audit",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("ok", models.BooleanField(help_text="no faults, and at least one check was run")),
                ("events", models.PositiveBigIntegerField(help_text="the number of events checked")),
                (
                    "faults",
                    models.PositiveIntegerField(
                        help_text="the number of all faults; the report lists the first thousand"
                    ),
                ),
                ("report", models.JSONField()),
            ],
            options={
                "ordering": ["-at", "-id"],
                "permissions": [("ask_auditreport", "Can request an audit")],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="auditreport_newest"),
                    models.Index(fields=["scope", "-at", "-id"], name="auditreport_scope"),
                    models.Index(fields=["ok", "-at", "-id"], name="auditreport_ok"),
                    models.Index(
                        condition=models.Q(("ok", False)),
                        fields=["scope", "-at", "-id"],
                        name="auditreport_scope_failed",
                    ),
                    models.Index(fields=["subject"], name="auditreport_subject"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ["installation", "ledger", "tournament", "game"])),
                        name="auditreport_scope_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("scope__in", ["installation", "ledger"]), ("subject", None)),
                            models.Q(("scope__in", ["tournament", "game"]), ("subject__isnull", False)),
                            _connector="OR",
                        ),
                        name="auditreport_of_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ok", False), ("faults", 0), _connector="OR"),
                        name="auditreport_ok_without_faults",
                    ),
                ],
            },
        ),
    ]
