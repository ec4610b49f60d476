from django.db import migrations, models

from core.migration import AddColumn


class Migration(migrations.Migration):
    """Existing jobs are moved to their queues by the next ticker that starts (`jobs.services.arm_recurring`)."""

    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Lease",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("holder", models.CharField(max_length=100)),
                ("until", models.DateTimeField()),
            ],
        ),
        AddColumn(
            model_name="job",
            name="queue",
            field=models.CharField(db_default="play", help_text="whose workers do it", max_length=20),
        ),
    ]
