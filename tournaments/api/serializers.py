"""Serializers that several endpoints share. The selectors build these documents; the classes describe them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from games.rules.fairness import CLIENT_SEED_LENGTH
from ledger.betting.serializers import MarketDetailOutput
from ledger.models import MarketStatus
from rest.fields import ObjectField, StrictSerializer, StrictTextField
from tournaments.formats import bracket
from tournaments.formats.protocol import RELAXATIONS
from tournaments.models import (
    Count,
    Seeding,
    StaffRole,
    Status,
    WaitingEnd,
)
from tournaments.rounds.stalls import CAUSES, NEEDS_ORGANIZER, PAUSED

# --- what is sent --------------------------------------------------------------------------------------


class NothingInput(StrictSerializer):
    pass


class ReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=200)


class StartInput(StrictSerializer):
    hold = StrictTextField(
        max_length=200,
        required=False,
        help_text="the reason to pause the tournament before the first round",
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
    rounds = serializers.IntegerField(help_text="0: as many as the format needs")
    groups = serializers.IntegerField()
    qualify = serializers.IntegerField(help_text="how many entrants qualify in all; 0 for the last stage")


class MeasureOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    best = serializers.ChoiceField(choices=["most", "fewest"])
    meaning = serializers.CharField()


class EntryOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")
    kind = serializers.ChoiceField(choices=["human", "bot"])
    client_seed = serializers.CharField(
        allow_null=True, help_text="null until entries close, except to the entrant"
    )
    entered_at = serializers.DateTimeField()
    checked_in = serializers.BooleanField()
    first = serializers.IntegerField(help_text="the first round that they play")
    group = serializers.IntegerField(allow_null=True, help_text="the group in the first stage, from 1")
    retired_after = serializers.IntegerField(
        allow_null=True, help_text="the last round that they play, if they left after the start"
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
        help_text="the seeds of the entrants when entries closed, in entry order; null until then",
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
    tables_done = serializers.IntegerField(help_text="tables whose games are all over")
    moves_per_minute = serializers.FloatField(
        allow_null=True,
        help_text="average over the last five minutes; null before the round is open, and if tables share deals",
    )
    estimated_end = serializers.DateTimeField(
        allow_null=True, help_text="estimated from the finished tables; null before the first"
    )


class PrizePlanOutput(serializers.Serializer[Any]):
    entrants = serializers.IntegerField(
        help_text="the assumed number of entrants: before the start, at least `fewest`"
    )
    fees = serializers.IntegerField()
    rake = serializers.IntegerField()
    overlay = serializers.IntegerField(help_text="what the bank adds")
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="pence, from the first place, without ties"
    )


class RoundTimeOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    opens_at = serializers.DateTimeField()
    opens_at_local = serializers.CharField(allow_null=True)


class OwnWaitingOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField(allow_null=True, help_text="the place in line; null: no longer waiting")
    since = serializers.DateTimeField()
    client_seed = serializers.CharField()
    checked_in = serializers.BooleanField()
    ended = serializers.ChoiceField(choices=WaitingEnd.choices, allow_null=True)
    code = serializers.CharField(
        allow_null=True, help_text="why the player was passed over; visible only to them"
    )


class ActionOutput(serializers.Serializer[Any]):
    action = serializers.CharField()
    method = serializers.CharField()
    path = serializers.CharField(help_text="the organizer replaces `{entry}`")
    effect = serializers.CharField()


class NeedsOrganizerOutput(serializers.Serializer[Any]):
    cause = serializers.ChoiceField(choices=CAUSES)
    code = serializers.CharField()
    reason = serializers.CharField(help_text="in plain words")
    round = serializers.IntegerField(allow_null=True)
    actions = ActionOutput(
        many=True, help_text="actions that help; empty unless the viewer manages the tournament"
    )


class TournamentOutput(TournamentLine):
    time_zone = serializers.CharField()
    opens_at_local = serializers.CharField(
        allow_null=True, help_text="local time in the zone, with its offset"
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
    stages = StageOutput(many=True, help_text="the stages of the format `stages`; empty in others")
    seeding = serializers.ChoiceField(choices=Seeding.choices)
    seeded_by = serializers.UUIDField(
        allow_null=True, help_text="the tournament whose standings seed this one"
    )
    rated = serializers.BooleanField(help_text="whether its tables change ratings")
    bank = serializers.IntegerField(help_text="each entrant's play money, in pence")
    rules_version = serializers.IntegerField()
    check_in_seconds = serializers.IntegerField(help_text="the check-in before opens_at; 0: none")
    late_until = serializers.IntegerField(
        help_text="the last round that late entrants can begin with; 0: none"
    )
    waiting_list = serializers.IntegerField(help_text="the size of the waiting list; 0: none")
    fewest = serializers.IntegerField()
    fill_to = serializers.IntegerField()
    round_seconds = serializers.IntegerField()
    gap_seconds = serializers.IntegerField()
    no_show_seconds = serializers.IntegerField(help_text="0: no forfeits")
    prizes = serializers.ListField(child=serializers.IntegerField())
    rake = serializers.IntegerField()
    amounts = serializers.ListField(
        child=serializers.IntegerField(), help_text="fixed prizes by place, in pence"
    )
    guarantee = serializers.IntegerField(help_text="the least sum of the prizes, in pence")
    pool = serializers.IntegerField(help_text="pence in escrow now")
    prize_plan = PrizePlanOutput(
        allow_null=True, help_text="what each place would pay now; null once the tournament is over"
    )
    measures = MeasureOutput(many=True)
    fairness = TournamentFairness()
    round = serializers.IntegerField(help_text="the last round opened; 0 before the first")
    progress = ProgressOutput(allow_null=True)
    state = serializers.ChoiceField(
        choices=[*Status.values, PAUSED, NEEDS_ORGANIZER],
        help_text="the status, unless the tournament is stalled or paused",
    )
    stalled = serializers.CharField(allow_null=True, help_text="why the organizer is needed")
    needs_organizer = NeedsOrganizerOutput(allow_null=True)
    paused = serializers.CharField(allow_null=True, help_text="the reason of the pause")
    version = serializers.IntegerField()
    hash = serializers.CharField()
    entry = OwnEntryOutput(allow_null=True)
    waiting = OwnWaitingOutput(allow_null=True, help_text="the caller's last state on the waiting list")
    role = serializers.ChoiceField(
        choices=["organizer", *StaffRole.values],
        allow_null=True,
        help_text="the viewer's role in this tournament",
    )
    may_manage = serializers.BooleanField(help_text="false for participants")
    may_rule = serializers.BooleanField(help_text="false for participants")
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)


class RoundLine(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    stage = serializers.IntegerField(allow_null=True, help_text="1 or 2 in the format `stages`")
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
        allow_null=True, help_text="the number of the last correction of the game; null: not corrected"
    )


class TableOutput(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    group = serializers.IntegerField(allow_null=True, help_text="the group in the first stage, from 1")
    seats = SeatOutput(many=True)
    games = TableGameOutput(many=True)


class RelaxedOutput(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=RELAXATIONS)
    entries = serializers.ListField(child=serializers.IntegerField())


class RoundOutput(RoundLine):
    progress = ProgressOutput(allow_null=True, help_text="null once the round is closed")
    algorithm = serializers.CharField(
        allow_null=True,
        help_text="the engine that paired the round, with its version; `by-hand` for a manual pairing",
    )
    known = serializers.CharField(
        allow_null=True,
        help_text="SHA-256 of the snapshot from which it was paired (see the round-paired event)",
    )
    byes = serializers.ListField(child=serializers.IntegerField(), help_text="entries with a bye")
    relaxed = RelaxedOutput(many=True)
    qualified = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="the entrants of the stage that begins with this round, the strongest first; empty in other rounds",
    )
    tables = TableOutput(many=True)


class BracketSourceOutput(serializers.Serializer[Any]):
    match = serializers.IntegerField(
        allow_null=True, help_text="null: the table of `round` depends on results"
    )
    won = serializers.BooleanField(help_text="whether the winner or the loser comes")
    round = serializers.IntegerField(allow_null=True, help_text="larger tables")
    place = serializers.IntegerField(allow_null=True, help_text="larger tables: the place there; null: a bye")


class BracketSlotOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField(
        allow_null=True, help_text="null: not known yet; without a source, the slot stays empty"
    )
    player = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")
    seed = serializers.IntegerField(allow_null=True)
    has_left = serializers.BooleanField(help_text="whether they have left the tournament")
    source = BracketSourceOutput(allow_null=True)  # type: ignore[assignment]
    score = serializers.IntegerField(
        allow_null=True, help_text="the first measure at the table; null until the round is closed"
    )
    place = serializers.IntegerField(allow_null=True, help_text="at a larger table that is closed")
    lives = serializers.IntegerField(
        allow_null=True, help_text="lives at the start of a larger table with two lives"
    )


class BracketGameOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    game = serializers.UUIDField()
    ended = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="BracketMatch")
class MatchOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="from 1, through the whole bracket")
    round = serializers.IntegerField(help_text="of the tournament")
    side = serializers.ChoiceField(choices=bracket.SIDES)
    state = serializers.ChoiceField(choices=bracket.STATES)
    table = serializers.IntegerField(
        allow_null=True, help_text="the table of the round; null if no one plays"
    )
    winner = serializers.IntegerField(allow_null=True, help_text="an entry")
    winner_to = serializers.IntegerField(allow_null=True, help_text="the number of a match")
    loser_to = serializers.IntegerField(
        allow_null=True, help_text="the number of a match; null: the loser is eliminated"
    )
    through = serializers.IntegerField(help_text="how many advance, or keep their lives")
    advancing = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="the entries that advance, the best first; empty until known",
    )
    slots = BracketSlotOutput(many=True)
    games = BracketGameOutput(many=True)


class BracketOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    measure = serializers.CharField(allow_null=True, help_text="the measure of the scores")
    matches = MatchOutput(many=True, help_text="empty without a bracket, and before it is drawn")


class RoundsOutput(serializers.Serializer[Any]):
    results = RoundLine(many=True)


class StandingOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    entry = serializers.IntegerField()
    totals = serializers.ListField(child=serializers.IntegerField())
    stage = serializers.IntegerField(allow_null=True, help_text="the stage reached, in the format `stages`")
    group = serializers.IntegerField(allow_null=True, help_text="the group in the first stage, from 1")
    games = serializers.IntegerField()
    disqualified = serializers.BooleanField(help_text="ranked last, without a prize")
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


class ColumnBreakdownOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    best = serializers.ChoiceField(choices=["most", "fewest"])
    meaning = serializers.CharField()
    value = serializers.IntegerField()
    parts = PartOutput(many=True)


class StandingBreakdownOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    entry = serializers.IntegerField()
    columns = ColumnBreakdownOutput(many=True)


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
    next = serializers.IntegerField(allow_null=True, help_text="`after` of the next page; null: none yet")


class RaceOnCardOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    game = serializers.UUIDField()
    market = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(choices=MarketStatus.choices, allow_null=True)
    starts_at = serializers.DateTimeField(
        allow_null=True, help_text="when betting ends and the race begins; null before the betting"
    )
    closed = serializers.BooleanField(help_text="counted in the standings")


class OwnBankOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    bank = serializers.IntegerField(help_text="the bank after the last closed race")
    available = serializers.IntegerField(help_text="available play money; 0 when the meeting is over")


class MeetingOutput(serializers.Serializer[Any]):
    bank = serializers.IntegerField(help_text="each entrant's play money at the start, in pence")
    currency = serializers.CharField()
    races = RaceOnCardOutput(many=True)
    own = OwnBankOutput(allow_null=True)


class RunnerEntryOutput(serializers.Serializer[Any]):
    runner = serializers.CharField()
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")


class OutrightOutput(MarketDetailOutput):
    field = RunnerEntryOutput(many=True, help_text="the runners, without withdrawn ones")
    obstacle = ObjectField(
        allow_null=True,
        help_text="why the smallest bet of the caller would be refused now; null if nothing prevents it, if bets are "
        "not taken, or if the caller has not signed in",
    )
    only_runner = serializers.CharField(
        allow_null=True, help_text="the only runner that the caller may back, as an entrant; null: any runner"
    )


class OutrightsOutput(serializers.Serializer[Any]):
    results = OutrightOutput(many=True)
