"""REST API of statements, betting history, and the export of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

from django.conf import settings
from django.db.models import Q
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.transactions import one_snapshot
from ledger import selectors
from ledger.callers import StaffView, actor, own_id
from ledger.documents import FiguresOutput, figures_document
from ledger.errors import UnknownAccount
from ledger.hooks import SubjectName
from ledger.limits import usage
from ledger.models import Account, Purpose, Transfer
from ledger.reports import history, spreadsheets
from ledger.reports import query as parameters
from ledger.reports.descriptions import LinePurpose, NameOutput, name_document, names_of
from ledger.reports.export import export
from ledger.reports.statements import Line, LineKind, Range, moved, of_kind, oldest_first
from rest.documents import Moment, Url, Uuid, moment, one_of, uuid_text
from rest.pagination import PAGE, Cursor, choice, query
from rest.schema import View, describe
from rest.scopes import STAFF, Scope, Scopes

FROM = OpenApiParameter("from", OpenApiTypes.DATETIME, description="RFC 3339, inclusive")
UNTIL = OpenApiParameter("until", OpenApiTypes.DATETIME, description="RFC 3339, inclusive")
ALL = "all"
ACCOUNTS = {
    Purpose.CASH.value: [Purpose.CASH],
    Purpose.SESSION.value: [Purpose.SESSION],
    ALL: [Purpose.SESSION, Purpose.CASH],
}
WHICH = OpenApiParameter(
    "account",
    enum=list(ACCOUNTS),
    default=Purpose.CASH,
    description="all: both, without the transfers between them",
)
CURRENCY = OpenApiParameter("currency", description="default: the installation's currency")
KIND = OpenApiParameter("kind", enum=LineKind.values, description="only lines of this kind")
TRANSFER = OpenApiParameter("transfer", OpenApiTypes.UUID, description="only the line of this transfer")


class FixedFormat(BaseContentNegotiation):
    """Ignores the Accept header: one fixed format, and problem documents for errors."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class Csv(APIView):
    content_negotiation_class = FixedFormat


def describe_csv(
    operation_id: str, summary: str, *, scope: Scope | Scopes, parameters: Iterable[OpenApiParameter]
) -> Callable[[View], View]:
    return describe(
        operation_id,
        summary,
        scope=scope,
        response=OpenApiTypes.STR,
        status=(200, "text/csv"),
        parameters=parameters,
    )


# --- statements --------------------------------------------------------------------------------------


class LineOutput(TypedDict):
    transfer: Uuid
    at: Moment
    reason: str
    subject: str
    counterparty: Annotated[str, "the account on the other side"]
    kind: Annotated[str, ", ".join(LineKind.values)]
    about: Annotated[
        str, "for a market, what was bet on; for a prize that waited, its tournament; otherwise the subject"
    ]
    purpose: Annotated[str, one_of(LinePurpose)]
    reference: Annotated[str | None, "of a payout"]
    name: Annotated[NameOutput | None, "of the game or tournament that it is about"]
    change: int
    balance: Annotated[int, "balance after the transfer"]
    reverses: Annotated[Uuid | None, "the transfer that this one reverses"]
    reversed_by: Annotated[Uuid | None, "the transfer that reverses this one"]


def line_document(line: Line) -> LineOutput:
    return {
        "transfer": str(line.transfer),
        "at": moment(line.at),
        "reason": line.reason,
        "subject": line.subject,
        "counterparty": line.counterparty,
        "kind": line.kind,
        "about": line.about,
        "purpose": line.purpose,
        "reference": line.reference,
        "name": name_document(line.name),
        "change": line.change,
        "balance": line.balance,
        "reverses": uuid_text(line.reverses),
        "reversed_by": uuid_text(line.reversed_by),
    }


class StatementOutput(TypedDict):
    """A page of lines, with the opening and closing balance of the requested range."""

    opening: Annotated[int, "balance before `from`"]
    received: Annotated[int, "sum received in the range, on all pages"]
    paid: Annotated[int, "sum paid in the range, on all pages"]
    closing: Annotated[int, "balance as of `until`, or now"]
    results: list[LineOutput]
    next: Url | None


def _statement(
    request: Request, accounts: Sequence[Account], range: Range, only: Q | None = None
) -> StatementOutput:
    pages = Cursor()
    wanted = range.condition if only is None else range.condition & only
    with one_snapshot():
        if not accounts:
            return {"opening": 0, "received": 0, "paid": 0, "closing": 0, "results": [], "next": None}
        page = pages.paginate(
            lambda behind, most: selectors.newest(accounts, wanted & behind, most),
            Transfer,
            ("-at", "-position"),
            request,
        )
        lines = selectors.lines(accounts, page, consecutive=only is None)
        opening, closing = range.opening(accounts), range.closing(accounts)
        received, paid = range.moved(accounts) if only is None else moved(accounts, wanted)
    return {
        "opening": opening,
        "received": received,
        "paid": paid,
        "closing": closing,
        "results": [line_document(line) for line in lines],
        "next": pages.next,
    }


class OwnStatementOutput(StatementOutput):
    reality: Annotated[
        FiguresOutput, "figures of play in the range; without `from`, in the 24 hours before its end"
    ]


class MyStatement(APIView):
    @describe(
        "wallet_statement",
        "The caller's account, newest line first, with the running balance",
        scope=Scope.WALLET,
        response=OwnStatementOutput,
        parameters=[
            WHICH,
            CURRENCY,
            KIND,
            TRANSFER,
            FROM,
            UNTIL,
            *Cursor().get_schema_operation_parameters(None),
        ],
    )
    def get(self, request: Request) -> Response:
        given = query(request, "account", "currency", "kind", "transfer", "from", "until", *PAGE)
        range = parameters.range_of(given)
        page = _statement(request, _mine(request, given), range, _only(given))
        found = usage.of_range(
            player=own_id(request), since=range.begins, until=range.until, now=timezone.now()
        )
        statement: OwnStatementOutput = {"reality": figures_document(found), **page}
        return Response(statement)


class MyStatementCsv(Csv):
    @describe_csv(
        "wallet_statement_csv",
        "The caller's account as CSV, oldest line first, with the running balance",
        scope=Scope.WALLET,
        parameters=[WHICH, CURRENCY, KIND, FROM, UNTIL],
    )
    def get(self, request: Request) -> HttpResponseBase:
        given = query(request, "account", "currency", "kind", "from", "until")
        return _statement_csv(
            _mine(request, given), parameters.range_of(given), parameters.kind_of_line(given)
        )


class AnyStatement(StaffView):
    @describe(
        "account_statement",
        "Any account, newest line first, with the running balance (administrators, auditors)",
        scope=STAFF,
        response=StatementOutput,
        parameters=[FROM, UNTIL, *Cursor().get_schema_operation_parameters(None)],
    )
    def get(self, request: Request, account_id: int) -> Response:
        range = parameters.range_of(query(request, "from", "until", *PAGE))
        return Response(_statement(request, [_any(account_id)], range))


class AnyStatementCsv(StaffView, Csv):
    @describe_csv(
        "account_statement_csv",
        "Any account as CSV, oldest line first, with the running balance (administrators, auditors)",
        scope=STAFF,
        parameters=[FROM, UNTIL],
    )
    def get(self, request: Request, account_id: int) -> HttpResponseBase:
        given = query(request, "from", "until")
        return _statement_csv([_any(account_id)], parameters.range_of(given))


def _mine(request: Request, given: dict[str, str]) -> list[Account]:
    which = choice(given, "account", ACCOUNTS) or Purpose.CASH
    currency = parameters.own_currency(given, own_id(request))
    owner = actor(request)
    found = (selectors.find(owner=owner, purpose=one, currency=currency) for one in ACCOUNTS[which])
    return [account for account in found if account is not None]


def _only(given: dict[str, str]) -> Q | None:
    """Return the requested kind of lines; None: all."""
    kind, transfer = parameters.kind_of_line(given), parameters.id(given, "transfer")
    if kind is None and transfer is None:
        return None
    only = Q() if kind is None else of_kind(kind)
    return only if transfer is None else only & Q(uuid=transfer)


def _any(id: int) -> Account:
    found = Account.objects.filter(pk=id).first() if id < 2**63 else None
    if found is None:
        raise UnknownAccount()
    return found


def _statement_csv(
    accounts: Sequence[Account], range: Range, kind: LineKind | None = None
) -> HttpResponseBase:
    heads = (
        *("at", "reason", "subject", "counterparty", "change", "balance", "currency", "transfer"),
        *("purpose", "reference", "rules", "title", "place", "cards"),
    )
    rows = (
        (
            line.at.isoformat(),
            line.reason,
            line.subject,
            line.counterparty,
            line.change,
            line.balance,
            accounts[0].currency,
            str(line.transfer),
            line.purpose,
            line.reference,
            *_named(line.name or SubjectName()),
        )
        for line in (oldest_first(accounts, range, kind) if accounts else ())
    )
    return attachment(spreadsheets.table(heads, rows), name="statement.csv")


def _named(name: SubjectName) -> tuple[str | int | None, ...]:
    return name.rules, name.title, name.place, name.cards


# --- history -----------------------------------------------------------------------------------------

_FILTERS = [
    OpenApiParameter("kind", enum=history.KINDS),
    OpenApiParameter("state", enum=history.STATES),
    FROM,
    UNTIL,
]


class HistoryOutput(TypedDict):
    kind: Annotated[str, ", ".join(history.KINDS)]
    id: Annotated[str, "the id of the bet, game, or tournament"]
    subject: Annotated[str, "the subject of the transfers"]
    about: Annotated[str, "for a bet, the subject that was bet on; otherwise the subject"]
    on: Annotated[str, "the runner of a bet or the stake table of a game"]
    name: Annotated[NameOutput | None, "of the game or tournament that it is about"]
    stake: int
    returned: Annotated[int | None, "null while open"]
    net: int | None
    state: Annotated[str, ", ".join(history.STATES)]
    at: Annotated[Moment, "time of the stake"]


def history_document(row: history.Staked, names: Mapping[str, SubjectName]) -> HistoryOutput:
    return {
        "kind": row.kind,
        "id": row.key,
        "subject": row.subject,
        "about": row.about,
        "on": row.on,
        "name": name_document(names.get(row.about)),
        "stake": row.stake,
        "returned": row.returned,
        "net": row.net,
        "state": row.state,
        "at": moment(row.at),
    }


class HistoryPageOutput(TypedDict):
    totals: Annotated[history.TotalsOutput, "of all matching rows, not of the page"]
    results: list[HistoryOutput]
    next: Url | None


class MyHistory(APIView):
    @describe(
        "wallet_history",
        "The caller's bets, games, tables, and tournaments with their stakes, newest first",
        scope=Scope.WALLET,
        response=HistoryPageOutput,
        parameters=[*_FILTERS, *Cursor().get_schema_operation_parameters(None)],
    )
    def get(self, request: Request) -> Response:
        filters = _filters(request, query(request, "kind", "state", "from", "until", *PAGE))
        pages = Cursor()
        with one_snapshot():
            # A cursor has a time and a key, in the same form as those of a transfer.
            rows = pages.paginate_after(
                lambda last, most: history.page(
                    filters, after=None if last is None else tuple(last), most=most
                ),
                Transfer,
                ("-at", "-key"),
                request,
            )
            totals = history.totals(filters)
            names = names_of(filters.player, (row.about for row in rows))
        page: HistoryPageOutput = {
            "totals": totals,
            "results": [history_document(row, names) for row in rows],
            "next": pages.next,
        }
        return Response(page)


class MyHistoryCsv(Csv):
    @describe_csv(
        "wallet_history_csv",
        "The caller's bets, games, tables, and tournaments with their stakes, as CSV",
        scope=Scope.WALLET,
        parameters=_FILTERS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        filters = _filters(request, query(request, "kind", "state", "from", "until"))
        heads = ("at", "kind", "id", "about", "on", "stake", "returned", "net", "state", "currency")
        rows = (
            (
                row.at.isoformat(),
                row.kind,
                row.key,
                row.about,
                row.on,
                row.stake,
                row.returned,
                row.net,
                row.state,
                filters.currency,
            )
            for row in history.every(filters)
        )
        return attachment(spreadsheets.table(heads, rows), name="history.csv")


def _filters(request: Request, given: dict[str, str]) -> history.Filters:
    range = parameters.range_of(given)
    return history.Filters(
        player=own_id(request),
        currency=settings.RACECARD_CURRENCY,
        kind=choice(given, "kind", history.KINDS),
        state=choice(given, "state", history.STATES),
        begins=range.begins,
        until=range.until,
    )


# --- the whole ledger --------------------------------------------------------------------------------


def _export(format: str, name: str, summary: str) -> type[APIView]:
    """Return the view of an export of the whole ledger."""

    class Export(StaffView, Csv):
        @describe(
            f"ledger_{format}", summary, scope=STAFF, response=OpenApiTypes.STR, status=(200, "text/plain")
        )
        def get(self, request: Request) -> HttpResponseBase:
            query(request)
            return attachment(export(format), name=name, kind="text/plain")

    return Export


HledgerExport = _export(
    "hledger", "ledger.journal", "The whole ledger as a journal for hledger (administrators, auditors)"
)
BeancountExport = _export(
    "beancount", "ledger.beancount", "The whole ledger as a file for beancount (administrators, auditors)"
)


def attachment(pieces: Iterable[str], *, name: str, kind: str = "text/csv") -> StreamingHttpResponse:
    return StreamingHttpResponse(
        (piece.encode() for piece in pieces),
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )
