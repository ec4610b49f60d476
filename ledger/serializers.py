"""What the ledger's views take and answer."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.errors import InvalidInput
from api.fields import PenceField, StrictSerializer, StrictTextField, StrictUUIDField
from ledger import selectors
from ledger.errors import UnknownCurrency
from ledger.limits import reality
from ledger.limits.serializers_figures import FiguresOutput
from ledger.lines import LineKind
from ledger.models import PlaySession


class ReasonField(StrictTextField):
    def __init__(self) -> None:
        super().__init__(min_length=3, max_length=200, trim_whitespace=True)


class _InOwnCurrency(StrictSerializer):
    currency = StrictTextField(max_length=3, required=False)

    def validate_currency(self, currency: str) -> str:
        if currency != settings.RACECARD_CURRENCY:
            raise UnknownCurrency(f"This installation's currency is {settings.RACECARD_CURRENCY}.")
        return currency


class CashInInput(_InOwnCurrency):
    amount = PenceField()


class DepositInput(_InOwnCurrency):
    """For a player, or for the bank of a stake table."""

    player = StrictUUIDField(required=False)
    stake_table = StrictTextField(max_length=40, required=False)
    amount = PenceField()
    reason = ReasonField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("player" in attrs) == ("stake_table" in attrs):
            raise InvalidInput("Say either the player or the stake_table whose bank is paid in for.")
        return attrs


class ReversalInput(StrictSerializer):
    transfer = StrictUUIDField()
    reason = ReasonField()


class BalanceOutput(serializers.Serializer[Any]):
    available = serializers.IntegerField()
    held = serializers.IntegerField()
    total = serializers.IntegerField()


class WalletOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    currencies = serializers.ListField(
        child=serializers.CharField(), help_text="in which the caller has accounts"
    )
    accounts = serializers.DictField(child=BalanceOutput(), help_text="by purpose: cash, session …")


class LineOutput(serializers.Serializer[Any]):
    transfer = serializers.UUIDField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()
    subject = serializers.CharField()
    other = serializers.CharField(help_text="the account on the other side")
    kind = serializers.CharField(help_text=", ".join(LineKind.values))
    about = serializers.CharField(help_text="of a market: what was bet on; else the subject")
    change = serializers.IntegerField()
    balance = serializers.IntegerField(help_text="what was there afterwards")
    reverses = serializers.UUIDField(allow_null=True, help_text="the transfer that this one takes back")
    reversed_by = serializers.UUIDField(allow_null=True, help_text="the transfer that takes this one back")


class TransferOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="uuid")
    posting = serializers.UUIDField()
    debit = serializers.CharField(source="debit.text")
    credit = serializers.CharField(source="credit.text")
    currency = serializers.CharField()
    amount = serializers.IntegerField()
    reason = serializers.CharField()
    subject = serializers.CharField()
    event = serializers.IntegerField(allow_null=True)
    actor = serializers.CharField()
    at = serializers.DateTimeField()
    reverses = serializers.UUIDField(source="reverses.uuid", allow_null=True, default=None)


class PostingOutput(serializers.Serializer[Any]):
    posting = serializers.UUIDField(source="id")
    transfers = TransferOutput(many=True)


class AccountOutput(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="names it in the address of its statement")
    account = serializers.CharField(source="text")
    currency = serializers.CharField()
    debits = serializers.IntegerField()
    credits = serializers.IntegerField()
    available = serializers.IntegerField()
    held = serializers.IntegerField()
    total = serializers.IntegerField()


class GameStakeOutput(serializers.Serializer[Any]):
    game = serializers.UUIDField()
    stake_table = serializers.CharField(source="stake_table.slug")
    stake = serializers.IntegerField()
    max_win = serializers.IntegerField()
    status = serializers.CharField()
    winnings = serializers.IntegerField(allow_null=True)
    net = serializers.IntegerField(allow_null=True)
    summary = serializers.DictField(help_text="what the game was: its draw, its cards …")
    staked_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PlaySessionOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    currency = serializers.CharField()
    open = serializers.BooleanField(source="is_open")
    opened_at = serializers.DateTimeField()
    cash_in = serializers.IntegerField()
    closed_at = serializers.DateTimeField(allow_null=True)
    cash_out = serializers.IntegerField(allow_null=True)


class PlaySessionDetailOutput(PlaySessionOutput):
    balance = serializers.SerializerMethodField(help_text="what may still be staked; 0 once cashed out")
    history = serializers.SerializerMethodField()
    reality = serializers.SerializerMethodField(help_text="time played, and what it came to")

    def get_balance(self, session: PlaySession) -> int:
        return selectors.session_balance(session).available

    @extend_schema_field(GameStakeOutput(many=True))
    def get_history(self, session: PlaySession) -> Any:
        return GameStakeOutput(selectors.session_history(session), many=True).data

    @extend_schema_field(FiguresOutput)
    def get_reality(self, session: PlaySession) -> Any:
        return FiguresOutput(reality.of_session(session, now=timezone.now())).data


class TrialRowOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    purpose = serializers.CharField()
    accounts = serializers.IntegerField()
    debits = serializers.IntegerField()
    credits = serializers.IntegerField()
    held = serializers.IntegerField()
    balance = serializers.IntegerField()


class TrialBalanceOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    rows = TrialRowOutput(many=True)
    debits = serializers.IntegerField()
    credits = serializers.IntegerField()
    total = serializers.IntegerField(help_text="zero, or money came from nowhere")
