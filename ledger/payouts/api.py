"""REST API of payouts, for players and for administrators who decide about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger import services
from ledger.callers import StaffView, command_key, decided, own_id, plain_text
from ledger.models import OwnerKind
from ledger.payouts import selectors
from ledger.payouts.batches import MOST, checksum_of, file_checksum, file_of
from ledger.payouts.models import (
    DESTINATION_LENGTH,
    Freeze,
    Payout,
    PayoutBatch,
    PayoutKind,
    PayoutState,
    is_cancellable,
)
from ledger.payouts.selectors import standing
from ledger.serializers import BalanceOutput, ReasonField, TransferOutput, _InOwnCurrency
from rest.content import JSONRenderer
from rest.fields import (
    PenceField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, query
from rest.schema import describe


class WithdrawalInput(_InOwnCurrency):
    amount = PenceField()
    destination = StrictTextField(
        max_length=DESTINATION_LENGTH, trim_whitespace=True, help_text="where the money is sent, in one line"
    )


class ApprovalInput(StrictSerializer):
    amount = PenceField(
        required=False, help_text="the approved amount; refused if the payout has another amount"
    )
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class DecisionInput(StrictSerializer):
    reason = ReasonField()


class PaymentInput(StrictSerializer):
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class BatchInput(_InOwnCurrency):
    """The named withdrawals, or the oldest approved ones; `up_to` excludes larger ones."""

    payouts = StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST, required=False)
    up_to = PenceField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "payouts" in attrs and "up_to" in attrs:
            raise InvalidInput("Give either payouts or up_to.")
        return attrs


class BatchPaymentInput(StrictSerializer):
    checksum = StrictTextField(max_length=64, help_text="of the file that the bank has executed")


class FreezeInput(StrictSerializer):
    subject = StrictTextField(min_length=3, max_length=80, help_text="such as game:…")
    player = StrictUUIDField(
        required=False, help_text="freeze only the money of this player; default: of all players"
    )
    reason = ReasonField()


class WithdrawalOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    reference = serializers.CharField(help_text="the reference shown by the bank and on the statement")
    amount = serializers.IntegerField()
    currency = serializers.CharField()
    destination = serializers.CharField()
    state = serializers.ChoiceField(choices=PayoutState.choices)
    requested_at = serializers.DateTimeField()
    reason = serializers.SerializerMethodField(help_text="the reason of a rejection")
    cancellable = serializers.SerializerMethodField(help_text="whether the player can cancel it now")

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
    subject = serializers.CharField(help_text="the subject of a prize")
    state = serializers.ChoiceField(choices=PayoutState.choices)
    version = serializers.IntegerField(help_text="number of its newest step")
    two_persons = serializers.BooleanField(help_text="whether two persons must approve it")
    batch = serializers.UUIDField(source="batch_id", allow_null=True)
    reinstates = serializers.UUIDField(
        source="origin_id", allow_null=True, help_text="the rejected prize that it pays again"
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
    balances = serializers.SerializerMethodField(help_text="the player's balances by purpose")
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
        help_text="SHA-256 of the current file, or of the file that was paid"
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
    payouts = serializers.SerializerMethodField(help_text="the payouts that it put on hold")

    @extend_schema_field(serializers.ListField(child=serializers.UUIDField()))
    def get_payouts(self, freeze: Freeze) -> list[str]:
        return sorted({str(step.payout_id) for step in freeze.steps.all()})


# --- a player's own ----------------------------------------------------------------------------------


class Withdrawals(ListAPIView[Payout]):
    serializer_class = WithdrawalOutput
    ordering = ("-requested_at", "-pk")

    def get_queryset(self) -> QuerySet[Payout]:
        return selectors.withdrawals_of(own_id(self.request))

    @describe(
        "withdrawals_list",
        "The caller's withdrawals, newest first",
        response=WithdrawalOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "withdrawals_create",
        "Request a payout; the money is held at once",
        request=WithdrawalInput,
        response=WithdrawalOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(WithdrawalInput, request)
        payout = services.request_withdrawal(
            player=own_id(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            destination=given["destination"],
            key=command_key(request),
            at=timezone.now(),
        )
        return Response(
            WithdrawalOutput(payout).data,
            status=201,
            headers={"Location": address_of("withdrawal", args=[payout.pk])},
        )


class OneWithdrawal(APIView):
    @describe("withdrawal", "A withdrawal of the caller", response=WithdrawalOutput)
    def get(self, request: Request, payout_id: UUID) -> Response:
        found = selectors.withdrawal(player=own_id(request), id=payout_id)
        return Response(WithdrawalOutput(found).data)


class CancelWithdrawal(APIView):
    @describe(
        "withdrawal_cancel",
        "Cancel an undecided withdrawal",
        request=StrictSerializer,
        response=WithdrawalOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        checked(StrictSerializer, request)
        cancelled = services.cancel_withdrawal(payout=payout_id, player=own_id(request), at=timezone.now())
        return Response(WithdrawalOutput(cancelled).data)


# --- the queue ---------------------------------------------------------------------------------------


class Payouts(StaffView, ListAPIView[Payout]):
    serializer_class = PayoutOutput
    ordering = ("-requested_at", "-pk")

    @describe(
        "payouts_list",
        "All payouts, newest first (administrators, auditors)",
        response=PayoutOutput(many=True),
        parameters=[
            OpenApiParameter("state", enum=PayoutState.values),
            OpenApiParameter("kind", enum=PayoutKind.values),
            OpenApiParameter("player", OpenApiTypes.UUID),
            OpenApiParameter("currency"),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Payout]:
        wanted = query(self.request, "state", "kind", "player", "currency", *PAGE)
        found = selectors.payouts()
        for name, known in (("state", PayoutState.values), ("kind", PayoutKind.values)):
            if name in wanted:
                if wanted[name] not in known:
                    raise InvalidInput(f"{name}: one of {', '.join(known)} is needed.")
                found = found.filter(**{name: wanted[name]})
        if "player" in wanted:
            found = found.filter(payee=f"{OwnerKind.PLAYER}:{_id(wanted['player'])}")
        if "currency" in wanted:
            found = found.filter(currency=plain_text(wanted["currency"]))
        return found


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("player: an id is needed.") from None


class OnePayout(StaffView):
    @describe(
        "payout",
        "A payout with its history, the player's money, and its sources (administrators, auditors)",
        response=PayoutDetailOutput,
    )
    def get(self, request: Request, payout_id: UUID) -> Response:
        return Response(_shown(payout_id))


def _decision(
    operation: str,
    summary: str,
    decide: Callable[..., Any],
    *,
    takes: type[StrictSerializer] = DecisionInput,
    may: str = "ledger.approve_payout",
) -> type[APIView]:
    """Carry out a decision about a payout and return the payout."""
    needed = may

    class Decision(StaffView):
        may: ClassVar = {"POST": needed}

        @describe(operation, summary, request=takes, response=PayoutDetailOutput)
        @idempotent
        def post(self, request: Request, payout_id: UUID) -> Response:
            decide(payout=payout_id, **checked(takes, request), **decided(request))
            return Response(_shown(payout_id))

    return Decision


ApprovePayout = _decision(
    "payout_approve",
    "Approve a payout; a prize is paid at once (administrators)",
    services.approve_payout,
    takes=ApprovalInput,
)
HoldPayout = _decision(
    "payout_hold",
    "Hold a payout; it leaves its batch (administrators)",
    services.hold_payout,
)
ReleasePayout = _decision(
    "payout_release",
    "Release a payout from hold; it must be approved again (administrators)",
    services.release_payout,
)
RejectPayout = _decision(
    "payout_reject",
    "Reject a payout; the money of a withdrawal is released, a prize goes to the site (administrators)",
    services.reject_payout,
)
PayPayout = _decision(
    "payout_pay",
    "Record that an approved payout was paid (administrators)",
    services.pay_payout,
    takes=PaymentInput,
    may="ledger.pay_payout",
)


class ReinstatePayout(StaffView):
    may: ClassVar = {"POST": "ledger.approve_payout"}

    @describe(
        "payout_reinstate",
        "Reinstate a rejected prize as a new payout that waits for approval (administrators)",
        request=DecisionInput,
        response=PayoutDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = checked(DecisionInput, request)
        again = services.reinstate_prize(payout=payout_id, **given, **decided(request))
        return Response(
            _shown(again.pk), status=201, headers={"Location": address_of("payout", args=[again.pk])}
        )


def _shown(payout_id: UUID) -> Any:
    return PayoutDetailOutput(selectors.payout(payout_id)).data


# --- batches -----------------------------------------------------------------------------------------


class Batches(StaffView, ListAPIView[PayoutBatch]):
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": "ledger.pay_payout"}
    serializer_class = BatchOutput
    ordering = ("-made_at", "-pk")

    def get_queryset(self) -> QuerySet[PayoutBatch]:
        return selectors.batches()

    @describe(
        "payout_batches_list",
        "Batches of payouts, newest first (administrators, auditors)",
        response=BatchOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "payout_batches_create",
        "Collect approved withdrawals for the bank: the named or the oldest ones (administrators)",
        request=BatchInput,
        response=BatchDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(BatchInput, request)
        given.setdefault("currency", settings.RACECARD_CURRENCY)
        made = services.make_batch(key=command_key(request), **given, **decided(request))
        return Response(
            _shown_batch(made.pk),
            status=201,
            headers={"Location": address_of("payout-batch", args=[made.pk])},
        )


class OneBatch(StaffView):
    @describe(
        "payout_batch",
        "A batch with its payouts (administrators, auditors)",
        response=BatchDetailOutput,
    )
    def get(self, request: Request, batch_id: UUID) -> Response:
        return Response(_shown_batch(batch_id))


class CSVRenderer(JSONRenderer):
    """Accepts requests for CSV. Errors are JSON."""

    media_type = "text/csv"
    format = "csv"


class BatchFile(StaffView):
    may: ClassVar = {"GET": "ledger.pay_payout"}
    renderer_classes = [CSVRenderer, JSONRenderer]

    @describe(
        "payout_batch_csv",
        "The file of a batch for the bank (administrators)",
        response=OpenApiTypes.STR,
    )
    def get(self, request: Request, batch_id: UUID) -> HttpResponse:
        batch = selectors.batch(batch_id)
        return bank_file_response(batch)


def bank_file_response(batch: PayoutBatch) -> HttpResponse:
    """Return the file as a download with its checksum, by which it is paid."""
    file = file_of(batch)
    return HttpResponse(
        file.encode(),
        content_type="text/csv; charset=utf-8; header=present",
        headers={
            "Content-Disposition": f'attachment; filename="payouts-{batch.pk}.csv"',
            "Cache-Control": "no-store",
            "Racecard-Checksum": checksum_of(file),
        },
    )


class PayBatch(StaffView):
    may: ClassVar = {"POST": "ledger.pay_payout"}

    @describe(
        "payout_batch_pay",
        "Record that the bank has paid a whole batch (administrators)",
        request=BatchPaymentInput,
        response=BatchDetailOutput,
    )
    @idempotent
    def post(self, request: Request, batch_id: UUID) -> Response:
        given = checked(BatchPaymentInput, request)
        services.pay_batch(batch=batch_id, **given, **decided(request))
        return Response(_shown_batch(batch_id))


def _shown_batch(batch_id: UUID) -> Any:
    return BatchDetailOutput(selectors.batch(batch_id)).data


# --- freezes -----------------------------------------------------------------------------------------


class Freezes(StaffView, ListAPIView[Freeze]):
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": "ledger.freeze_money"}
    serializer_class = FreezeOutput
    ordering = ("-at", "-pk")

    def get_queryset(self) -> QuerySet[Freeze]:
        return selectors.freezes()

    @describe(
        "freezes_list",
        "Freezes, newest first (administrators, auditors)",
        response=FreezeOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "freezes_create",
        "Freeze the payments of a subject, as far as the players still have the money (administrators, auditors)",
        request=FreezeInput,
        response=FreezeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(FreezeInput, request)
        given.setdefault("player", None)
        made = services.freeze(claim=command_key(request), **given, **decided(request))
        return Response(FreezeOutput(selectors.freeze(made.pk)).data, status=201)


class ReleaseFreeze(StaffView):
    may: ClassVar = {"POST": "ledger.freeze_money"}

    @describe(
        "freeze_release",
        "Release a freeze (administrators, auditors)",
        request=DecisionInput,
        response=FreezeOutput,
    )
    @idempotent
    def post(self, request: Request, freeze_id: UUID) -> Response:
        given = checked(DecisionInput, request)
        services.release_freeze(freeze=freeze_id, **given, **decided(request))
        return Response(FreezeOutput(selectors.freeze(freeze_id)).data)
