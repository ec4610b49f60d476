"""A statement as of any time is read, and its balances are summed, along an index of each side."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0020_payouts")]

    operations = [
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["debit", "at", "position", "amount"], name="transfer_paid_at"),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["credit", "at", "position", "amount"], name="transfer_received_at"),
        ),
        migrations.RemoveIndex(model_name="transfer", name="transfer_paid"),
        migrations.RemoveIndex(model_name="transfer", name="transfer_received"),
    ]
