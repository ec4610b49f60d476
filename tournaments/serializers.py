"""What the views of tournaments take and answer. The selectors make these documents; here they are described."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    ObjectField,
    StrictSerializer,
    StrictTextField,
)
from games.rules.fairness import CLIENT_SEED_LENGTH
from ledger.betting.models import MarketStatus
from ledger.betting.serializers import MarketDetailOutput
from tournaments.formats import bracket_shapes
from tournaments.formats.protocol import RELAXATIONS
from tournaments.help import CAUSES, NEEDS_ORGANIZER, PAUSED
from tournaments.models import (
    Count,
    Seeding,
    Status,
)
from tournaments.models_roles import Office
from tournaments.models_waiting import WaitingEnd

# --- what is sent --------------------------------------------------------------------------------------


class NothingInput(StrictSerializer):
    pass


class ReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=200)


class StartInput(StrictSerializer):
    hold = StrictTextField(
        max_length=200,
        required=False,
        help_text="why the first round is to wait until the tournament is resumed",
    )


class EntryInput(StrictSerializer):
    client_seed = StrictTextField(max_length=CLIENT_SEED_LENGTH, allow_blank=True, required=False, default="")


# --- what is answered ----------------------------------------------------------------------------------


class TournamentLine(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    organizer = serializers.UUIDField()
    format = serializers.CharField()
    rules = serializers.CharField()
    status = serializers.ChoiceField(choices=Status.choices)
    rounds = serializers.IntegerField()
    games = serializers.IntegerField()
    capacity = serializers.IntegerField()
    entries = serializers.IntegerField()
    fee = serializers.IntegerField()
    currency = serializers.CharField()
    opens_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class StageOutput(serializers.Serializer[Any]):
    format = serializers.CharField()
    rounds = serializers.IntegerField(help_text="0: as many as it takes")
    groups = serializers.IntegerField()
    qualify = serializers.IntegerField(help_text="how many of all go on; 0 of the last stage")


class MeasureOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    best = serializers.ChoiceField(choices=["most", "fewest"])
    meaning = serializers.CharField()


class EntryOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    kind = serializers.ChoiceField(choices=["human", "bot"])
    client_seed = serializers.CharField(
        allow_null=True, help_text="null until entries close, except to the entrant"
    )
    entered_at = serializers.DateTimeField()
    checked_in = serializers.BooleanField()
    first = serializers.IntegerField(help_text="the first round they are in")
    group = serializers.IntegerField(allow_null=True, help_text="of a first stage in groups, from 1")
    retired_after = serializers.IntegerField(
        allow_null=True, help_text="who left after the start: the last round they are in"
    )
    disqualified = serializers.BooleanField()


class OwnGameOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    number = serializers.IntegerField()
    game = serializers.UUIDField()
    ended = serializers.CharField(allow_null=True)


class OwnEntryOutput(EntryOutput):
    games = OwnGameOutput(many=True)


class TournamentFairness(serializers.Serializer[Any]):
    commitment = serializers.CharField(allow_null=True)
    entropy = serializers.CharField(allow_null=True)
    client_seeds = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="of those entered when entries closed, in entry order; null until then",
    )
    lot_key = serializers.CharField(
        allow_null=True,
        help_text="HMAC-SHA256 of `lots|{entropy}` under the seed, in hex; null until entries close",
    )
    seed = serializers.CharField(allow_null=True, help_text="null until the tournament has ended")


class ProgressOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    games = serializers.IntegerField()
    dealt = serializers.IntegerField()
    ended = serializers.IntegerField()
    tables = serializers.IntegerField()
    tables_done = serializers.IntegerField(help_text="whose games are all over")
    moves_a_minute = serializers.FloatField(
        allow_null=True,
        help_text="over the last five minutes; null before the round is open, and where tables share deals",
    )
    estimated_end = serializers.DateTimeField(
        allow_null=True, help_text="at the pace of the tables done; null before the first of them"
    )


class PrizePlanOutput(serializers.Serializer[Any]):
    entrants = serializers.IntegerField(
        help_text="that it is reckoned with: before the start, at least `fewest`"
    )
    fees = serializers.IntegerField()
    rake = serializers.IntegerField()
    overlay = serializers.IntegerField(help_text="what the house adds")
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="pence, from the first place, where nobody shares one"
    )


class RoundTimeOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    opens_at = serializers.DateTimeField()
    opens_at_local = serializers.CharField(allow_null=True)


class OwnWaitingOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField(allow_null=True, help_text="in line; null: waits no longer")
    since = serializers.DateTimeField()
    client_seed = serializers.CharField()
    checked_in = serializers.BooleanField()
    ended = serializers.ChoiceField(choices=WaitingEnd.choices, allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="why they were passed over; nobody else is told")


class ActionOutput(serializers.Serializer[Any]):
    action = serializers.CharField()
    method = serializers.CharField()
    path = serializers.CharField(help_text="`{entry}` in it is for the organizer to choose")
    what = serializers.CharField()


class NeedsOrganizerOutput(serializers.Serializer[Any]):
    cause = serializers.ChoiceField(choices=CAUSES)
    code = serializers.CharField()
    reason = serializers.CharField(help_text="in plain words")
    round = serializers.IntegerField(allow_null=True)
    actions = ActionOutput(many=True, help_text="what would help; none but to who manages the tournament")


class TournamentOutput(TournamentLine):
    time_zone = serializers.CharField()
    opens_at_local = serializers.CharField(
        allow_null=True, help_text="by the clocks of the zone, with their offset"
    )
    check_in_at = serializers.DateTimeField(allow_null=True)
    check_in_at_local = serializers.CharField(allow_null=True)
    round_times = RoundTimeOutput(many=True)
    config = serializers.DictField()
    seats = serializers.IntegerField()
    sizes = serializers.ListField(child=serializers.IntegerField())
    through = serializers.IntegerField()
    count = serializers.ChoiceField(choices=Count.choices)
    tie_breaks = serializers.ListField(child=serializers.CharField())
    stages = StageOutput(many=True, help_text="of the format stages; empty in others")
    seeding = serializers.ChoiceField(choices=Seeding.choices)
    seeded_by = serializers.UUIDField(
        allow_null=True, help_text="the tournament whose standings seed this one"
    )
    rated = serializers.BooleanField(help_text="whether its tables change the ratings of people")
    bank = serializers.IntegerField(help_text="pence of play money that everybody bets with")
    rules_version = serializers.IntegerField()
    check_in_seconds = serializers.IntegerField(help_text="before opens_at; 0: nobody need check in")
    late_until = serializers.IntegerField(help_text="the last round that can be entered late; 0: none")
    waiting_list = serializers.IntegerField(help_text="how many may wait for a place; 0: nobody")
    fewest = serializers.IntegerField()
    fill_to = serializers.IntegerField()
    round_seconds = serializers.IntegerField()
    gap_seconds = serializers.IntegerField()
    no_show_seconds = serializers.IntegerField(help_text="0: nobody forfeits")
    prizes = serializers.ListField(child=serializers.IntegerField())
    rake = serializers.IntegerField()
    amounts = serializers.ListField(
        child=serializers.IntegerField(), help_text="fixed prizes by place, in pence"
    )
    guarantee = serializers.IntegerField(help_text="pence that the prizes come to at least")
    pool = serializers.IntegerField(help_text="pence in escrow now")
    prize_plan = PrizePlanOutput(
        allow_null=True, help_text="what each place would pay now; null once it is over"
    )
    measures = MeasureOutput(many=True)
    fairness = TournamentFairness()
    round = serializers.IntegerField(help_text="the last round opened; 0 before the first")
    progress = ProgressOutput(allow_null=True)
    state = serializers.ChoiceField(
        choices=[*Status.values, PAUSED, NEEDS_ORGANIZER], help_text="the status, unless it stands still"
    )
    stalled = serializers.CharField(allow_null=True, help_text="why the organizer is needed")
    needs_organizer = NeedsOrganizerOutput(allow_null=True)
    paused = serializers.CharField(allow_null=True, help_text="why no further round is opened")
    version = serializers.IntegerField()
    hash = serializers.CharField()
    entry = OwnEntryOutput(allow_null=True)
    waiting = OwnWaitingOutput(
        allow_null=True, help_text="what became last of the caller in the waiting list"
    )
    role = serializers.ChoiceField(
        choices=["organizer", *Office.values],
        allow_null=True,
        help_text="the viewer's own in this tournament",
    )
    may_manage = serializers.BooleanField(help_text="unless the viewer takes part in it")
    may_rule = serializers.BooleanField(help_text="unless the viewer takes part in it")
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)


class RoundLine(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    stage = serializers.IntegerField(allow_null=True, help_text="1 or 2 in the format stages")
    state = serializers.ChoiceField(choices=["opening", "open", "closed"])
    opened_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    games = serializers.IntegerField()
    dealt = serializers.IntegerField()
    ended = serializers.IntegerField()


@extend_schema_serializer(component_name="TournamentSeat")
class SeatOutput(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)
    forfeited = serializers.BooleanField(help_text="did not come to the table")


class TableGameOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    deal = serializers.IntegerField()
    game = serializers.UUIDField(allow_null=True)
    ended = serializers.CharField(allow_null=True)
    scores = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), allow_null=True
    )
    correction = serializers.IntegerField(
        allow_null=True, help_text="the number of the last correction of the game; null: as it was played"
    )


class TableOutput(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    group = serializers.IntegerField(allow_null=True, help_text="of a first stage in groups, from 1")
    seats = SeatOutput(many=True)
    games = TableGameOutput(many=True)


class RelaxedOutput(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=RELAXATIONS)
    entries = serializers.ListField(child=serializers.IntegerField())


class RoundOutput(RoundLine):
    progress = ProgressOutput(allow_null=True, help_text="null once the round is closed")
    algorithm = serializers.CharField(
        allow_null=True,
        help_text="what paired the round, with its version; `by-hand` where the organizer did",
    )
    known = serializers.CharField(
        allow_null=True, help_text="SHA-256 of all that it was paired from (see the round-paired event)"
    )
    byes = serializers.ListField(child=serializers.IntegerField(), help_text="entries that sit out")
    relaxed = RelaxedOutput(many=True)
    going_on = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="who plays the stage that begins with this round, the strongest first; empty in other rounds",
    )
    tables = TableOutput(many=True)


class BracketSourceOutput(serializers.Serializer[Any]):
    match = serializers.IntegerField(
        allow_null=True, help_text="null: it hangs on the results which table of `round` they come from"
    )
    won = serializers.BooleanField(help_text="the winner of the match comes from there, or the loser")
    round = serializers.IntegerField(allow_null=True, help_text="larger tables")
    place = serializers.IntegerField(
        allow_null=True, help_text="larger tables: their place there; null: they sat out"
    )


class BracketSlotOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField(
        allow_null=True, help_text="null: nobody has come yet; without a source nobody ever will"
    )
    player = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    seed = serializers.IntegerField(allow_null=True)
    left = serializers.BooleanField(help_text="whether they have left the tournament")
    source = BracketSourceOutput(allow_null=True)  # type: ignore[assignment]
    score = serializers.IntegerField(
        allow_null=True, help_text="the first measure at the table; null until the round is closed"
    )
    place = serializers.IntegerField(allow_null=True, help_text="at a larger table that is closed")
    lives = serializers.IntegerField(
        allow_null=True, help_text="when they sat down, where two losses put out of larger tables"
    )


class BracketGameOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    game = serializers.UUIDField()
    ended = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="BracketMatch")
class MatchOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="from 1, through the whole bracket")
    round = serializers.IntegerField(help_text="of the tournament")
    side = serializers.ChoiceField(choices=bracket_shapes.SIDES)
    state = serializers.ChoiceField(choices=bracket_shapes.STATES)
    table = serializers.IntegerField(allow_null=True, help_text="of the round; null where nobody plays")
    winner = serializers.IntegerField(allow_null=True, help_text="an entry")
    winner_to = serializers.IntegerField(allow_null=True, help_text="the number of a match")
    loser_to = serializers.IntegerField(
        allow_null=True, help_text="the number of a match; null: who loses is out"
    )
    through = serializers.IntegerField(help_text="how many go on, or keep their lives")
    goes_on = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="the entries that do, the best first; none until it is known",
    )
    slots = BracketSlotOutput(many=True)
    games = BracketGameOutput(many=True)


class BracketOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    measure = serializers.CharField(allow_null=True, help_text="what the scores count")
    matches = MatchOutput(many=True, help_text="none where there is no bracket, and before it is drawn")


class RoundsOutput(serializers.Serializer[Any]):
    results = RoundLine(many=True)


class StandingOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    entry = serializers.IntegerField()
    totals = serializers.ListField(child=serializers.IntegerField())
    stage = serializers.IntegerField(allow_null=True, help_text="that it has come to, in the format stages")
    group = serializers.IntegerField(allow_null=True, help_text="of a first stage in groups, from 1")
    games = serializers.IntegerField()
    disqualified = serializers.BooleanField(help_text="behind everybody else, and without a prize")
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)
    prize = serializers.IntegerField(allow_null=True)


class StandingsOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    status = serializers.CharField()
    rounds_closed = serializers.IntegerField()
    measures = MeasureOutput(many=True)
    standings = StandingOutput(many=True)


class PartOutput(serializers.Serializer[Any]):
    what = serializers.CharField()
    amount = serializers.IntegerField()
    round = serializers.IntegerField(allow_null=True)
    opponents = serializers.ListField(child=serializers.IntegerField())


class ReckoningOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    best = serializers.ChoiceField(choices=["most", "fewest"])
    meaning = serializers.CharField()
    value = serializers.IntegerField()
    parts = PartOutput(many=True)


class ReckoningsOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    entry = serializers.IntegerField()
    columns = ReckoningOutput(many=True)


@extend_schema_serializer(component_name="TournamentEvent")
class EventOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    type = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    data = serializers.DictField()  # type: ignore[assignment]
    private = serializers.DictField(allow_null=True)
    seal = serializers.CharField(allow_null=True)
    at = serializers.CharField()
    prev = serializers.CharField()
    hash = serializers.CharField()


@extend_schema_serializer(component_name="TournamentEvents")
class EventsOutput(serializers.Serializer[Any]):
    events = EventOutput(many=True)
    next = serializers.IntegerField(
        allow_null=True, help_text="`after` of the next page; null: there is none yet"
    )


class RaceOnCardOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    game = serializers.UUIDField()
    market = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(choices=MarketStatus.choices, allow_null=True)
    off_at = serializers.DateTimeField(
        allow_null=True, help_text="when betting ends and the race begins; null before the betting"
    )
    closed = serializers.BooleanField(help_text="counted in the standings")


class OwnBankOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    bank = serializers.IntegerField(help_text="after the last race that is closed")
    available = serializers.IntegerField(help_text="what can be bet now; 0 when the meeting is over")


class MeetingOutput(serializers.Serializer[Any]):
    bank = serializers.IntegerField(help_text="what everybody begins with, in pence of play money")
    currency = serializers.CharField()
    races = RaceOnCardOutput(many=True)
    own = OwnBankOutput(allow_null=True)


class RunnerEntryOutput(serializers.Serializer[Any]):
    runner = serializers.CharField()
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")


class OutrightOutput(MarketDetailOutput):
    field = RunnerEntryOutput(many=True, help_text="who the runners are, without those withdrawn")
    obstacle = ObjectField(
        allow_null=True,
        help_text="the problem by which the caller's least bet would be refused, whomever it backs, as far as that "
        "is known before; null: none, bets are not taken, or the caller has not signed in",
    )
    alone = serializers.CharField(
        allow_null=True, help_text="the one runner whom the caller, who plays, may back; null: anybody"
    )


class OutrightsOutput(serializers.Serializer[Any]):
    results = OutrightOutput(many=True)
