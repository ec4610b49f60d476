"""Players and staff. Names and contacts are stored here and nowhere else."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, check_password, make_password
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

TOKEN_KEY_LENGTH = 15


class Player(AbstractUser):
    """A person or a bot. `id` is opaque and random; events and transfers refer to a player only by it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    display_name = models.CharField(max_length=60, blank=True)
    is_bot = models.BooleanField(default=False)
    owner = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="bots",
        db_index=False,
        help_text="of a bot that a player's program plays; the server plays the other bots",
    )
    owner_only = models.BooleanField(
        default=False, editable=False, help_text="of such a bot: it takes challenges of its owner only"
    )
    guest_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text="of a guest: when the account is erased, unless it has played since",
    )
    hash_upgrade = models.CharField(
        max_length=257,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="`password`, a space, and the hash of the same password that it replaced; sessions depend on "
        "the latter",
    )
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    suspended_for = models.CharField(
        max_length=200, blank=True, editable=False, help_text="the reason, which the suspended player reads"
    )

    REQUIRED_FIELDS = []

    acting_as: frozenset[str] | None = None
    """The roles in which a request with a token may act; None: every role that the player has."""

    class Meta:
        verbose_name = "player"
        constraints = [
            # Two names that differ only in case could be confused at a table.
            models.UniqueConstraint(Lower("username"), name="one_player_per_username"),
            models.CheckConstraint(
                condition=models.Q(guest_until=None)
                | models.Q(is_bot=False, is_staff=False, is_superuser=False, email=""),
                name="guest_has_no_role",
            ),
            models.CheckConstraint(
                condition=models.Q(owner=None, owner_only=False)
                | models.Q(
                    is_bot=True,
                    is_staff=False,
                    is_superuser=False,
                    email="",
                    guest_until=None,
                    password__startswith=UNUSABLE_PASSWORD_PREFIX,
                ),
                name="owned_bot_has_no_way_in",
            ),
        ]
        indexes = [
            models.Index(fields=["is_bot", "username"], name="player_is_bot"),
            models.Index(fields=["is_active", "username"], name="player_is_active"),
            models.Index(fields=["display_name", "username"], name="player_display_name"),
            models.Index(fields=["email"], name="player_email"),
            models.Index(
                fields=["guest_until"],
                condition=models.Q(guest_until__isnull=False),
                name="player_guest",
            ),
            models.Index(
                fields=["owner", "-date_joined"],
                condition=models.Q(owner__isnull=False),
                name="player_bots",
            ),
        ]
        permissions = [
            ("grant_roles", "Can grant and take away roles"),
            ("recover_player", "Can reset how a player signs in"),
            ("export_player", "Can export another player's data"),
            ("erase_player", "Can erase a player"),
        ]

    def __str__(self) -> str:
        return self.username

    @property
    def is_guest(self) -> bool:
        """Whether this is an account without a password, which plays for points and ends after a day without play."""
        return self.guest_until is not None

    @property
    def is_owned_bot(self) -> bool:
        """Whether a program of a player plays with this account, by tokens."""
        return self.owner_id is not None

    @property
    def person_id(self) -> uuid.UUID:
        """The id of the person whose limits and blocks hold for this account: the owner of a bot."""
        return self.owner_id or self.pk

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(raw_password)
        self.hash_upgrade = ""

    def set_unusable_password(self) -> None:
        super().set_unusable_password()
        self.hash_upgrade = ""

    def check_password(self, raw_password: str | None) -> bool:
        return check_password(raw_password, self.password, self._upgrade_hash)

    def _upgrade_hash(self, raw_password: str) -> None:
        """Store a hash with the current parameters, unless the stored one has changed since it was read.

        It may have been upgraded by another sign-in, or be that of a new password.
        """
        password = make_password(raw_password)
        upgrade = f"{password} {self._first_hash}"
        stored = Player.objects.filter(pk=self.pk, password=self.password)
        if stored.update(password=password, hash_upgrade=upgrade):
            self.password, self.hash_upgrade = password, upgrade

    @property
    def _first_hash(self) -> str:
        """The hash that was stored when the password was set, which an upgrade does not change."""
        password, _, first = self.hash_upgrade.partition(" ")
        return first if password == self.password else self.password

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's function, but of the first hash: a session ends with its password, not with an upgrade."""
        key_salt = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"
        return salted_hmac(key_salt, self._first_hash, secret=secret, algorithm="sha256").hexdigest()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        # Django asks no backend about a superuser.
        if self.acting_as is None:
            return super().has_perm(perm, obj)
        return perm in self.get_all_permissions(obj)

    def get_full_name(self) -> str:
        return self.display_name or self.username

    def get_short_name(self) -> str:
        return self.get_full_name()

    @property
    def staff_name(self) -> str:
        """The name on staff pages: the username. That of a bot is made of an id, so it has its display name."""
        return staff_name(self.username, self.display_name, self.is_bot)


def staff_name(username: str, display_name: str, is_bot: bool) -> str:
    """Return the name of a player on staff pages, from the columns `STAFF_NAME`."""
    return display_name if is_bot and display_name else username


STAFF_NAME = ("username", "display_name", "is_bot")


class Token(models.Model):
    """A bearer token. Only its digest is stored."""

    digest = models.CharField(primary_key=True, max_length=128)
    token_key = models.CharField(max_length=TOKEN_KEY_LENGTH, db_index=True)
    """The first characters of the token: its id in lists and in events."""
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="tokens")
    scopes = models.CharField(max_length=200)
    """Separated by spaces. They never change: processes cache them."""
    created = models.DateTimeField()
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True)
    """To within an hour, so that requests do not write."""

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.token_key} of {self.player_id}"


class TokenName(models.Model):
    """A player's name for one of their tokens, by the id that `tokens/` shows.

    It outlasts the token. Events contain only the id of a token, and no text of a player.
    """

    token = models.CharField(primary_key=True, max_length=TOKEN_KEY_LENGTH)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="token_names")
    name = models.CharField(max_length=60)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class Block(models.Model):
    """A player whom another player does not want at their tables."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    blocked = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocked_by", db_index=False)
    created = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["blocked", "player"], name="block_once"),
            models.CheckConstraint(condition=~models.Q(player=models.F("blocked")), name="block_of_another"),
        ]
        indexes = [models.Index(fields=["player", "-created", "-id"], name="block_newest")]

    def __str__(self) -> str:
        return f"{self.blocked_id} blocked by {self.player_id}"


class ReportReason(models.TextChoices):
    NAME = "name", "offensive name"
    CHEATING = "cheating", "cheating"
    COLLUSION = "collusion", "playing together with another player"
    STALLING = "stalling", "delaying or leaving games"
    OTHER = "other", "something else"


class ReportOutcome(models.TextChoices):
    DISMISSED = "dismissed", "no action"
    RENAMED = "renamed", "player renamed"
    SUSPENDED = "suspended", "player suspended"
    OTHER = "other", "another action"


class PlayerReport(models.Model):
    """A player's report of another player to the staff."""

    reporter = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="reports_made", db_index=False
    )
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="reports", db_index=False)
    reason = models.CharField(max_length=12, choices=ReportReason.choices)
    text = models.CharField(max_length=1000, blank=True)
    game = models.UUIDField(null=True, blank=True)
    created = models.DateTimeField()
    closed = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    outcome = models.CharField(max_length=12, choices=ReportOutcome.choices, blank=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("close_playerreport", "Can close reports of players")]
        constraints = [
            models.UniqueConstraint(
                fields=["reporter", "player"],
                condition=models.Q(closed__isnull=True),
                name="player_reported_once",
            ),
            models.CheckConstraint(
                condition=models.Q(closed=None, closed_by=None, outcome="")
                | models.Q(closed__isnull=False, closed_by__isnull=False, outcome__in=ReportOutcome.values),
                name="player_report_closed_whole",
            ),
            models.CheckConstraint(
                condition=~models.Q(player=models.F("reporter")), name="report_of_another"
            ),
        ]
        indexes = [
            models.Index(fields=["-created", "-id"], name="player_report_newest"),
            models.Index(fields=["player", "-created", "-id"], name="player_report_player"),
            models.Index(fields=["reporter", "closed"], name="player_report_reporter"),
            models.Index(
                fields=["-created", "-id"], condition=models.Q(closed=None), name="player_report_open"
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.pk} of {self.player_id}"


class NameShown(models.TextChoices):
    """To whom the name of a player is shown in a tournament."""

    EVERYONE = "everyone"
    MEMBERS = "members", "signed-in users"
    ANONYMOUS = "anonymous", "organizers and auditors"


def name_for(
    viewer: Player | AnonymousUser | None,
    player: Player,
    shown: str = NameShown.MEMBERS,
    *,
    sees_all: bool = False,
) -> str | None:
    """Return the name of `player` if `viewer` may see it.

    The names of people are visible to signed-in users; others see the names of bots and guests. In a tournament a
    person may choose otherwise (`shown`). `sees_all` says that the viewer sees the names of anonymous people too.
    """
    member = viewer if isinstance(viewer, Player) else None
    if shown == NameShown.ANONYMOUS:
        is_open = sees_all or (member is not None and member.pk == player.pk)
    else:
        is_open = member is not None or shown == NameShown.EVERYONE or player.is_guest
    return player.get_full_name() if is_open or player.is_bot else None
