"""REST of the house's reports, for administrators and auditors: as JSON, and the same rows as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import InvalidInput
from api.query import PAGE, query
from api.schema import describe
from ledger.callers import MayKeepBooks
from ledger.models import Account
from ledger.records import asked, csvs, reports, serializers
from ledger.records.api import Csv, describe_csv
from ledger.records.days import today
from ledger.records.figures import Figures
from ledger.records.reports import Period

MOST_DAYS = 366
"""Days of one report; without a `from` it is of the last 30."""

_DAYS = "a day of the installation's time zone, that day with it"
PERIOD = [
    OpenApiParameter("from", OpenApiTypes.DATE, description=_DAYS),
    OpenApiParameter("until", OpenApiTypes.DATE, description=_DAYS),
    OpenApiParameter("currency", description="unless the installation's own"),
]
_PERIOD = ("from", "until", "currency")


class _Report(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}


class _ReportCsv(Csv):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}


def _period(given: dict[str, str]) -> Period:
    first, last = asked.day(given, "from"), asked.day(given, "until")
    if first is not None and last is not None and last < first:
        raise InvalidInput("until: not before `from`, please.")
    return Period(asked.currency(given), first, last)


def _whole(currency: str, total: Figures, rows: Any) -> Response:
    # Players are not summed: one may be in several rows.
    told = {**serializers.HouseFiguresOutput(total).data, "players": None}
    return Response({"currency": currency, "total": told, "results": rows})


def _sum(rows: Iterable[Any]) -> Figures:
    return sum((row.figures for row in rows), Figures())


_FIGURES = list(serializers.HouseFiguresOutput().fields)


def _cells(figures: Figures) -> list[int | None]:
    return [getattr(figures, name) for name in _FIGURES]


# --- days --------------------------------------------------------------------------------------------


def _days(given: dict[str, str]) -> tuple[str, list[reports.DayReport]]:
    period = _period(given)
    last = period.last or max(today(timezone.now(), reports.time_zone()), period.first or date.min)
    first = period.first or last - timedelta(days=29)
    if (last - first).days >= MOST_DAYS:
        raise InvalidInput(f"from: at most {MOST_DAYS} days at once, please.")
    return period.currency, reports.day_reports(currency=period.currency, first=first, last=last)


class Days(_Report):
    @describe(
        "reports_days",
        "What the house took and what was at stake, day by day (administrators, auditors)",
        response=serializers.DaysReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        currency, rows = _days(query(request, *_PERIOD))
        return _whole(currency, _sum(rows), serializers.DayOutput(rows, many=True).data)


class DaysCsv(_ReportCsv):
    @describe_csv(
        "reports_days_csv",
        "What the house took, day by day, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        currency, rows = _days(query(request, *_PERIOD))
        sides = sorted({side for row in rows for side in (*row.changes, *row.closing)})
        heads = ["day", "currency", *_FIGURES, "deposits", "withdrawals", "at_stake", "reserved"]
        heads += [f"{side}_{what}" for side in sides for what in ("change", "closing")]
        table = (
            [
                row.day.date.isoformat(),
                currency,
                *_cells(row.figures),
                row.deposits,
                row.withdrawals,
                row.liability,
                row.reserved,
                *(what.get(side, 0) for side in sides for what in (row.changes, row.closing)),
            ]
            for row in rows
        )
        return csvs.attachment(csvs.table(heads, table), name="days.csv")


# --- games and stake tables --------------------------------------------------------------------------


class Games(_Report):
    @describe(
        "reports_games",
        "What the house took, game by game: all that was not a tournament (administrators, auditors)",
        response=serializers.GamesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.game_reports(period)
        return _whole(period.currency, _sum(rows), serializers.GamesOutput(rows, many=True).data)


class GamesCsv(_ReportCsv):
    @describe_csv(
        "reports_games_csv",
        "What the house took, game by game, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        table = (
            [row.rules, period.currency, *_cells(row.figures), row.open]
            for row in reports.game_reports(period)
        )
        return csvs.attachment(
            csvs.table(["rules", "currency", *_FIGURES, "open_now"], table), name="games.csv"
        )


class Tables(_Report):
    @describe(
        "reports_stake_tables",
        "What the house took at each stake table, and how its bank stands (administrators, auditors)",
        response=serializers.TablesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.table_reports(period)
        return _whole(period.currency, _sum(rows), serializers.TableReportOutput(rows, many=True).data)


class TablesCsv(_ReportCsv):
    @describe_csv(
        "reports_stake_tables_csv",
        "What the house took at each stake table, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        heads = ["stake_table", "rules", "currency", *_FIGURES]
        table = (
            [
                row.table,
                row.rules,
                period.currency,
                *_cells(row.figures),
                row.bank,
                row.reserved,
                row.bank_limit,
                row.open,
            ]
            for row in reports.table_reports(period)
        )
        heads += ["bank_now", "reserved_now", "bank_limit", "open_now"]
        return csvs.attachment(csvs.table(heads, table), name="stake-tables.csv")


# --- one by one --------------------------------------------------------------------------------------

AT_ONCE = 200
"""Subjects that are summed at once for a CSV."""


class _Subjects(ListAPIView[Account]):
    """Pages of single games or tournaments, the latest escrow first."""

    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}
    serializer_class = serializers.SubjectOutput
    ordering = ("-pk",)

    def answer(self, period: Period, escrows: QuerySet[Account]) -> Response:
        page = self.paginate_queryset(escrows)
        assert page is not None
        rows = reports.subject_reports(period, page)
        return self.get_paginated_response(serializers.SubjectOutput(rows, many=True).data)


def _subjects_csv(period: Period, escrows: QuerySet[Account], name: str) -> HttpResponseBase:
    table = (
        [row.subject, row.about, row.rules, row.stake_table, period.currency, *_cells(row.figures), row.open]
        for page in _pages(escrows)
        for row in reports.subject_reports(period, page)
    )
    heads = ["subject", "about", "rules", "stake_table", "currency", *_FIGURES, "open_now"]
    return csvs.attachment(csvs.table(heads, table), name=name)


def _pages(escrows: QuerySet[Account]) -> Iterator[Sequence[Account]]:
    last: int | None = None
    while page := list((escrows if last is None else escrows.filter(pk__lt=last)).order_by("-pk")[:AT_ONCE]):
        yield page
        last = page[-1].pk


class SingleGames(_Subjects):
    @describe(
        "reports_single_games",
        "The single games of some rules and the markets on them, newest first (administrators, auditors)",
        response=serializers.SubjectOutput(many=True),
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str, *args: Any, **kwargs: Any) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, reports.escrows_of_games(period, rules=rules))


class SingleGamesCsv(_ReportCsv):
    @describe_csv(
        "reports_single_games_csv",
        "The single games of some rules, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _subjects_csv(period, reports.escrows_of_games(period, rules=rules), f"{rules}.csv")


class Tournaments(_Subjects):
    @describe(
        "reports_tournaments",
        "Tournament by tournament and the markets on them, newest first (administrators, auditors)",
        response=serializers.SubjectOutput(many=True),
        parameters=PERIOD,
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, reports.escrows_of_tournaments(period))


class TournamentsCsv(_ReportCsv):
    @describe_csv(
        "reports_tournaments_csv",
        "Tournament by tournament, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _subjects_csv(period, reports.escrows_of_tournaments(period), "tournaments.csv")
