"""REST API of the site's reports, for administrators and auditors, as JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import InvalidInput
from ledger.callers import StaffView
from ledger.models import Account
from ledger.reports import query as parameters
from ledger.reports import reports, spreadsheets
from ledger.reports.api import Csv, attachment, describe_csv
from ledger.reports.figures import Figures, today
from ledger.reports.reports import Period
from rest.pagination import PAGE, query
from rest.schema import describe


class SiteFiguresOutput(serializers.Serializer[Any]):
    games = serializers.IntegerField()
    bets = serializers.IntegerField()
    entries = serializers.IntegerField()
    players = serializers.IntegerField(
        allow_null=True, help_text="null in a total, because a player can be in several rows"
    )
    stakes = serializers.IntegerField()
    refunds = serializers.IntegerField()
    turnover = serializers.IntegerField(help_text="stakes less refunds")
    winnings = serializers.IntegerField()
    bank = serializers.IntegerField()
    rake = serializers.IntegerField()
    takeout = serializers.IntegerField()
    breakage = serializers.IntegerField()
    margin = serializers.IntegerField(help_text="bank, rake, takeout and breakage together")
    margin_rate = serializers.IntegerField(
        allow_null=True, help_text="margin in basis points of the turnover; null without turnover"
    )
    promotion = serializers.IntegerField()
    overlay = serializers.IntegerField(help_text="added to guaranteed prizes; negative")
    liability = serializers.IntegerField(help_text="change of the amount at stake")


class DayOutput(serializers.Serializer[Any]):
    day = serializers.DateField(source="day.date")
    begins = serializers.DateTimeField(source="day.begins")
    ends = serializers.DateTimeField(source="day.ends")
    figures = SiteFiguresOutput()
    deposits = serializers.IntegerField()
    withdrawals = serializers.IntegerField()
    changes = serializers.DictField(child=serializers.IntegerField(), help_text="by side; the sum is zero")
    closing = serializers.DictField(
        child=serializers.IntegerField(), help_text="by side at the end of the day; the sum is zero"
    )
    reserved = serializers.IntegerField(help_text="held on banks at the end of the day")
    liability = serializers.IntegerField(help_text="at stake at the end of the day")


class GamesOutput(serializers.Serializer[Any]):
    rules = serializers.CharField(help_text="slug of the game; empty without a stake table")
    figures = SiteFiguresOutput()
    open = serializers.IntegerField(help_text="at stake now")


class SubjectOutput(serializers.Serializer[Any]):
    subject = serializers.CharField()
    about = serializers.CharField(
        help_text="for a market, the subject that was bet on; otherwise the subject"
    )
    rules = serializers.CharField()
    stake_table = serializers.CharField()
    figures = SiteFiguresOutput()
    open = serializers.IntegerField(help_text="at stake now")


class TableReportOutput(serializers.Serializer[Any]):
    table = serializers.CharField()
    rules = serializers.CharField()
    figures = SiteFiguresOutput()
    bank = serializers.IntegerField(help_text="current balance of the bank")
    reserved = serializers.IntegerField(help_text="currently held part of it")
    bank_limit = serializers.IntegerField(allow_null=True)
    open = serializers.IntegerField(help_text="at stake now")


class _ReportOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    total = SiteFiguresOutput(help_text="of all rows")


class DaysReportOutput(_ReportOutput):
    results = DayOutput(many=True)


class GamesReportOutput(_ReportOutput):
    results = GamesOutput(many=True)


class TablesReportOutput(_ReportOutput):
    results = TableReportOutput(many=True)


MOST_DAYS = 366
"""Days of one report; without `from` the last 30."""

_DAYS = "a day in the installation's time zone, inclusive"
PERIOD = [
    OpenApiParameter("from", OpenApiTypes.DATE, description=_DAYS),
    OpenApiParameter("until", OpenApiTypes.DATE, description=_DAYS),
    OpenApiParameter("currency", description="default: the installation's currency"),
]
_PERIOD = ("from", "until", "currency")


def _period(given: dict[str, str]) -> Period:
    first, last = parameters.day(given, "from"), parameters.day(given, "until")
    if first is not None and last is not None and last < first:
        raise InvalidInput("until: must not be before `from`.")
    return Period(parameters.currency(given), first, last)


def _whole(currency: str, total: Figures, rows: Any) -> Response:
    # Players are not summed: one may be in several rows.
    summary = {**SiteFiguresOutput(total).data, "players": None}
    return Response({"currency": currency, "total": summary, "results": rows})


def _sum(rows: Iterable[Any]) -> Figures:
    return sum((row.figures for row in rows), Figures())


_FIGURES = list(SiteFiguresOutput().fields)


def _cells(figures: Figures) -> list[int | None]:
    return [getattr(figures, name) for name in _FIGURES]


# --- days --------------------------------------------------------------------------------------------


def _days(given: dict[str, str]) -> tuple[str, list[reports.DayReport]]:
    period = _period(given)
    last = period.last or max(today(timezone.now(), reports.time_zone()), period.first or date.min)
    first = period.first or last - timedelta(days=29)
    if (last - first).days >= MOST_DAYS:
        raise InvalidInput(f"from: at most {MOST_DAYS} days in one report.")
    return period.currency, reports.day_reports(currency=period.currency, first=first, last=last)


class Days(StaffView):
    @describe(
        "reports_days",
        "Stakes and results of the site by day (administrators, auditors)",
        response=DaysReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        currency, rows = _days(query(request, *_PERIOD))
        return _whole(currency, _sum(rows), DayOutput(rows, many=True).data)


class DaysCsv(StaffView, Csv):
    @describe_csv(
        "reports_days_csv",
        "Stakes and results of the site by day, as CSV (administrators, auditors)",
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
        return attachment(spreadsheets.table(heads, table), name="days.csv")


# --- games and stake tables --------------------------------------------------------------------------


class Games(StaffView):
    @describe(
        "reports_games",
        "Results of the site by game, without tournaments (administrators, auditors)",
        response=GamesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.game_reports(period)
        return _whole(period.currency, _sum(rows), GamesOutput(rows, many=True).data)


class GamesCsv(StaffView, Csv):
    @describe_csv(
        "reports_games_csv",
        "Results of the site by game, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        table = (
            [row.rules, period.currency, *_cells(row.figures), row.open]
            for row in reports.game_reports(period)
        )
        return attachment(
            spreadsheets.table(["rules", "currency", *_FIGURES, "open_now"], table), name="games.csv"
        )


class Tables(StaffView):
    @describe(
        "reports_stake_tables",
        "Results and bank of each stake table (administrators, auditors)",
        response=TablesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.table_reports(period)
        return _whole(period.currency, _sum(rows), TableReportOutput(rows, many=True).data)


class TablesCsv(StaffView, Csv):
    @describe_csv(
        "reports_stake_tables_csv",
        "Results of each stake table, as CSV (administrators, auditors)",
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
        return attachment(spreadsheets.table(heads, table), name="stake-tables.csv")


# --- one by one --------------------------------------------------------------------------------------

AT_ONCE = 200
"""Subjects summed at a time for a CSV."""


class _Subjects(StaffView, ListAPIView[Account]):
    """Pages of single games or tournaments, newest escrow first."""

    serializer_class = SubjectOutput
    ordering = ("-pk",)

    def answer(self, period: Period, escrows: QuerySet[Account]) -> Response:
        page = self.paginate_queryset(escrows)
        assert page is not None
        rows = reports.subject_reports(period, page)
        return self.get_paginated_response(SubjectOutput(rows, many=True).data)


def _subjects_csv(period: Period, escrows: QuerySet[Account], name: str) -> HttpResponseBase:
    table = (
        [row.subject, row.about, row.rules, row.stake_table, period.currency, *_cells(row.figures), row.open]
        for page in _pages(escrows)
        for row in reports.subject_reports(period, page)
    )
    heads = ["subject", "about", "rules", "stake_table", "currency", *_FIGURES, "open_now"]
    return attachment(spreadsheets.table(heads, table), name=name)


def _pages(escrows: QuerySet[Account]) -> Iterator[Sequence[Account]]:
    last: int | None = None
    while page := list((escrows if last is None else escrows.filter(pk__lt=last)).order_by("-pk")[:AT_ONCE]):
        yield page
        last = page[-1].pk


class SingleGames(_Subjects):
    @describe(
        "reports_single_games",
        "The single games of one kind and the markets on them, newest first (administrators, auditors)",
        response=SubjectOutput(many=True),
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str, *args: Any, **kwargs: Any) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, reports.escrows_of_games(period, rules=rules))


class SingleGamesCsv(StaffView, Csv):
    @describe_csv(
        "reports_single_games_csv",
        "The single games of one kind, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _subjects_csv(period, reports.escrows_of_games(period, rules=rules), f"{rules}.csv")


class Tournaments(_Subjects):
    @describe(
        "reports_tournaments",
        "Results by tournament and the markets on them, newest first (administrators, auditors)",
        response=SubjectOutput(many=True),
        parameters=PERIOD,
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, reports.escrows_of_tournaments(period))


class TournamentsCsv(StaffView, Csv):
    @describe_csv(
        "reports_tournaments_csv",
        "Results by tournament, as CSV (administrators, auditors)",
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _subjects_csv(period, reports.escrows_of_tournaments(period), "tournaments.csv")
