"""A runner of a pool may withdraw."""

from django.db import migrations, models

from eventstore.triggers import drop_from


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
        migrations.RunPython(
            migrations.RunPython.noop, drop_from("ledger_runner", "ledger_market", "ledger_bet")
        ),
    ]
