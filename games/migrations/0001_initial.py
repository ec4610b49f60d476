import datetime
import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        ("ledger", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("rules", models.CharField(max_length=40)),
                ("config", models.JSONField(help_text="of the first deal")),
                ("seats", models.PositiveSmallIntegerField(help_text="how many")),
                ("deals", models.PositiveSmallIntegerField(help_text="how many are played to their end")),
                (
                    "pause",
                    models.PositiveIntegerField(
                        help_text="seconds in which each player may send a fresh client seed for the next deal"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "Running"), ("finished", "Finished"), ("void", "Void")],
                        default="running",
                        max_length=8,
                    ),
                ),
                (
                    "creator",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="matches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("private", models.BooleanField(default=False)),
                (
                    "invite",
                    models.CharField(
                        blank=True, help_text="what the link to each of its games holds", max_length=43
                    ),
                ),
                (
                    "move_limit",
                    models.PositiveIntegerField(blank=True, help_text="seconds for a move", null=True),
                ),
                (
                    "game_limit",
                    models.PositiveIntegerField(blank=True, help_text="seconds for a deal", null=True),
                ),
                (
                    "buy_in",
                    models.PositiveBigIntegerField(
                        default=0, help_text="pence that each seat pays for all deals"
                    ),
                ),
                (
                    "stake_table",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="ledger.staketable",
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "matches",
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["-created_at", "-id"], name="match_newest"),
                    models.Index(fields=["status", "-created_at", "-id"], name="match_lobby"),
                    models.Index(fields=["creator", "-created_at", "-id"], name="match_creator"),
                ],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("deals__gte", 1)), name="match_deals_some"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("buy_in", 0), ("stake_table", None)),
                            models.Q(("buy_in__gt", 0), ("stake_table__isnull", False)),
                            _connector="OR",
                        ),
                        name="match_buy_in_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["running", "finished", "void"])),
                        name="match_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("status", "running")),
                            models.Q(
                                models.Q(("status", "running"), _negated=True), ("ended_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="match_ended_when_over",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RevealedSeed",
            fields=[
                ("tournament", models.UUIDField(primary_key=True, serialize=False)),
                ("seed", models.BinaryField(max_length=32)),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="GameRecord",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        help_text="also the stream",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("rules", models.CharField(max_length=40)),
                ("rules_version", models.PositiveSmallIntegerField()),
                ("config", models.JSONField()),
                ("seats", models.PositiveSmallIntegerField(help_text="how many")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("active", "Active"),
                            ("finished", "Finished"),
                            ("void", "Void"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("commitment", models.CharField(max_length=64)),
                ("outcome", models.JSONField(blank=True, null=True)),
                (
                    "creator",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opened_games",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("private", models.BooleanField(default=False)),
                (
                    "invite",
                    models.CharField(
                        blank=True,
                        help_text="what the link to a private game holds; only its own people see it",
                        max_length=43,
                    ),
                ),
                (
                    "draw_every",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="seconds between the server's draws; null: the operator draws",
                        null=True,
                    ),
                ),
                (
                    "move_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="seconds for a move; null: as long as the site lets a table idle",
                        null=True,
                    ),
                ),
                (
                    "game_limit",
                    models.PositiveIntegerField(
                        blank=True, help_text="seconds for the game from its deal; null: no limit", null=True
                    ),
                ),
                (
                    "hints",
                    models.BooleanField(
                        default=False, help_text="the seat that is to act may ask for a hint"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="games",
                        to="games.match",
                    ),
                ),
                (
                    "match_number",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="its place in the match, from 1", null=True
                    ),
                ),
                ("tournament", models.UUIDField(blank=True, null=True)),
                ("round", models.PositiveIntegerField(blank=True, null=True)),
                ("deal", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "deal_group",
                    models.CharField(
                        blank=True,
                        help_text="games of one group share their deal; empty: a deal of its own",
                        max_length=100,
                    ),
                ),
                ("tournament_commitment", models.CharField(blank=True, max_length=64)),
                ("entropy", models.CharField(blank=True, max_length=64)),
                (
                    "ended_job",
                    models.CharField(
                        blank=True, help_text="kind of the job due when it has ended", max_length=100
                    ),
                ),
                ("stake", models.PositiveBigIntegerField(default=0, help_text="pence")),
                (
                    "buy_in",
                    models.PositiveBigIntegerField(
                        default=0, help_text="pence that each seat pays; of a match, once for all its deals"
                    ),
                ),
                (
                    "stake_table",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="ledger.staketable",
                    ),
                ),
                (
                    "play_session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="games",
                        to="ledger.playsession",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        help_text="the game that this one continues or replaces",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="games.gamerecord",
                    ),
                ),
                (
                    "parent_version",
                    models.PositiveBigIntegerField(
                        blank=True,
                        help_text="the last event of the parent that this one repeats; null: a new deal",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "suspended_at",
                    models.DateTimeField(blank=True, help_text="no move is made, no clock runs", null=True),
                ),
                ("resumed_at", models.DateTimeField(blank=True, help_text="for the last time", null=True)),
                (
                    "given_back",
                    models.DurationField(
                        default=datetime.timedelta(0),
                        help_text="of the game's limit: how long it has been suspended",
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "game",
                "ordering": ["-created_at", "-id"],
                "permissions": [("audit", "May look into games that are still on; each look is recorded")],
                "indexes": [
                    models.Index(fields=["-created_at", "-id"], name="game_newest"),
                    models.Index(fields=["status", "-created_at", "-id"], name="game_lobby"),
                    models.Index(fields=["rules", "-created_at", "-id"], name="game_rules"),
                    models.Index(fields=["rules", "status", "-created_at", "-id"], name="game_rules_status"),
                    models.Index(fields=["creator", "-created_at", "-id"], name="game_creator"),
                    models.Index(
                        condition=models.Q(("stake__gt", 0), ("buy_in__gt", 0), _connector="OR"),
                        fields=["-created_at", "-id"],
                        name="game_money",
                    ),
                    models.Index(fields=["tournament", "round"], name="game_tournament"),
                    models.Index(fields=["deal_group", "status"], name="game_deal_group"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["open", "active", "finished", "void"])),
                        name="game_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome__isnull", False), ("status", "finished")),
                            models.Q(
                                models.Q(("status", "finished"), _negated=True), ("outcome__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="game_outcome_of_a_finished",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("status__in", ("open", "active"))),
                            models.Q(("ended_at__isnull", False), ("status__in", ["finished", "void"])),
                            _connector="OR",
                        ),
                        name="game_ended_when_over",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("deal", None),
                                ("ended_job", ""),
                                ("round", None),
                                ("tournament", None),
                                models.Q(
                                    ("deal_group", ""),
                                    ("deal_group__startswith", "continued:"),
                                    _connector="OR",
                                ),
                            ),
                            models.Q(("deal__gte", 1), ("round__gte", 1), ("tournament__isnull", False)),
                            _connector="OR",
                        ),
                        name="game_tournament_whole",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("parent_version__isnull", False)),
                        fields=("parent",),
                        name="game_goes_on_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("parent_version", None),
                            models.Q(("parent__isnull", False), ("parent_version__gte", 1)),
                            _connector="OR",
                        ),
                        name="game_goes_on_from_somewhere",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("suspended_at", None), ("status", "active"), _connector="OR"),
                        name="game_suspended_while_active",
                    ),
                    models.UniqueConstraint(fields=("match", "match_number"), name="game_once_in_its_match"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("match", None), ("match_number", None)),
                            models.Q(
                                ("match__isnull", False),
                                ("match_number__gte", 1),
                                ("stake", 0),
                                ("tournament", None),
                            ),
                            _connector="OR",
                        ),
                        name="game_match_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("move_limit", None), ("move_limit__gte", 1), _connector="OR"),
                            models.Q(("game_limit", None), ("game_limit__gte", 1), _connector="OR"),
                        ),
                        name="game_limits_positive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("hints", False),
                            models.Q(("buy_in", 0), ("stake", 0), ("tournament", None)),
                            _connector="OR",
                        ),
                        name="game_hints_for_nothing_at_stake",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("buy_in", 0), ("play_session", None), ("stake", 0), ("stake_table", None)
                            ),
                            models.Q(
                                ("buy_in", 0),
                                ("creator__isnull", False),
                                ("play_session__isnull", False),
                                ("stake__gt", 0),
                                ("stake_table__isnull", False),
                            ),
                            models.Q(
                                ("buy_in__gt", 0),
                                ("play_session", None),
                                ("stake", 0),
                                ("stake_table__isnull", False),
                                ("tournament", None),
                            ),
                            _connector="OR",
                        ),
                        name="game_stake_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Challenge",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="challenge",
                        to="games.gamerecord",
                    ),
                ),
                (
                    "challenger",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="challenges",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                            ("expired", "Expired"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("generic", "no reason given"),
                            ("later", "not now"),
                            ("busy", "in too many games"),
                            ("game", "not this game"),
                            ("options", "not with these options"),
                            ("no-bots", "not against bots"),
                        ],
                        max_length=8,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["challenger", "status", "created_at"], name="challenge_from")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["open", "accepted", "declined", "withdrawn", "expired"])
                        ),
                        name="challenge_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("status", "open")),
                            models.Q(
                                models.Q(("status", "open"), _negated=True), ("ended_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="challenge_ended_when_over",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("reason__in", ["generic", "later", "busy", "game", "options", "no-bots"]),
                                ("status", "declined"),
                            ),
                            models.Q(models.Q(("status", "declined"), _negated=True), ("reason", "")),
                            _connector="OR",
                        ),
                        name="challenge_declined_for_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EarlyAccess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "viewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="early_accesses",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="early_accesses",
                        to="games.gamerecord",
                    ),
                ),
                ("tournament", models.UUIDField(blank=True, null=True)),
                ("what", models.CharField(max_length=20)),
                ("reason", models.CharField(blank=True, default="", max_length=200)),
                ("at", models.DateTimeField()),
                ("event", models.PositiveBigIntegerField(help_text="version in the stream `audit`")),
            ],
            options={
                "verbose_name_plural": "early accesses",
                "ordering": [
                    models.OrderBy(models.F("at"), descending=True),
                    models.OrderBy(models.F("pk"), descending=True),
                ],
                "indexes": [models.Index(fields=["viewer", "tournament"], name="early_access_by_viewer")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="GameSecret",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.gamerecord",
                    ),
                ),
                ("server_seed", models.BinaryField(max_length=32)),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="RefusedCommand",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "game",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="refused",
                        to="games.gamerecord",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("seat", models.PositiveSmallIntegerField(null=True)),
                (
                    "version",
                    models.PositiveBigIntegerField(help_text="of the game, against which it was judged"),
                ),
                ("code", models.CharField(max_length=64)),
                ("rule", models.TextField(blank=True, help_text="the sentence of the rule that it breaks")),
                ("fact", models.TextField(blank=True)),
                (
                    "move",
                    models.TextField(help_text="as JSON; null where it is longer than is kept", null=True),
                ),
                ("command_id", models.CharField(max_length=64, null=True)),
                ("token", models.CharField(max_length=25, null=True)),
                ("client_at", models.CharField(max_length=27, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["game", "player", "-id"], name="refused_of_player")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seatings",
                        to="games.gamerecord",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seatings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bot",
                    models.CharField(
                        blank=True,
                        help_text="the strategy of a bot; empty: a person, or the usual bot",
                        max_length=40,
                    ),
                ),
                (
                    "forfeited",
                    models.BooleanField(
                        default=False,
                        help_text="its tournament waits for this player no longer: the server plays",
                    ),
                ),
                (
                    "running",
                    models.BooleanField(
                        default=True, help_text="the game goes on, so that an index finds it"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(help_text="of the game, so that an index orders a player's games"),
                ),
            ],
            options={
                "ordering": ["game", "seat"],
                "indexes": [
                    models.Index(fields=["player", "-created_at", "-game"], name="seat_newest_games"),
                    models.Index(
                        condition=models.Q(("running", True)),
                        fields=["player", "created_at", "game"],
                        name="seat_running_games",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("game", "seat"), name="seat_held_once"),
                    models.UniqueConstraint(fields=("game", "player"), name="seat_one_for_a_player"),
                ],
            },
        ),
        migrations.CreateModel(
            name="StoredVerification",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.gamerecord",
                    ),
                ),
                ("version", models.PositiveBigIntegerField(help_text="of the last event that was verified")),
                ("hash", models.CharField(help_text="of that event", max_length=64)),
                (
                    "opened",
                    models.BooleanField(help_text="the seed was shown: deal, seals and moves were judged"),
                ),
                ("at", models.DateTimeField(help_text="when it was made")),
                ("report", models.JSONField(help_text="as anybody may see it")),
                (
                    "divergence",
                    models.JSONField(
                        help_text="for the evidence: version, check and reason of the first event that is wrong",
                        null=True,
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Suspension",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suspensions",
                        to="games.gamerecord",
                    ),
                ),
                ("version", models.PositiveBigIntegerField(help_text="of the game, all the while")),
                ("since", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "lifted",
                    models.CharField(
                        blank=True,
                        choices=[("resumed", "Resumed"), ("void", "Void"), ("continued", "Continued")],
                        max_length=9,
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("lifted_reason", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ["game", "since", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("game",),
                        name="suspension_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("lifted", ""),
                                ("lifted_at", None),
                                ("lifted_by", None),
                                ("lifted_reason", ""),
                            ),
                            models.Q(
                                ("lifted__in", ["resumed", "void", "continued"]), ("lifted_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="suspension_lifted_somehow",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="TurnCheck",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.gamerecord",
                    ),
                ),
                ("due", models.DateTimeField(db_index=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="games.challenge",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "is_open",
                    models.BooleanField(
                        default=True, help_text="the challenge is open, so that an index finds it"
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_open", True)),
                        fields=["player", "challenge"],
                        name="invitation_open",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("challenge", "player"), name="invitation_once")
                ],
            },
        ),
    ]
