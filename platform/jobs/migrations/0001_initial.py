from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=100)),
                ("key", models.CharField(max_length=200, unique=True)),
                ("payload", models.JSONField(default=dict)),
                ("due", models.DateTimeField()),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("begun", models.DateTimeField(blank=True, help_text="taken in hand by a worker", null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("done", models.DateTimeField(blank=True, null=True)),
                ("failed", models.DateTimeField(blank=True, null=True)),
                ("last_error", models.TextField(blank=True, default="")),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("done", None), ("failed", None)),
                        fields=["due"],
                        name="jobs_job_open",
                    ),
                    models.Index(
                        condition=models.Q(("failed__isnull", False)),
                        fields=["failed"],
                        name="jobs_job_given_up",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("done", None), ("failed", None), _connector="OR"),
                        name="jobs_job_done_or_failed",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MetricsSample",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("text", models.TextField(help_text="in Prometheus' text format")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="jobs_metricssample_single_row"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Pause",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("since", models.DateTimeField()),
                ("reason", models.CharField(max_length=200)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="jobs_pause_single_row")
                ],
                "indexes": [],
            },
        ),
    ]
