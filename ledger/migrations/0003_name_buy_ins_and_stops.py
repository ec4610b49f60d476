"""Names of buy-ins and of stops of play, of which the database knows nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_decimal_prices")]

    operations = [
        migrations.AlterModelOptions(name="buyin", options={"verbose_name": "buy-in"}),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="playstop",
                    name="kind",
                    field=models.CharField(
                        choices=[("time-out", "Time-out"), ("self-exclusion", "Self-exclusion")],
                        max_length=16,
                    ),
                )
            ]
        ),
    ]
