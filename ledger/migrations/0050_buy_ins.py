"""Pots, the buy-ins that fill them, and their divisions."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

import ledger.fields
from eventstore.triggers import drop_from


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0060_runners_withdraw"),
    ]

    operations = [
        migrations.CreateModel(
            name="Pot",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                (
                    "subject",
                    models.CharField(
                        help_text="also the owner of the escrow, such as game:…", max_length=80, unique=True
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("amount", ledger.fields.PenceField(help_text="of one buy-in")),
                ("rake", models.PositiveIntegerField(help_text="basis points that the house keeps")),
                ("split", models.JSONField(help_text="basis points of the rest, by place")),
                ("opened_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("settled", "Settled"), ("void", "Void")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("division", models.PositiveIntegerField(default=0)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "escrow",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="pot", to="ledger.account"
                    ),
                ),
                (
                    "stake_table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pots",
                        to="ledger.staketable",
                    ),
                ),
            ],
            options={
                "permissions": [("rule_pot", "May divide pots anew after a ruling")],
            },
        ),
        migrations.CreateModel(
            name="Division",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("void", models.BooleanField(help_text="every buy-in went back")),
                ("places", models.JSONField(help_text="players by place; those of one shared it")),
                ("gross", ledger.fields.PenceField(help_text="what was in the pot")),
                ("rake", ledger.fields.PenceField()),
                ("event", models.BigIntegerField(null=True)),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                (
                    "pot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="divisions",
                        to="ledger.pot",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="BuyIn",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("event", models.BigIntegerField()),
                ("player", models.UUIDField()),
                ("amount", ledger.fields.PenceField()),
                (
                    "status",
                    models.CharField(
                        choices=[("in", "In"), ("back", "Back"), ("paid", "Paid"), ("refunded", "Refunded")],
                        default="in",
                        max_length=8,
                    ),
                ),
                ("returned", ledger.fields.PenceField(null=True)),
                ("division", models.PositiveIntegerField(default=0)),
                ("taken_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "purse",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="buy_ins",
                        to="ledger.account",
                    ),
                ),
                (
                    "pot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="buy_ins",
                        to="ledger.pot",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="pot",
            index=models.Index(fields=["opened_at"], name="pot_history"),
        ),
        migrations.AddConstraint(
            model_name="pot",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__range", (1, 100000000000)), ("rake__lt", 10000)),
                name="pot_terms_sound",
            ),
        ),
        migrations.AddConstraint(
            model_name="pot",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("division", 0), ("ended_at", None), ("status", "open")),
                    models.Q(
                        ("division__gte", 1), ("ended_at__isnull", False), ("status__in", ["settled", "void"])
                    ),
                    _connector="OR",
                ),
                name="pot_status_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="division",
            constraint=models.UniqueConstraint(fields=("pot", "number"), name="division_number_once"),
        ),
        migrations.AddConstraint(
            model_name="division",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("gross__gte", 0),
                    ("number__gte", 1),
                    ("rake__gte", 0),
                    ("rake__lte", models.F("gross")),
                    models.Q(("void", False), ("rake", 0), _connector="OR"),
                ),
                name="division_adds_up",
            ),
        ),
        migrations.AddIndex(
            model_name="buyin",
            index=models.Index(fields=["player", "taken_at"], name="buy_in_history"),
        ),
        migrations.AddConstraint(
            model_name="buyin",
            constraint=models.UniqueConstraint(fields=("pot", "event"), name="buy_in_event_once"),
        ),
        migrations.AddConstraint(
            model_name="buyin",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "back"), _negated=True),
                fields=("pot", "player"),
                name="buy_in_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="buyin",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("amount__range", (1, 100000000000)),
                    models.Q(("returned", None), ("returned__gte", 0), _connector="OR"),
                ),
                name="buy_in_amounts_bounded",
            ),
        ),
        migrations.AddConstraint(
            model_name="buyin",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("division", 0), ("ended_at", None), ("returned", None), ("status", "in")),
                    models.Q(
                        ("division", 0),
                        ("ended_at__isnull", False),
                        ("returned", models.F("amount")),
                        ("status", "back"),
                    ),
                    models.Q(
                        ("division__gte", 1),
                        ("ended_at__isnull", False),
                        ("returned", models.F("amount")),
                        ("status", "refunded"),
                    ),
                    models.Q(
                        ("division__gte", 1),
                        ("ended_at__isnull", False),
                        ("returned__isnull", False),
                        ("status", "paid"),
                    ),
                    _connector="OR",
                ),
                name="buy_in_status_whole",
            ),
        ),
        migrations.RunPython(
            migrations.RunPython.noop, drop_from("ledger_pot", "ledger_buyin", "ledger_division")
        ),
    ]
