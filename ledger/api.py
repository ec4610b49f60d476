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
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.fields import StrictSerializer
from api.idempotency import command, idempotent
from api.query import PAGE, query
from api.schema import describe
from ledger import selectors, serializers, services
from ledger.errors import BadAccount
from ledger.models import Account, OwnerKind, PlaySession, Transfer


class MayKeepBooks(BasePermission):
    """Staff with the permission that the view names in `may`, by method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = view.may.get(request.method)
        return needed is not None and request.user.has_perm(needed)


def _given(serializer: type[StrictSerializer], request: Request) -> dict[str, Any]:
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def _key(request: Request) -> str:
    """A client's key names its actor (see `api.idempotency.command`), so it can meet nobody else's."""
    return f"client:{command(request).id}"


def _me(request: Request) -> UUID:
    id = request.user.pk
    assert isinstance(id, UUID)
    return id


# --- a player's own ----------------------------------------------------------------------------------


class Wallet(APIView):
    @describe("wallet", "What the caller has", response=serializers.WalletOutput)
    def get(self, request: Request) -> Response:
        currency = settings.RACECARD_CURRENCY
        balances = selectors.wallet(player=_me(request), currency=currency)
        return Response(serializers.WalletOutput({"currency": currency, "accounts": balances}).data)


class PlaySessions(ListAPIView[PlaySession]):
    serializer_class = serializers.PlaySessionOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[PlaySession]:
        return PlaySession.objects.filter(player=_me(self.request))

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
        given = _given(serializers.CashInInput, request)
        session = services.open_session(
            player=_me(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            key=_key(request),
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
        session = selectors.play_session(player=_me(request), session=session_id)
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
        _given(StrictSerializer, request)
        session = selectors.play_session(player=_me(request), session=session_id)
        closed = services.cash_out(session=session, key=_key(request), at=timezone.now())
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
        given = _given(serializers.DepositInput, request)
        order = {
            "amount": given["amount"],
            "reason": given["reason"],
            "key": _key(request),
            "actor": f"{OwnerKind.PLAYER}:{_me(request)}",
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
        given = _given(serializers.ReversalInput, request)
        posting = services.reverse(
            **given, key=_key(request), actor=f"{OwnerKind.PLAYER}:{_me(request)}", at=timezone.now()
        )
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
            rows = rows.filter(subject=_text(wanted["subject"]))
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
    owner, slash, purpose = _text(text).rpartition("/")
    if not slash:
        raise BadAccount("An account is named as owner/purpose, such as house/bank.")
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose)


def _text(given: str) -> str:
    if "\0" in given or len(given) > 100:
        raise InvalidInput("A name in the address is at most 100 characters, none of them NUL.")
    return given
