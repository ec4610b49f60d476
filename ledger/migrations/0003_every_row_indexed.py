"""Indexes over all rows: SQLite does not use a partial one for a value that comes as a parameter."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_constraints")]

    operations = [
        migrations.RemoveIndex(model_name="hold", name="hold_subject"),
        migrations.RemoveIndex(model_name="transfer", name="transfer_subject"),
        migrations.AddIndex(
            model_name="hold",
            index=models.Index(fields=["subject"], name="hold_subject"),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["subject"], name="transfer_subject"),
        ),
    ]
