from django.db import migrations, models

from core.migration import AddColumn


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("accounts", "0001_initial")]

    operations = [
        AddColumn(
            model_name="player",
            name="hash_upgrade",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="`password`, a space, and the hash of the same password that it replaced; sessions depend on "
                "the latter",
                max_length=257,
            ),
        ),
    ]
