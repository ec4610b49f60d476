from django.db import migrations, models
from django.db.models import Q

from core.migration import AddColumn


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("games", "0004_countdown_and_bot_pace")]

    operations = [
        AddColumn(
            model_name="seat",
            name="shown_as",
            field=models.CharField(
                choices=[
                    ("everyone", "Everyone"),
                    ("members", "signed-in users"),
                    ("anonymous", "organizers and auditors"),
                ],
                db_default="members",
                default="members",
                help_text="to whom the name is shown; chosen at entry in a tournament",
                max_length=10,
            ),
            check=models.CheckConstraint(
                condition=Q(shown_as__in=["everyone", "members", "anonymous"]), name="seat_shown_as_known"
            ),
        ),
    ]
