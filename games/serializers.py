"""Request bodies of the games API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.bots import DEFAULT
from games.models import BotPace
from games.play.clocks import LONGEST_BETTING, LONGEST_GAME, LONGEST_MOVE, SHORTEST_GAME, SHORTEST_MOVE
from games.rules import most_seats
from games.tables.terms import BotSeat
from rest.fields import (
    ObjectField,
    PenceField,
    StrictBooleanField,
    StrictChoiceField,
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


SUIT_HELP = "C, D, H or S: required where seats choose suits (`free_suits` of the game), refused elsewhere"


class TermsInput(StrictSerializer):
    """The terms of every table."""

    rules = StrictTextField(max_length=40)
    config = ObjectField(required=False, default=dict)
    move_limit = StrictIntegerField(
        min=SHORTEST_MOVE, max=LONGEST_MOVE, required=False, allow_null=True, default=None
    )
    game_limit = StrictIntegerField(
        min=SHORTEST_GAME, max=LONGEST_GAME, required=False, allow_null=True, default=None
    )


class PlayedTableInput(TermsInput):
    """The terms of a table at which bots may sit, whether opened or part of a match or a challenge."""

    bots = StrictListField(child=BotSeatField(), max_length=MOST_SEATS, required=False, default=list)


class TableInput(PlayedTableInput):
    """The terms of a table that is opened, of one game or of a match."""

    seats = StrictIntegerField(min=0, max=MOST_SEATS, required=False)
    private = StrictBooleanField(required=False, default=False)
    stake_table = StrictTextField(max_length=40, required=False, allow_null=True, default=None)
    buy_in = PenceField(required=False, allow_null=True, default=None)


class GameInput(TableInput):
    draw_every = StrictIntegerField(min=1, max=SLOWEST_DRAW, required=False, allow_null=True, default=None)
    hints = StrictBooleanField(required=False, allow_null=True, default=None)
    bot_pace = StrictChoiceField(
        BotPace.choices,
        required=False,
        default=BotPace.NORMAL,
        help_text="of bots where all seats play at once; elsewhere only `normal`",
    )
    play_session = StrictUUIDField(required=False, allow_null=True, default=None)


class SeatInput(StrictSerializer):
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    seat = StrictIntegerField(min=0, max=MOST_SEATS - 1, required=False, allow_null=True, default=None)
    suit = StrictTextField(
        max_length=16,
        required=False,
        allow_null=True,
        default=None,
        help_text=SUIT_HELP,
    )
    invite = StrictTextField(max_length=64, allow_blank=True, required=False, default="")


class PairingInput(TermsInput):
    """The terms on which a player looks for opponents, and the player's seat."""

    seats = StrictIntegerField(min=2, max=MOST_SEATS)
    draw_every = StrictIntegerField(min=1, max=SLOWEST_DRAW, required=False, allow_null=True, default=None)
    stake_table = StrictTextField(max_length=40, required=False, allow_null=True, default=None)
    buy_in = PenceField(required=False, allow_null=True, default=None)
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    suit = StrictTextField(
        max_length=16,
        required=False,
        allow_null=True,
        default=None,
        help_text="C, D, H or S where seats choose suits; null: the first free one",
    )


class SeatedBotInput(StrictSerializer):
    bot = StrictTextField(max_length=40, required=False, default=DEFAULT)


class GameStartInput(StrictSerializer):
    countdown = StrictIntegerField(
        min=0,
        max=LONGEST_BETTING,
        required=False,
        default=0,
        help_text="seconds until the deal where all seats play at once (at most 10), or until the first draw of a "
        "race with a market",
    )


class RematchInput(StrictSerializer):
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    buy_in = PenceField(
        required=False,
        allow_null=True,
        default=None,
        help_text="pence that the caller agrees to pay: the `buy_in` of the finished game; null without one",
    )


class MoveInput(StrictSerializer):
    move = serializers.JSONField(allow_null=True)  # the rules check its form
