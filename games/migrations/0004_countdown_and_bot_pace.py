from django.db import migrations, models

from core.migration import AddColumn


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("games", "0003_rematch")]

    operations = [
        AddColumn(
            model_name="gamerecord",
            name="bot_pace",
            field=models.CharField(
                choices=[("slow", "Slow"), ("normal", "Normal"), ("fast", "Fast")],
                db_default="normal",
                default="normal",
                help_text="of bots that play at the same time as people",
                max_length=6,
            ),
            check=models.CheckConstraint(
                condition=models.Q(("bot_pace__in", ["slow", "normal", "fast"])), name="game_bot_pace_known"
            ),
        ),
        AddColumn(
            model_name="gamerecord",
            name="starts_at",
            field=models.DateTimeField(
                blank=True, help_text="end of the countdown to the deal; null: none was started", null=True
            ),
        ),
    ]
