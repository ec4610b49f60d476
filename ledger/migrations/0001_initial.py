import uuid

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

import eventstore.fields
import ledger.money
import ledger.stakes.models
from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("player", "Player"),
                            ("game", "Game"),
                            ("market", "Market"),
                            ("tournament", "Tournament"),
                            ("play", "Play"),
                            ("house", "House"),
                        ],
                        max_length=16,
                    ),
                ),
                ("key", models.CharField(blank=True, max_length=64)),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("cash", "Cash"),
                            ("session", "Session"),
                            ("escrow", "Escrow"),
                            ("bank", "Bank"),
                            ("rake", "Rake"),
                            ("takeout", "Takeout"),
                            ("breakage", "Breakage"),
                            ("promotion", "Promotion"),
                            ("payable", "Payable"),
                            ("external", "External"),
                            ("receivable", "Receivable"),
                        ],
                        max_length=16,
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("debits", ledger.money.PenceField(default=0)),
                ("credits", ledger.money.PenceField(default=0)),
                ("held", ledger.money.PenceField(default=0)),
                (
                    "min_balance",
                    ledger.money.PenceField(
                        help_text="the least available balance; null: no limit", null=True
                    ),
                ),
                (
                    "applied",
                    models.BigIntegerField(
                        default=0, help_text="position of the newest transfer in this balance"
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("deposit", "May deposit money for players and fund banks"),
                    ("reverse", "May reverse transfers"),
                    ("view_ledger", "May see all accounts and transfers"),
                ],
                "indexes": [models.Index(fields=["kind", "purpose", "id"], name="account_type")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("kind", "key", "purpose", "currency"), name="account_once"
                    ),
                    models.UniqueConstraint(fields=("id", "currency"), name="account_currency"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("min_balance", None),
                            (
                                "min_balance__lte",
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.expressions.CombinedExpression(
                                        models.F("credits"), "-", models.F("debits")
                                    ),
                                    "-",
                                    models.F("held"),
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="account_balance_floor",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("debits__range", (0, 4000000000000000000)),
                            ("credits__range", (0, 4000000000000000000)),
                            ("held__range", (0, 4000000000000000000)),
                        ),
                        name="account_sums_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["player", "game", "market", "tournament", "play", "house"])
                        ),
                        name="account_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "purpose__in",
                                [
                                    "cash",
                                    "session",
                                    "escrow",
                                    "bank",
                                    "rake",
                                    "takeout",
                                    "breakage",
                                    "promotion",
                                    "payable",
                                    "external",
                                    "receivable",
                                ],
                            )
                        ),
                        name="account_purpose_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("currency", "XXX"), ("kind__in", ["play", "market"])),
                            models.Q(
                                models.Q(("currency", "XXX"), _negated=True),
                                models.Q(("kind", "play"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="account_play_apart",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccountDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("account", models.BigIntegerField()),
                ("day", models.DateField()),
                ("stakes", models.BigIntegerField(help_text="a count")),
                ("staked", models.BigIntegerField()),
                ("paid", models.BigIntegerField()),
                ("taken_back", models.BigIntegerField()),
                ("received", models.BigIntegerField()),
                ("refunded", models.BigIntegerField()),
                ("deposited", models.BigIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("account", "day"), name="account_day_once")],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="FlowRollup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("day", models.DateField()),
                ("stake_table", models.BigIntegerField()),
                (
                    "tournament",
                    models.BooleanField(help_text="whether it is about a tournament, or bets on one"),
                ),
                ("payer", models.CharField(max_length=16)),
                ("receiver", models.CharField(max_length=16)),
                ("refund", models.BooleanField()),
                ("of", models.CharField(help_text="the kind of the escrow", max_length=16)),
                ("amount", models.BigIntegerField()),
                ("times", models.BigIntegerField()),
                ("games", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "currency",
                            "day",
                            "stake_table",
                            "tournament",
                            "payer",
                            "receiver",
                            "refund",
                            "of",
                        ),
                        name="flow_rollup_once",
                    )
                ],
                "indexes": [],
            },
        ),
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
                    models.Index(fields=["subject", "at"], name="freeze_subject"),
                    models.Index(fields=["player", "at"], name="freeze_player"),
                    models.Index(fields=["at"], name="freeze_history"),
                    models.Index(
                        condition=models.Q(("released_at", None)), fields=["at"], name="freeze_open"
                    ),
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
            name="StakeTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("rules", models.CharField(help_text="slug of the game", max_length=40)),
                (
                    "mode",
                    models.CharField(
                        blank=True,
                        help_text="required options of the game, such as draw=3; empty: any",
                        max_length=80,
                    ),
                ),
                ("currency", models.CharField(default=ledger.stakes.models.own_currency, max_length=3)),
            ],
            options={
                "permissions": [
                    ("manage_stakes", "May open stake tables, change their terms, and fund their banks")
                ],
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="PlaySession",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("player", models.UUIDField()),
                ("currency", models.CharField(max_length=3)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("opened_at", models.DateTimeField()),
                ("cash_in", ledger.money.PenceField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("cash_out", ledger.money.PenceField(null=True)),
                ("cash_out_key", models.CharField(blank=True, max_length=160)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "opened_at"], name="session_history"),
                    models.Index(fields=["opened_at"], name="session_newest"),
                    models.Index(fields=["player", "currency", "closed_at"], name="session_ended"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at", None)),
                        fields=("player", "currency"),
                        name="session_open_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cash_in__range", (1, 100000000000))),
                        name="session_cash_in_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("cash_out", None), ("closed_at", None)),
                            models.Q(("cash_out__gte", 0), ("closed_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="session_closed_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProtectedPlayer",
            fields=[
                ("player", models.UUIDField(primary_key=True, serialize=False)),
                ("since", models.DateTimeField()),
            ],
            options={
                "permissions": [("protect", "May set limits, time-outs, and exclusions for players")],
                "indexes": [],
                "constraints": [],
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
                "indexes": [
                    models.Index(fields=["made_at"], name="payout_batch_history"),
                    models.Index(
                        condition=models.Q(("paid_at", None)), fields=["made_at"], name="payout_batch_unpaid"
                    ),
                ],
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
            name="PlayerCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("kind", models.CharField(max_length=12)),
                ("key", models.CharField(max_length=40)),
                ("day", models.DateField()),
                ("previous", models.DateField()),
                ("players", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("currency", "kind", "day", "previous", "key"), name="player_count_once"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="PlayerDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("kind", models.CharField(max_length=12)),
                (
                    "key",
                    models.CharField(
                        help_text="which one of the kind; empty if there is only one", max_length=40
                    ),
                ),
                ("player", models.CharField(max_length=64)),
                ("day", models.DateField()),
                (
                    "previous",
                    models.DateField(
                        help_text="the player's previous day there, or `EVER`; null only while the follower adds days",
                        null=True,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("previous", None)), fields=["id"], name="player_day_new")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("currency", "kind", "key", "player", "day"), name="player_day_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PurposeSum",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("kind", models.CharField(max_length=16)),
                ("purpose", models.CharField(max_length=16)),
                ("debits", models.BigIntegerField()),
                ("credits", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("currency", "kind", "purpose"), name="purpose_sum_once")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Reconciliation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("seconds", models.PositiveIntegerField(help_text="duration")),
                ("replayed", models.BooleanField(help_text="whether games were folded move by move")),
                (
                    "differences",
                    models.PositiveIntegerField(
                        help_text="all differences; the report lists the first thousand"
                    ),
                ),
                ("report", models.JSONField()),
            ],
            options={
                "indexes": [models.Index(fields=["-at", "-id"], name="reconciliation_newest")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="RollupProgress",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("zone", models.CharField(help_text="the time zone of the days", max_length=64)),
                ("epoch", models.IntegerField()),
                ("xact", models.BigIntegerField()),
                ("position", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="rollup_progress_once")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="StakeDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("player", models.CharField(max_length=64)),
                ("currency", models.CharField(max_length=3)),
                ("kind", models.CharField(max_length=10)),
                ("state", models.CharField(max_length=9)),
                ("day", models.DateField()),
                ("lines", models.BigIntegerField()),
                ("stake", models.BigIntegerField()),
                ("returned", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("player", "currency", "kind", "state", "day"), name="stake_day_once"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="StakeLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("player", models.CharField(max_length=64)),
                ("currency", models.CharField(max_length=3)),
                ("kind", models.CharField(max_length=10)),
                ("state", models.CharField(max_length=9)),
                ("at", models.DateTimeField()),
                ("key", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=80)),
                ("about", models.CharField(max_length=80)),
                ("on", models.CharField(max_length=64)),
                ("stake", models.BigIntegerField()),
                ("returned", models.BigIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["player", "currency", "kind", "state", "-at", "-key"],
                        name="stake_line_history",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("player", "currency", "kind", "key"), name="stake_line_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SubjectDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("tournament", models.BooleanField()),
                (
                    "rules",
                    models.CharField(
                        help_text="empty for a tournament, and without a stake table", max_length=40
                    ),
                ),
                ("day", models.DateField()),
                ("escrow", models.BigIntegerField(help_text="the id of the account")),
            ],
            options={
                "indexes": [models.Index(fields=["escrow", "day"], name="subject_day_of_escrow")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("currency", "tournament", "rules", "day", "escrow"), name="subject_day_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="holds", to="ledger.account"
                    ),
                ),
                ("amount", ledger.money.PenceField()),
                ("subject", models.CharField(blank=True, max_length=80)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("held", "Held"),
                            ("captured", "Captured"),
                            ("released", "Released"),
                            ("expired", "Expired"),
                        ],
                        default="held",
                        max_length=8,
                    ),
                ),
                ("resolved_at", models.DateTimeField(null=True)),
                ("resolved_by", models.CharField(blank=True, max_length=80)),
                ("posting", models.UUIDField(help_text="the posting that captured it", null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("state", "held")), fields=["account"], name="hold_open"),
                    models.Index(fields=["subject", "at"], name="hold_subject"),
                    models.Index(fields=["at"], name="hold_newest"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount__range", (1, 100000000000))), name="hold_amount_bounded"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("resolved_at", None), ("state", "held")),
                            models.Q(
                                ("state__in", ["captured", "released", "expired"]),
                                ("resolved_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="hold_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("posting__isnull", False), ("state", "captured")),
                            models.Q(models.Q(("state", "captured"), _negated=True), ("posting", None)),
                            _connector="OR",
                        ),
                        name="hold_capture_has_posting",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayBank",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="play_bank",
                        serialize=False,
                        to="ledger.account",
                    ),
                ),
                ("event", models.CharField(help_text="such as play:…", max_length=80)),
                ("number", models.PositiveIntegerField()),
                ("player", models.UUIDField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("event", "number"), name="play_bank_number_once"),
                    models.UniqueConstraint(fields=("event", "player"), name="play_bank_player_once"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Transfer",
            fields=[
                ("position", models.BigAutoField(primary_key=True, serialize=False)),
                ("uuid", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("posting", models.UUIDField()),
                ("key", models.CharField(max_length=160)),
                ("leg", models.PositiveSmallIntegerField(help_text="the place in its posting, from 0")),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "debit",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="paid",
                        to="ledger.account",
                    ),
                ),
                (
                    "credit",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="received",
                        to="ledger.account",
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("amount", ledger.money.PenceField()),
                ("reason", models.CharField(max_length=200)),
                ("subject", models.CharField(blank=True, max_length=80)),
                (
                    "event",
                    models.BigIntegerField(
                        help_text="version of the event in the subject's stream", null=True
                    ),
                ),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                (
                    "reverses",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversed_by",
                        to="ledger.transfer",
                    ),
                ),
                ("epoch", models.PositiveIntegerField(default=0)),
                (
                    "xact",
                    models.BigIntegerField(
                        db_default=eventstore.fields.CurrentTransaction(),
                        help_text="PostgreSQL's transaction id; 0 on SQLite",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["debit", "at", "position", "amount"], name="transfer_paid_at"),
                    models.Index(fields=["credit", "at", "position", "amount"], name="transfer_received_at"),
                    models.Index(fields=["subject", "position"], name="transfer_subject"),
                    models.Index(fields=["epoch", "xact", "position"], name="transfer_follow"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("key", "leg"), name="transfer_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("amount__range", (1, 100000000000))),
                        name="transfer_amount_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("debit", models.F("credit")), _negated=True),
                        name="transfer_sides_differ",
                    ),
                    eventstore.fields.CompositeForeignKey(
                        fields=("debit", "currency"),
                        name="transfer_debit_currency",
                        to_fields=("id", "currency"),
                        via="debit",
                    ),
                    eventstore.fields.CompositeForeignKey(
                        fields=("credit", "currency"),
                        name="transfer_credit_currency",
                        to_fields=("id", "currency"),
                        via="credit",
                    ),
                ],
            },
        ),
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
                ("amount", ledger.money.PenceField(help_text="of one buy-in")),
                (
                    "stake_table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pots",
                        to="ledger.staketable",
                    ),
                ),
                ("rake", models.PositiveIntegerField(help_text="the site's share in basis points")),
                ("split", models.JSONField(help_text="basis points of the rest, by place")),
                (
                    "escrow",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="pot", to="ledger.account"
                    ),
                ),
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
            ],
            options={
                "permissions": [("rule_pot", "May divide pots again after a ruling")],
                "indexes": [
                    models.Index(fields=["opened_at"], name="pot_history"),
                    models.Index(condition=models.Q(("status", "open")), fields=["subject"], name="pot_open"),
                    models.Index(fields=["stake_table", "opened_at"], name="pot_at_table"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount__range", (1, 100000000000)), ("rake__lt", 10000)),
                        name="pot_terms_sound",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("division", 0), ("ended_at", None), ("status", "open")),
                            models.Q(
                                ("division__gte", 1),
                                ("ended_at__isnull", False),
                                ("status__in", ["settled", "void"]),
                            ),
                            _connector="OR",
                        ),
                        name="pot_status_whole",
                    ),
                ],
            },
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
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="terms",
                        to="ledger.staketable",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("minimum", ledger.money.PenceField()),
                ("maximum", ledger.money.PenceField()),
                ("step", ledger.money.PenceField()),
                ("default", ledger.money.PenceField()),
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
                    ledger.money.PenceField(
                        help_text="the most that open games may reserve together; null: the whole balance",
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
                        help_text="basis points of the rest, by place",
                    ),
                ),
                ("effective_from", models.DateTimeField()),
                ("asked_at", models.DateTimeField()),
                ("actor", models.CharField(max_length=80)),
                ("reason", models.CharField(max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("table", "number"), name="stake_terms_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("maximum__lte", 100000000000),
                            ("minimum__gte", 1),
                            ("minimum__lte", models.F("maximum")),
                            ("step__gte", 1),
                            ("default__gte", models.F("minimum")),
                            ("default__lte", models.F("maximum")),
                        ),
                        name="stake_terms_in_order",
                    ),
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
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="LimitChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "protected",
                    models.ForeignKey(
                        db_column="player",
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="limit_changes",
                        to="ledger.protectedplayer",
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                (
                    "kind",
                    models.CharField(
                        choices=[("deposit", "Deposits"), ("stake", "Stakes"), ("loss", "Losses")],
                        max_length=8,
                    ),
                ),
                (
                    "period",
                    models.CharField(
                        choices=[("day", "Day"), ("week", "Week"), ("month", "Month")], max_length=8
                    ),
                ),
                ("amount", ledger.money.PenceField(help_text="pence; null: no limit", null=True)),
                ("was", ledger.money.PenceField(help_text="the limit in force at the request", null=True)),
                ("at", models.DateTimeField(help_text="time of the request")),
                ("effective_at", models.DateTimeField()),
                ("actor", models.CharField(max_length=80)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["protected", "currency", "kind", "period", "id"], name="limit_newest"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["deposit", "stake", "loss"]),
                            ("period__in", ["day", "week", "month"]),
                        ),
                        name="limit_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("amount", None), ("amount__range", (0, 100000000000)), _connector="OR"),
                            models.Q(("was", None), ("was__range", (0, 100000000000)), _connector="OR"),
                        ),
                        name="limit_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("effective_at__gt", models.F("at")),
                            models.Q(
                                ("effective_at", models.F("at")),
                                models.Q(
                                    ("was", None),
                                    models.Q(("amount__isnull", False), ("amount__lte", models.F("was"))),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="limit_raised_later",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayStop",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "protected",
                    models.ForeignKey(
                        db_column="player",
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stops",
                        to="ledger.protectedplayer",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("time-out", "Time Out"), ("self-exclusion", "Exclusion")], max_length=16
                    ),
                ),
                ("at", models.DateTimeField()),
                ("until", models.DateTimeField(help_text="null: permanent", null=True)),
                ("actor", models.CharField(max_length=80)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["protected", "at"], name="stop_history"),
                    models.Index(fields=["kind", "id"], name="stop_kind"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "time-out"), ("until__gt", models.F("at"))),
                            models.Q(
                                ("kind", "self-exclusion"),
                                models.Q(("until", None), ("until__gt", models.F("at")), _connector="OR"),
                            ),
                            _connector="OR",
                        ),
                        name="stop_known",
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
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Market",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "subject",
                    models.CharField(help_text="the subject that is bet on, such as game:…", max_length=80),
                ),
                ("kind", models.CharField(choices=[("fixed", "Fixed odds"), ("pool", "Pool")], max_length=8)),
                ("currency", models.CharField(max_length=3)),
                (
                    "play",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="the event whose play money is bet, such as play:…; empty: money",
                        max_length=80,
                    ),
                ),
                (
                    "stake_table",
                    models.ForeignKey(
                        help_text="empty for markets in play money",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="markets",
                        to="ledger.staketable",
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
                    "margin",
                    models.PositiveIntegerField(
                        help_text="fixed odds: the site's part of a fair return, in basis points"
                    ),
                ),
                ("takeout", models.PositiveIntegerField(help_text="pool: the site's part in basis points")),
                (
                    "step",
                    models.PositiveSmallIntegerField(
                        help_text="pool: pence to which a dividend is rounded down; 0: not at all"
                    ),
                ),
                (
                    "on_draw",
                    models.CharField(
                        help_text="the treatment of bets if no runner won: refund or lose", max_length=8
                    ),
                ),
                ("cancellable", models.BooleanField()),
                ("in_running", models.BooleanField()),
                (
                    "cap",
                    ledger.money.PenceField(
                        help_text="of the bank's risk, or of the pool; null: no cap", null=True
                    ),
                ),
                ("minimum", ledger.money.PenceField()),
                ("maximum", ledger.money.PenceField()),
                ("stake_step", ledger.money.PenceField()),
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
                (
                    "round",
                    models.PositiveIntegerField(default=1, help_text="the number of the betting round"),
                ),
                ("opened_event", models.BigIntegerField(help_text="the event that reopened it", null=True)),
                (
                    "closed_event",
                    models.BigIntegerField(help_text="the event that last closed it", null=True),
                ),
                ("closed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("bets_made", models.PositiveIntegerField(default=0, help_text="including cancelled bets")),
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
                    "settlement",
                    models.PositiveIntegerField(
                        default=0, help_text="the number of the settlement in effect or in progress"
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("open_market", "May open markets without a limit"),
                    ("offer_market", "May open markets within the limit for organizers"),
                    ("rule_market", "May settle markets, void them, and settle them again"),
                ],
                "indexes": [
                    models.Index(fields=["subject", "status", "opened_at"], name="market_subject"),
                    models.Index(fields=["opened_at"], name="market_history"),
                    models.Index(fields=["status", "opened_at"], name="market_status"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["fixed", "pool"])), name="market_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["open", "closed", "settling", "settled", "void"])),
                        name="market_status_known",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("play", ""),
                                ("stake_table__isnull", False),
                                models.Q(("currency", "XXX"), _negated=True),
                            ),
                            models.Q(
                                models.Q(("play", ""), _negated=True),
                                ("currency", "XXX"),
                                ("kind", "pool"),
                                ("on_draw", "refund"),
                                ("stake_table", None),
                                ("step", 0),
                                ("takeout", 0),
                            ),
                            _connector="OR",
                        ),
                        name="market_play_apart",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("maximum__lte", 100000000000),
                            ("minimum__gte", 1),
                            ("minimum__lte", models.F("maximum")),
                            ("stake_step__gte", 1),
                        ),
                        name="market_stakes_in_order",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", False),
                                ("reserve", None),
                                ("settlement__gte", 1),
                                ("status__in", ("settled", "void")),
                            ),
                            models.Q(("ended_at", None), ("settlement__gte", 1), ("status", "settling")),
                            models.Q(
                                ("ended_at", None), ("settlement", 0), ("status__in", ["open", "closed"])
                            ),
                            _connector="OR",
                        ),
                        name="market_status_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at", None), ("status", "open")),
                            models.Q(
                                models.Q(("status", "open"), _negated=True), ("closed_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="market_closed_whole",
                    ),
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
                        help_text="the reference shown by the bank and on the statement",
                        max_length=16,
                        unique=True,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("withdrawal", "Withdrawal"), ("prize", "Prize")], max_length=10
                    ),
                ),
                ("payee", models.CharField(max_length=80)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payouts",
                        to="ledger.account",
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("amount", ledger.money.PenceField()),
                (
                    "destination",
                    models.CharField(blank=True, help_text="where a withdrawal is sent", max_length=140),
                ),
                (
                    "subject",
                    models.CharField(
                        blank=True, help_text="the subject of a prize, such as tournament:…", max_length=80
                    ),
                ),
                (
                    "hold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="payout", to="ledger.hold"
                    ),
                ),
                (
                    "two_persons",
                    models.BooleanField(help_text="whether two persons must approve it; set at the request"),
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
                ("requested_by", models.CharField(max_length=80)),
                ("requested_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("checked", "Checked"),
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
                    ("approve_payout", "May approve, hold, release, and reject payouts"),
                    ("pay_payout", "May pay payouts and create payout batches"),
                    ("freeze_money", "May freeze the payments of a subject and release them"),
                ],
                "indexes": [
                    models.Index(fields=["state", "requested_at"], name="payout_queue"),
                    models.Index(fields=["payee", "requested_at"], name="payout_history"),
                    models.Index(fields=["payee", "kind", "requested_at"], name="payout_of_payee"),
                    models.Index(
                        fields=["state", "kind", "currency", "requested_at"], name="payout_to_batch"
                    ),
                    models.Index(fields=["requested_at"], name="payout_newest"),
                    models.Index(fields=["kind", "requested_at"], name="payout_kind"),
                    models.Index(fields=["state", "kind", "requested_at"], name="payout_state_kind"),
                    models.Index(fields=["currency", "requested_at"], name="payout_currency"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount__range", (1, 100000000000))), name="payout_amount_bounded"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["requested", "checked", "approved", "held", "rejected", "paid"])
                        ),
                        name="payout_state_known",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            ("batch", None), ("state__in", ["approved", "paid"]), _connector="OR"
                        ),
                        name="payout_batch_of_approved",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="BuyIn",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                (
                    "pot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="buy_ins",
                        to="ledger.pot",
                    ),
                ),
                ("event", models.BigIntegerField()),
                ("player", models.UUIDField()),
                (
                    "purse",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="buy_ins",
                        to="ledger.account",
                    ),
                ),
                ("amount", ledger.money.PenceField()),
                (
                    "status",
                    models.CharField(
                        choices=[("in", "In"), ("back", "Back"), ("paid", "Paid"), ("refunded", "Refunded")],
                        default="in",
                        max_length=8,
                    ),
                ),
                ("returned", ledger.money.PenceField(null=True)),
                ("division", models.PositiveIntegerField(default=0)),
                ("taken_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "taken_at"], name="buy_in_history"),
                    models.Index(fields=["taken_at"], name="buy_in_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("pot", "event"), name="buy_in_event_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "back"), _negated=True),
                        fields=("pot", "player"),
                        name="buy_in_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("amount__range", (1, 100000000000)),
                            models.Q(("returned", None), ("returned__gte", 0), _connector="OR"),
                        ),
                        name="buy_in_amounts_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("division", 0), ("ended_at", None), ("returned", None), ("status", "in")
                            ),
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
                ],
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
                (
                    "pot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="divisions",
                        to="ledger.pot",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("void", models.BooleanField(help_text="every buy-in was refunded")),
                ("places", models.JSONField(help_text="players by place; players may share a place")),
                ("gross", ledger.money.PenceField(help_text="the sum of the buy-ins")),
                ("rake", ledger.money.PenceField()),
                ("event", models.BigIntegerField(null=True)),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("pot", "number"), name="division_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("gross__gte", 0),
                            ("number__gte", 1),
                            ("rake__gte", 0),
                            ("rake__lte", models.F("gross")),
                            models.Q(("void", False), ("rake", 0), _connector="OR"),
                        ),
                        name="division_adds_up",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="GameStake",
            fields=[
                ("game", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stakes",
                        to="ledger.playsession",
                    ),
                ),
                ("player", models.UUIDField()),
                (
                    "stake_table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stakes",
                        to="ledger.staketable",
                    ),
                ),
                (
                    "terms",
                    models.ForeignKey(
                        db_index=False,
                        help_text="the terms in force at the deal",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stakes",
                        to="ledger.staketerms",
                    ),
                ),
                ("stake", ledger.money.PenceField()),
                ("max_win", ledger.money.PenceField()),
                (
                    "reserve",
                    models.OneToOneField(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="ledger.hold"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("settled", "Settled"), ("refunded", "Refunded")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("winnings", ledger.money.PenceField(null=True)),
                ("summary", models.JSONField(default=dict)),
                ("staked_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["session", "staked_at"], name="stake_history"),
                    models.Index(fields=["player", "-staked_at"], name="stake_of_player"),
                    models.Index(fields=["stake_table", "staked_at"], name="stake_at_table"),
                    models.Index(fields=["staked_at"], name="stake_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status", "open")), fields=("player",), name="stake_one_open_game"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("max_win__range", (0, 100000000000)), ("stake__range", (1, 100000000000))
                        ),
                        name="stake_amounts_bounded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("status", "open"), ("winnings", None)),
                            models.Q(
                                ("status", "settled"),
                                ("winnings__gte", 0),
                                ("winnings__lte", models.F("max_win")),
                                ("ended_at__isnull", False),
                            ),
                            models.Q(("ended_at__isnull", False), ("status", "refunded"), ("winnings", None)),
                            _connector="OR",
                        ),
                        name="stake_status_whole",
                    ),
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
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runners",
                        to="ledger.market",
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
                ("stakes", ledger.money.PenceField(default=0)),
                ("returns", ledger.money.PenceField(default=0)),
                (
                    "withdrawn_at",
                    models.DateTimeField(
                        help_text="no bets are taken after this; bets on it are refunded", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("market", "number"), name="runner_number_once"),
                    models.UniqueConstraint(fields=("market", "name"), name="runner_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("returns__range", (0, 4000000000000000000)),
                            ("stakes__range", (0, 4000000000000000000)),
                        ),
                        name="runner_sums_bounded",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Settlement",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settlements",
                        to="ledger.market",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("void", models.BooleanField(help_text="every stake goes back")),
                ("winners", models.JSONField(help_text="names of runners; none if no runner won")),
                (
                    "off",
                    models.DateTimeField(
                        help_text="bets placed at this time or later are refunded", null=True
                    ),
                ),
                ("event", models.BigIntegerField(null=True)),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
                ("gross", ledger.money.PenceField(help_text="stakes that were not cancelled", null=True)),
                ("paid", ledger.money.PenceField(null=True)),
                ("takeout", ledger.money.PenceField(null=True)),
                ("breakage", ledger.money.PenceField(null=True)),
                (
                    "bank",
                    ledger.money.PenceField(help_text="the bank's result; negative for a loss", null=True),
                ),
                (
                    "paid_through",
                    models.PositiveIntegerField(
                        default=0, help_text="the number of the last bet that is paid"
                    ),
                ),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "reversed_at",
                    models.DateTimeField(help_text="when a later settlement had reversed it", null=True),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("market", "number"), name="settlement_number_once"),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reversed_at", None), ("done_at__isnull", False), _connector="OR"
                        ),
                        name="settlement_reversed_whole",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="VoidedBet",
            fields=[
                ("key", models.CharField(max_length=160, primary_key=True, serialize=False)),
                (
                    "market",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="voided_bets",
                        to="ledger.market",
                    ),
                ),
                ("player", models.UUIDField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [],
                "constraints": [],
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
                (
                    "payout",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="steps", to="ledger.payout"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("was", models.CharField(blank=True, max_length=9)),
                (
                    "becomes",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("checked", "Checked"),
                            ("approved", "Approved"),
                            ("held", "Held"),
                            ("rejected", "Rejected"),
                            ("paid", "Paid"),
                        ],
                        max_length=9,
                    ),
                ),
                ("payee", models.CharField(max_length=80)),
                ("amount", ledger.money.PenceField()),
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
                    "epoch",
                    models.PositiveIntegerField(
                        db_default=0, help_text="with xact and id the order of all steps"
                    ),
                ),
                (
                    "xact",
                    models.BigIntegerField(
                        db_default=eventstore.fields.CurrentTransaction(),
                        help_text="PostgreSQL's transaction id; 0 on SQLite",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "indexes": [models.Index(fields=["epoch", "xact", "id"], name="payout_step_follow")],
                "constraints": [
                    models.UniqueConstraint(fields=("payout", "number"), name="payout_step_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("becomes", "requested"), ("was", "")),
                            models.Q(("becomes", "checked"), ("was", "requested")),
                            models.Q(("becomes", "approved"), ("was", "requested")),
                            models.Q(("becomes", "held"), ("was", "requested")),
                            models.Q(("becomes", "rejected"), ("was", "requested")),
                            models.Q(("becomes", "approved"), ("was", "checked")),
                            models.Q(("becomes", "held"), ("was", "checked")),
                            models.Q(("becomes", "rejected"), ("was", "checked")),
                            models.Q(("becomes", "paid"), ("was", "approved")),
                            models.Q(("becomes", "held"), ("was", "approved")),
                            models.Q(("becomes", "rejected"), ("was", "approved")),
                            models.Q(("becomes", "requested"), ("was", "held")),
                            models.Q(("becomes", "rejected"), ("was", "held")),
                            _connector="OR",
                        ),
                        name="payout_step_legal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("becomes__in", ["checked", "approved"]), _negated=True),
                            models.Q(
                                models.Q(("actor", models.F("maker")), _negated=True),
                                models.Q(("actor", models.F("payee")), _negated=True),
                                models.Q(
                                    ("becomes", "checked"),
                                    ("two_persons", False),
                                    models.Q(("actor", models.F("previous")), _negated=True),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="payout_maker_is_not_checker",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor", models.F("payee")), _negated=True),
                            models.Q(("becomes", "requested"), ("was", "")),
                            models.Q(("becomes", "rejected"), ("was", "requested")),
                            _connector="OR",
                        ),
                        name="payout_not_by_payee",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reason", ""), _negated=True),
                            ("was", ""),
                            ("becomes__in", ["checked", "approved", "paid"]),
                            _connector="OR",
                        ),
                        name="payout_step_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="StakeRuling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "stake",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="ledger.gamestake",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("void", models.BooleanField()),
                ("winnings", ledger.money.PenceField(null=True)),
                (
                    "purse",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.account",
                    ),
                ),
                ("posting", models.UUIDField()),
                ("reason", models.CharField(max_length=200)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("stake", "number"), name="stake_ruling_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("number__gte", 1),
                            models.Q(
                                models.Q(("void", True), ("winnings", None)),
                                models.Q(("void", False), ("winnings__gte", 0)),
                                _connector="OR",
                            ),
                        ),
                        name="stake_ruling_whole",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Bet",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=160, unique=True)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "market",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bets",
                        to="ledger.market",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("round", models.PositiveIntegerField()),
                ("player", models.UUIDField()),
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
                    "runner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bets",
                        to="ledger.runner",
                    ),
                ),
                ("stake", ledger.money.PenceField()),
                (
                    "price",
                    models.CharField(blank=True, help_text="odds to one; empty in a pool", max_length=100),
                ),
                (
                    "most",
                    ledger.money.PenceField(
                        help_text="fixed odds: the return if the runner wins alone", null=True
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
                ("returned", ledger.money.PenceField(null=True)),
                ("settlement", models.PositiveIntegerField(default=0)),
                ("cancelled_at", models.DateTimeField(null=True)),
                ("cancel_key", models.CharField(blank=True, max_length=160)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "placed_at"], name="bet_history"),
                    models.Index(fields=["placed_at"], name="bet_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("market", "number"), name="bet_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("stake__range", (1, 100000000000))),
                        name="bet_stake_bounded",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("cancelled_at", None),
                                ("returned", None),
                                ("settlement", 0),
                                ("status", "open"),
                            ),
                            models.Q(
                                ("cancelled_at__isnull", False),
                                ("returned", None),
                                ("settlement", 0),
                                ("status", "cancelled"),
                            ),
                            models.Q(
                                ("cancelled_at", None),
                                ("returned", 0),
                                ("settlement__gte", 1),
                                ("status", "lost"),
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
                ],
            },
        ),
    ]
