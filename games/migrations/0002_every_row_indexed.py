"""Indexes over all rows: SQLite does not use a partial one for a value that comes as a parameter."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]

    operations = [
        migrations.RemoveIndex(model_name="gamerecord", name="game_tournament"),
        migrations.RemoveIndex(model_name="gamerecord", name="game_deal_group"),
        migrations.AddIndex(
            model_name="gamerecord",
            index=models.Index(fields=["-created_at", "-id"], name="game_newest"),
        ),
        migrations.AddIndex(
            model_name="gamerecord",
            index=models.Index(fields=["tournament", "round"], name="game_tournament"),
        ),
        migrations.AddIndex(
            model_name="gamerecord",
            index=models.Index(fields=["deal_group", "status"], name="game_deal_group"),
        ),
    ]
