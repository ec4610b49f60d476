"""REST of statements, betting history and the ledger's export."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.conf import settings
from django.db.models import Q
from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.pagination import Cursor
from api.query import PAGE, query
from api.schema import View, describe
from ledger import selectors
from ledger.callers import MayKeepBooks, actor, own_id
from ledger.errors import UnknownAccount
from ledger.limits import reality
from ledger.limits.serializers_figures import FiguresOutput
from ledger.lines import LineKind, of_kind
from ledger.models import Account, Purpose, Transfer
from ledger.records import asked, csvs, history, serializers
from ledger.records.export import export
from ledger.records.statements import Range, oldest_first
from ledger.serializers import LineOutput

FROM = OpenApiParameter("from", OpenApiTypes.DATETIME, description="RFC 3339; that instant with it")
UNTIL = OpenApiParameter("until", OpenApiTypes.DATETIME, description="RFC 3339; that instant with it")
WHICH = OpenApiParameter("account", enum=[Purpose.CASH, Purpose.SESSION], default=Purpose.CASH)
CURRENCY = OpenApiParameter("currency", description="the installation's unless said")
KIND = OpenApiParameter("kind", enum=LineKind.values, description="only lines that have to do with that")
TRANSFER = OpenApiParameter("transfer", OpenApiTypes.UUID, description="only the line of that transfer")


class AsItComes(BaseContentNegotiation):
    """For an address that has one form whatever is accepted; a refusal is a problem document."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class Csv(APIView):
    content_negotiation_class = AsItComes


def describe_csv(
    operation_id: str, summary: str, *, parameters: Iterable[OpenApiParameter]
) -> Callable[[View], View]:
    return describe(
        operation_id, summary, response=OpenApiTypes.STR, status=(200, "text/csv"), parameters=parameters
    )


# --- statements --------------------------------------------------------------------------------------


class StatementPages(Cursor):
    """A page of lines, and what the account had before the first and after the last line that was asked for."""

    def show(
        self, request: Request, account: Account | None, range: Range, only: Q | None = None
    ) -> Response:
        order = ("-at", "-position")
        names = ("opening", "received", "paid", "closing")
        wanted = range.condition if only is None else range.condition & only
        with selectors.one_snapshot():
            if account is None:
                return Response({**dict.fromkeys(names, 0), "results": [], "next": None})
            page = self.paginate(
                lambda behind, most: selectors.newest(account, wanted & behind, most),
                Transfer,
                order,
                request,
            )
            lines = selectors.lines(account, page, consecutive=only is None)
            opening, closing = range.opening(account), range.closing(account)
            if wanted:
                received, paid = selectors.sums(account, Transfer.objects.filter(wanted))
            else:
                received, paid = account.credits, account.debits
        told = dict(zip(names, (opening, received, paid, closing), strict=True))
        return Response({**told, "results": LineOutput(lines, many=True).data, "next": self._next})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        page = super().get_paginated_response_schema(schema)
        whole = {"type": "integer"}
        sums = {
            "opening": {**whole, "description": "balance before `from`"},
            "received": {**whole, "description": "what all lines asked for brought, on this page or not"},
            "paid": {**whole, "description": "what all lines asked for took"},
            "closing": {**whole, "description": "balance as of `until`, or now"},
        }
        return {
            **page,
            "required": [*sums, *page["required"]],
            "properties": {**sums, **page["properties"]},
        }


class _Statement(ListAPIView[Transfer]):
    serializer_class = LineOutput
    pagination_class = StatementPages


class OwnLineOutput(LineOutput):
    """A line of the caller's own account."""


class OwnPages(StatementPages):
    """With what the player's play came to in that time."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        page = super().get_paginated_response_schema(schema)
        moment, whole = {"type": "string", "format": "date-time"}, {"type": "integer"}
        fields: dict[str, Any] = dict.fromkeys(("since", "until"), moment)
        fields |= dict.fromkeys(("seconds", "stakes", "staked", "returned", "net"), whole)
        told = {
            "type": "object",
            "description": "what play came to in that time; without `from`, in the 24 hours before its end",
            "required": list(fields),
            "properties": fields,
        }
        return {
            **page,
            "required": ["reality", *page["required"]],
            "properties": {"reality": told, **page["properties"]},
        }


class MyStatement(_Statement):
    pagination_class = OwnPages

    @describe(
        "wallet_statement",
        "The caller's account, newest line first, with the running balance",
        response=OwnLineOutput(many=True),
        parameters=[WHICH, CURRENCY, KIND, TRANSFER, FROM, UNTIL],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        given = query(request, "account", "currency", "kind", "transfer", "from", "until", *PAGE)
        range = asked.range_of(given)
        page = OwnPages().show(request, _mine(request, given), range, _only(given))
        found = reality.of_range(
            player=own_id(request), since=range.begins, until=range.until, now=timezone.now()
        )
        page.data = {"reality": FiguresOutput(found).data, **page.data}
        return page


class MyStatementCsv(Csv):
    @describe_csv(
        "wallet_statement_csv",
        "The caller's account as CSV, oldest line first, with the running balance",
        parameters=[WHICH, CURRENCY, KIND, FROM, UNTIL],
    )
    def get(self, request: Request) -> HttpResponseBase:
        given = query(request, "account", "currency", "kind", "from", "until")
        return _statement_csv(_mine(request, given), asked.range_of(given), asked.kind_of_line(given))


class AnyStatement(_Statement):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe(
        "account_statement",
        "Any account, newest line first, with the running balance (administrators, auditors)",
        response=LineOutput(many=True),
        parameters=[FROM, UNTIL],
    )
    def get(self, request: Request, account_id: int, *args: Any, **kwargs: Any) -> Response:
        range = asked.range_of(query(request, "from", "until", *PAGE))
        return StatementPages().show(request, _any(account_id), range)


class AnyStatementCsv(Csv):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}

    @describe_csv(
        "account_statement_csv",
        "Any account as CSV, oldest line first, with the running balance (administrators, auditors)",
        parameters=[FROM, UNTIL],
    )
    def get(self, request: Request, account_id: int) -> HttpResponseBase:
        given = query(request, "from", "until")
        return _statement_csv(_any(account_id), asked.range_of(given))


def _mine(request: Request, given: dict[str, str]) -> Account | None:
    purpose = given.get("account", Purpose.CASH)
    if purpose not in (Purpose.CASH, Purpose.SESSION):
        raise InvalidInput("account: cash or session is needed.")
    currency = asked.own_currency(given, own_id(request))
    return selectors.find(owner=actor(request), purpose=purpose, currency=currency)


def _only(given: dict[str, str]) -> Q | None:
    """Which lines of a statement are asked for; None: all of them."""
    kind, transfer = asked.kind_of_line(given), asked.id(given, "transfer")
    if kind is None and transfer is None:
        return None
    only = Q() if kind is None else of_kind(kind)
    return only if transfer is None else only & Q(uuid=transfer)


def _any(id: int) -> Account:
    found = Account.objects.filter(pk=id).first() if id < 2**63 else None
    if found is None:
        raise UnknownAccount()
    return found


def _statement_csv(account: Account | None, range: Range, kind: LineKind | None = None) -> HttpResponseBase:
    heads = ("at", "reason", "subject", "other", "change", "balance", "currency", "transfer")
    rows = (
        (
            line.at.isoformat(),
            line.reason,
            line.subject,
            line.other,
            line.change,
            line.balance,
            account.currency,
            str(line.transfer),
        )
        for line in (() if account is None else oldest_first(account, range, kind))
        if account is not None
    )
    return csvs.attachment(csvs.table(heads, rows), name="statement.csv")


# --- history -----------------------------------------------------------------------------------------

_WISHES = [
    OpenApiParameter("kind", enum=history.KINDS),
    OpenApiParameter("state", enum=history.STATES),
    FROM,
    UNTIL,
]


class HistoryPages(Cursor):
    def show(self, request: Request, wish: history.Wish) -> Response:
        with selectors.one_snapshot():
            # A cursor names time and key, which are of the same form as a transfer's.
            page = self.paginate_after(
                lambda last, most: history.page(wish, after=None if last is None else tuple(last), most=most),
                Transfer,
                ("-at", "-key"),
                request,
            )
            totals = history.totals(wish)
        return Response(
            {
                "totals": serializers.TotalsOutput(totals).data,
                "results": serializers.HistoryOutput(page, many=True).data,
                "next": self._next,
            }
        )


class MyHistory(APIView):
    @describe(
        "wallet_history",
        "All that the caller staked, newest first: bets, games, tables and tournaments",
        response=serializers.HistoryPageOutput,
        parameters=[*_WISHES, *Cursor().get_schema_operation_parameters(None)],
    )
    def get(self, request: Request) -> Response:
        wish = _wish(request, query(request, "kind", "state", "from", "until", *PAGE))
        return HistoryPages().show(request, wish)


class MyHistoryCsv(Csv):
    @describe_csv("wallet_history_csv", "All that the caller staked, as CSV", parameters=_WISHES)
    def get(self, request: Request) -> HttpResponseBase:
        wish = _wish(request, query(request, "kind", "state", "from", "until"))
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
                wish.currency,
            )
            for row in history.every(wish)
        )
        return csvs.attachment(csvs.table(heads, rows), name="history.csv")


def _wish(request: Request, given: dict[str, str]) -> history.Wish:
    range = asked.range_of(given)
    return history.Wish(
        player=own_id(request),
        currency=settings.RACECARD_CURRENCY,
        kind=asked.choice(given, "kind", history.KINDS),
        state=asked.choice(given, "state", history.STATES),
        begins=range.begins,
        until=range.until,
    )


# --- the whole ledger --------------------------------------------------------------------------------


class _Export(Csv):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}


class HledgerExport(_Export):
    @describe(
        "ledger_hledger",
        "The whole ledger as a journal for hledger (administrators, auditors)",
        response=OpenApiTypes.STR,
        status=(200, "text/plain"),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query(request)
        return csvs.attachment(export("hledger"), name="ledger.journal", kind="text/plain")


class BeancountExport(_Export):
    @describe(
        "ledger_beancount",
        "The whole ledger as a file for beancount (administrators, auditors)",
        response=OpenApiTypes.STR,
        status=(200, "text/plain"),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query(request)
        return csvs.attachment(export("beancount"), name="ledger.beancount", kind="text/plain")
