"""Tournaments as rows: what is being asked for now. What happened stands in each tournament's own event stream.

Every "once" of a tournament is a unique key here: a player once, a round once, an entrant once in a round, a game once
at its table, a score once, an award once. A task that comes again runs into them and changes nothing.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments import (  # noqa: F401 (Django looks for models here)
    models_corrections,
    models_ratings,
    models_roles,
    models_waiting,
)

MOST_ROUNDS = 50
MOST_GAMES = 20
MOST_ENTRANTS = 10_000
MOST_BANK = 10**9
LONGEST_ROUND = 30 * 24 * 3600
BASIS_POINTS = 10_000
MOST_GUARANTEE = 10**10
"""Pence."""


class Status(models.TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Seeding(models.TextChoices):
    ENTRY = "entry", "who entered first"
    LOT = "lot", "by lot, from the tournament's lot key"
    RATING = "rating", "by rating at the start, the unrated at 0"
    STANDING = "standing", "by the final standings of an earlier tournament"


def only_one() -> list[int]:
    return [1]


class Count(models.TextChoices):
    """What the results of a shared deal come to (`formats.protocol.Count`)."""

    TOTAL = "total", "the games' own measures, added up"
    MATCHPOINTS = "matchpoints", "how many have done worse on each deal"


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def public(self) -> TournamentQuerySet:
        return self.exclude(published_at=None)


class Tournament(models.Model):
    """The terms, which never change after creation, and how far the tournament has come."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100)
    organizer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    format = models.CharField(max_length=40)
    rules = models.CharField(max_length=40)
    rules_version = models.PositiveIntegerField()
    config = models.JSONField()
    rounds = models.PositiveIntegerField(help_text="0 until the start: as many as the format needs")
    seats = models.PositiveIntegerField(default=1, help_text="seats a table should have")
    sizes = models.JSONField(default=only_one, help_text="seats a table may have")
    through = models.PositiveIntegerField(default=1, help_text="of a knockout's table, how many go on")
    count = models.CharField(max_length=20, choices=Count.choices, default=Count.TOTAL)
    tie_breaks = models.JSONField(default=list, help_text="names, in the order in which they count")
    stages = models.JSONField(
        default=list, blank=True, help_text="of the format stages, what each of its two is"
    )
    seeding = models.CharField(max_length=10, choices=Seeding.choices, default=Seeding.ENTRY)
    seeded_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="an earlier one"
    )
    rated = models.BooleanField(default=False, help_text="its tables change the ratings of people")
    games = models.PositiveIntegerField(help_text="games of each table in each round")
    bank = models.BigIntegerField(default=0, help_text="pence of play money that each entrant bets with")
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="start of round 1; empty: the organizer starts"
    )
    time_zone = models.CharField(
        max_length=64, default="UTC", help_text="IANA name; the times of the schedule are shown in it too"
    )
    round_times = models.JSONField(
        default=list, blank=True, help_text="rounds that open at a time of their own, in UTC"
    )
    round_seconds = models.PositiveIntegerField()
    gap_seconds = models.PositiveIntegerField(default=0)
    no_show_seconds = models.PositiveIntegerField(
        default=0, help_text="who has not moved when a game has waited so long forfeits; 0: nobody does"
    )
    check_in_seconds = models.PositiveIntegerField(
        default=0, help_text="before opens_at, in which entrants say that they are there; 0: they need not"
    )
    late_until = models.PositiveIntegerField(
        default=0, help_text="the last round that can be entered late; 0: entries close with the start"
    )
    capacity = models.PositiveIntegerField()
    waiting_list = models.PositiveIntegerField(
        default=0, help_text="how many may wait for a place when all are taken; 0: nobody"
    )
    fewest = models.PositiveIntegerField(default=2)
    fill_to = models.PositiveIntegerField(
        default=0, help_text="bots enter at the start until there are this many"
    )
    currency = models.CharField(max_length=3)
    fee = models.BigIntegerField(default=0, help_text="pence")
    prizes = models.JSONField(
        default=list, help_text="basis points by place, of what the fixed prizes leave of the pool"
    )
    amounts = models.JSONField(default=list, blank=True, help_text="fixed prizes by place, in pence")
    guarantee = models.BigIntegerField(
        default=0, help_text="pence that the prizes come to at least; the house adds what is missing"
    )
    rake = models.PositiveIntegerField(default=0, help_text="basis points of the fees, to the house")

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    commitment = models.CharField(max_length=64, null=True, blank=True)
    entropy = models.CharField(max_length=64, null=True, blank=True)
    stalled = models.TextField(default="", blank=True, help_text="why the organizer is needed")
    paused = models.TextField(default="", blank=True, help_text="why no further round is opened")
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
            models.Index(fields=["status"], name="tournament_status"),
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
        """By what the ledger knows it."""
        return f"tournament:{self.pk}"


class SecretSeed(models.Model):
    """What the tournament's deals follow from. Never shown before the `finished` or `seed-revealed` event shows it."""

    tournament = models.OneToOneField(
        Tournament, on_delete=models.PROTECT, primary_key=True, related_name="secret_seed"
    )
    seed = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return "(secret)"


class EntryQuerySet(models.QuerySet["Entry"]):
    def standing(self) -> EntryQuerySet:
        """Those not withdrawn, in entry order."""
        return self.filter(withdrawn_at=None).order_by("number")


class Entry(models.Model):
    """A player's place in the field. `number` is the entry order; who withdraws and comes back goes to its end."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    client_seed = models.CharField(max_length=64, blank=True)
    bot = models.BooleanField(default=False, help_text="the house pays its fee and takes its prizes")
    entered_at = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    first = models.PositiveIntegerField(default=1, help_text="the first round they are in")
    retired_after = models.PositiveIntegerField(
        null=True, blank=True, help_text="left during the tournament: the last round they are in"
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
            models.CheckConstraint(
                name="entry_disqualified_is_out",
                condition=Q(disqualified_at=None)
                | Q(withdrawn_at__isnull=False)
                | Q(retired_after__isnull=False),
            ),
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
    algorithm = models.CharField(max_length=40, blank=True, help_text="what paired it, with its version")
    known = models.CharField(max_length=64, blank=True, help_text="SHA-256 of what it was paired from")
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
    """An entrant at a table, or (`table` null) sitting a round out.

    The round stands here again so that the database can forbid two places in one round.
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
    """A game of a table: its place is fixed, with the id it will have, before any game of the round is made.

    Every game of a round is made and seated before the first of them is dealt, and dealt before the round is open: so
    none can be over, and its deal shown, while another with that deal is still to come. Of a match, whose games share
    their deals with no other, this holds for the first game; each other is made when the one before it has ended.
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
    """What one entrant got out of one game: a number for each of the tournament's measures."""

    table_game = models.ForeignKey(TableGame, on_delete=models.PROTECT, related_name="scores")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="scores")
    measures = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table_game", "entry"], name="score_once")]

    def __str__(self) -> str:
        return str(self.measures)


class Award(models.Model):
    """Where an entrant ended, and the prize (pence) that went with it."""

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
