"""Markets, their runners, the bets on them and their settlements."""

import uuid

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

import ledger.fields
from eventstore.triggers import drop_from


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0004_statements_by_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="Market",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                ("subject", models.CharField(help_text="what it is about, such as game:…", max_length=80)),
                ("kind", models.CharField(choices=[("fixed", "Fixed"), ("pool", "Pool")], max_length=8)),
                ("currency", models.CharField(max_length=3)),
                (
                    "margin",
                    models.PositiveIntegerField(
                        help_text="fixed odds: basis points that the house keeps of a fair return"
                    ),
                ),
                (
                    "takeout",
                    models.PositiveIntegerField(help_text="pool: basis points that the house keeps of it"),
                ),
                (
                    "step",
                    models.PositiveSmallIntegerField(
                        help_text="pool: pence to which a dividend is rounded down; 0: not at all"
                    ),
                ),
                (
                    "on_draw",
                    models.CharField(
                        help_text="what becomes of bets where nobody won: refund or lose", max_length=8
                    ),
                ),
                ("cancellable", models.BooleanField()),
                ("in_running", models.BooleanField()),
                (
                    "cap",
                    ledger.fields.PenceField(
                        help_text="of the bank's risk, or of the pool; null: none of its own", null=True
                    ),
                ),
                ("minimum", ledger.fields.PenceField()),
                ("maximum", ledger.fields.PenceField()),
                ("stake_step", ledger.fields.PenceField()),
                ("opened_by", models.CharField(max_length=80)),
                ("opened_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("closed", "Closed"),
                            ("settling", "Settling"),
                            ("settled", "Settled"),
                            ("void", "Void"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        default=1, help_text="grows with each change of status or prices"
                    ),
                ),
                ("round", models.PositiveIntegerField(default=1, help_text="how often it has been open")),
                (
                    "opened_event",
                    models.BigIntegerField(help_text="the event that opened it again", null=True),
                ),
                (
                    "closed_event",
                    models.BigIntegerField(help_text="the event that closed it last", null=True),
                ),
                ("closed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("bets_made", models.PositiveIntegerField(default=0, help_text="cancelled ones too")),
                (
                    "settlement",
                    models.PositiveIntegerField(
                        default=0, help_text="the number of the one that stands or is being made"
                    ),
                ),
                (
                    "escrow",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="market",
                        to="ledger.account",
                    ),
                ),
                (
                    "reserve",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="market",
                        to="ledger.hold",
                    ),
                ),
                (
                    "stake_table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="markets",
                        to="ledger.staketable",
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("open_market", "May open markets without a limit"),
                    ("offer_market", "May open markets within the limit for organizers"),
                    ("rule_market", "May settle, void and settle markets anew"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Runner",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=64)),
                (
                    "price",
                    models.CharField(
                        blank=True, help_text="odds to one, such as 5/2; empty: not offered", max_length=100
                    ),
                ),
                ("stakes", ledger.fields.PenceField(default=0)),
                ("returns", ledger.fields.PenceField(default=0)),
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runners",
                        to="ledger.market",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="Bet",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                ("number", models.PositiveIntegerField()),
                ("round", models.PositiveIntegerField()),
                ("player", models.UUIDField()),
                ("stake", ledger.fields.PenceField()),
                (
                    "price",
                    models.CharField(blank=True, help_text="odds to one; empty in a pool", max_length=100),
                ),
                (
                    "most",
                    ledger.fields.PenceField(
                        help_text="fixed odds: what it returns if its runner wins alone", null=True
                    ),
                ),
                ("client_seed", models.CharField(blank=True, max_length=64)),
                ("placed_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("cancelled", "Cancelled"),
                            ("won", "Won"),
                            ("lost", "Lost"),
                            ("refunded", "Refunded"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("returned", ledger.fields.PenceField(null=True)),
                ("settlement", models.PositiveIntegerField(default=0)),
                ("cancelled_at", models.DateTimeField(null=True)),
                ("cancel_key", models.CharField(blank=True, max_length=160)),
                (
                    "purse",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bets",
                        to="ledger.account",
                    ),
                ),
                (
                    "market",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bets",
                        to="ledger.market",
                    ),
                ),
                (
                    "runner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bets",
                        to="ledger.runner",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Settlement",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("void", models.BooleanField(help_text="every stake goes back")),
                ("winners", models.JSONField(help_text="names of runners; none: nobody won")),
                (
                    "off",
                    models.DateTimeField(help_text="bets made at that time or later are refunded", null=True),
                ),
                ("event", models.BigIntegerField(null=True)),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                ("gross", ledger.fields.PenceField(help_text="staked and not cancelled", null=True)),
                ("paid", ledger.fields.PenceField(null=True)),
                ("takeout", ledger.fields.PenceField(null=True)),
                ("breakage", ledger.fields.PenceField(null=True)),
                (
                    "bank",
                    ledger.fields.PenceField(
                        help_text="the bank's result: negative where it paid", null=True
                    ),
                ),
                (
                    "paid_through",
                    models.PositiveIntegerField(
                        default=0, help_text="the last bet's number that has its money"
                    ),
                ),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "reversed_at",
                    models.DateTimeField(
                        help_text="when a later settlement had taken all of it back", null=True
                    ),
                ),
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settlements",
                        to="ledger.market",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="VoidedBet",
            fields=[
                ("key", models.CharField(max_length=160, primary_key=True, serialize=False)),
                ("player", models.UUIDField()),
                ("at", models.DateTimeField()),
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="voided_bets",
                        to="ledger.market",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="market",
            index=models.Index(fields=["subject"], name="market_subject"),
        ),
        migrations.AddIndex(
            model_name="market",
            index=models.Index(fields=["opened_at"], name="market_history"),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["fixed", "pool"])), name="market_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["open", "closed", "settling", "settled", "void"])),
                name="market_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("margin__lt", 10000),
                    ("on_draw__in", ("refund", "lose")),
                    ("step__in", (0, 1, 10)),
                    ("takeout__lt", 10000),
                    models.Q(
                        models.Q(("kind", "fixed"), ("step", 0), ("takeout", 0)),
                        models.Q(("in_running", False), ("kind", "pool"), ("margin", 0)),
                        _connector="OR",
                    ),
                    models.Q(("cap", None), ("cap__range", (1, 100000000000)), _connector="OR"),
                ),
                name="market_terms_sound",
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("maximum__lte", 100000000000),
                    ("minimum__gte", 1),
                    ("minimum__lte", models.F("maximum")),
                    ("stake_step__gte", 1),
                ),
                name="market_stakes_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("ended_at__isnull", False),
                        ("reserve", None),
                        ("settlement__gte", 1),
                        ("status__in", ("settled", "void")),
                    ),
                    models.Q(("ended_at", None), ("settlement__gte", 1), ("status", "settling")),
                    models.Q(("ended_at", None), ("settlement", 0), ("status__in", ["open", "closed"])),
                    _connector="OR",
                ),
                name="market_status_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="market",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closed_at", None), ("status", "open")),
                    models.Q(models.Q(("status", "open"), _negated=True), ("closed_at__isnull", False)),
                    _connector="OR",
                ),
                name="market_closed_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="runner",
            constraint=models.UniqueConstraint(fields=("market", "number"), name="runner_number_once"),
        ),
        migrations.AddConstraint(
            model_name="runner",
            constraint=models.UniqueConstraint(fields=("market", "name"), name="runner_name_once"),
        ),
        migrations.AddConstraint(
            model_name="runner",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("returns__range", (0, 4000000000000000000)), ("stakes__range", (0, 4000000000000000000))
                ),
                name="runner_sums_bounded",
            ),
        ),
        migrations.AddIndex(
            model_name="bet",
            index=models.Index(fields=["player", "placed_at"], name="bet_history"),
        ),
        migrations.AddConstraint(
            model_name="bet",
            constraint=models.UniqueConstraint(fields=("market", "number"), name="bet_number_once"),
        ),
        migrations.AddConstraint(
            model_name="bet",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1), ("stake__range", (1, 100000000000))),
                name="bet_stake_bounded",
            ),
        ),
        migrations.AddConstraint(
            model_name="bet",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("most", None), ("price", "")),
                    models.Q(
                        models.Q(("price", ""), _negated=True),
                        ("most__gte", models.F("stake")),
                        ("most__lte", 100000000000),
                    ),
                    _connector="OR",
                ),
                name="bet_price_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="bet",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("cancelled_at", None), ("returned", None), ("settlement", 0), ("status", "open")
                    ),
                    models.Q(
                        ("cancelled_at__isnull", False),
                        ("returned", None),
                        ("settlement", 0),
                        ("status", "cancelled"),
                    ),
                    models.Q(
                        ("cancelled_at", None), ("returned", 0), ("settlement__gte", 1), ("status", "lost")
                    ),
                    models.Q(
                        ("cancelled_at", None),
                        ("returned", models.F("stake")),
                        ("settlement__gte", 1),
                        ("status", "refunded"),
                    ),
                    models.Q(
                        ("cancelled_at", None),
                        ("settlement__gte", 1),
                        ("status", "won"),
                        models.Q(
                            models.Q(("price", ""), ("returned__gte", models.F("stake"))),
                            models.Q(("returned__gte", 0), ("returned__lte", models.F("most"))),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="bet_status_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="settlement",
            constraint=models.UniqueConstraint(fields=("market", "number"), name="settlement_number_once"),
        ),
        migrations.AddConstraint(
            model_name="settlement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("bank", None),
                        ("breakage", None),
                        ("done_at", None),
                        ("gross", None),
                        ("paid", None),
                        ("takeout", None),
                    ),
                    models.Q(
                        ("breakage__gte", 0),
                        ("gross__gte", 0),
                        ("paid__gte", 0),
                        ("takeout__gte", 0),
                        (
                            "gross",
                            django.db.models.expressions.CombinedExpression(
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.expressions.CombinedExpression(
                                        models.F("paid"), "+", models.F("takeout")
                                    ),
                                    "+",
                                    models.F("breakage"),
                                ),
                                "+",
                                models.F("bank"),
                            ),
                        ),
                    ),
                    _connector="OR",
                ),
                name="settlement_adds_up",
            ),
        ),
        migrations.AddConstraint(
            model_name="settlement",
            constraint=models.CheckConstraint(
                condition=models.Q(("reversed_at", None), ("done_at__isnull", False), _connector="OR"),
                name="settlement_reversed_whole",
            ),
        ),
        migrations.RunPython(
            migrations.RunPython.noop,
            drop_from(
                "ledger_runner", "ledger_market", "ledger_bet", "ledger_settlement", "ledger_voidedbet"
            ),
        ),
    ]
