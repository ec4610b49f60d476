"""Stake tables get terms that are dated rows; what the tables themselves have of them is copied next, then removed."""

import django.db.models.deletion
from django.db import migrations, models

import ledger.fields
import ledger.stakes.models

AMOUNTS = ("minimum", "maximum", "step", "default")
IN_ORDER = models.CheckConstraint(
    condition=models.Q(
        ("maximum__lte", 100000000000),
        ("minimum__gte", 1),
        ("minimum__lte", models.F("maximum")),
        ("step__gte", 1),
        ("default__gte", models.F("minimum")),
        ("default__lte", models.F("maximum")),
    ),
    name="stake_terms_in_order",
)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0050_buy_ins")]

    operations = [
        migrations.AlterModelOptions(
            name="staketable",
            options={
                "permissions": [
                    ("manage_stakes", "May open stake tables, change their terms and fund their banks")
                ]
            },
        ),
        migrations.RemoveConstraint(model_name="staketable", name="stake_table_in_order"),
        migrations.RemoveConstraint(model_name="staketable", name="stake_table_bank_limit"),
        *(migrations.AlterField("staketable", name, ledger.fields.PenceField(null=True)) for name in AMOUNTS),
        migrations.AlterField("staketable", "win_rate", models.CharField(max_length=20, null=True)),
        migrations.AlterField("staketable", "open", models.BooleanField(default=True, null=True)),
        migrations.AddField(
            model_name="staketable",
            name="mode",
            field=models.CharField(
                blank=True,
                default="",
                help_text="options that a game here has, such as draw=3; empty: any",
                max_length=80,
            ),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name="StakeTerms",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                *((name, ledger.fields.PenceField()) for name in AMOUNTS),
                (
                    "win_rate",
                    models.CharField(
                        blank=True,
                        help_text="the pay table: fraction of the stake won per card, as text",
                        max_length=20,
                    ),
                ),
                (
                    "bank_limit",
                    ledger.fields.PenceField(
                        help_text="the most that open games may reserve together; null: all the bank has",
                        null=True,
                    ),
                ),
                ("open", models.BooleanField(default=True)),
                (
                    "rake",
                    models.PositiveIntegerField(default=0, help_text="basis points of a pool of buy-ins"),
                ),
                (
                    "split",
                    models.JSONField(
                        default=ledger.stakes.models.winner_takes_all,
                        help_text="basis points of what is left of it, by place",
                    ),
                ),
                ("effective_from", models.DateTimeField()),
                ("asked_at", models.DateTimeField()),
                ("actor", models.CharField(max_length=80)),
                ("reason", models.CharField(max_length=200)),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="terms",
                        to="ledger.staketable",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("table", "number"), name="stake_terms_number_once"),
                    IN_ORDER,
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("bank_limit", None),
                                ("bank_limit__range", (0, 100000000000)),
                                _connector="OR",
                            ),
                            ("rake__lt", 10000),
                        ),
                        name="stake_terms_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("effective_from__gte", models.F("asked_at"))),
                        name="stake_terms_not_backdated",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor", ""), _negated=True), models.Q(("reason", ""), _negated=True)
                        ),
                        name="stake_terms_accounted_for",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="gamestake",
            name="terms",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="stakes",
                to="ledger.staketerms",
            ),
        ),
    ]
