"""A statement is read, and its balances are summed, along an index of each side."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0003_every_row_indexed")]

    operations = [
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["debit", "position", "amount"], name="transfer_paid"),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["credit", "position", "amount"], name="transfer_received"),
        ),
        migrations.RemoveIndex(model_name="transfer", name="transfer_debit"),
        migrations.RemoveIndex(model_name="transfer", name="transfer_credit"),
    ]
