from django.db import migrations, models
from django.db.models import Q

from core.migration import AddColumn, AddIndexConcurrently

CHOICES = [
    ("everyone", "Everyone"),
    ("members", "signed-in users"),
    ("anonymous", "organizers and auditors"),
]


def added(model: str) -> AddColumn:
    return AddColumn(
        model_name=model,
        name="shown_as",
        field=models.CharField(
            choices=CHOICES,
            db_default="members",
            default="members",
            help_text="to whom the name is shown",
            max_length=10,
        ),
        check=models.CheckConstraint(
            condition=Q(shown_as__in=[value for value, _ in CHOICES]), name=f"{model}_shown_as_known"
        ),
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tournaments", "0001_initial")]

    operations = [
        added("entry"),
        added("waiting"),
        AddIndexConcurrently(
            model_name="entry",
            index=models.Index(fields=["player", "shown_as"], name="entry_shown_as"),
        ),
    ]
