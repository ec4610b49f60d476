"""The terms of a stake table are its rows of terms and nothing else."""

import django.db.models.deletion
from django.db import migrations, models

FIGURES = ("minimum", "maximum", "step", "default", "win_rate", "bank_limit", "open")
TRIGGERS = {
    "ledger_staketable": (
        "append_only",
        "no_truncate",
        "no_update",
        "no_delete",
        "no_replace_0",
        "no_replace_1",
    ),
    "ledger_gamestake": ("terms", "begins"),
    "ledger_staketerms": ("whole", "begin", "split"),
}


def without_triggers(apps, schema_editor):
    """Backwards: an earlier release has none of these, could not serve with them, and SQLite not rename under them."""
    on_table = schema_editor.connection.vendor == "postgresql"
    for table, names in TRIGGERS.items():
        for name in names:
            schema_editor.execute(
                f"DROP TRIGGER IF EXISTS {table}_{name}" + (f" ON {table}" if on_table else "")
            )


class Migration(migrations.Migration):
    dependencies = [("ledger", "0041_stake_terms_copied")]

    operations = [
        *(migrations.RemoveField(model_name="staketable", name=name) for name in FIGURES),
        migrations.AlterField(
            model_name="gamestake",
            name="terms",
            field=models.ForeignKey(
                db_index=False,
                help_text="those it was dealt under",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="stakes",
                to="ledger.staketerms",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, without_triggers),
    ]
