"""Records of games: lookup data, seats, and secrets. The game itself is its stream."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from accounts.models import NameShown
from games.rules import title

EARLY_ACCESS_REASON_LENGTH = 200


class Status(models.TextChoices):
    OPEN = "open"
    ACTIVE = "active"
    FINISHED = "finished"
    VOID = "void"


RUNNING = (Status.OPEN, Status.ACTIVE)
"""A game that can still go on; in the other states nothing follows."""


class BotPace(models.TextChoices):
    """How fast bots play where all seats play at once."""

    SLOW = "slow"
    NORMAL = "normal"
    FAST = "fast"


class MatchStatus(models.TextChoices):
    RUNNING = "running"
    FINISHED = "finished"
    VOID = "void"


class Match(models.Model):
    """Several deals at one table, as a series of games. What has happened in it stands in their streams."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    rules = models.CharField(max_length=40)
    config = models.JSONField(help_text="of the first deal")
    seats = models.PositiveSmallIntegerField(help_text="how many")
    deals = models.PositiveSmallIntegerField(help_text="how many are played to their end")
    pause = models.PositiveIntegerField(
        help_text="seconds in which each player may send a fresh client seed for the next deal"
    )
    status = models.CharField(max_length=8, choices=MatchStatus.choices, default=MatchStatus.RUNNING)
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="matches",
        db_index=False,
    )
    private = models.BooleanField(default=False)
    invite = models.CharField(max_length=43, blank=True, help_text="what the link to each of its games holds")
    move_limit = models.PositiveIntegerField(null=True, blank=True, help_text="seconds for a move")
    game_limit = models.PositiveIntegerField(null=True, blank=True, help_text="seconds for a deal")
    buy_in = models.PositiveBigIntegerField(default=0, help_text="pence that each seat pays for all deals")
    stake_table = models.ForeignKey("ledger.StakeTable", on_delete=models.PROTECT, null=True, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="match_deals_some", condition=Q(deals__gte=1)),
            models.CheckConstraint(
                name="match_buy_in_whole",
                condition=Q(buy_in=0, stake_table=None) | Q(buy_in__gt=0, stake_table__isnull=False),
            ),
            models.CheckConstraint(name="match_status_known", condition=Q(status__in=MatchStatus.values)),
            models.CheckConstraint(
                name="match_ended_when_over",
                condition=Q(status=MatchStatus.RUNNING, ended_at=None)
                | (~Q(status=MatchStatus.RUNNING) & Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(name="match_newest", fields=["-created_at", "-id"]),
            models.Index(name="match_lobby", fields=["status", "-created_at", "-id"]),
            models.Index(name="match_creator", fields=["creator", "-created_at", "-id"]),
        ]

    def __str__(self) -> str:
        return f"match {self.id}"


class GameQuerySet(models.QuerySet["GameRecord"]):
    def running(self) -> GameQuerySet:
        return self.filter(status__in=RUNNING)

    def newest_seating(
        self, player: uuid.UUID | None, after: Sequence[Any] | None, most: int, *, running: bool = False
    ) -> list[GameRecord]:
        """Return the newest games in which the player sits, after one with this time and id, by the index of seats.

        With `running` only games that have not ended.
        """
        behind = Q()
        if after is not None:
            at, game = after
            behind = Q(seatings__created_at__lte=at)
            behind &= Q(seatings__created_at__lt=at) | Q(seatings__game__lt=game)
        if running:
            behind &= Q(seatings__running=True)
        found = self.filter(behind, seatings__player=player)
        return list(found.order_by("-seatings__created_at", "-seatings__game_id")[:most])

    def with_free_seats(self) -> GameQuerySet:
        taken = Seat.objects.filter(game=OuterRef("pk")).order_by().values("game").annotate(count=Count("pk"))
        counted = self.annotate(taken=Coalesce(Subquery(taken.values("count")), 0))
        # The seats of a rematch are reserved.
        return counted.filter(status=Status.OPEN, rematch_of=None, taken__lt=F("seats"))

    def for_points(self) -> GameQuerySet:
        return self.filter(stake=0, buy_in=0)

    def for_money(self) -> GameQuerySet:
        # As SQL, because SQLite does not use a partial index for a parameter.
        return self.filter(
            RawSQL(
                "(games_gamerecord.stake > 0 OR games_gamerecord.buy_in > 0)",
                (),
                output_field=models.BooleanField(),
            )
        )

    def interrupted(self) -> GameQuerySet:
        """Suspended games, and games that were suspended or continue another."""
        return self.filter(
            Q(suspended_at__isnull=False) | Q(given_back__gt=timedelta(0)) | Q(parent__isnull=False)
        )


def game_name(rules: str, created_at: datetime) -> str:
    """Return what staff pages call a game."""
    return f"{title(rules)} of {created_at:%d %b %Y %H:%M}"


class GameRecord(models.Model):
    """Data for lists and filters. An ordinary move does not change it; the stream has the version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="also the stream")
    rules = models.CharField(max_length=40)
    rules_version = models.PositiveSmallIntegerField()
    config = models.JSONField()
    seats = models.PositiveSmallIntegerField(help_text="how many")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OPEN)
    commitment = models.CharField(max_length=64)
    outcome = models.JSONField(null=True, blank=True)

    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="opened_games",
        db_index=False,
    )
    private = models.BooleanField(default=False)
    invite = models.CharField(
        max_length=43,
        blank=True,
        help_text="what the link to a private game holds; only its own people see it",
    )
    draw_every = models.PositiveIntegerField(
        null=True, blank=True, help_text="seconds between the server's draws; null: the operator draws"
    )

    move_limit = models.PositiveIntegerField(
        null=True, blank=True, help_text="seconds for a move; null: as long as the site lets a table idle"
    )
    game_limit = models.PositiveIntegerField(
        null=True, blank=True, help_text="seconds for the game from its deal; null: no limit"
    )
    hints = models.BooleanField(default=False, help_text="the seat that is to act may ask for a hint")
    bot_pace = models.CharField(
        max_length=6,
        choices=BotPace.choices,
        default=BotPace.NORMAL,
        db_default=BotPace.NORMAL,
        help_text="of bots that play at the same time as people",
    )
    starts_at = models.DateTimeField(
        null=True, blank=True, help_text="end of the countdown to the deal; null: none was started"
    )

    match = models.ForeignKey(Match, on_delete=models.PROTECT, null=True, blank=True, related_name="games")
    match_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="its place in the match, from 1"
    )

    tournament = models.UUIDField(null=True, blank=True)
    round = models.PositiveIntegerField(null=True, blank=True)
    deal = models.PositiveIntegerField(null=True, blank=True)
    deal_group = models.CharField(
        max_length=100, blank=True, help_text="games of one group share their deal; empty: a deal of its own"
    )
    tournament_commitment = models.CharField(max_length=64, blank=True)
    entropy = models.CharField(max_length=64, blank=True)
    ended_job = models.CharField(
        max_length=100, blank=True, help_text="kind of the job due when it has ended"
    )
    pairing_key = models.CharField(
        max_length=64,
        null=True,
        blank=True,
        help_text="the same for tables on the same terms; null: not paired",
    )

    stake = models.PositiveBigIntegerField(default=0, help_text="pence")
    buy_in = models.PositiveBigIntegerField(
        default=0, help_text="pence that each seat pays; of a match, once for all its deals"
    )
    stake_table = models.ForeignKey("ledger.StakeTable", on_delete=models.PROTECT, null=True, blank=True)
    play_session = models.ForeignKey(
        "ledger.PlaySession", on_delete=models.PROTECT, null=True, blank=True, related_name="games"
    )

    parent = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="children",
        help_text="the game that this one continues or replaces",
    )
    parent_version = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="the last event of the parent that this one repeats; null: a new deal",
    )

    rematch_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rematches",
        db_index=False,
        help_text="the finished game whose players play again at this table",
    )

    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    suspended_at = models.DateTimeField(null=True, blank=True, help_text="no move is made, no clock runs")
    resumed_at = models.DateTimeField(null=True, blank=True, help_text="for the last time")
    given_back = models.DurationField(
        default=timedelta(0), help_text="of the game's limit: how long it has been suspended"
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = GameQuerySet.as_manager()

    class Meta:
        verbose_name = "game"
        permissions = [("audit", "May look into games that are still on; each look is recorded")]
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="game_status_known", condition=Q(status__in=Status.values)),
            models.CheckConstraint(
                name="game_outcome_of_a_finished",
                condition=Q(status=Status.FINISHED, outcome__isnull=False)
                | (~Q(status=Status.FINISHED) & Q(outcome__isnull=True)),
            ),
            models.CheckConstraint(
                name="game_ended_when_over",
                condition=Q(status__in=RUNNING, ended_at=None)
                | Q(status__in=[Status.FINISHED, Status.VOID], ended_at__isnull=False),
            ),
            models.CheckConstraint(
                name="game_tournament_whole",
                condition=(
                    Q(tournament=None, round=None, deal=None, ended_job="")
                    & (Q(deal_group="") | Q(deal_group__startswith="continued:"))
                )
                | Q(tournament__isnull=False, round__gte=1, deal__gte=1),
            ),
            models.UniqueConstraint(
                name="game_goes_on_once",
                fields=["parent"],
                condition=Q(parent_version__isnull=False),
            ),
            models.CheckConstraint(name="game_bot_pace_known", condition=Q(bot_pace__in=BotPace.values)),
            models.UniqueConstraint(
                name="game_one_rematch", fields=["rematch_of"], condition=Q(rematch_of__isnull=False)
            ),
            models.CheckConstraint(
                name="game_goes_on_from_somewhere",
                condition=Q(parent_version=None) | Q(parent__isnull=False, parent_version__gte=1),
            ),
            models.CheckConstraint(
                name="game_suspended_while_active",
                condition=Q(suspended_at=None) | Q(status=Status.ACTIVE),
            ),
            models.UniqueConstraint(name="game_once_in_its_match", fields=["match", "match_number"]),
            models.CheckConstraint(
                name="game_match_whole",
                condition=Q(match=None, match_number=None)
                | Q(match__isnull=False, match_number__gte=1, tournament=None, stake=0),
            ),
            models.CheckConstraint(
                name="game_limits_positive",
                condition=(Q(move_limit=None) | Q(move_limit__gte=1))
                & (Q(game_limit=None) | Q(game_limit__gte=1)),
            ),
            models.CheckConstraint(
                name="game_hints_for_nothing_at_stake",
                condition=Q(hints=False) | Q(stake=0, buy_in=0, tournament=None),
            ),
            models.CheckConstraint(
                name="game_stake_whole",
                condition=Q(stake=0, buy_in=0, stake_table=None, play_session=None)
                | Q(
                    stake__gt=0,
                    buy_in=0,
                    stake_table__isnull=False,
                    play_session__isnull=False,
                    creator__isnull=False,
                )
                | Q(stake=0, buy_in__gt=0, stake_table__isnull=False, play_session=None, tournament=None),
            ),
        ]
        # None is for a part of the rows: SQLite would not use it for a value that a query brings as a parameter.
        indexes = [
            models.Index(name="game_newest", fields=["-created_at", "-id"]),
            models.Index(name="game_lobby", fields=["status", "-created_at", "-id"]),
            models.Index(name="game_rules", fields=["rules", "-created_at", "-id"]),
            models.Index(name="game_rules_status", fields=["rules", "status", "-created_at", "-id"]),
            models.Index(name="game_creator", fields=["creator", "-created_at", "-id"]),
            models.Index(
                name="game_money",
                fields=["-created_at", "-id"],
                condition=Q(stake__gt=0) | Q(buy_in__gt=0),
            ),
            models.Index(name="game_tournament", fields=["tournament", "round"]),
            models.Index(name="game_deal_group", fields=["deal_group", "status"]),
            models.Index(name="game_ended", fields=["ended_at", "id"]),
            models.Index(
                name="game_pairing",
                fields=["pairing_key", "status", "created_at", "id"],
                condition=Q(pairing_key__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return game_name(self.rules, self.created_at)

    @property
    def ended(self) -> bool:
        return self.status not in RUNNING

    def seat_of(self, player: uuid.UUID) -> int | None:
        """Return the player's seat. `seatings` should be prefetched."""
        return next((one.seat for one in self.seatings.all() if one.player_id == player), None)

    @property
    def currency(self) -> str | None:
        """The currency of the buy-in; None without one."""
        return self.stake_table.currency if self.buy_in and self.stake_table else None


SERVER_PLAYS = Q(player__is_bot=True, player__owner=None)
"""The condition of the seats that the server plays. Those of players' bots are played from outside."""


class Seat(models.Model):
    """The present player of a seat: a copy of the stream's `seated` and `left`, to find games by player."""

    game = models.ForeignKey(GameRecord, on_delete=models.PROTECT, related_name="seatings")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seatings", db_index=False
    )
    bot = models.CharField(
        max_length=40, blank=True, help_text="the strategy of a bot; empty: a person, or the usual bot"
    )
    forfeited = models.BooleanField(
        default=False, help_text="its tournament waits for this player no longer: the server plays"
    )
    shown_as = models.CharField(
        max_length=10,
        choices=NameShown.choices,
        default=NameShown.MEMBERS,
        db_default=NameShown.MEMBERS,
        help_text="to whom the name is shown; chosen at entry in a tournament",
    )
    running = models.BooleanField(default=True, help_text="the game goes on, so that an index finds it")
    created_at = models.DateTimeField(help_text="of the game, so that an index orders a player's games")

    class Meta:
        ordering = ["game", "seat"]
        constraints = [
            models.UniqueConstraint(name="seat_held_once", fields=["game", "seat"]),
            models.UniqueConstraint(name="seat_one_for_a_player", fields=["game", "player"]),
            models.CheckConstraint(name="seat_shown_as_known", condition=Q(shown_as__in=NameShown.values)),
        ]
        indexes = [
            models.Index(name="seat_newest_games", fields=["player", "-created_at", "-game"]),
            models.Index(
                name="seat_running_games", fields=["player", "created_at", "game"], condition=Q(running=True)
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game_id}"


class ChallengeStatus(models.TextChoices):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class DeclineReason(models.TextChoices):
    GENERIC = "generic", "no reason given"
    LATER = "later", "not now"
    BUSY = "busy", "in too many games"
    GAME = "game", "not this game"
    OPTIONS = "options", "not with these options"
    NO_BOTS = "no-bots", "not against bots"


class Challenge(models.Model):
    """An invitation of players to a private table, which is dealt when all of them have accepted."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    game = models.OneToOneField(GameRecord, on_delete=models.PROTECT, related_name="challenge")
    challenger = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="challenges", db_index=False
    )
    status = models.CharField(max_length=9, choices=ChallengeStatus.choices, default=ChallengeStatus.OPEN)
    reason = models.CharField(max_length=8, choices=DeclineReason.choices, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="challenge_status_known", condition=Q(status__in=ChallengeStatus.values)
            ),
            models.CheckConstraint(
                name="challenge_ended_when_over",
                condition=Q(status=ChallengeStatus.OPEN, ended_at=None)
                | (~Q(status=ChallengeStatus.OPEN) & Q(ended_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="challenge_declined_for_a_reason",
                condition=Q(status=ChallengeStatus.DECLINED, reason__in=DeclineReason.values)
                | (~Q(status=ChallengeStatus.DECLINED) & Q(reason="")),
            ),
        ]
        indexes = [models.Index(name="challenge_from", fields=["challenger", "status", "created_at"])]

    def __str__(self) -> str:
        return f"challenge {self.id}"


class Invitation(models.Model):
    """A player who is challenged."""

    challenge = models.ForeignKey(Challenge, on_delete=models.PROTECT, related_name="invitations")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="invitations", db_index=False
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    is_open = models.BooleanField(default=True, help_text="the challenge is open, so that an index finds it")

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(name="invitation_once", fields=["challenge", "player"]),
        ]
        indexes = [
            models.Index(name="invitation_open", fields=["player", "challenge"], condition=Q(is_open=True))
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.challenge_id}"


class TurnCheck(models.Model):
    """When a table is looked at, to notify a player who is on turn (`games.turns`)."""

    game = models.OneToOneField(GameRecord, on_delete=models.CASCADE, primary_key=True, related_name="+")
    due = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"turn check of {self.game_id}"


class GameSecret(models.Model):
    """The server seed, separate from everything that is listed or shown. Only `games.context` reads it."""

    game = models.OneToOneField(GameRecord, on_delete=models.PROTECT, primary_key=True, related_name="+")
    server_seed = models.BinaryField(max_length=32)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"the secret of {self.game_id}"


class StoredVerification(models.Model):
    """The latest report on a game that is too long to verify within a request (`games.evidence.verification`)."""

    game = models.OneToOneField(GameRecord, on_delete=models.PROTECT, primary_key=True, related_name="+")
    version = models.PositiveBigIntegerField(help_text="of the last event that was verified")
    hash = models.CharField(max_length=64, help_text="of that event")
    opened = models.BooleanField(help_text="the seed was shown: deal, seals and moves were judged")
    at = models.DateTimeField(help_text="when it was made")
    report: models.JSONField[Any, Any] = models.JSONField(help_text="as anybody may see it")
    divergence: models.JSONField[Any, Any] = models.JSONField(
        null=True, help_text="for the evidence: version, check and reason of the first event that is wrong"
    )

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"the verification of {self.game_id} at {self.version}"


class RevealedSeed(models.Model):
    """The seed of an ended tournament, which the bundles of its games then contain."""

    tournament = models.UUIDField(primary_key=True)
    seed = models.BinaryField(max_length=32)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"the seed of {self.tournament}"


class Lifted(models.TextChoices):
    RESUMED = "resumed"
    VOID = "void"
    CONTINUED = "continued"


class Suspension(models.Model):
    """A suspension with who and why; its stream of kind `suspension` is the source."""

    game = models.ForeignKey(GameRecord, on_delete=models.PROTECT, related_name="suspensions")
    version = models.PositiveBigIntegerField(help_text="of the game, all the while")
    since = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=500)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted = models.CharField(max_length=9, choices=Lifted.choices, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    lifted_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["game", "since", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="suspension_one_at_a_time", fields=["game"], condition=Q(lifted_at=None)
            ),
            models.CheckConstraint(
                name="suspension_lifted_somehow",
                condition=Q(lifted_at=None, lifted="", lifted_by=None, lifted_reason="")
                | Q(lifted_at__isnull=False, lifted__in=Lifted.values),
            ),
        ]

    def __str__(self) -> str:
        return f"suspension of {self.game_id} at {self.version}"


class EarlyAccess(models.Model):
    """An auditor's early access to a running game; the stream `audit` is the source."""

    viewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="early_accesses"
    )
    game = models.ForeignKey(GameRecord, on_delete=models.PROTECT, related_name="early_accesses")
    tournament = models.UUIDField(null=True, blank=True)
    what = models.CharField(max_length=20)
    reason = models.CharField(max_length=EARLY_ACCESS_REASON_LENGTH, blank=True, default="")
    at = models.DateTimeField()
    event = models.PositiveBigIntegerField(help_text="version in the stream `audit`")

    class Meta:
        verbose_name_plural = "early accesses"
        ordering = [F("at").desc(), F("pk").desc()]
        indexes = [models.Index(name="early_access_by_viewer", fields=["viewer", "tournament"])]

    def __str__(self) -> str:
        return f"{self.what} of {self.game_id}"


class RefusedCommand(models.Model):
    """A refused move of a player of the game. `games.evidence.refused` stores the latest of them."""

    id = models.BigAutoField(primary_key=True)
    # No foreign keys in the database, so that storing a refusal never waits for a lock on the game.
    game = models.ForeignKey(
        GameRecord,
        on_delete=models.PROTECT,
        related_name="refused",
        db_constraint=False,
        db_index=False,
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    at = models.DateTimeField()
    seat = models.PositiveSmallIntegerField(null=True)
    version = models.PositiveBigIntegerField(help_text="of the game, against which it was judged")
    code = models.CharField(max_length=64)
    rule = models.TextField(blank=True, help_text="the sentence of the rule that it breaks")
    fact = models.TextField(blank=True)
    ground = models.TextField(null=True, help_text="key and values of the fact, as JSON; null without a fact")
    move = models.TextField(null=True, help_text="as JSON; null where it is longer than is kept")
    command_id = models.CharField(max_length=64, null=True)
    token = models.CharField(max_length=25, null=True)
    client_at = models.CharField(max_length=27, null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(name="refused_of_player", fields=["game", "player", "-id"])]

    def __str__(self) -> str:
        return f"{self.code} at {self.version} of {self.game_id}"

    def parsed_move(self) -> Any:
        return None if self.move is None else json.loads(self.move)

    def parsed_ground(self) -> Any:
        return None if self.ground is None else json.loads(self.ground)
