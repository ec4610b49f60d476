from django.db import migrations, models

from core.migration import AddColumn


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("games", "0006_archive")]

    operations = [
        AddColumn(
            model_name="refusedcommand",
            name="ground",
            field=models.TextField(
                help_text="key and values of the fact, as JSON; null without a fact", null=True
            ),
        ),
    ]
