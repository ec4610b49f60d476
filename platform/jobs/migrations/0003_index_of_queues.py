from django.db import migrations, models

from core.migration import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("jobs", "0002_queues_and_leases")]

    operations = [
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                fields=["queue", "due"],
                condition=models.Q(("done", None), ("failed", None)),
                name="jobs_job_queue",
            ),
        ),
    ]
