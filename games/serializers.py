"""Request and response bodies of the games API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.bots import DEFAULT
from games.play.clocks import LONGEST_GAME, LONGEST_MOVE, SHORTEST_GAME, SHORTEST_MOVE
from games.rules import most_seats
from games.rules.cards import SUITS
from games.tables.terms import BotSeat
from ledger.models import PotStatus
from rest.fields import (
    ObjectField,
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)

MOST_SEATS = most_seats()
LONGEST_SEED_TEXT = 64
SLOWEST_DRAW = 3600


_SEAT = {"type": "integer", "minimum": 0, "maximum": MOST_SEATS - 1}


@extend_schema_field(
    {
        "oneOf": [
            _SEAT,
            {
                "type": "object",
                "properties": {"seat": _SEAT, "bot": {"type": "string", "maxLength": 40}},
                "required": ["seat"],
                "additionalProperties": False,
            },
        ]
    }
)
class BotSeatField(serializers.Field[Any, Any, Any, Any]):
    """A seat that a bot plays: `1`, or `{"seat": 1, "bot": "strong"}` to choose the bot."""

    def to_internal_value(self, data: Any) -> BotSeat:
        if type(data) is int:
            data = {"seat": data}
        wanted = _BotSeatInput(data=data)
        wanted.is_valid(raise_exception=True)
        return BotSeat(**wanted.validated_data)


class _BotSeatInput(StrictSerializer):
    seat = StrictIntegerField(min=0, max=MOST_SEATS - 1)
    bot = StrictTextField(max_length=40, required=False, default=DEFAULT)


class GameInput(StrictSerializer):
    rules = StrictTextField(max_length=40)
    config = ObjectField(required=False, default=dict)
    seats = StrictIntegerField(min=0, max=MOST_SEATS, required=False)
    private = StrictBooleanField(required=False, default=False)
    bots = StrictListField(
        child=BotSeatField(),
        max_length=MOST_SEATS,
        required=False,
        default=list,
    )
    draw_every = StrictIntegerField(min=1, max=SLOWEST_DRAW, required=False, allow_null=True, default=None)
    move_limit = StrictIntegerField(
        min=SHORTEST_MOVE, max=LONGEST_MOVE, required=False, allow_null=True, default=None
    )
    game_limit = StrictIntegerField(
        min=SHORTEST_GAME, max=LONGEST_GAME, required=False, allow_null=True, default=None
    )
    hints = StrictBooleanField(required=False, allow_null=True, default=None)
    play_session = StrictUUIDField(required=False, allow_null=True, default=None)
    stake_table = StrictTextField(max_length=40, required=False, allow_null=True, default=None)
    buy_in = PenceField(required=False, allow_null=True, default=None)


SUIT_CODES = list(SUITS)
FREE_SUITS = "which the next player may choose, in the order C D H S; null where seats have no suit"


class SeatInput(StrictSerializer):
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    seat = StrictIntegerField(min=0, max=MOST_SEATS - 1, required=False, allow_null=True, default=None)
    suit = StrictTextField(
        max_length=16,
        required=False,
        allow_null=True,
        default=None,
        help_text="C, D, H or S: required where seats choose suits (`free_suits` of the game), refused elsewhere",
    )
    invite = StrictTextField(max_length=64, allow_blank=True, required=False, default="")


class NothingInput(StrictSerializer):
    """An empty body."""


class MoveInput(StrictSerializer):
    move = serializers.JSONField(allow_null=True)  # the rules check its form


class SeatOutput(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    player = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(
        allow_null=True, help_text="null for a free seat, and for a person if the caller is not signed in"
    )
    kind = serializers.ChoiceField(["human", "bot"], allow_null=True)
    bot = serializers.CharField(allow_null=True)
    suit = serializers.ChoiceField(
        SUIT_CODES, allow_null=True, help_text="null for a free seat, and where seats have no suit"
    )


class ClockOutput(serializers.Serializer[Any]):
    """Limits in seconds; times in UTC, null if the game waits for nothing."""

    move_limit = serializers.IntegerField(allow_null=True)
    game_limit = serializers.IntegerField(allow_null=True)
    act_by = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    now = serializers.DateTimeField()


class MatchPlaceOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    number = serializers.IntegerField()


class PaidOutput(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    amount = serializers.IntegerField(help_text="pence")


class PotOutput(serializers.Serializer[Any]):
    """The pot of a staked table. Amounts in pence, `rake` and `split` in basis points of 10,000."""

    status = serializers.ChoiceField(PotStatus.choices)
    amount = serializers.IntegerField(help_text="what all seats have put in")
    currency = serializers.CharField()
    rake = serializers.IntegerField()
    split = serializers.ListField(
        child=serializers.IntegerField(), help_text="shares of first place, second place …"
    )
    paid = PaidOutput(many=True, allow_null=True, help_text="what each seat got; null while the pot is open")


class YouOutput(serializers.Serializer[Any]):
    """What the caller may do at a table."""

    seat = serializers.IntegerField(allow_null=True, help_text="the caller's own")
    to_act = serializers.BooleanField(help_text="whether the game waits for that seat")
    obstacle = ObjectField(
        allow_null=True, help_text="the problem that sitting down would be refused with now"
    )


class GameLineOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    rules = serializers.CharField()
    rules_version = serializers.IntegerField()
    status = serializers.ChoiceField(["open", "active", "finished", "void"])
    config = ObjectField()
    seats = SeatOutput(many=True)
    free_suits = serializers.ListField(
        child=serializers.ChoiceField(SUIT_CODES), allow_null=True, help_text=FREE_SUITS
    )
    private = serializers.BooleanField()
    match = MatchPlaceOutput(allow_null=True)
    tournament = serializers.UUIDField(allow_null=True)
    round = serializers.IntegerField(allow_null=True)
    stake_table = serializers.CharField(allow_null=True)
    buy_in = serializers.IntegerField(allow_null=True, help_text="pence that each seat pays")
    outcome = ObjectField(allow_null=True)
    you = YouOutput(allow_null=True, help_text="only if requested, for callers who are signed in")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class FairnessOutput(serializers.Serializer[Any]):
    commitment = serializers.CharField()
    client_seeds = serializers.ListField(child=serializers.CharField())
    server_seed = serializers.CharField(allow_null=True)


class PlaceOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    round = serializers.IntegerField()
    deal = serializers.IntegerField()


class CurrentSuspensionOutput(serializers.Serializer[Any]):
    since = serializers.DateTimeField()
    reason = serializers.CharField()


class ParentOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    version = serializers.IntegerField(
        allow_null=True, help_text="its last event that this game repeats; null: this is a new deal"
    )


class GameOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    rules = serializers.CharField()
    rules_version = serializers.IntegerField()
    status = serializers.ChoiceField(["open", "active", "finished", "void"])
    config = ObjectField()
    seats = SeatOutput(many=True)
    free_suits = serializers.ListField(
        child=serializers.ChoiceField(SUIT_CODES), allow_null=True, help_text=FREE_SUITS
    )
    version = serializers.IntegerField()
    to_act = serializers.ListField(child=serializers.IntegerField())
    fairness = FairnessOutput()
    view = ObjectField(allow_null=True)
    legal_moves = serializers.ListField(child=ObjectField())
    outcome = ObjectField(allow_null=True)
    suspension = CurrentSuspensionOutput(
        allow_null=True, help_text="while the game is suspended: no clock runs and there are no legal moves"
    )
    parent = ParentOutput(
        allow_null=True, help_text="the game that this one continues, or of which it is a redeal"
    )
    replaced_by = serializers.UUIDField(
        allow_null=True, help_text="the game that continues or replaces this one"
    )
    hash = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    obstacle = ObjectField(
        allow_null=True, help_text="the problem that sitting down would be refused with, before the deal"
    )
    private = serializers.BooleanField()
    invite = serializers.CharField(allow_null=True)
    draw_every = serializers.IntegerField(allow_null=True)
    clock = ClockOutput()
    hints = serializers.BooleanField()
    match = MatchPlaceOutput(allow_null=True)
    tournament = PlaceOutput(allow_null=True)
    stake_table = serializers.CharField(allow_null=True)
    buy_in = serializers.IntegerField(allow_null=True, help_text="pence that each seat pays")
    pot = PotOutput(allow_null=True)
    market = serializers.UUIDField(allow_null=True, help_text="the win market on a race; null without one")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class EventOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    type = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    data = ObjectField()  # type: ignore[assignment]
    private = ObjectField(allow_null=True)
    seal = serializers.CharField(allow_null=True)
    at = serializers.CharField()
    prev = serializers.CharField()
    hash = serializers.CharField()


class EventsOutput(serializers.Serializer[Any]):
    results = EventOutput(many=True)
    next = serializers.URLField(allow_null=True)


class PlayedOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    hash = serializers.CharField()
    events = EventOutput(many=True)
    view = ObjectField()
    legal_moves = serializers.ListField(child=ObjectField())


class HintOutput(serializers.Serializer[Any]):
    move = ObjectField()
    legal = serializers.BooleanField(help_text="always true: it is one of the legal moves at that version")
    version = serializers.IntegerField()


class ReplayOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    event = EventOutput()
    status = serializers.ChoiceField(["open", "active", "finished", "void"])
    seat = serializers.IntegerField(allow_null=True)
    to_act = serializers.ListField(child=serializers.IntegerField())
    view = ObjectField(allow_null=True)
    legal_moves = serializers.ListField(child=ObjectField(), help_text="those of `seat` then")
    views = serializers.ListField(child=ObjectField(), allow_null=True)
    cards = ObjectField(allow_null=True, help_text="every card where it lay, those face down too")
    outcome = ObjectField(allow_null=True)


class FaultOutput(serializers.Serializer[Any]):
    check = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()


class VerificationPendingOutput(serializers.Serializer[Any]):
    """A job is making the report of a long game. Request it again after `Retry-After` seconds."""

    game = serializers.UUIDField()
    pending = serializers.BooleanField()


class VerificationOutput(serializers.Serializer[Any]):
    ok = serializers.BooleanField()
    game = serializers.UUIDField()
    events = serializers.IntegerField()
    ended = serializers.BooleanField()
    version = serializers.IntegerField(allow_null=True)
    why = serializers.CharField(allow_null=True)
    checks = serializers.DictField(child=serializers.ChoiceField(["passed", "failed", "not-run"]))
    faults = FaultOutput(many=True)
    verified_at = serializers.CharField(
        help_text="when the checks were made; of a long game maybe earlier than now"
    )


class BundleOutput(serializers.Serializer[Any]):
    format = serializers.CharField()
    game = ObjectField()
    events = EventOutput(many=True)
    outcome = ObjectField(allow_null=True)
    rulings = serializers.ListField(child=ObjectField())
    transfers = serializers.JSONField()
    checkpoint = ObjectField(required=False)


class RulingOutput(serializers.Serializer[Any]):
    key = serializers.CharField()
    reference = serializers.CharField()
    text = serializers.CharField()
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]


class OptionOutput(serializers.Serializer[Any]):
    key = serializers.CharField()
    schema = ObjectField()
    ruling = serializers.CharField()
    reference = serializers.CharField()
    text = serializers.CharField()
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]


class RefusalOutput(serializers.Serializer[Any]):
    code = serializers.CharField()
    meaning = serializers.CharField()
    malformed = serializers.BooleanField(help_text="answered with 400; every other with 409")


class RulesOutput(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField()
    versions = serializers.ListField(child=serializers.IntegerField())
    seats = serializers.ListField(child=serializers.IntegerField())
    config_schema = ObjectField()
    move_schema = ObjectField()
    rulings = RulingOutput(many=True)
    options = OptionOutput(many=True)
    general = RulingOutput(many=True)
    refusals = RefusalOutput(many=True)
    bots = serializers.ListField(child=serializers.CharField())
    hints = serializers.BooleanField()
    matches = serializers.BooleanField()
