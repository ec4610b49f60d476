"""Tables of tournaments. They hold the current state for queries; the history is in each tournament's event stream.

Everything that may happen once has a unique key: an entry by player, a round, an entrant in a round, a game at a
table, a score, and an award. A repeated task violates the key and changes nothing.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import NameShown

MOST_ROUNDS = 50
MOST_GAMES = 20
MOST_ENTRANTS = 10_000
MOST_BANK = 10**9
LONGEST_DESCRIPTION = 2000
LONGEST_ROUND = 30 * 24 * 3600
BASIS_POINTS = 10_000
MOST_GUARANTEE = 10**10
"""In pence."""


class Status(models.TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Seeding(models.TextChoices):
    ENTRY = "entry", "in entry order"
    LOT = "lot", "by lot"
    RATING = "rating", "by rating at the start; 0 if unrated"
    STANDING = "standing", "by the final standings of an earlier tournament"


def only_one() -> list[int]:
    return [1]


class Count(models.TextChoices):
    """The scorings of a shared deal (`formats.protocol.Count`)."""

    TOTAL = "total", "the games' own measures, added up"
    MATCHPOINTS = "matchpoints", "matchpoints: the number beaten on each deal"


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def public(self) -> TournamentQuerySet:
        return self.exclude(published_at=None)


class Tournament(models.Model):
    """The terms, which `tournaments.terms` declares and which never change after creation, and the progress."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100, db_index=True)
    description = models.TextField(max_length=LONGEST_DESCRIPTION, blank=True)
    organizer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    format = models.CharField(max_length=40)
    rules = models.CharField(max_length=40)
    rules_version = models.PositiveIntegerField()
    config = models.JSONField()
    rounds = models.PositiveIntegerField(help_text="0 until the start: as many as the format needs")
    seats = models.PositiveIntegerField(default=1)
    sizes = models.JSONField(default=only_one)
    through = models.PositiveIntegerField(default=1)
    count = models.CharField(max_length=20, choices=Count.choices, default=Count.TOTAL)
    tie_breaks = models.JSONField(default=list)
    stages = models.JSONField(default=list, blank=True)
    seeding = models.CharField(max_length=10, choices=Seeding.choices, default=Seeding.ENTRY)
    seeded_by = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    rated = models.BooleanField(default=False)
    games = models.PositiveIntegerField(help_text="games of each table in each round")
    bank = models.BigIntegerField(default=0)
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="start of round 1; empty: the organizer starts"
    )
    time_zone = models.CharField(
        max_length=64, default="UTC", help_text="IANA name; times are also shown in it"
    )
    round_times = models.JSONField(
        default=list, blank=True, help_text="rounds with a fixed opening time, in UTC"
    )
    round_seconds = models.PositiveIntegerField()
    gap_seconds = models.PositiveIntegerField(default=0)
    no_show_seconds = models.PositiveIntegerField(default=0)
    check_in_seconds = models.PositiveIntegerField(default=0)
    late_until = models.PositiveIntegerField(default=0)
    capacity = models.PositiveIntegerField()
    waiting_list = models.PositiveIntegerField(default=0)
    fewest = models.PositiveIntegerField(default=2)
    fill_to = models.PositiveIntegerField(default=0)
    currency = models.CharField(max_length=3)
    fee = models.BigIntegerField(default=0, help_text="pence")
    prizes = models.JSONField(default=list)
    amounts = models.JSONField(default=list, blank=True)
    guarantee = models.BigIntegerField(default=0)
    rake = models.PositiveIntegerField(default=0)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    commitment = models.CharField(max_length=64, null=True, blank=True)
    entropy = models.CharField(max_length=64, null=True, blank=True)
    stalled = models.TextField(default="", blank=True, help_text="why the organizer is needed")
    paused = models.TextField(default="", blank=True, help_text="the reason of the pause")
    resumptions = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [("organize", "May create, publish, start and cancel tournaments")]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="tournament_newest"),
            models.Index(fields=["status", "-created_at", "-id"], name="tournament_status"),
            models.Index(fields=["rules", "-created_at", "-id"], name="tournament_rules"),
            models.Index(fields=["format", "-created_at", "-id"], name="tournament_format"),
            models.Index(fields=["rules", "status", "-created_at", "-id"], name="tournament_rules_status"),
            models.Index(fields=["format", "status", "-created_at", "-id"], name="tournament_format_status"),
            models.Index(fields=["format", "rules", "-created_at", "-id"], name="tournament_format_rules"),
            models.Index(fields=["organizer", "-created_at", "-id"], name="tournament_organizer"),
            models.Index(fields=["fee", "-created_at", "-id"], name="tournament_fee"),
        ]
        constraints = [
            models.CheckConstraint(name="tournament_status_known", condition=Q(status__in=Status.values)),
            models.CheckConstraint(
                name="tournament_rounds",
                condition=Q(rounds__lte=MOST_ROUNDS) & (Q(rounds__gte=1) | Q(started_at=None)),
            ),
            models.CheckConstraint(name="tournament_tables", condition=Q(seats__gte=1) & Q(through__gte=1)),
            models.CheckConstraint(name="tournament_count_known", condition=Q(count__in=Count.values)),
            models.CheckConstraint(
                name="tournament_stages",
                condition=Q(format="stages") & ~Q(stages=[]) | ~Q(format="stages") & Q(stages=[]),
            ),
            models.CheckConstraint(name="tournament_seeding_known", condition=Q(seeding__in=Seeding.values)),
            models.CheckConstraint(
                name="tournament_seeded_by",
                condition=Q(seeding=Seeding.STANDING, seeded_by__isnull=False)
                | (~Q(seeding=Seeding.STANDING) & Q(seeded_by=None)),
            ),
            models.CheckConstraint(
                name="tournament_games", condition=Q(games__gte=1) & Q(games__lte=MOST_GAMES)
            ),
            models.CheckConstraint(
                name="tournament_size",
                condition=Q(fewest__gte=2)
                & Q(capacity__gte=F("fewest"))
                & Q(capacity__lte=MOST_ENTRANTS)
                & Q(fill_to__lte=F("capacity")),
            ),
            models.CheckConstraint(
                name="tournament_money",
                condition=Q(fee__gte=0) & Q(fee__lte=10**9) & Q(rake__gte=0) & Q(rake__lt=BASIS_POINTS),
            ),
            models.CheckConstraint(name="tournament_bank", condition=Q(bank__gte=0) & Q(bank__lte=MOST_BANK)),
            models.CheckConstraint(
                name="tournament_guarantee",
                condition=Q(guarantee__gte=0) & Q(guarantee__lte=MOST_GUARANTEE),
            ),
            models.CheckConstraint(
                name="tournament_committed",
                condition=Q(published_at=None, commitment=None)
                | Q(published_at__isnull=False, commitment__isnull=False),
            ),
            models.CheckConstraint(
                name="tournament_entropy_fixed",
                condition=Q(started_at=None, entropy=None)
                | Q(started_at__isnull=False, entropy__isnull=False),
            ),
            models.CheckConstraint(
                name="tournament_under_way",
                condition=Q(status=Status.CANCELLED)
                | Q(status=Status.DRAFT, published_at=None)
                | Q(status=Status.PUBLISHED, published_at__isnull=False, started_at=None)
                | Q(status__in=[Status.RUNNING, Status.FINISHED], started_at__isnull=False),
            ),
            models.CheckConstraint(
                name="tournament_paused", condition=Q(paused="") | Q(status=Status.RUNNING)
            ),
            models.CheckConstraint(
                name="tournament_ended",
                condition=Q(status__in=[Status.FINISHED, Status.CANCELLED], ended_at__isnull=False)
                | Q(status__in=[Status.DRAFT, Status.PUBLISHED, Status.RUNNING], ended_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def subject(self) -> str:
        """The ledger's name of the tournament."""
        return f"tournament:{self.pk}"


class SecretSeed(models.Model):
    """The seed from which the tournament's deals are derived. It is secret until the event `finished` or
    `seed-revealed`.
    """

    tournament = models.OneToOneField(
        Tournament, on_delete=models.PROTECT, primary_key=True, related_name="secret_seed"
    )
    seed = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return "(secret)"


def name_shown() -> models.CharField[str, str]:
    """Return the column of a player's choice to whom their name is shown."""
    return models.CharField(
        max_length=10,
        choices=NameShown.choices,
        default=NameShown.MEMBERS,
        db_default=NameShown.MEMBERS,
        help_text="to whom the name is shown",
    )


class EntryQuerySet(models.QuerySet["Entry"]):
    def standing(self) -> EntryQuerySet:
        """Return the entries that are not withdrawn, in entry order."""
        return self.filter(withdrawn_at=None).order_by("number")


class Entry(models.Model):
    """A player's place in the field. `number` is the entry order; a player who re-enters goes to its end."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    number = models.PositiveIntegerField()
    client_seed = models.CharField(max_length=64, blank=True)
    bot = models.BooleanField(default=False, help_text="the site pays its fee and takes its prizes")
    entered_at = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    shown_as = name_shown()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    first = models.PositiveIntegerField(default=1, help_text="the first round that they play")
    retired_after = models.PositiveIntegerField(
        null=True, blank=True, help_text="the last round that they play, if they left during the tournament"
    )
    disqualified_at = models.DateTimeField(null=True, blank=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="entry_player_once"),
            models.UniqueConstraint(fields=["tournament", "number"], name="entry_number_once"),
            models.CheckConstraint(name="entry_number_from_1", condition=Q(number__gte=1) & Q(first__gte=1)),
            models.CheckConstraint(name="entry_shown_as_known", condition=Q(shown_as__in=NameShown.values)),
            models.CheckConstraint(
                name="entry_disqualified_is_out",
                condition=Q(disqualified_at=None)
                | Q(withdrawn_at__isnull=False)
                | Q(retired_after__isnull=False),
            ),
        ]
        indexes = [
            models.Index(name="entry_of_player", fields=["player", "-id"]),
            models.Index(name="entry_shown_as", fields=["player", "shown_as"]),
        ]

    def __str__(self) -> str:
        return f"entry {self.number}"


class RoundState(models.TextChoices):
    OPENING = "opening"
    OPEN = "open"
    CLOSED = "closed"


class Round(models.Model):
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="played_rounds")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=RoundState.choices, default=RoundState.OPENING)
    algorithm = models.CharField(
        max_length=40, blank=True, help_text="the engine that paired it, with its version"
    )
    known = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the snapshot from which it was paired"
    )
    opened_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="round_once"),
            models.CheckConstraint(name="round_number_from_1", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="round_state_known",
                condition=Q(state=RoundState.OPENING, opened_at=None, closed_at=None)
                | Q(state=RoundState.OPEN, opened_at__isnull=False, closes_at__isnull=False, closed_at=None)
                | Q(state=RoundState.CLOSED, opened_at__isnull=False, closed_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number}"


class Table(models.Model):
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="tables")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="table_once"),
            models.CheckConstraint(name="table_number_from_1", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"table {self.number}"


class Seat(models.Model):
    """An entrant at a table, or (`table` null) a bye.

    The round is repeated here so that the database can forbid two places in one round.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="+")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seats", null=True)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seats")
    index = models.PositiveIntegerField()
    forfeited_at = models.DateTimeField(null=True, blank=True, help_text="did not come to the table")

    class Meta:
        ordering = ["index"]
        constraints = [
            models.UniqueConstraint(fields=["round", "entry"], name="seat_entry_once_a_round"),
            models.UniqueConstraint(fields=["table", "index"], name="seat_once"),
            models.CheckConstraint(
                name="seat_forfeits_a_table", condition=Q(forfeited_at=None) | Q(table__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.index}"


class Ended(models.TextChoices):
    FINISHED = "finished"
    EXPIRED = "expired", "time was up"
    VOID = "void"


class TableGameQuerySet(models.QuerySet["TableGame"]):
    def of_round(self, round: Round) -> TableGameQuerySet:
        return self.filter(table__round=round).order_by("table__number", "number")

    def unseated(self) -> TableGameQuerySet:
        return self.filter(seated_at=None)

    def undealt(self) -> TableGameQuerySet:
        return self.filter(dealt_at=None)

    def running(self) -> TableGameQuerySet:
        return self.filter(seated_at__isnull=False, ended_at=None)


class TableGame(models.Model):
    """A game of a table. Its place and its id are fixed before any game of the round is created.

    All games of a round are created and seated before the first is dealt, and dealt before the round opens. So none
    can be over, and its deal public, while another with the same deal is still to come. In a match, whose games
    share their deals with no other, this holds for the first game; each other is created when the one before it has
    ended.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="games")
    number = models.PositiveIntegerField()
    deal = models.PositiveIntegerField()
    game = models.UUIDField(unique=True, default=uuid.uuid4)
    seated_at = models.DateTimeField(null=True, blank=True)
    dealt_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=8, choices=Ended.choices, default="", blank=True)

    objects = TableGameQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="tablegame_once"),
            models.CheckConstraint(
                name="tablegame_numbers_from_1", condition=Q(number__gte=1) & Q(deal__gte=1)
            ),
            models.CheckConstraint(
                name="tablegame_seated_first", condition=Q(dealt_at=None) | Q(seated_at__isnull=False)
            ),
            models.CheckConstraint(
                name="tablegame_ended",
                condition=Q(ended_at=None, ended="") | Q(ended_at__isnull=False, ended__in=Ended.values),
            ),
        ]

    def __str__(self) -> str:
        return str(self.game)


class Score(models.Model):
    """The score of one entrant in one game: a number for each of the tournament's measures."""

    table_game = models.ForeignKey(TableGame, on_delete=models.PROTECT, related_name="scores")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="scores")
    measures = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table_game", "entry"], name="score_once")]

    def __str__(self) -> str:
        return str(self.measures)


class Award(models.Model):
    """An entrant's final place and prize, in pence."""

    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, primary_key=True, related_name="award")
    place = models.PositiveIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["place", "entry__number"]
        constraints = [
            models.CheckConstraint(name="award_not_negative", condition=Q(amount__gte=0) & Q(place__gte=1))
        ]

    def __str__(self) -> str:
        return f"place {self.place}"


# --- corrections -------------------------------------------------------------------------------------


class CorrectedAward(models.Model):
    """An entrant's place and prize (in pence) after a correction (its `number`).

    The original award stays unchanged; the last correction counts.
    """

    award = models.ForeignKey("tournaments.Award", on_delete=models.PROTECT, related_name="corrected")
    number = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["number", "place"]
        constraints = [
            models.UniqueConstraint(fields=["award", "number"], name="correctedaward_once"),
            models.CheckConstraint(
                name="correctedaward_not_negative",
                condition=Q(amount__gte=0) & Q(place__gte=1) & Q(number__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.place}"


# --- ratings -----------------------------------------------------------------------------------------


class RatedGame(models.Model):
    """The number of rated rounds of a game. The row is locked while a round is rated, so that rounds are rated in
    order.
    """

    rules = models.CharField(max_length=40, primary_key=True)
    rounds = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.rules


class RatingChange(models.Model):
    """The change of a player's rating at one table, in thousandths of a point. `number` counts from 1 for each
    player and game.

    `version` is that of the tournament's event `round-closed`, which was committed with it.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    rules = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="+")
    round = models.PositiveIntegerField()
    table = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    mu_before = models.IntegerField()
    sigma_before = models.PositiveIntegerField()
    mu = models.IntegerField()
    sigma = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["player", "rules", "number"], name="ratingchange_number_once"),
            models.UniqueConstraint(
                fields=["tournament", "round", "player"], name="ratingchange_once_a_round"
            ),
            models.CheckConstraint(
                name="ratingchange_sound",
                condition=Q(number__gte=1)
                & Q(round__gte=1)
                & Q(table__gte=1)
                & Q(version__gte=1)
                & Q(place__gte=1)
                & Q(sigma__gte=1)
                & Q(sigma_before__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rules} {self.number}"


class Rating(models.Model):
    """A player's current rating at a game: the last change, and `worth`, which is mu - 3 sigma."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    rules = models.CharField(max_length=40)
    mu = models.IntegerField()
    sigma = models.PositiveIntegerField()
    worth = models.IntegerField()
    tables = models.PositiveIntegerField(help_text="number of rated tables")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["-worth", "pk"]
        indexes = [models.Index(fields=["rules", "-worth", "id"], name="rating_best")]
        constraints = [
            models.UniqueConstraint(fields=["player", "rules"], name="rating_once"),
            models.CheckConstraint(
                name="rating_sound",
                condition=Q(tables__gte=1) & Q(sigma__gte=1) & Q(worth=F("mu") - 3 * F("sigma")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rules} {self.worth}"


# --- roles -------------------------------------------------------------------------------------------


class StaffRole(models.TextChoices):
    JUDGE = "judge", "judge: corrects results, disqualifies, pauses, resumes, and checks in"
    HELPER = "helper", "helper: checks others in"


class TournamentRole(models.Model):
    """A person's role in one tournament, until it is taken away.

    The history of roles is in the tournament's events.
    """

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="roles")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=10, choices=StaffRole.choices)
    given_at = models.DateTimeField()

    class Meta:
        ordering = ["given_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="tournamentrole_once"),
            models.CheckConstraint(name="tournamentrole_known", condition=Q(role__in=StaffRole.values)),
        ]

    def __str__(self) -> str:
        return self.role


# --- waiting list ------------------------------------------------------------------------------------


MOST_WAITING = 1_000


class WaitingEnd(models.TextChoices):
    ADMITTED = "admitted"
    LEFT = "left", "by themselves"
    PASSED_OVER = "passed-over", "passed over, because they could not enter"
    STARTED = "started", "the tournament started"
    CANCELLED = "cancelled", "the tournament was cancelled"


class WaitingQuerySet(models.QuerySet["Waiting"]):
    def in_line(self) -> WaitingQuerySet:
        """Return the players who still wait, the first in line first."""
        return self.filter(ended_at=None).order_by("number").select_related("player")


class Waiting(models.Model):
    """A place on the waiting list. No money is taken before admission.

    The history is in the tournament's events, except `code`, the reason why the player could not enter, which only
    they see.
    """

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="waiting")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="the order in line")
    client_seed = models.CharField(max_length=64, blank=True)
    since = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    shown_as = name_shown()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=12, choices=WaitingEnd.choices, default="", blank=True)
    code = models.CharField(max_length=40, blank=True, help_text="why the player was passed over")

    objects = WaitingQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "waiting"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="waiting_number_once"),
            models.UniqueConstraint(
                fields=["tournament", "player"], condition=Q(ended_at=None), name="waiting_player_once"
            ),
            models.CheckConstraint(name="waiting_number_from_1", condition=Q(number__gte=1)),
            models.CheckConstraint(name="waiting_shown_as_known", condition=Q(shown_as__in=NameShown.values)),
            models.CheckConstraint(
                name="waiting_ended",
                condition=Q(ended_at=None, ended="", code="")
                | Q(ended_at__isnull=False, ended=WaitingEnd.PASSED_OVER)
                | (
                    Q(ended_at__isnull=False, ended__in=WaitingEnd.values, code="")
                    & ~Q(ended=WaitingEnd.PASSED_OVER)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"number {self.number} in line"
