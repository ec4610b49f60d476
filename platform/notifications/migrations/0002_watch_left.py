from django.db import migrations, models

from core.migration import AddColumn, AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("notifications", "0001_initial")]

    operations = [
        AddColumn(
            model_name="watch",
            name="left_at",
            field=models.DateTimeField(help_text="when the stream was closed; null: it is open", null=True),
        ),
        AddIndexConcurrently(
            model_name="watch",
            index=models.Index(fields=["stream"], name="notification_watch_stream"),
        ),
    ]
