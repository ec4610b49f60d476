from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="ActionRecord",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("actor", models.UUIDField()),
                ("action", models.CharField(max_length=60)),
                ("subject", models.CharField(blank=True, max_length=100)),
                ("reason", models.CharField(blank=True, max_length=2000)),
                (
                    "made",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="what came of it, such as transfer:12",
                        max_length=100,
                    ),
                ),
                ("details", models.JSONField(default=dict)),
                (
                    "key",
                    models.CharField(
                        help_text="of the form or request, which does its work once",
                        max_length=200,
                        null=True,
                        unique=True,
                    ),
                ),
            ],
            options={
                "verbose_name": "staff action",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["actor", "-id"], name="staff_actions_of_actor"),
                    models.Index(fields=["subject", "-id"], name="staff_actions_on_subject"),
                    models.Index(fields=["action", "-id"], name="staff_actions_by_name"),
                ],
                "constraints": [],
            },
        ),
    ]
