"""Where a command came from: beside its id, and like it no part of the chain."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("eventstore", "0003_suspended_streams")]
    operations = [
        migrations.AddField("event", "actor", models.UUIDField(null=True, help_text="who asked for it")),
        migrations.AddField(
            "event",
            "token",
            models.CharField(max_length=25, null=True, help_text="id of the token it came with"),
        ),
        migrations.AddField(
            "event",
            "client_at",
            models.CharField(max_length=27, null=True, help_text="by the clock of who asked"),
        ),
    ]
