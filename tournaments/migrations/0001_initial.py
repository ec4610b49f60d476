import uuid

import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models

import tournaments.models
from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Tournament",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(db_index=True, max_length=100)),
                ("description", models.TextField(blank=True, max_length=2000)),
                (
                    "organizer",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("format", models.CharField(max_length=40)),
                ("rules", models.CharField(max_length=40)),
                ("rules_version", models.PositiveIntegerField()),
                ("config", models.JSONField()),
                (
                    "rounds",
                    models.PositiveIntegerField(help_text="0 until the start: as many as the format needs"),
                ),
                ("seats", models.PositiveIntegerField(default=1)),
                ("sizes", models.JSONField(default=tournaments.models.only_one)),
                ("through", models.PositiveIntegerField(default=1)),
                (
                    "count",
                    models.CharField(
                        choices=[
                            ("total", "the games' own measures, added up"),
                            ("matchpoints", "matchpoints: the number beaten on each deal"),
                        ],
                        default="total",
                        max_length=20,
                    ),
                ),
                ("tie_breaks", models.JSONField(default=list)),
                ("stages", models.JSONField(blank=True, default=list)),
                (
                    "seeding",
                    models.CharField(
                        choices=[
                            ("entry", "in entry order"),
                            ("lot", "by lot"),
                            ("rating", "by rating at the start; 0 if unrated"),
                            ("standing", "by the final standings of an earlier tournament"),
                        ],
                        default="entry",
                        max_length=10,
                    ),
                ),
                (
                    "seeded_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.tournament",
                    ),
                ),
                ("rated", models.BooleanField(default=False)),
                ("games", models.PositiveIntegerField(help_text="games of each table in each round")),
                ("bank", models.BigIntegerField(default=0)),
                (
                    "opens_at",
                    models.DateTimeField(
                        blank=True, help_text="start of round 1; empty: the organizer starts", null=True
                    ),
                ),
                (
                    "time_zone",
                    models.CharField(
                        default="UTC", help_text="IANA name; times are also shown in it", max_length=64
                    ),
                ),
                (
                    "round_times",
                    models.JSONField(
                        blank=True, default=list, help_text="rounds with a fixed opening time, in UTC"
                    ),
                ),
                ("round_seconds", models.PositiveIntegerField()),
                ("gap_seconds", models.PositiveIntegerField(default=0)),
                ("no_show_seconds", models.PositiveIntegerField(default=0)),
                ("check_in_seconds", models.PositiveIntegerField(default=0)),
                ("late_until", models.PositiveIntegerField(default=0)),
                ("capacity", models.PositiveIntegerField()),
                ("waiting_list", models.PositiveIntegerField(default=0)),
                ("fewest", models.PositiveIntegerField(default=2)),
                ("fill_to", models.PositiveIntegerField(default=0)),
                ("currency", models.CharField(max_length=3)),
                ("fee", models.BigIntegerField(default=0, help_text="pence")),
                ("prizes", models.JSONField(default=list)),
                ("amounts", models.JSONField(blank=True, default=list)),
                ("guarantee", models.BigIntegerField(default=0)),
                ("rake", models.PositiveIntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("published", "Published"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("commitment", models.CharField(blank=True, max_length=64, null=True)),
                ("entropy", models.CharField(blank=True, max_length=64, null=True)),
                (
                    "stalled",
                    models.TextField(blank=True, default="", help_text="why the organizer is needed"),
                ),
                ("paused", models.TextField(blank=True, default="", help_text="the reason of the pause")),
                ("resumptions", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "permissions": [("organize", "May create, publish, start and cancel tournaments")],
                "indexes": [
                    models.Index(fields=["-created_at", "-id"], name="tournament_newest"),
                    models.Index(fields=["status", "-created_at", "-id"], name="tournament_status"),
                    models.Index(fields=["rules", "-created_at", "-id"], name="tournament_rules"),
                    models.Index(fields=["format", "-created_at", "-id"], name="tournament_format"),
                    models.Index(
                        fields=["rules", "status", "-created_at", "-id"], name="tournament_rules_status"
                    ),
                    models.Index(
                        fields=["format", "status", "-created_at", "-id"], name="tournament_format_status"
                    ),
                    models.Index(
                        fields=["format", "rules", "-created_at", "-id"], name="tournament_format_rules"
                    ),
                    models.Index(fields=["organizer", "-created_at", "-id"], name="tournament_organizer"),
                    models.Index(fields=["fee", "-created_at", "-id"], name="tournament_fee"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["draft", "published", "running", "finished", "cancelled"])
                        ),
                        name="tournament_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("rounds__lte", 50),
                            models.Q(("rounds__gte", 1), ("started_at", None), _connector="OR"),
                        ),
                        name="tournament_rounds",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seats__gte", 1), ("through__gte", 1)), name="tournament_tables"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("count__in", ["total", "matchpoints"])),
                        name="tournament_count_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("format", "stages"), models.Q(("stages", []), _negated=True)),
                            models.Q(models.Q(("format", "stages"), _negated=True), ("stages", [])),
                            _connector="OR",
                        ),
                        name="tournament_stages",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seeding__in", ["entry", "lot", "rating", "standing"])),
                        name="tournament_seeding_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("seeded_by__isnull", False), ("seeding", "standing")),
                            models.Q(models.Q(("seeding", "standing"), _negated=True), ("seeded_by", None)),
                            _connector="OR",
                        ),
                        name="tournament_seeded_by",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("games__gte", 1), ("games__lte", 20)), name="tournament_games"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("fewest__gte", 2),
                            ("capacity__gte", models.F("fewest")),
                            ("capacity__lte", 10000),
                            ("fill_to__lte", models.F("capacity")),
                        ),
                        name="tournament_size",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("fee__gte", 0), ("fee__lte", 1000000000), ("rake__gte", 0), ("rake__lt", 10000)
                        ),
                        name="tournament_money",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("bank__gte", 0), ("bank__lte", 1000000000)),
                        name="tournament_bank",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("guarantee__gte", 0), ("guarantee__lte", 10000000000)),
                        name="tournament_guarantee",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("commitment", None), ("published_at", None)),
                            models.Q(("commitment__isnull", False), ("published_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="tournament_committed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("entropy", None), ("started_at", None)),
                            models.Q(("entropy__isnull", False), ("started_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="tournament_entropy_fixed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "cancelled"),
                            models.Q(("published_at", None), ("status", "draft")),
                            models.Q(
                                ("published_at__isnull", False), ("started_at", None), ("status", "published")
                            ),
                            models.Q(("started_at__isnull", False), ("status__in", ["running", "finished"])),
                            _connector="OR",
                        ),
                        name="tournament_under_way",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("paused", ""), ("status", "running"), _connector="OR"),
                        name="tournament_paused",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", False), ("status__in", ["finished", "cancelled"])),
                            models.Q(("ended_at", None), ("status__in", ["draft", "published", "running"])),
                            _connector="OR",
                        ),
                        name="tournament_ended",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatedGame",
            fields=[
                ("rules", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("rounds", models.PositiveIntegerField(default=0)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("rules", models.CharField(max_length=40)),
                ("mu", models.IntegerField()),
                ("sigma", models.PositiveIntegerField()),
                ("worth", models.IntegerField()),
                ("tables", models.PositiveIntegerField(help_text="number of rated tables")),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-worth", "pk"],
                "indexes": [models.Index(fields=["rules", "-worth", "id"], name="rating_best")],
                "constraints": [
                    models.UniqueConstraint(fields=("player", "rules"), name="rating_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("tables__gte", 1),
                            ("sigma__gte", 1),
                            (
                                "worth",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("mu"),
                                    "-",
                                    django.db.models.expressions.CombinedExpression(
                                        models.Value(3), "*", models.F("sigma")
                                    ),
                                ),
                            ),
                        ),
                        name="rating_sound",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("client_seed", models.CharField(blank=True, max_length=64)),
                (
                    "bot",
                    models.BooleanField(
                        default=False, help_text="the site pays its fee and takes its prizes"
                    ),
                ),
                ("entered_at", models.DateTimeField()),
                ("checked_in_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("first", models.PositiveIntegerField(default=1, help_text="the first round that they play")),
                (
                    "retired_after",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="the last round that they play, if they left during the tournament",
                        null=True,
                    ),
                ),
                ("disqualified_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ["number"],
                "indexes": [models.Index(fields=["player", "-id"], name="entry_of_player")],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "player"), name="entry_player_once"),
                    models.UniqueConstraint(fields=("tournament", "number"), name="entry_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("first__gte", 1)), name="entry_number_from_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("disqualified_at", None),
                            ("withdrawn_at__isnull", False),
                            ("retired_after__isnull", False),
                            _connector="OR",
                        ),
                        name="entry_disqualified_is_out",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("rules", models.CharField(max_length=40)),
                ("number", models.PositiveIntegerField()),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.tournament",
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                ("table", models.PositiveIntegerField()),
                ("version", models.PositiveIntegerField()),
                ("place", models.PositiveIntegerField()),
                ("mu_before", models.IntegerField()),
                ("sigma_before", models.PositiveIntegerField()),
                ("mu", models.IntegerField()),
                ("sigma", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("player", "rules", "number"), name="ratingchange_number_once"
                    ),
                    models.UniqueConstraint(
                        fields=("tournament", "round", "player"), name="ratingchange_once_a_round"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("number__gte", 1),
                            ("round__gte", 1),
                            ("table__gte", 1),
                            ("version__gte", 1),
                            ("place__gte", 1),
                            ("sigma__gte", 1),
                            ("sigma_before__gte", 1),
                        ),
                        name="ratingchange_sound",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="played_rounds",
                        to="tournaments.tournament",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("opening", "Opening"), ("open", "Open"), ("closed", "Closed")],
                        default="opening",
                        max_length=8,
                    ),
                ),
                (
                    "algorithm",
                    models.CharField(
                        blank=True, help_text="the engine that paired it, with its version", max_length=40
                    ),
                ),
                (
                    "known",
                    models.CharField(
                        blank=True,
                        help_text="SHA-256 of the snapshot from which it was paired",
                        max_length=64,
                    ),
                ),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "number"), name="round_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="round_number_from_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at", None), ("opened_at", None), ("state", "opening")),
                            models.Q(
                                ("closed_at", None),
                                ("closes_at__isnull", False),
                                ("opened_at__isnull", False),
                                ("state", "open"),
                            ),
                            models.Q(
                                ("closed_at__isnull", False),
                                ("opened_at__isnull", False),
                                ("state", "closed"),
                            ),
                            _connector="OR",
                        ),
                        name="round_state_known",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="SecretSeed",
            fields=[
                (
                    "tournament",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="secret_seed",
                        serialize=False,
                        to="tournaments.tournament",
                    ),
                ),
                ("seed", models.BinaryField(max_length=32)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TournamentRole",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="roles",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            (
                                "judge",
                                "judge: corrects results, disqualifies, pauses, resumes, and checks in",
                            ),
                            ("helper", "helper: checks others in"),
                        ],
                        max_length=10,
                    ),
                ),
                ("given_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["given_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "player"), name="tournamentrole_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["judge", "helper"])), name="tournamentrole_known"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Waiting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiting",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="the order in line")),
                ("client_seed", models.CharField(blank=True, max_length=64)),
                ("since", models.DateTimeField()),
                ("checked_in_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "ended",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("admitted", "Admitted"),
                            ("left", "by themselves"),
                            ("passed-over", "passed over, because they could not enter"),
                            ("started", "the tournament started"),
                            ("cancelled", "the tournament was cancelled"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                (
                    "code",
                    models.CharField(blank=True, help_text="why the player was passed over", max_length=40),
                ),
            ],
            options={
                "verbose_name_plural": "waiting",
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "number"), name="waiting_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("tournament", "player"),
                        name="waiting_player_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="waiting_number_from_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("code", ""), ("ended", ""), ("ended_at", None)),
                            models.Q(("ended", "passed-over"), ("ended_at__isnull", False)),
                            models.Q(
                                ("code", ""),
                                ("ended__in", ["admitted", "left", "passed-over", "started", "cancelled"]),
                                ("ended_at__isnull", False),
                                models.Q(("ended", "passed-over"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="waiting_ended",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Award",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="award",
                        serialize=False,
                        to="tournaments.entry",
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField()),
            ],
            options={
                "ordering": ["place", "entry__number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount__gte", 0), ("place__gte", 1)), name="award_not_negative"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Table",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tables",
                        to="tournaments.round",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("round", "number"), name="table_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="table_number_from_1"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="CorrectedAward",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "award",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="corrected",
                        to="tournaments.award",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("place", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField()),
            ],
            options={
                "ordering": ["number", "place"],
                "constraints": [
                    models.UniqueConstraint(fields=("award", "number"), name="correctedaward_once"),
                    models.CheckConstraint(
                        condition=models.Q(("amount__gte", 0), ("place__gte", 1), ("number__gte", 1)),
                        name="correctedaward_not_negative",
                    ),
                ],
                "indexes": [],
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
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tournaments.round"
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="tournaments.table",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="tournaments.entry",
                    ),
                ),
                ("index", models.PositiveIntegerField()),
                (
                    "forfeited_at",
                    models.DateTimeField(blank=True, help_text="did not come to the table", null=True),
                ),
            ],
            options={
                "ordering": ["index"],
                "constraints": [
                    models.UniqueConstraint(fields=("round", "entry"), name="seat_entry_once_a_round"),
                    models.UniqueConstraint(fields=("table", "index"), name="seat_once"),
                    models.CheckConstraint(
                        condition=models.Q(("forfeited_at", None), ("table__isnull", False), _connector="OR"),
                        name="seat_forfeits_a_table",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="TableGame",
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
                        related_name="games",
                        to="tournaments.table",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("deal", models.PositiveIntegerField()),
                ("game", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("seated_at", models.DateTimeField(blank=True, null=True)),
                ("dealt_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "ended",
                    models.CharField(
                        blank=True,
                        choices=[("finished", "Finished"), ("expired", "time was up"), ("void", "Void")],
                        default="",
                        max_length=8,
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("table", "number"), name="tablegame_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("deal__gte", 1)),
                        name="tablegame_numbers_from_1",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("dealt_at", None), ("seated_at__isnull", False), _connector="OR"),
                        name="tablegame_seated_first",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", ""), ("ended_at", None)),
                            models.Q(
                                ("ended__in", ["finished", "expired", "void"]), ("ended_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="tablegame_ended",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "table_game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="tournaments.tablegame",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="tournaments.entry",
                    ),
                ),
                ("measures", models.JSONField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("table_game", "entry"), name="score_once")],
                "indexes": [],
            },
        ),
    ]
