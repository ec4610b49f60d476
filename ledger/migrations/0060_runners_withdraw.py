"""A runner of a pool may withdraw."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0030_protection"),
    ]

    operations = [
        migrations.AddField(
            model_name="runner",
            name="withdrawn_at",
            field=models.DateTimeField(help_text="no bets since; those on it are refunded", null=True),
        ),
    ]
