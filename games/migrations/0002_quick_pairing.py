from django.db import migrations, models
from django.db.models import Q

from core.migration import AddColumn, AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("games", "0001_initial")]

    operations = [
        AddColumn(
            model_name="gamerecord",
            name="pairing_key",
            field=models.CharField(
                blank=True,
                help_text="the same for tables on the same terms; null: not paired",
                max_length=64,
                null=True,
            ),
        ),
        AddIndexConcurrently(
            model_name="gamerecord",
            index=models.Index(
                condition=Q(pairing_key__isnull=False),
                fields=["pairing_key", "status", "created_at", "id"],
                name="game_pairing",
            ),
        ),
    ]
