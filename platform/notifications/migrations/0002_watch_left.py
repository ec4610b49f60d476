from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="watch",
            name="left_at",
            field=models.DateTimeField(help_text="when the stream was closed; null: it is open", null=True),
        ),
        migrations.AddIndex(
            model_name="watch",
            index=models.Index(fields=["stream"], name="notification_watch_stream"),
        ),
    ]
