"""REST API of the ledger: a player's own money; accounts, transfers, and reconciliations for staff."""

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

from ledger import selectors, serializers, services
from ledger.callers import StaffView, actor, command_key, own_id, plain_text
from ledger.errors import BadAccount
from ledger.models import Account, PlaySession, Transfer
from ledger.reconciliation.models import Reconciliation
from ledger.reports import query as parameters
from rest.fields import StrictSerializer, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, query
from rest.schema import describe

# --- a player's own ----------------------------------------------------------------------------------


class Wallet(APIView):
    @describe(
        "wallet",
        "The caller's balances",
        response=serializers.WalletOutput,
        parameters=[OpenApiParameter("currency", description="default: the installation's currency")],
    )
    def get(self, request: Request) -> Response:
        me = own_id(request)
        currency = parameters.own_currency(query(request, "currency"), me)
        balances = {
            "currency": currency,
            "currencies": sorted({settings.RACECARD_CURRENCY, *selectors.currencies_of(me)}),
            "accounts": selectors.wallet(player=me, currency=currency),
        }
        return Response(serializers.WalletOutput(balances).data)


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
        "Open a play session with money from the balance",
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
        "A play session of the caller with its betting history",
        response=serializers.PlaySessionDetailOutput,
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        session = selectors.play_session(player=own_id(request), session=session_id)
        return Response(serializers.PlaySessionDetailOutput(session).data)


class CashOut(APIView):
    @describe(
        "play_session_cash_out",
        "Close a play session and return its money to the balance",
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


class Deposits(StaffView):
    may: ClassVar = {"POST": "ledger.deposit"}

    @describe(
        "deposits_create",
        "Deposit money for a player or a bank (administrators)",
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


class Reversals(StaffView):
    may: ClassVar = {"POST": "ledger.reverse"}

    @describe(
        "reversals_create",
        "Reverse a transfer, once (administrators)",
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


class Accounts(StaffView, ListAPIView[Account]):
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


class Transfers(StaffView, ListAPIView[Transfer]):
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


class TrialBalances(StaffView):
    @describe(
        "trial_balance",
        "All accounts summed by kind and purpose, per currency (administrators, auditors)",
        response=serializers.TrialBalanceOutput(many=True),
    )
    def get(self, request: Request) -> Response:
        found = [selectors.trial_balance(currency) for currency in selectors.currencies()]
        return Response(serializers.TrialBalanceOutput(found, many=True).data)


def _named(text: str) -> QuerySet[Account]:
    """Return the accounts that `?account=` names."""
    owner, slash, purpose = plain_text(text).rpartition("/")
    if not slash:
        raise BadAccount("An account is named as owner/purpose, such as house/bank.")
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose)


class Reconciliations(StaffView, ListAPIView[Reconciliation]):
    serializer_class = serializers.ReconciliationOutput
    queryset = Reconciliation.objects.all()
    ordering = ("-at", "-pk")

    @describe(
        "reconciliations",
        "The reports of nightly and requested reconciliations, newest first (administrators, auditors)",
        response=serializers.ReconciliationOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)
