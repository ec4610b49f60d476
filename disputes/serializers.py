"""What the API of disputes takes, and the shape of what it answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import (
    ObjectField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from disputes import states
from disputes.models import CLAIM_LENGTH, NOTE_LENGTH, REASON_LENGTH
from disputes.offers import DEEDS
from eventstore.chain import LARGEST_INTEGER
from games.serializers import EventOutput

TOKEN_LENGTH = 100


class DisputeInput(StrictSerializer):
    version = StrictIntegerField(
        min=1, max=LARGEST_INTEGER, help_text="of the event from which something is wrong"
    )
    claim = StrictTextField(max_length=CLAIM_LENGTH)


class PinInput(StrictSerializer):
    version = StrictIntegerField(min=1, max=LARGEST_INTEGER)
    game = StrictUUIDField(
        required=False, allow_null=True, default=None, help_text="another of the same deal or tournament"
    )
    note = StrictTextField(max_length=NOTE_LENGTH, required=False, allow_blank=True, default="")


class DisputeReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=REASON_LENGTH)


class DisputeApprovalInput(StrictSerializer):
    reason = StrictTextField(
        max_length=REASON_LENGTH,
        required=False,
        allow_blank=True,
        default="",
        help_text="told with the ruling",
    )


class DisputeDecisionInput(StrictSerializer):
    finding = StrictChoiceField(choices=states.FINDINGS)
    remedy = StrictChoiceField(choices=states.REMEDIES)
    reason = StrictTextField(max_length=REASON_LENGTH)
    terms = ObjectField(required=False, default=dict, help_text="of the remedy; see docs/disputes.md")


class DisputeRulingInput(DisputeDecisionInput):
    token = StrictTextField(
        max_length=TOKEN_LENGTH,
        required=False,
        allow_blank=True,
        default="",
        help_text="of the preview; needed where the ruling changes anything",
    )


class DisputeLineOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    game = serializers.UUIDField()
    rules = serializers.CharField()
    tournament = serializers.UUIDField(allow_null=True)
    by = serializers.UUIDField()
    seat = serializers.IntegerField(allow_null=True, help_text="null: the organizer")
    version = serializers.IntegerField(
        allow_null=True, help_text="of the game; null to whom that is closed: its deal is still in play"
    )
    status = serializers.ChoiceField(["open", "proposed", "ruled", "appealed", "withdrawn"])
    instance = serializers.IntegerField(help_text="2: an appeal")
    finding = serializers.ChoiceField(
        list(states.FINDINGS), allow_null=True, help_text="of the ruling that stands, if one does"
    )
    remedy = serializers.ChoiceField(list(states.REMEDIES), allow_null=True)
    suspends = serializers.BooleanField(help_text="the game is suspended for it")
    opened_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    appeal_until = serializers.DateTimeField(allow_null=True)


class DisputeEvidenceOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    version = serializers.IntegerField(
        allow_null=True, help_text="null, as the hash, to whom the game is closed"
    )
    hash = serializers.CharField(allow_null=True)
    note = serializers.CharField()
    by = serializers.UUIDField()
    at = serializers.DateTimeField()


class RulingMoneyOutput(serializers.Serializer[Any]):
    owner = serializers.CharField(help_text="player:…, house, house:…")
    currency = serializers.CharField()
    change = serializers.IntegerField(help_text="pence")


class ResultChangeOutput(serializers.Serializer[Any]):
    was = ObjectField()
    becomes = ObjectField()


class RulingEffectsOutput(serializers.Serializer[Any]):
    result = ResultChangeOutput()
    money = RulingMoneyOutput(many=True)
    tournament = ObjectField(
        allow_null=True, help_text="standings, pairings, prizes and bets as a correction shows them"
    )
    plays = serializers.CharField(allow_null=True, help_text="how the game is played on, if it is")
    bets_paid_later = serializers.IntegerField()


class DisputeRulingOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    number = serializers.IntegerField()
    instance = serializers.IntegerField()
    state = serializers.ChoiceField(["proposed", "standing", "refused", "superseded"])
    finding = serializers.ChoiceField(list(states.FINDINGS))
    remedy = serializers.ChoiceField(list(states.REMEDIES))
    terms = ObjectField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    auditor = serializers.UUIDField()
    rules = serializers.CharField()
    rules_version = serializers.IntegerField()
    evidence = serializers.ListField(child=ObjectField(), allow_null=True)
    effects = RulingEffectsOutput(allow_null=True)
    moves = serializers.IntegerField(help_text="pence that change hands")
    second_person = serializers.BooleanField()
    ruled_at = serializers.DateTimeField()
    decided_by = serializers.UUIDField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_why = serializers.CharField(
        allow_null=True, help_text="by the second person: why it was refused or approved"
    )
    game = serializers.UUIDField(allow_null=True, help_text="in which play goes on")


class RefusedDeedOutput(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="as the problem of that code would have; see docs/errors.md")
    detail = serializers.CharField()


class DisputeDeedOutput(serializers.Serializer[Any]):
    deed = serializers.ChoiceField(list(DEEDS))
    why_not = RefusedDeedOutput(allow_null=True, help_text="null: the caller can do it now")


class DisputeOutput(DisputeLineOutput):
    hash = serializers.CharField(allow_null=True, help_text="of the game's event; null where `version` is")
    claim = serializers.CharField(allow_null=True, help_text="null while the game is on, but for some")
    events = serializers.IntegerField()
    evidence = DisputeEvidenceOutput(many=True, allow_null=True)
    rulings = DisputeRulingOutput(many=True)
    held_since = serializers.DateTimeField(
        allow_null=True, help_text="what the game paid is held since then; null: nothing is"
    )
    deeds = DisputeDeedOutput(many=True, help_text="what could be done with it in this state by the caller")


class OwnDisputeOutput(serializers.Serializer[Any]):
    can_open = serializers.BooleanField(help_text="the caller can dispute the game now")
    why_not = RefusedDeedOutput(allow_null=True)
    seat = serializers.IntegerField(allow_null=True, help_text="the caller's; null: none")
    until = serializers.DateTimeField(
        allow_null=True, help_text="the last moment for it; null: the game has not ended"
    )
    days = serializers.IntegerField(help_text="after its end in which a game can be disputed")
    dispute = DisputeLineOutput(allow_null=True, help_text="the caller's last one of the game")


class DisputeEventOutput(EventOutput):
    """As any event; where something of it is kept back, hash and `prev` are as well: a guess could be tried on them."""

    prev = serializers.CharField(allow_null=True)
    hash = serializers.CharField(allow_null=True)


class RulingPreviewOutput(serializers.Serializer[Any]):
    token = serializers.CharField()
    effects = RulingEffectsOutput()
    moves = serializers.DictField(child=serializers.IntegerField(), help_text="pence by currency")
    second_person = serializers.BooleanField(help_text="it will wait for another's approval")
