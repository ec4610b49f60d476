"""Payouts with their steps, the batches that they are paid in, and freezes."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

import ledger.fields
from eventstore.triggers import drop_from


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0080_reconciliations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Freeze",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=80)),
                ("player", models.UUIDField(null=True)),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                ("released_at", models.DateTimeField(null=True)),
                ("released_by", models.CharField(blank=True, max_length=80)),
                ("released_reason", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["subject"], name="freeze_subject"),
                    models.Index(fields=["at"], name="freeze_history"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("released_at", None), ("released_by", ""), ("released_reason", "")),
                            models.Q(
                                ("released_at__isnull", False),
                                models.Q(("released_by", ""), _negated=True),
                                models.Q(("released_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="freeze_released_whole",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FrozenMoney",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "freeze",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="money", to="ledger.freeze"
                    ),
                ),
                (
                    "hold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="frozen", to="ledger.hold"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "frozen money",
            },
        ),
        migrations.CreateModel(
            name="PayoutBatch",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                ("currency", models.CharField(max_length=3)),
                ("made_by", models.CharField(max_length=80)),
                ("made_at", models.DateTimeField()),
                ("paid_at", models.DateTimeField(null=True)),
                ("paid_by", models.CharField(blank=True, max_length=80)),
                ("posting", models.UUIDField(null=True)),
                (
                    "checksum",
                    models.CharField(
                        blank=True, help_text="SHA-256 of the file that was paid", max_length=64
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "payout batches",
                "indexes": [models.Index(fields=["made_at"], name="payout_batch_history")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("checksum", ""), ("paid_at", None), ("paid_by", ""), ("posting", None)),
                            models.Q(
                                ("paid_at__isnull", False),
                                ("posting__isnull", False),
                                models.Q(("paid_by", ""), _negated=True),
                                models.Q(("checksum", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="payout_batch_whole",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Payout",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "reference",
                    models.CharField(
                        help_text="as the bank and the statement name it", max_length=16, unique=True
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("withdrawal", "Withdrawal"), ("prize", "Prize")], max_length=10
                    ),
                ),
                ("payee", models.CharField(max_length=80)),
                ("currency", models.CharField(max_length=3)),
                ("amount", ledger.fields.PenceField()),
                (
                    "destination",
                    models.CharField(
                        blank=True, help_text="where the player wants a withdrawal to go", max_length=140
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        blank=True, help_text="what a prize is for, such as tournament:…", max_length=80
                    ),
                ),
                (
                    "two_persons",
                    models.BooleanField(
                        help_text="whether the approver must be another than who touched it last; settled at the request"
                    ),
                ),
                ("requested_by", models.CharField(max_length=80)),
                ("requested_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("approved", "Approved"),
                            ("held", "Held"),
                            ("rejected", "Rejected"),
                            ("paid", "Paid"),
                        ],
                        default="requested",
                        max_length=9,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="number of its newest step")),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payouts",
                        to="ledger.account",
                    ),
                ),
                (
                    "hold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="payout", to="ledger.hold"
                    ),
                ),
                (
                    "origin",
                    models.OneToOneField(
                        help_text="the rejected prize",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="again",
                        to="ledger.payout",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payouts",
                        to="ledger.payoutbatch",
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("approve_payout", "May approve, hold, release and reject payouts"),
                    ("pay_payout", "May pay payouts and make batches of them"),
                    ("freeze_money", "May freeze what a subject has paid, and end that"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PayoutStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("was", models.CharField(blank=True, max_length=9)),
                (
                    "becomes",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("approved", "Approved"),
                            ("held", "Held"),
                            ("rejected", "Rejected"),
                            ("paid", "Paid"),
                        ],
                        max_length=9,
                    ),
                ),
                ("payee", models.CharField(max_length=80)),
                ("amount", ledger.fields.PenceField()),
                ("currency", models.CharField(max_length=3)),
                ("two_persons", models.BooleanField()),
                ("maker", models.CharField(max_length=80)),
                ("previous", models.CharField(blank=True, max_length=80)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                ("reason", models.CharField(blank=True, max_length=200)),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="steps",
                        to="ledger.payoutbatch",
                    ),
                ),
                (
                    "freeze",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="steps",
                        to="ledger.freeze",
                    ),
                ),
                (
                    "payout",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="steps", to="ledger.payout"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.AddIndex(
            model_name="payout",
            index=models.Index(fields=["state", "requested_at"], name="payout_queue"),
        ),
        migrations.AddIndex(
            model_name="payout",
            index=models.Index(fields=["payee", "requested_at"], name="payout_history"),
        ),
        migrations.AddIndex(
            model_name="payout",
            index=models.Index(fields=["requested_at"], name="payout_newest"),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__range", (1, 100000000000))), name="payout_amount_bounded"
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["requested", "approved", "held", "rejected", "paid"])),
                name="payout_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind", "withdrawal"),
                        ("requested_by", models.F("payee")),
                        ("subject", ""),
                        models.Q(("destination", ""), _negated=True),
                    ),
                    models.Q(
                        ("batch", None),
                        ("destination", ""),
                        ("kind", "prize"),
                        models.Q(("subject", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="payout_kind_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(("batch", None), ("state__in", ["approved", "paid"]), _connector="OR"),
                name="payout_batch_of_approved",
            ),
        ),
        migrations.AddConstraint(
            model_name="payoutstep",
            constraint=models.UniqueConstraint(fields=("payout", "number"), name="payout_step_once"),
        ),
        migrations.AddConstraint(
            model_name="payoutstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("becomes", "requested"), ("was", "")),
                    models.Q(("becomes", "approved"), ("was", "requested")),
                    models.Q(("becomes", "held"), ("was", "requested")),
                    models.Q(("becomes", "rejected"), ("was", "requested")),
                    models.Q(("becomes", "paid"), ("was", "approved")),
                    models.Q(("becomes", "held"), ("was", "approved")),
                    models.Q(("becomes", "rejected"), ("was", "approved")),
                    models.Q(("becomes", "requested"), ("was", "held")),
                    models.Q(("becomes", "rejected"), ("was", "held")),
                    _connector="OR",
                ),
                name="payout_step_legal",
            ),
        ),
        migrations.AddConstraint(
            model_name="payoutstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("becomes", "approved"), _negated=True),
                    models.Q(
                        models.Q(("actor", models.F("maker")), _negated=True),
                        models.Q(("actor", models.F("payee")), _negated=True),
                        models.Q(
                            ("two_persons", False),
                            models.Q(("actor", models.F("previous")), _negated=True),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="payout_maker_is_not_checker",
            ),
        ),
        migrations.AddConstraint(
            model_name="payoutstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("actor", models.F("payee")), _negated=True),
                    models.Q(("becomes", "requested"), ("was", "")),
                    models.Q(("becomes", "rejected"), ("was", "requested")),
                    _connector="OR",
                ),
                name="payout_not_by_payee",
            ),
        ),
        migrations.AddConstraint(
            model_name="payoutstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reason", ""), _negated=True),
                    ("was", ""),
                    ("becomes__in", ["approved", "paid"]),
                    _connector="OR",
                ),
                name="payout_step_has_reason",
            ),
        ),
        migrations.RunPython(
            migrations.RunPython.noop,
            drop_from(
                "ledger_payout",
                "ledger_payoutstep",
                "ledger_payoutbatch",
                "ledger_freeze",
                "ledger_frozenmoney",
            ),
        ),
    ]
