"""Input and output of the ledger's endpoints."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.errors import InvalidInput
from ledger import selectors
from ledger.errors import UnknownCurrency
from ledger.limits import usage
from ledger.models import PlaySession
from ledger.reconciliation.models import Reconciliation
from ledger.reports.statements import LineKind
from rest.fields import PenceField, StrictSerializer, StrictTextField, StrictUUIDField


class FiguresOutput(serializers.Serializer[Any]):
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    seconds = serializers.IntegerField(help_text="time between cash-in and cash-out")
    stakes = serializers.IntegerField(help_text="games, bets, and entries that were not cancelled")
    staked = serializers.IntegerField()
    returned = serializers.IntegerField()
    net = serializers.IntegerField(help_text="open stakes count as lost until they are settled")


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
    """A deposit for a player, or into the bank of a stake table."""

    player = StrictUUIDField(required=False)
    stake_table = StrictTextField(max_length=40, required=False)
    amount = PenceField()
    reason = ReasonField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("player" in attrs) == ("stake_table" in attrs):
            raise InvalidInput("Give either a player or a stake_table.")
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
        child=serializers.CharField(), help_text="currencies in which the caller has accounts"
    )
    accounts = serializers.DictField(child=BalanceOutput(), help_text="by purpose: cash, session …")


class LineOutput(serializers.Serializer[Any]):
    transfer = serializers.UUIDField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()
    subject = serializers.CharField()
    counterparty = serializers.CharField(help_text="the account on the other side")
    kind = serializers.CharField(help_text=", ".join(LineKind.values))
    about = serializers.CharField(
        help_text="for a market, the subject that was bet on; otherwise the subject"
    )
    change = serializers.IntegerField()
    balance = serializers.IntegerField(help_text="balance after the transfer")
    reverses = serializers.UUIDField(allow_null=True, help_text="the transfer that this one reverses")
    reversed_by = serializers.UUIDField(allow_null=True, help_text="the transfer that reverses this one")


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
    id = serializers.IntegerField(help_text="the id in the address of its statement")
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
    summary = serializers.DictField(help_text="options and result of the game")
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
    balance = serializers.SerializerMethodField(help_text="pence that can be staked; 0 after cash-out")
    history = serializers.SerializerMethodField()
    reality = serializers.SerializerMethodField(help_text="time played, stakes, and net result")

    def get_balance(self, session: PlaySession) -> int:
        return selectors.session_balance(session).available

    @extend_schema_field(GameStakeOutput(many=True))
    def get_history(self, session: PlaySession) -> Any:
        return GameStakeOutput(selectors.session_history(session), many=True).data

    @extend_schema_field(FiguresOutput)
    def get_reality(self, session: PlaySession) -> Any:
        return FiguresOutput(usage.of_session(session, now=timezone.now())).data


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
    total = serializers.IntegerField(help_text="always 0 in a correct ledger")


class CheckedOutput(serializers.Serializer[object]):
    what = serializers.CharField(help_text="what was checked")
    of = serializers.CharField(help_text="what is counted")
    number = serializers.IntegerField()


class NotCheckedOutput(serializers.Serializer[object]):
    number = serializers.IntegerField()
    of = serializers.CharField(help_text="what is counted")
    why = serializers.CharField()


class DifferenceOutput(serializers.Serializer[object]):
    subject = serializers.CharField(help_text="such as game:…; empty for an account alone")
    account = serializers.CharField(help_text="an account, two of them, or a transfer by its key")
    currency = serializers.CharField()
    what = serializers.CharField()
    found = serializers.CharField()
    expected = serializers.CharField()
    event = serializers.IntegerField(allow_null=True, help_text="version in the subject's stream")


class ReportOutput(serializers.Serializer[object]):
    checked = CheckedOutput(many=True)
    not_checked = NotCheckedOutput(many=True)
    differences = DifferenceOutput(many=True, help_text="the first thousand")


class ReconciliationOutput(serializers.Serializer[Reconciliation]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    seconds = serializers.IntegerField(help_text="duration")
    replayed = serializers.BooleanField(help_text="whether games were folded move by move")
    differences = serializers.IntegerField(
        help_text="number of all differences; 0: every penny is accounted for"
    )
    report = ReportOutput()
