"""What the views of payouts take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.errors import InvalidInput
from api.fields import PenceField, StrictListField, StrictSerializer, StrictTextField, StrictUUIDField
from ledger.payouts.batches import MOST, file_checksum
from ledger.payouts.models import DESTINATION_LENGTH, Freeze, Payout, PayoutBatch, PayoutKind, PayoutState
from ledger.payouts.selectors import standing
from ledger.payouts.states import is_cancellable
from ledger.serializers import BalanceOutput, ReasonField, TransferOutput, _InOwnCurrency


class WithdrawalInput(_InOwnCurrency):
    amount = PenceField()
    destination = StrictTextField(
        max_length=DESTINATION_LENGTH, trim_whitespace=True, help_text="where the money goes, in one line"
    )


class ApprovalInput(StrictSerializer):
    amount = PenceField(
        required=False, help_text="what is approved; refused if the payout is of another amount"
    )
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class DecisionInput(StrictSerializer):
    reason = ReasonField()


class PaymentInput(StrictSerializer):
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class BatchInput(_InOwnCurrency):
    """Those named, or the oldest that wait; `up_to` leaves larger ones out."""

    payouts = StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST, required=False)
    up_to = PenceField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "payouts" in attrs and "up_to" in attrs:
            raise InvalidInput("Say either the payouts or up_to.")
        return attrs


class BatchPaymentInput(StrictSerializer):
    checksum = StrictTextField(max_length=64, help_text="of the file that the bank has carried out")


class FreezeInput(StrictSerializer):
    subject = StrictTextField(min_length=3, max_length=80, help_text="such as game:…")
    player = StrictUUIDField(required=False, help_text="whose money alone is frozen; left out: everybody's")
    reason = ReasonField()


class WithdrawalOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    reference = serializers.CharField(help_text="as the bank and the statement name it")
    amount = serializers.IntegerField()
    currency = serializers.CharField()
    destination = serializers.CharField()
    state = serializers.ChoiceField(choices=PayoutState.choices)
    requested_at = serializers.DateTimeField()
    reason = serializers.SerializerMethodField(help_text="why it was rejected")
    cancellable = serializers.SerializerMethodField(help_text="whether it may be taken back now")

    def get_cancellable(self, payout: Payout) -> bool:
        return is_cancellable(payout.state)

    def get_reason(self, payout: Payout) -> str | None:
        if payout.state != PayoutState.REJECTED:
            return None
        return payout.steps.get(number=payout.version).reason


class PayoutOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    reference = serializers.CharField()
    kind = serializers.ChoiceField(choices=PayoutKind.choices)
    player = serializers.UUIDField()
    amount = serializers.IntegerField()
    currency = serializers.CharField()
    destination = serializers.CharField()
    subject = serializers.CharField(help_text="what a prize is for")
    state = serializers.ChoiceField(choices=PayoutState.choices)
    version = serializers.IntegerField(help_text="number of its newest step")
    two_persons = serializers.BooleanField(help_text="whether two persons must approve it")
    batch = serializers.UUIDField(source="batch_id", allow_null=True)
    origin = serializers.UUIDField(
        source="origin_id", allow_null=True, help_text="the rejected prize it follows"
    )
    requested_by = serializers.CharField()
    requested_at = serializers.DateTimeField()


class StepOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    was = serializers.CharField()
    becomes = serializers.ChoiceField(choices=PayoutState.choices)
    amount = serializers.IntegerField()
    actor = serializers.CharField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()
    batch = serializers.UUIDField(source="batch_id", allow_null=True)
    freeze = serializers.UUIDField(source="freeze_id", allow_null=True)


class PayoutDetailOutput(PayoutOutput):
    history = StepOutput(source="steps", many=True)
    balances = serializers.SerializerMethodField(help_text="what the player has now, by purpose")
    sources = serializers.SerializerMethodField(help_text="the newest transfers to the player")

    def to_representation(self, instance: Payout) -> Any:
        self._standing = standing(instance)
        return super().to_representation(instance)

    @extend_schema_field(serializers.DictField(child=BalanceOutput()))
    def get_balances(self, payout: Payout) -> Any:
        return {purpose: BalanceOutput(balance).data for purpose, balance in self._standing.balances.items()}

    @extend_schema_field(TransferOutput(many=True))
    def get_sources(self, payout: Payout) -> Any:
        return TransferOutput(self._standing.sources, many=True).data


class BatchOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    currency = serializers.CharField()
    count = serializers.IntegerField()
    amount = serializers.IntegerField()
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()
    paid_by = serializers.CharField()
    paid_at = serializers.DateTimeField(allow_null=True)
    posting = serializers.UUIDField(allow_null=True)


class BatchDetailOutput(BatchOutput):
    checksum = serializers.SerializerMethodField(
        help_text="SHA-256 of the file as it is now, or as it was paid"
    )
    payouts = PayoutOutput(many=True)

    def get_checksum(self, batch: PayoutBatch) -> str:
        return file_checksum(batch)


class FrozenOutput(serializers.Serializer[Any]):
    account = serializers.CharField(source="hold.account.text")
    currency = serializers.CharField(source="hold.account.currency")
    amount = serializers.IntegerField(source="hold.amount")
    state = serializers.CharField(source="hold.state")


class FreezeOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject = serializers.CharField()
    player = serializers.UUIDField(allow_null=True)
    reason = serializers.CharField()
    actor = serializers.CharField()
    at = serializers.DateTimeField()
    released_by = serializers.CharField()
    released_at = serializers.DateTimeField(allow_null=True)
    released_reason = serializers.CharField()
    money = FrozenOutput(many=True)
    payouts = serializers.SerializerMethodField(help_text="those that it put on hold")

    @extend_schema_field(serializers.ListField(child=serializers.UUIDField()))
    def get_payouts(self, freeze: Freeze) -> list[str]:
        return sorted({str(step.payout_id) for step in freeze.steps.all()})
