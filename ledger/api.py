"""REST API of the ledger: a player's own money; accounts, transfers, and reconciliations for staff."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, TypedDict
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ledger import selectors, serializers, services
from ledger.callers import StaffView, command_key, own_id, plain_text
from ledger.core.selectors import BalanceOutput, TrialRowOutput
from ledger.documents import (
    FiguresOutput,
    PostingOutput,
    TransferOutput,
    figures_document,
    posting_document,
    transfer_document,
)
from ledger.errors import BadAccount
from ledger.limits import usage
from ledger.models import Account, GameStake, PlaySession, Transfer
from ledger.reconciliation.models import Reconciliation, ReportOutput
from ledger.reports import query as parameters
from ledger.reports.descriptions import HeldOutput, holds
from ledger.reports.purposes import trial_balances
from ledger.staff.postings import Deposit, Reverse
from rest.documents import Moment, Object, Uuid, moment
from rest.fields import StrictSerializer, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, Cursor, PagedView, choice, query
from rest.schema import describe
from rest.scopes import STAFF, Scope
from staff.actions import perform

# --- a player's own ----------------------------------------------------------------------------------


class WalletOutput(TypedDict):
    currency: str
    currencies: Annotated[list[str], "currencies in which the caller has accounts"]
    accounts: Annotated[dict[str, BalanceOutput], "by purpose: cash, session …"]
    top_up: Annotated[int, "pence of play money that `POST wallet/top-up/` adds now; 0: none"]
    holds: Annotated[list[HeldOutput] | None, "the newest open holds; only with `holds`"]


class Wallet(APIView):
    @describe(
        "wallet",
        "The caller's balances",
        scope=Scope.WALLET,
        response=WalletOutput,
        parameters=[
            OpenApiParameter("currency", description="default: the installation's currency"),
            OpenApiParameter("holds", bool, description="Say why money is held: `holds` is null otherwise."),
        ],
    )
    def get(self, request: Request) -> Response:
        me, given = own_id(request), query(request, "currency", "holds")
        currency = parameters.own_currency(given, me)
        wanted = choice(given, "holds", ("true", "false")) == "true"
        return Response(_wallet(me, currency, holds(me, currency) if wanted else None))


class TopUp(APIView):
    @describe(
        "wallet_top_up",
        "Top up the play money of a caller who has little left, once a day",
        scope=Scope.WALLET,
        request=StrictSerializer,
        response=WalletOutput,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        checked(StrictSerializer, request)
        me = own_id(request)
        services.top_up(player=me, at=timezone.now())
        return Response(_wallet(me, settings.RACECARD_CURRENCY))


def _wallet(player: UUID, currency: str, held: list[HeldOutput] | None = None) -> WalletOutput:
    own = selectors.wallet(player=player, currency=currency)
    return {
        "currency": currency,
        "currencies": sorted({settings.RACECARD_CURRENCY, *selectors.currencies_of(player)}),
        "accounts": own,
        "top_up": selectors.offered_top_up(player=player, currency=currency, own=own, at=timezone.now()),
        "holds": held,
    }


class PlaySessionOutput(TypedDict):
    id: Uuid
    currency: str
    open: bool
    opened_at: Moment
    cash_in: int
    closed_at: Moment | None
    cash_out: int | None


def play_session_document(session: PlaySession) -> PlaySessionOutput:
    return {
        "id": str(session.pk),
        "currency": session.currency,
        "open": session.is_open,
        "opened_at": moment(session.opened_at),
        "cash_in": session.cash_in,
        "closed_at": moment(session.closed_at),
        "cash_out": session.cash_out,
    }


class GameStakeOutput(TypedDict):
    game: Uuid
    stake_table: str
    stake: int
    max_win: int
    status: str
    winnings: int | None
    net: int | None
    summary: Annotated[Object, "options and result of the game"]
    staked_at: Moment
    ended_at: Moment | None


def _game_stake(stake: GameStake) -> GameStakeOutput:
    return {
        "game": str(stake.pk),
        "stake_table": stake.stake_table.slug,
        "stake": stake.stake,
        "max_win": stake.max_win,
        "status": stake.status,
        "winnings": stake.winnings,
        "net": stake.net,
        "summary": stake.summary,
        "staked_at": moment(stake.staked_at),
        "ended_at": moment(stake.ended_at),
    }


class PlaySessionDetailOutput(PlaySessionOutput):
    balance: Annotated[int, "pence that can be staked; 0 after cash-out"]
    history: list[GameStakeOutput]
    reality: Annotated[FiguresOutput, "time played, stakes, and net result"]


def play_session_detail_document(session: PlaySession) -> PlaySessionDetailOutput:
    return {
        **play_session_document(session),
        "balance": selectors.session_balance(session).available,
        "history": [_game_stake(stake) for stake in selectors.session_history(session)],
        "reality": figures_document(usage.of_session(session, now=timezone.now())),
    }


class PlaySessions(PagedView):
    ordering = ("-opened_at", "-pk")

    @describe(
        "play_sessions",
        "The caller's play sessions, newest first",
        scope=Scope.WALLET,
        response=list[PlaySessionOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(PlaySession.objects.filter(player=own_id(request)), play_session_document)

    @describe(
        "play_sessions_open",
        "Open a play session with money from the balance",
        scope=Scope.WALLET,
        request=serializers.CashInInput,
        response=PlaySessionOutput,
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
            play_session_document(session),
            status=201,
            headers={"Location": address_of("play-session", args=[session.pk])},
        )


class OnePlaySession(APIView):
    @describe(
        "play_session",
        "A play session of the caller with its betting history",
        scope=Scope.WALLET,
        response=PlaySessionDetailOutput,
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        session = selectors.play_session(player=own_id(request), session=session_id)
        return Response(play_session_detail_document(session))


class CashOut(APIView):
    @describe(
        "play_session_cash_out",
        "Close a play session and return its money to the balance",
        scope=Scope.WALLET,
        request=StrictSerializer,
        response=PlaySessionOutput,
    )
    @idempotent
    def post(self, request: Request, session_id: UUID) -> Response:
        checked(StrictSerializer, request)
        session = selectors.play_session(player=own_id(request), session=session_id)
        closed = services.cash_out(session=session, key=command_key(request), at=timezone.now())
        return Response(play_session_document(closed))


# --- the books ---------------------------------------------------------------------------------------


class Deposits(StaffView):
    may: ClassVar = {"POST": Deposit.permission}

    @describe(
        "deposits_create",
        "Deposit money for a player or a bank (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=serializers.DepositInput,
        response=PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.DepositInput, request)
        if "stake_table" in given:
            given["stake_table"] = selectors.stake_table(given["stake_table"])
        posting, _ = perform(Deposit.open(request.user), given, key=command_key(request))
        return Response(posting_document(posting), status=201)


class Reversals(StaffView):
    may: ClassVar = {"POST": Reverse.permission}

    @describe(
        "reversals_create",
        "Reverse a transfer, once (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=serializers.ReversalInput,
        response=PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(serializers.ReversalInput, request)
        action = Reverse.open(request.user, given["transfer"])
        posting, _ = perform(action, given, key=command_key(request))
        return Response(posting_document(posting), status=201)


_ACCOUNT = OpenApiParameter("account", description="as transfers name it, such as house/bank")


class AccountOutput(TypedDict):
    id: Annotated[int, "the id in the address of its statement"]
    account: str
    currency: str
    debits: int
    credits: int
    available: int
    held: int
    total: int


def _account(account: Account) -> AccountOutput:
    return {
        "id": account.pk,
        "account": account.text,
        "currency": account.currency,
        "debits": account.debits,
        "credits": account.credits,
        "available": account.available,
        "held": account.held,
        "total": account.total,
    }


class Accounts(StaffView, PagedView):
    ordering = ("pk",)

    @describe(
        "accounts_list",
        "All accounts (administrators, auditors)",
        scope=STAFF,
        response=list[AccountOutput],
        parameters=[_ACCOUNT],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "account", *PAGE)
        found = _named(wanted["account"]) if "account" in wanted else Account.objects.all()
        return self.page(found, _account)


class Transfers(StaffView, PagedView):
    ordering = ("-position",)

    @describe(
        "transfers_list",
        "All transfers, newest first; those of an account by their time (administrators, auditors)",
        scope=STAFF,
        response=list[TransferOutput],
        parameters=[_ACCOUNT, OpenApiParameter("subject", description="such as game:…")],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "account", "subject", *PAGE)
        rows = Transfer.objects.with_accounts().select_related("reverses")
        if "subject" in wanted:
            rows = rows.filter(subject=plain_text(wanted["subject"]))
        if "account" not in wanted:
            return self.page(rows, transfer_document)
        accounts, pages = list(_named(wanted["account"]).values_list("pk", flat=True)), Cursor()
        found = pages.paginate(
            partial(rows.newest_touching, accounts), Transfer, ("-at", "-position"), request
        )
        return pages.get_paginated_response([transfer_document(row) for row in found])


class TrialBalanceOutput(TypedDict):
    currency: str
    rows: list[TrialRowOutput]
    debits: int
    credits: int
    total: Annotated[int, "always 0 in a correct ledger"]


def _trial_balance(found: selectors.TrialBalance) -> TrialBalanceOutput:
    return {
        "currency": found.currency,
        "rows": found.rows,
        "debits": found.debits,
        "credits": found.credits,
        "total": found.total,
    }


class TrialBalances(StaffView):
    @describe(
        "trial_balance",
        "All accounts summed by kind and purpose, per currency (administrators, auditors)",
        scope=STAFF,
        response=list[TrialBalanceOutput],
    )
    def get(self, request: Request) -> Response:
        return Response([_trial_balance(each) for each in trial_balances()])


def _named(text: str) -> QuerySet[Account]:
    """Return the accounts that `?account=` names."""
    owner, slash, purpose = plain_text(text).rpartition("/")
    if not slash:
        raise BadAccount("An account is named as owner/purpose, such as house/bank.")
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose)


class ReconciliationOutput(TypedDict):
    id: int
    at: Moment
    seconds: Annotated[int, "duration"]
    replayed: Annotated[bool, "whether games were folded move by move"]
    differences: Annotated[int, "number of all differences; 0: every penny is accounted for"]
    report: ReportOutput


def _reconciliation(found: Reconciliation) -> ReconciliationOutput:
    return {
        "id": found.pk,
        "at": moment(found.at),
        "seconds": found.seconds,
        "replayed": found.replayed,
        "differences": found.differences,
        "report": found.report,
    }


class Reconciliations(StaffView, PagedView):
    ordering = ("-at", "-pk")

    @describe(
        "reconciliations",
        "The reports of nightly and requested reconciliations, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[ReconciliationOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(Reconciliation.objects.all(), _reconciliation)
