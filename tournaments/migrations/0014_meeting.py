"""Meetings: how much play money everybody bets with."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0013_stages")]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="bank",
            field=models.BigIntegerField(
                default=0, help_text="pence of play money that each entrant bets with"
            ),
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.CheckConstraint(
                condition=models.Q(("bank__gte", 0), ("bank__lte", 1000000000)), name="tournament_bank"
            ),
        ),
    ]
