"""What each stake table offers becomes its first terms; every stake so far was taken under them.

Backwards each table gets what its terms in force are, or the first if none are yet.
"""

from django.db import migrations
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from ledger.stakes.models import BEGINNING

FIGURES = ("minimum", "maximum", "step", "default", "win_rate", "bank_limit", "open")
TRIGGERS = {
    "ledger_staketable": ("append_only", "no_update"),
    "ledger_gamestake": ("final", "terms"),
}
"""They refuse these updates, and come back after the migration."""


def let_pass(schema_editor):
    on_table = schema_editor.connection.vendor == "postgresql"
    for table, names in TRIGGERS.items():
        for name in names:
            schema_editor.execute(
                f"DROP TRIGGER IF EXISTS {table}_{name}" + (f" ON {table}" if on_table else "")
            )


def judged_now(schema_editor):
    """PostgreSQL alters no table whose references wait for the end: a restore migrates in one transaction."""
    schema_editor.connection.check_constraints()


def forwards(apps, schema_editor):
    table, terms, stake = (
        apps.get_model("ledger", name) for name in ("StakeTable", "StakeTerms", "GameStake")
    )
    let_pass(schema_editor)
    for row in table.objects.order_by("pk"):
        terms.objects.create(
            table=row,
            number=1,
            **{name: getattr(row, name) for name in FIGURES},
            effective_from=BEGINNING,
            asked_at=BEGINNING,
            actor="system:migration",
            reason="What the table offered when its terms began to be dated",
        )
    first = terms.objects.filter(table=OuterRef("stake_table"), number=1)
    stake.objects.update(terms=Subquery(first.values("pk")[:1]))
    judged_now(schema_editor)


def backwards(apps, schema_editor):
    table, terms = (apps.get_model("ledger", name) for name in ("StakeTable", "StakeTerms"))
    let_pass(schema_editor)
    for row in table.objects.order_by("pk"):
        history = terms.objects.filter(table=row)
        kept = history.filter(effective_from__lte=timezone.now()).order_by("-number").first()
        kept = kept or history.order_by("number").first()
        for name in FIGURES:
            setattr(row, name, getattr(kept, name))
        row.save(update_fields=FIGURES)
    judged_now(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0040_stake_terms")]

    operations = [migrations.RunPython(forwards, backwards)]
