"""REST of payouts: for whoever wants money, and for those who decide about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.fields import StrictSerializer, checked
from api.idempotency import idempotent
from api.query import PAGE, query
from api.schema import describe
from ledger import services
from ledger.callers import MayKeepBooks, command_key, decided, own_id, plain_text
from ledger.models import OwnerKind
from ledger.payouts import selectors, serializers
from ledger.payouts.models import Payout, PayoutKind, PayoutState

# --- a player's own ----------------------------------------------------------------------------------


class Withdrawals(ListAPIView[Payout]):
    serializer_class = serializers.WithdrawalOutput
    ordering = ("-requested_at", "-pk")

    def get_queryset(self) -> QuerySet[Payout]:
        return selectors.withdrawals_of(own_id(self.request))

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
        given = checked(serializers.WithdrawalInput, request)
        payout = services.request_withdrawal(
            player=own_id(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            destination=given["destination"],
            key=command_key(request),
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
        found = selectors.withdrawal(player=own_id(request), id=payout_id)
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
        checked(StrictSerializer, request)
        cancelled = services.cancel_withdrawal(payout=payout_id, player=own_id(request), at=timezone.now())
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
            found = found.filter(currency=plain_text(wanted["currency"]))
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


def _decision(
    operation: str,
    summary: str,
    decide: Callable[..., Any],
    *,
    takes: type[StrictSerializer] = serializers.DecisionInput,
    may: str = "ledger.approve_payout",
) -> type[APIView]:
    """What an administrator decides about a payout; answers the payout as it is then."""
    needed = may

    class Decision(APIView):
        permission_classes = [MayKeepBooks]
        may: ClassVar = {"POST": needed}

        @describe(operation, summary, request=takes, response=serializers.PayoutDetailOutput)
        @idempotent
        def post(self, request: Request, payout_id: UUID) -> Response:
            decide(payout=payout_id, **checked(takes, request), **decided(request))
            return Response(_shown(payout_id))

    return Decision


ApprovePayout = _decision(
    "payout_approve",
    "Let a payout be paid; a prize is, at once (administrators)",
    services.approve_payout,
    takes=serializers.ApprovalInput,
)
HoldPayout = _decision(
    "payout_hold",
    "Stop a payout for now; it leaves its batch (administrators)",
    services.hold_payout,
)
ReleasePayout = _decision(
    "payout_release",
    "Let a payout on hold go on; it is approved anew (administrators)",
    services.release_payout,
)
RejectPayout = _decision(
    "payout_reject",
    "End a payout unpaid: a withdrawal's money is free again, a prize goes to the house (administrators)",
    services.reject_payout,
)
PayPayout = _decision(
    "payout_pay",
    "The money of an approved payout has left (administrators)",
    services.pay_payout,
    takes=serializers.PaymentInput,
    may="ledger.pay_payout",
)


class ReinstatePayout(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.approve_payout"}

    @describe(
        "payout_reinstate",
        "Take the rejection of a prize back: a new payout of it waits for approval (administrators)",
        request=serializers.DecisionInput,
        response=serializers.PayoutDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        given = checked(serializers.DecisionInput, request)
        again = services.reinstate_prize(payout=payout_id, **given, **decided(request))
        return Response(
            _shown(again.pk), status=201, headers={"Location": address_of("payout", args=[again.pk])}
        )


def _shown(payout_id: UUID) -> Any:
    return serializers.PayoutDetailOutput(selectors.payout(payout_id)).data
