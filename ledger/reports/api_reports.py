"""REST API of the site's reports, for administrators and auditors, as JSON and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Annotated, Any, TypedDict

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import InvalidInput
from ledger.callers import StaffView
from ledger.models import SubjectDay
from ledger.reports import query as parameters
from ledger.reports import reports, spreadsheets
from ledger.reports.api import Csv, attachment, describe_csv
from ledger.reports.figures import Figures, today
from ledger.reports.rollups import Period, time_zone
from ledger.reports.singles import Place
from rest.documents import Date, Moment, moment
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import STAFF


class SiteFiguresOutput(TypedDict):
    games: int
    bets: int
    entries: int
    players: Annotated[int | None, "null in a total, because a player can be in several rows"]
    stakes: int
    refunds: int
    turnover: Annotated[int, "stakes less refunds"]
    winnings: int
    bank: int
    rake: int
    takeout: int
    breakage: int
    margin: Annotated[int, "bank, rake, takeout and breakage together"]
    margin_rate: Annotated[int | None, "margin in basis points of the turnover; null without turnover"]
    promotion: int
    overlay: Annotated[int, "added to guaranteed prizes; negative"]
    liability: Annotated[int, "change of the amount at stake"]


def site_figures_document(figures: Figures) -> SiteFiguresOutput:
    return {
        "games": figures.games,
        "bets": figures.bets,
        "entries": figures.entries,
        "players": figures.players,
        "stakes": figures.stakes,
        "refunds": figures.refunds,
        "turnover": figures.turnover,
        "winnings": figures.winnings,
        "bank": figures.bank,
        "rake": figures.rake,
        "takeout": figures.takeout,
        "breakage": figures.breakage,
        "margin": figures.margin,
        "margin_rate": figures.margin_rate,
        "promotion": figures.promotion,
        "overlay": figures.overlay,
        "liability": figures.liability,
    }


def _total(rows: Iterable[Any]) -> SiteFiguresOutput:
    """Return the sum of the figures of rows, without players: one may be in several rows."""
    return {**site_figures_document(sum((row.figures for row in rows), Figures())), "players": None}


Total = Annotated[SiteFiguresOutput, "of all rows"]

_FIGURES = [*SiteFiguresOutput.__annotations__]

_COLUMNS = {"table": "stake_table", "bank": "bank_now", "reserved": "reserved_now", "open": "open_now"}
"""The members of rows that have other names as columns of files."""


def _file(name: str, of: type, rows: Iterable[Mapping[str, Any]], currency: str) -> HttpResponseBase:
    """Return documents of the type `of` as CSV: the currency and the single figures instead of `figures`."""
    heads: list[str] = []
    for member in of.__annotations__:
        heads += ["currency", *_FIGURES] if member == "figures" else [_COLUMNS.get(member, member)]
    return attachment(spreadsheets.table(heads, ([*_cells(row, currency)] for row in rows)), name=name)


def _cells(row: Mapping[str, Any], currency: str) -> Iterator[Any]:
    for member, value in row.items():
        if member == "figures":
            yield currency
            yield from value.values()
        else:
            yield value


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


# --- days --------------------------------------------------------------------------------------------


def _days(given: dict[str, str]) -> tuple[str, list[reports.DayReport]]:
    period = _period(given)
    last = period.last or max(today(timezone.now(), time_zone()), period.first or date.min)
    first = period.first or last - timedelta(days=29)
    if (last - first).days >= MOST_DAYS:
        raise InvalidInput(f"from: at most {MOST_DAYS} days in one report.")
    return period.currency, reports.day_reports(currency=period.currency, first=first, last=last)


class DayOutput(TypedDict):
    day: Date
    begins: Moment
    ends: Moment
    figures: SiteFiguresOutput
    deposits: int
    withdrawals: int
    changes: Annotated[dict[str, int], "by side; the sum is zero"]
    closing: Annotated[dict[str, int], "by side at the end of the day; the sum is zero"]
    liability: Annotated[int, "at stake at the end of the day"]


def day_document(row: reports.DayReport) -> DayOutput:
    return {
        "day": row.day.date.isoformat(),
        "begins": moment(row.day.begins),
        "ends": moment(row.day.ends),
        "figures": site_figures_document(row.figures),
        "deposits": row.deposits,
        "withdrawals": row.withdrawals,
        "changes": row.changes,
        "closing": row.closing,
        "liability": row.liability,
    }


class DaysReportOutput(TypedDict):
    currency: str
    total: Total
    results: list[DayOutput]


class Days(StaffView):
    @describe(
        "reports_days",
        "Stakes and results of the site by day (administrators, auditors)",
        scope=STAFF,
        response=DaysReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        currency, rows = _days(query(request, *_PERIOD))
        report: DaysReportOutput = {
            "currency": currency,
            "total": _total(rows),
            "results": [day_document(row) for row in rows],
        }
        return Response(report)


class DaysCsv(StaffView, Csv):
    @describe_csv(
        "reports_days_csv",
        "Stakes and results of the site by day, as CSV (administrators, auditors)",
        scope=STAFF,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        currency, rows = _days(query(request, *_PERIOD))
        sides = sorted({side for row in rows for side in (*row.changes, *row.closing)})
        heads = ["day", "currency", *_FIGURES, "deposits", "withdrawals", "at_stake"]
        heads += [f"{side}_{what}" for side in sides for what in ("change", "closing")]
        table = (
            [
                row.day.date.isoformat(),
                *_cells({"figures": site_figures_document(row.figures)}, currency),
                row.deposits,
                row.withdrawals,
                row.liability,
                *(what.get(side, 0) for side in sides for what in (row.changes, row.closing)),
            ]
            for row in rows
        )
        return attachment(spreadsheets.table(heads, table), name="days.csv")


# --- games and stake tables --------------------------------------------------------------------------


class GamesOutput(TypedDict):
    rules: Annotated[str, "slug of the game; empty without a stake table"]
    figures: SiteFiguresOutput
    open: Annotated[int, "at stake now"]


def games_document(row: reports.GameReport) -> GamesOutput:
    return {"rules": row.rules, "figures": site_figures_document(row.figures), "open": row.open}


class GamesReportOutput(TypedDict):
    currency: str
    total: Total
    results: list[GamesOutput]


class Games(StaffView):
    @describe(
        "reports_games",
        "Results of the site by game, without tournaments (administrators, auditors)",
        scope=STAFF,
        response=GamesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.game_reports(period)
        report: GamesReportOutput = {
            "currency": period.currency,
            "total": _total(rows),
            "results": [games_document(row) for row in rows],
        }
        return Response(report)


class GamesCsv(StaffView, Csv):
    @describe_csv(
        "reports_games_csv",
        "Results of the site by game, as CSV (administrators, auditors)",
        scope=STAFF,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        rows = map(games_document, reports.game_reports(period))
        return _file("games.csv", GamesOutput, rows, period.currency)


class TableReportOutput(TypedDict):
    table: str
    rules: str
    figures: SiteFiguresOutput
    bank: Annotated[int, "current balance of the bank"]
    reserved: Annotated[int, "currently held part of it"]
    bank_limit: int | None
    open: Annotated[int, "at stake now"]


def table_document(row: reports.TableReport) -> TableReportOutput:
    return {
        "table": row.table,
        "rules": row.rules,
        "figures": site_figures_document(row.figures),
        "bank": row.bank,
        "reserved": row.reserved,
        "bank_limit": row.bank_limit,
        "open": row.open,
    }


class TablesReportOutput(TypedDict):
    currency: str
    total: Total
    results: list[TableReportOutput]


class Tables(StaffView):
    @describe(
        "reports_stake_tables",
        "Results and bank of each stake table (administrators, auditors)",
        scope=STAFF,
        response=TablesReportOutput,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD))
        rows = reports.table_reports(period)
        report: TablesReportOutput = {
            "currency": period.currency,
            "total": _total(rows),
            "results": [table_document(row) for row in rows],
        }
        return Response(report)


class TablesCsv(StaffView, Csv):
    @describe_csv(
        "reports_stake_tables_csv",
        "Results of each stake table, as CSV (administrators, auditors)",
        scope=STAFF,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        rows = map(table_document, reports.table_reports(period))
        return _file("stake-tables.csv", TableReportOutput, rows, period.currency)


# --- one by one --------------------------------------------------------------------------------------

AT_ONCE = 200
"""Subjects summed at a time for a CSV."""


class SubjectOutput(TypedDict):
    subject: str
    about: Annotated[str, "for a market, the subject that was bet on; otherwise the subject"]
    rules: str
    stake_table: str
    figures: SiteFiguresOutput
    open: Annotated[int, "at stake now"]


def subject_document(row: reports.SubjectReport) -> SubjectOutput:
    return {
        "subject": row.subject,
        "about": row.about,
        "rules": row.rules,
        "stake_table": row.stake_table,
        "figures": site_figures_document(row.figures),
        "open": row.open,
    }


Singles = Callable[..., list[Place]]


class _Singles(StaffView, PagedView):
    """Pages of single games or tournaments, those with the newest transfers first."""

    ordering = ("-day", "-escrow")

    def answer(self, period: Period, singles: Singles) -> Response:
        pages = self.pagination_class()
        page = pages.paginate_after(
            lambda last, most: [
                SubjectDay(day=day, escrow=escrow)
                for day, escrow in singles(period, after=None if last is None else tuple(last), most=most)
            ],
            SubjectDay,
            self.ordering,
            self.request,
        )
        places = [(row.day, row.escrow) for row in page]
        return pages.get_paginated_response(
            [subject_document(row) for row in reports.subject_reports(period, places)]
        )


def _singles_csv(period: Period, singles: Singles, name: str) -> HttpResponseBase:
    rows = (
        subject_document(row)
        for page in _pages(period, singles)
        for row in reports.subject_reports(period, page)
    )
    return _file(name, SubjectOutput, rows, period.currency)


def _pages(period: Period, singles: Singles) -> Iterator[Sequence[Place]]:
    last: Place | None = None
    while page := singles(period, after=last, most=AT_ONCE):
        yield page
        last = page[-1]


class SingleGames(_Singles):
    @describe(
        "reports_single_games",
        "The single games of one kind and the markets on them, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[SubjectOutput],
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, partial(reports.single_games, rules=rules))


class SingleGamesCsv(StaffView, Csv):
    @describe_csv(
        "reports_single_games_csv",
        "The single games of one kind, as CSV (administrators, auditors)",
        scope=STAFF,
        parameters=PERIOD,
    )
    def get(self, request: Request, rules: str) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _singles_csv(period, partial(reports.single_games, rules=rules), f"{rules}.csv")


class Tournaments(_Singles):
    @describe(
        "reports_tournaments",
        "Results by tournament and the markets on them, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[SubjectOutput],
        parameters=PERIOD,
    )
    def get(self, request: Request) -> Response:
        period = _period(query(request, *_PERIOD, *PAGE))
        return self.answer(period, reports.single_tournaments)


class TournamentsCsv(StaffView, Csv):
    @describe_csv(
        "reports_tournaments_csv",
        "Results by tournament, as CSV (administrators, auditors)",
        scope=STAFF,
        parameters=PERIOD,
    )
    def get(self, request: Request) -> HttpResponseBase:
        period = _period(query(request, *_PERIOD))
        return _singles_csv(period, reports.single_tournaments, "tournaments.csv")
