import django.db.models.deletion
from django.db import migrations, models

from core.migration import AddColumn, AddUniqueConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("games", "0002_quick_pairing")]

    operations = [
        AddColumn(
            model_name="gamerecord",
            name="rematch_of",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="the finished game whose players play again at this table",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rematches",
                to="games.gamerecord",
            ),
        ),
        AddUniqueConcurrently(
            model_name="gamerecord",
            constraint=models.UniqueConstraint(
                condition=models.Q(("rematch_of__isnull", False)),
                fields=("rematch_of",),
                name="game_one_rematch",
            ),
        ),
    ]
