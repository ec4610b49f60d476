"""REST of the ledger: a player's own money, and the books for those who keep them."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictSerializer, checked
from api.idempotency import idempotent
from api.query import PAGE, query
from api.schema import describe
from ledger import selectors, serializers, services
from ledger.callers import MayKeepBooks, actor, command_key, own_id, plain_text
from ledger.errors import BadAccount
from ledger.models import Account, PlaySession, Transfer
from ledger.records import asked

# --- a player's own ----------------------------------------------------------------------------------


class Wallet(APIView):
    @describe(
        "wallet",
        "What the caller has",
        response=serializers.WalletOutput,
        parameters=[OpenApiParameter("currency", description="the installation's unless said")],
    )
    def get(self, request: Request) -> Response:
        me = own_id(request)
        currency = asked.own_currency(query(request, "currency"), me)
        told = {
            "currency": currency,
            "currencies": sorted({settings.RACECARD_CURRENCY, *selectors.currencies_of(me)}),
            "accounts": selectors.wallet(player=me, currency=currency),
        }
        return Response(serializers.WalletOutput(told).data)


class PlaySessions(ListAPIView[PlaySession]):
    serializer_class = serializers.PlaySessionOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[PlaySession]:
        return PlaySession.objects.filter(player=own_id(self.request))

    @describe(
        "play_sessions",
        "The caller's play sessions, newest first",
        response=serializers.PlaySessionOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)

    @describe(
        "play_sessions_open",
        "Cash in: move money from the balance to a new play session",
        request=serializers.CashInInput,
        response=serializers.PlaySessionOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.CashInInput, request)
        session = services.open_session(
            player=own_id(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            key=command_key(request),
            at=timezone.now(),
        )
        return Response(
            serializers.PlaySessionOutput(session).data,
            status=201,
            headers={"Location": address_of("play-session", args=[session.pk])},
        )


class OnePlaySession(APIView):
    @describe(
        "play_session",
        "A play session of the caller's with its betting history",
        response=serializers.PlaySessionDetailOutput,
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        session = selectors.play_session(player=own_id(request), session=session_id)
        return Response(serializers.PlaySessionDetailOutput(session).data)


class CashOut(APIView):
    @describe(
        "play_session_cash_out",
        "Cash out: close a play session and move what is left to the balance",
        request=StrictSerializer,
        response=serializers.PlaySessionOutput,
    )
    @idempotent
    def post(self, request: Request, session_id: UUID) -> Response:
        checked(StrictSerializer, request)
        session = selectors.play_session(player=own_id(request), session=session_id)
        closed = services.cash_out(session=session, key=command_key(request), at=timezone.now())
        return Response(serializers.PlaySessionOutput(closed).data)


# --- the books ---------------------------------------------------------------------------------------


class Deposits(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.deposit"}

    @describe(
        "deposits_create",
        "Pay money in for a player or a bank (administrators)",
        request=serializers.DepositInput,
        response=serializers.PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.DepositInput, request)
        order = {
            "amount": given["amount"],
            "reason": given["reason"],
            "key": command_key(request),
            "actor": actor(request),
            "at": timezone.now(),
        }
        if "player" in given:
            posting = services.deposit(player=given["player"], currency=settings.RACECARD_CURRENCY, **order)
        else:
            posting = services.fund_bank(stake_table=selectors.stake_table(given["stake_table"]), **order)
        return Response(serializers.PostingOutput(posting).data, status=201)


class Reversals(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": "ledger.reverse"}

    @describe(
        "reversals_create",
        "Take a transfer back by another one, once (administrators)",
        request=serializers.ReversalInput,
        response=serializers.PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.ReversalInput, request)
        posting = services.reverse(**given, key=command_key(request), actor=actor(request), at=timezone.now())
        return Response(serializers.PostingOutput(posting).data, status=201)


_ACCOUNT = OpenApiParameter("account", description="as transfers name it, such as house/bank")


class Accounts(ListAPIView[Account]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = serializers.AccountOutput
    ordering = ("pk",)

    @describe(
        "accounts_list",
        "All accounts (administrators, auditors)",
        response=serializers.AccountOutput(many=True),
        parameters=[_ACCOUNT],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Account]:
        wanted = query(self.request, "account", *PAGE)
        return _named(wanted["account"]) if "account" in wanted else Account.objects.all()


class Transfers(ListAPIView[Transfer]):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = serializers.TransferOutput
    ordering = ("-position",)

    @describe(
        "transfers_list",
        "All transfers, newest first (administrators, auditors)",
        response=serializers.TransferOutput(many=True),
        parameters=[_ACCOUNT, OpenApiParameter("subject", description="such as game:…")],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Transfer]:
        rows = Transfer.objects.with_accounts().select_related("reverses")
        wanted = query(self.request, "account", "subject", *PAGE)
        if "account" in wanted:
            rows = rows.touching_any(_named(wanted["account"]))
        if "subject" in wanted:
            rows = rows.filter(subject=plain_text(wanted["subject"]))
        return rows


class TrialBalances(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "trial_balance",
        "All accounts summed by kind and purpose, per currency (administrators, auditors)",
        response=serializers.TrialBalanceOutput(many=True),
    )
    def get(self, request: Request) -> Response:
        found = [selectors.trial_balance(currency) for currency in selectors.currencies()]
        return Response(serializers.TrialBalanceOutput(found, many=True).data)


def _named(text: str) -> QuerySet[Account]:
    """The accounts that `?account=` names."""
    owner, slash, purpose = plain_text(text).rpartition("/")
    if not slash:
        raise BadAccount("An account is named as owner/purpose, such as house/bank.")
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose)
