"""A bet is written once more when it is judged: room for that on its page spares every index an entry (PostgreSQL)."""

from django.db import migrations


def fill(percent):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"ALTER TABLE ledger_bet SET (fillfactor = {percent})")

    return run


class Migration(migrations.Migration):
    dependencies = [("ledger", "0010_markets")]

    operations = [migrations.RunPython(fill(50), fill(100))]
