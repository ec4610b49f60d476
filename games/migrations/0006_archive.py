from django.conf import settings
from django.db import migrations, models

from core.migration import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("games", "0005_shown_names"),
        ("ledger", "0002_decimal_prices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="gamerecord",
            index=models.Index(fields=["ended_at", "id"], name="game_ended"),
        ),
    ]
