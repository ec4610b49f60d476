"""Seats whose tournament waits for their players no longer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_buy_ins"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="forfeited",
            field=models.BooleanField(
                default=False, help_text="its tournament waits for this player no longer: the server plays"
            ),
        ),
    ]
