from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="StoredResponse",
            fields=[
                ("command", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("fingerprint", models.CharField(max_length=64)),
                ("actor", models.CharField(db_index=True, max_length=64)),
                ("at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("body", models.TextField(default="null")),
                ("headers", models.JSONField(default=dict)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
    ]
