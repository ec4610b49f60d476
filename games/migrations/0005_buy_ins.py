"""Tables that are played for buy-ins, and matches too."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0004_matches"),
        ("ledger", "0050_buy_ins"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="gamerecord",
            name="game_stake_whole",
        ),
        migrations.RemoveConstraint(
            model_name="gamerecord",
            name="game_hints_for_nothing_at_stake",
        ),
        migrations.AddField(
            model_name="gamerecord",
            name="buy_in",
            field=models.PositiveBigIntegerField(
                default=0, help_text="pence that each seat pays; of a match, once for all its deals"
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="buy_in",
            field=models.PositiveBigIntegerField(
                default=0, help_text="pence that each seat pays for all deals"
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="stake_table",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to="ledger.staketable"
            ),
        ),
        migrations.AddConstraint(
            model_name="gamerecord",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("hints", False),
                    models.Q(("buy_in", 0), ("stake", 0), ("tournament", None)),
                    _connector="OR",
                ),
                name="game_hints_for_nothing_at_stake",
            ),
        ),
        migrations.AddConstraint(
            model_name="gamerecord",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("buy_in", 0), ("play_session", None), ("stake", 0), ("stake_table", None)),
                    models.Q(
                        ("buy_in", 0),
                        ("creator__isnull", False),
                        ("play_session__isnull", False),
                        ("stake__gt", 0),
                        ("stake_table__isnull", False),
                    ),
                    models.Q(
                        ("buy_in__gt", 0),
                        ("play_session", None),
                        ("stake", 0),
                        ("stake_table__isnull", False),
                        ("tournament", None),
                    ),
                    _connector="OR",
                ),
                name="game_stake_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("buy_in", 0), ("stake_table", None)),
                    models.Q(("buy_in__gt", 0), ("stake_table__isnull", False)),
                    _connector="OR",
                ),
                name="match_buy_in_whole",
            ),
        ),
    ]
