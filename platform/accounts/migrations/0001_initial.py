import uuid

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.migration import InitialMigration


class Migration(InitialMigration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Player",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("display_name", models.CharField(blank=True, max_length=60)),
                ("is_bot", models.BooleanField(default=False)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        help_text="of a bot that a player's program plays; the server plays the other bots",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "owner_only",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="of such a bot: it takes challenges of its owner only",
                    ),
                ),
                (
                    "guest_until",
                    models.DateTimeField(
                        editable=False,
                        help_text="of a guest: when the account is erased, unless it has played since",
                        null=True,
                    ),
                ),
                ("erased_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "suspended_for",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="the reason, which the suspended player reads",
                        max_length=200,
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "player",
                "permissions": [
                    ("grant_roles", "Can grant and take away roles"),
                    ("recover_player", "Can reset how a player signs in"),
                    ("export_player", "Can export another player's data"),
                    ("erase_player", "Can erase a player"),
                ],
                "indexes": [
                    models.Index(fields=["is_bot", "username"], name="player_is_bot"),
                    models.Index(fields=["is_active", "username"], name="player_is_active"),
                    models.Index(fields=["display_name", "username"], name="player_display_name"),
                    models.Index(fields=["email"], name="player_email"),
                    models.Index(
                        condition=models.Q(("guest_until__isnull", False)),
                        fields=["guest_until"],
                        name="player_guest",
                    ),
                    models.Index(
                        condition=models.Q(("owner__isnull", False)),
                        fields=["owner", "-date_joined"],
                        name="player_bots",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("username"), name="one_player_per_username"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("guest_until", None),
                            models.Q(
                                ("email", ""), ("is_bot", False), ("is_staff", False), ("is_superuser", False)
                            ),
                            _connector="OR",
                        ),
                        name="guest_has_no_role",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("owner", None), ("owner_only", False)),
                            models.Q(
                                ("email", ""),
                                ("guest_until", None),
                                ("is_bot", True),
                                ("is_staff", False),
                                ("is_superuser", False),
                                ("password__startswith", "!"),
                            ),
                            _connector="OR",
                        ),
                        name="owned_bot_has_no_way_in",
                    ),
                ],
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Block",
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "blocked",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocked_by",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField()),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["player", "-created", "-id"], name="block_newest")],
                "constraints": [
                    models.UniqueConstraint(fields=("blocked", "player"), name="block_once"),
                    models.CheckConstraint(
                        condition=models.Q(("player", models.F("blocked")), _negated=True),
                        name="block_of_another",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reporter",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("name", "offensive name"),
                            ("cheating", "cheating"),
                            ("collusion", "playing together with another player"),
                            ("stalling", "delaying or leaving games"),
                            ("other", "something else"),
                        ],
                        max_length=12,
                    ),
                ),
                ("text", models.CharField(blank=True, max_length=1000)),
                ("game", models.UUIDField(blank=True, null=True)),
                ("created", models.DateTimeField()),
                ("closed", models.DateTimeField(blank=True, null=True)),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("dismissed", "no action"),
                            ("renamed", "player renamed"),
                            ("suspended", "player suspended"),
                            ("other", "another action"),
                        ],
                        max_length=12,
                    ),
                ),
            ],
            options={
                "permissions": [("close_playerreport", "Can close reports of players")],
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(fields=["-created", "-id"], name="player_report_newest"),
                    models.Index(fields=["player", "-created", "-id"], name="player_report_player"),
                    models.Index(fields=["reporter", "closed"], name="player_report_reporter"),
                    models.Index(
                        condition=models.Q(("closed", None)),
                        fields=["-created", "-id"],
                        name="player_report_open",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed__isnull", True)),
                        fields=("reporter", "player"),
                        name="player_reported_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed", None), ("closed_by", None), ("outcome", "")),
                            models.Q(
                                ("closed__isnull", False),
                                ("closed_by__isnull", False),
                                ("outcome__in", ["dismissed", "renamed", "suspended", "other"]),
                            ),
                            _connector="OR",
                        ),
                        name="player_report_closed_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("player", models.F("reporter")), _negated=True),
                        name="report_of_another",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("token_key", models.CharField(db_index=True, max_length=15)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("scopes", models.CharField(max_length=200)),
                ("created", models.DateTimeField()),
                ("expires", models.DateTimeField()),
                ("last_used", models.DateTimeField(null=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TokenName",
            fields=[
                ("token", models.CharField(max_length=15, primary_key=True, serialize=False)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="token_names",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
            ],
            options={
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
        ),
    ]
