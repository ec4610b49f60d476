"""REST of what goes to the bank together, and of what a dispute holds back."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse as address_of
from drf_spectacular.types import OpenApiTypes
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.query import PAGE, query
from api.renderers import JSONRenderer
from api.schema import describe
from ledger import services
from ledger.callers import MayKeepBooks, command_key, decided
from ledger.payouts import selectors, serializers
from ledger.payouts.bankfile import checksum_of
from ledger.payouts.batches import file_of
from ledger.payouts.models import Freeze, PayoutBatch

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
        given = checked(serializers.BatchInput, request)
        given.setdefault("currency", settings.RACECARD_CURRENCY)
        made = services.make_batch(key=command_key(request), **given, **decided(request))
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
        given = checked(serializers.BatchPaymentInput, request)
        services.pay_batch(batch=batch_id, **given, **decided(request))
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
        given = checked(serializers.FreezeInput, request)
        given.setdefault("player", None)
        made = services.freeze(claim=command_key(request), **given, **decided(request))
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
        given = checked(serializers.DecisionInput, request)
        services.release_freeze(freeze=freeze_id, **given, **decided(request))
        return Response(serializers.FreezeOutput(selectors.freeze(freeze_id)).data)
