"""REST of payouts: for whoever wants money, and for those who decide about it."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.fields import StrictSerializer
from api.idempotency import idempotent
from api.query import PAGE, query
from api.renderers import JSONRenderer
from api.schema import describe
from ledger import services
from ledger.api import MayKeepBooks, _given, _key, _me, _text
from ledger.models import OwnerKind
from ledger.payouts import selectors, serializers
from ledger.payouts.bankfile import checksum_of
from ledger.payouts.batches import file_of
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind, PayoutState

# --- a player's own ----------------------------------------------------------------------------------


class Withdrawals(ListAPIView[Payout]):
    serializer_class = serializers.WithdrawalOutput
    ordering = ("-requested_at", "-pk")

    def get_queryset(self) -> QuerySet[Payout]:
        return selectors.withdrawals_of(_me(self.request))

    @describe(
        "withdrawals_list",
        "The caller's withdrawals, newest first",
        response=serializers.WithdrawalOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "withdrawals_create",
        "Ask for money to be paid out; it is held from now on",
        request=serializers.WithdrawalInput,
        response=serializers.WithdrawalOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = _given(serializers.WithdrawalInput, request)
        payout = services.request_withdrawal(
            player=_me(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            destination=given["destination"],
            key=_key(request),
            at=timezone.now(),
        )
        return Response(
            serializers.WithdrawalOutput(payout).data,
            status=201,
            headers={"Location": address_of("withdrawal", args=[payout.pk])},
        )


class OneWithdrawal(APIView):
    @describe("withdrawal", "A withdrawal of the caller's", response=serializers.WithdrawalOutput)
    def get(self, request: Request, payout_id: UUID) -> Response:
        found = selectors.withdrawal(player=_me(request), id=payout_id)
        return Response(serializers.WithdrawalOutput(found).data)


class CancelWithdrawal(APIView):
    @describe(
        "withdrawal_cancel",
        "Take a withdrawal back that nobody has decided about: it is rejected by the one who asked",
        request=StrictSerializer,
        response=serializers.WithdrawalOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        _given(StrictSerializer, request)
        cancelled = services.cancel_withdrawal(payout=payout_id, player=_me(request), at=timezone.now())
        return Response(serializers.WithdrawalOutput(cancelled).data)


# --- the queue ---------------------------------------------------------------------------------------


class Payouts(ListAPIView[Payout]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = serializers.PayoutOutput
    ordering = ("-requested_at", "-pk")

    @describe(
        "payouts_list",
        "All payouts, newest first (administrators, auditors)",
        response=serializers.PayoutOutput(many=True),
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
            found = found.filter(currency=_text(wanted["currency"]))
        return found


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("player: an id is needed.") from None


class OnePayout(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "payout",
        "A payout with its history, the player's money and where it came from (administrators, auditors)",
        response=serializers.PayoutDetailOutput,
    )
    def get(self, request: Request, payout_id: UUID) -> Response:
        return Response(_shown(payout_id))


class _Decision(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.approve_payout"}


class ApprovePayout(_Decision):
    @describe(
        "payout_approve",
        "Let a payout be paid; a prize is, at once (administrators)",
        request=serializers.ApprovalInput,
        response=serializers.PayoutDetailOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.ApprovalInput, request)
        services.approve_payout(payout=payout_id, **given, **_by(request))
        return Response(_shown(payout_id))


class HoldPayout(_Decision):
    @describe(
        "payout_hold",
        "Stop a payout for now; it leaves its batch (administrators)",
        request=serializers.DecisionInput,
        response=serializers.PayoutDetailOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.DecisionInput, request)
        services.hold_payout(payout=payout_id, **given, **_by(request))
        return Response(_shown(payout_id))


class ReleasePayout(_Decision):
    @describe(
        "payout_release",
        "Let a payout on hold go on; it is approved anew (administrators)",
        request=serializers.DecisionInput,
        response=serializers.PayoutDetailOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.DecisionInput, request)
        services.release_payout(payout=payout_id, **given, **_by(request))
        return Response(_shown(payout_id))


class RejectPayout(_Decision):
    @describe(
        "payout_reject",
        "End a payout unpaid: a withdrawal's money is free again, a prize goes to the house (administrators)",
        request=serializers.DecisionInput,
        response=serializers.PayoutDetailOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.DecisionInput, request)
        services.reject_payout(payout=payout_id, **given, **_by(request))
        return Response(_shown(payout_id))


class ReinstatePayout(_Decision):
    @describe(
        "payout_reinstate",
        "Take the rejection of a prize back: a new payout of it waits for approval (administrators)",
        request=serializers.DecisionInput,
        response=serializers.PayoutDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.DecisionInput, request)
        again = services.reinstate_prize(payout=payout_id, **given, **_by(request))
        return Response(
            _shown(again.pk), status=201, headers={"Location": address_of("payout", args=[again.pk])}
        )


class PayPayout(_Decision):
    may: ClassVar = {"POST": "ledger.pay_payout"}

    @describe(
        "payout_pay",
        "The money of an approved payout has left (administrators)",
        request=serializers.PaymentInput,
        response=serializers.PayoutDetailOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = _given(serializers.PaymentInput, request)
        services.pay_payout(payout=payout_id, **given, **_by(request))
        return Response(_shown(payout_id))


def _by(request: Request) -> dict[str, Any]:
    return {"actor": f"{OwnerKind.PLAYER}:{_me(request)}", "at": timezone.now()}


def _shown(payout_id: UUID) -> Any:
    return serializers.PayoutDetailOutput(selectors.payout(payout_id)).data


# --- batches -----------------------------------------------------------------------------------------


class Batches(ListAPIView[PayoutBatch]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": "ledger.pay_payout"}
    serializer_class = serializers.BatchOutput
    ordering = ("-made_at", "-pk")

    def get_queryset(self) -> QuerySet[PayoutBatch]:
        return selectors.batches()

    @describe(
        "payout_batches_list",
        "Batches of payouts, newest first (administrators, auditors)",
        response=serializers.BatchOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "payout_batches_create",
        "Collect approved withdrawals for the bank: those named, or the oldest that wait (administrators)",
        request=serializers.BatchInput,
        response=serializers.BatchDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = _given(serializers.BatchInput, request)
        given.setdefault("currency", settings.RACECARD_CURRENCY)
        made = services.make_batch(key=_key(request), **given, **_by(request))
        return Response(
            _shown_batch(made.pk),
            status=201,
            headers={"Location": address_of("payout-batch", args=[made.pk])},
        )


class OneBatch(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "payout_batch",
        "A batch with its payouts (administrators, auditors)",
        response=serializers.BatchDetailOutput,
    )
    def get(self, request: Request, batch_id: UUID) -> Response:
        return Response(_shown_batch(batch_id))


class CSVRenderer(JSONRenderer):
    """Lets a caller ask for CSV; what is refused is told in JSON all the same."""

    media_type = "text/csv"
    format = "csv"


class BatchFile(APIView):
    permission_classes = [MayKeepBooks]
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
    """The file as a download, with the checksum by which it is paid."""
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


class PayBatch(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.pay_payout"}

    @describe(
        "payout_batch_pay",
        "The bank has carried out a batch's file: pay all that is in it, or nothing (administrators)",
        request=serializers.BatchPaymentInput,
        response=serializers.BatchDetailOutput,
    )
    @idempotent
    def post(self, request: Request, batch_id: UUID) -> Response:
        given = _given(serializers.BatchPaymentInput, request)
        services.pay_batch(batch=batch_id, **given, **_by(request))
        return Response(_shown_batch(batch_id))


def _shown_batch(batch_id: UUID) -> Any:
    return serializers.BatchDetailOutput(selectors.batch(batch_id)).data


# --- freezes -----------------------------------------------------------------------------------------


class Freezes(ListAPIView[Freeze]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": "ledger.freeze_money"}
    serializer_class = serializers.FreezeOutput
    ordering = ("-at", "-pk")

    def get_queryset(self) -> QuerySet[Freeze]:
        return selectors.freezes()

    @describe(
        "freezes_list",
        "Freezes, newest first (administrators, auditors)",
        response=serializers.FreezeOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "freezes_create",
        "Hold what a subject has paid, as far as it is still there (administrators, auditors)",
        request=serializers.FreezeInput,
        response=serializers.FreezeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = _given(serializers.FreezeInput, request)
        given.setdefault("player", None)
        made = services.freeze(claim=_key(request), **given, **_by(request))
        return Response(serializers.FreezeOutput(selectors.freeze(made.pk)).data, status=201)


class ReleaseFreeze(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.freeze_money"}

    @describe(
        "freeze_release",
        "Let go what a freeze holds (administrators, auditors)",
        request=serializers.DecisionInput,
        response=serializers.FreezeOutput,
    )
    @idempotent
    def post(self, request: Request, freeze_id: UUID) -> Response:
        given = _given(serializers.DecisionInput, request)
        services.release_freeze(freeze=freeze_id, **given, **_by(request))
        return Response(serializers.FreezeOutput(selectors.freeze(freeze_id)).data)
