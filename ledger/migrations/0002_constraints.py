"""What Django's models cannot declare on PostgreSQL; on SQLite the triggers of `ledger.schema` keep the same."""

from django.db import migrations

FORWARDS = """
ALTER TABLE ledger_transfer ADD CONSTRAINT transfer_debit_currency
    FOREIGN KEY (debit_id, currency) REFERENCES ledger_account (id, currency);
ALTER TABLE ledger_transfer ADD CONSTRAINT transfer_credit_currency
    FOREIGN KEY (credit_id, currency) REFERENCES ledger_account (id, currency);
ALTER TABLE ledger_transfer ALTER COLUMN xact SET DEFAULT pg_current_xact_id()::text::bigint;
"""
BACKWARDS = """
ALTER TABLE ledger_transfer DROP CONSTRAINT transfer_debit_currency;
ALTER TABLE ledger_transfer DROP CONSTRAINT transfer_credit_currency;
ALTER TABLE ledger_transfer ALTER COLUMN xact SET DEFAULT 0;
"""


def on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]

    operations = [migrations.RunPython(on_postgresql(FORWARDS), on_postgresql(BACKWARDS))]
