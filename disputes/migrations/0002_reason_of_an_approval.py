"""Who approves a ruling may say why: the reason is kept as that of a refusal is.

Before, a row had no place for it. On the way back it stands in the dispute's stream alone; from there it comes again.
"""

import json

from django.conf import settings
from django.db import migrations, models

from eventstore.triggers import drop_from


def drop_on_sqlite(apps, schema_editor):
    """SQLite alters no table while a trigger anywhere speaks of one that is gone; migrate puts all of them back."""
    if schema_editor.connection.vendor == "sqlite":
        drop_from("disputes_ruling")(apps, schema_editor)


def leave_to_the_streams(apps, schema_editor):
    drop_from("disputes_ruling")(apps, schema_editor)
    apps.get_model("disputes", "Ruling").objects.exclude(state="refused").update(decided_why="")


def take_from_the_streams(apps, schema_editor):
    Ruling = apps.get_model("disputes", "Ruling")
    decided = Ruling.objects.exclude(state="refused").filter(decided_by__isnull=False, decided_why="")
    if not decided.exists():
        return
    drop_from("disputes_ruling")(apps, schema_editor)
    streams = list(decided.values_list("dispute", flat=True))
    approvals = apps.get_model("eventstore", "Event").objects.filter(stream__in=streams, type="approved")
    for data in approvals.values_list("data", flat=True):
        told = json.loads(bytes(data))
        decided.filter(pk=told["ruling"]).update(decided_why=told.get("reason", ""))


class Migration(migrations.Migration):
    dependencies = [
        ("disputes", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(drop_on_sqlite, migrations.RunPython.noop),
        migrations.RemoveConstraint(
            model_name="ruling",
            name="ruling_refused_for_a_reason",
        ),
        migrations.AlterField(
            model_name="ruling",
            name="decided_why",
            field=models.CharField(blank=True, help_text="why it was refused or approved", max_length=2000),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "refused"), models.Q(("decided_why", ""), _negated=True)),
                    models.Q(
                        models.Q(("state", "refused"), _negated=True),
                        models.Q(("decided_why", ""), ("decided_by__isnull", False), _connector="OR"),
                    ),
                    _connector="OR",
                ),
                name="ruling_refused_for_a_reason",
            ),
        ),
        migrations.RunPython(take_from_the_streams, leave_to_the_streams),
    ]
