"""Pages of the site's reports: days with charts, games, stake tables, tournaments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial, wraps
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ledger.core.selectors import currencies
from ledger.models import table_name
from ledger.money import currency_name, figure
from ledger.reports.figures import EXTERNAL, PLAYERS, Figures, figures, today
from ledger.reports.reports import (
    DayReport,
    SubjectReport,
    between,
    day_reports,
    game_reports,
    single_games,
    single_tournaments,
    subject_reports,
    table_reports,
    tournament_total,
)
from ledger.reports.rollups import Grouping, Period, flows, time_zone
from ledger.reports.singles import Place
from ledger.staff.actions import VIEW_LEDGER
from ledger.templatetags.staff import game
from staff import subjects
from staff.charts import Chart, Series
from staff.pages import page, render

MOST_DAYS = 366
USUAL_DAYS = 30
BARS_FOR = 45
"""Up to this number of days is drawn as bars, more as lines."""

ROWS = 50

VIEWS = {
    "staff_reports": ("By day", "reports-days"),
    "staff_reports_games": ("By game", "reports-games"),
    "staff_reports_tables": ("By stake table", "reports-stake-tables"),
    "staff_reports_tournaments": ("By tournament", "reports-tournaments"),
}
"""The title of each page, and its report in the REST API."""


class PeriodForm(forms.Form):
    """Whole days of the site's time zone, both inclusive."""

    first = forms.DateField(label="From", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    last = forms.DateField(label="Until", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    currency = forms.ChoiceField()

    def __init__(self, request: HttpRequest) -> None:
        day = today(timezone.now(), time_zone())
        usual = {
            "first": str(day - timedelta(days=USUAL_DAYS - 1)),
            "last": str(day),
            "currency": settings.RACECARD_CURRENCY,
        }
        given = {name: request.GET.get(name, value) for name, value in usual.items()}
        super().__init__(given, label_suffix="")
        known = dict.fromkeys([settings.RACECARD_CURRENCY, *currencies()])
        choices = forms.ChoiceField(choices=[(each, currency_name(each)) for each in known])
        self.fields["currency"] = choices

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        first, last = given.get("first"), given.get("last")
        if first and last and last < first:
            raise forms.ValidationError("The report would end before it begins. Exchange the two days.")
        if first and last and (last - first).days >= MOST_DAYS:
            raise forms.ValidationError(f"A report covers 1 to {MOST_DAYS} days.")
        return given

    @property
    def period(self) -> Period:
        given = self.cleaned_data
        return Period(given["currency"], given["first"], given["last"])


def _report(request: HttpRequest, name: str, template: str, form: PeriodForm, **context: Any) -> HttpResponse:
    query = request.GET.copy()
    for passing in ("rules", "before"):
        query.pop(passing, None)
    kept = query.urlencode()
    return render(
        request,
        template,
        title="Reports",
        lead="Stakes, winnings, and results, from transfers. A reversal counts on the day on which it was made.",
        form=form,
        tabs=[
            {"title": title, "url": f"{reverse(f'admin:{view}')}?{kept}", "current": view == name}
            for view, (title, _) in VIEWS.items()
        ],
        kept=kept,
        files=_files(name, form) if form.is_valid() else [],
        currency=form.cleaned_data.get("currency", settings.RACECARD_CURRENCY),
        **context,
    )


def _files(name: str, form: PeriodForm) -> list[tuple[str, str]]:
    """Return the links to the same figures as files."""
    given, (_, endpoint) = form.cleaned_data, VIEWS[name]
    query = urlencode({"from": given["first"], "until": given["last"], "currency": given["currency"]})
    return [
        ("CSV", f"{reverse(f'{endpoint}-csv')}?{query}"),
        ("JSON", f"{reverse(endpoint)}?{query}"),
    ]


Contents = Callable[[HttpRequest, Period], dict[str, Any]]


def _report_page(
    name: str, route: str, template: str, **listed: Any
) -> Callable[[Contents], Callable[..., HttpResponse]]:
    """Declare a function as a report: it returns what the template shows of a valid period."""

    def declare(contents: Contents) -> Callable[..., HttpResponse]:
        @page(name, route, permission=VIEW_LEDGER, **listed)
        @wraps(contents)
        def view(request: HttpRequest) -> HttpResponse:
            form = PeriodForm(request)
            shown = contents(request, form.period) if form.is_valid() else {}
            return _report(request, name, template, form, **shown)

        return view

    return declare


@_report_page("staff_reports", "money/reports/", "staff/report_days.html", listed="Reports", place=30)
def by_day(request: HttpRequest, period: Period) -> dict[str, Any]:
    assert period.first is not None
    assert period.last is not None
    days = day_reports(currency=period.currency, first=period.first, last=period.last)
    return {
        "days": days[::-1],
        "total": _together(day.figures for day in days),
        "deposits": sum(day.deposits for day in days),
        "withdrawals": sum(day.withdrawals for day in days),
        "last": days[-1],
        "charts": day_charts(days, period.currency),
    }


def _together(parts: Iterable[Figures]) -> Figures:
    """Return the sum, without the number of different players."""
    return replace(sum(parts, Figures()), players=0)


def day_charts(days: list[DayReport], currency: str) -> list[Chart]:
    labels = [_short(report.day.date) for report in days]
    lines = len(days) > BARS_FOR

    def chart(id: str, title: str, *series: Series, as_lines: bool = lines) -> Chart:
        return Chart(id, title, labels, series, lambda pence: figure(pence, currency), as_lines, dated=True)

    figures = [report.figures for report in days]
    return [
        chart(
            "staked",
            "Staked and won, by day",
            Series("Stakes less refunds", [each.turnover for each in figures]),
            Series("Winnings", [each.winnings for each in figures]),
        ),
        chart(
            "kept",
            "The site's result by day",
            Series("Banks", [each.bank for each in figures]),
            Series("Rake", [each.rake for each in figures]),
            Series("Takeout and breakage", [each.takeout + each.breakage for each in figures]),
        ),
        chart(
            "open",
            "At stake at the end of the day",
            Series("In escrow", [report.liability for report in days]),
            as_lines=True,
        ),
    ]


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"


@_report_page("staff_reports_games", "money/reports/games/", "staff/report_games.html")
def by_game(request: HttpRequest, period: Period) -> dict[str, Any]:
    rules, reports = request.GET.get("rules"), game_reports(period)
    compared = [(game(each.rules), each.figures) for each in reports]
    return {
        "rules": rules,
        "reports": reports,
        "total": _together(report.figures for report in reports),
        "charts": _compared("games", "Margin by game", compared, period.currency),
        **({} if rules is None else _singles(request, period, partial(single_games, rules=rules))),
    }


@_report_page("staff_reports_tables", "money/reports/stake-tables/", "staff/report_tables.html")
def by_table(request: HttpRequest, period: Period) -> dict[str, Any]:
    reports = table_reports(period)
    compared = [(table_name(each.table), each.figures) for each in reports]
    return {
        "reports": reports,
        "total": _together(report.figures for report in reports),
        "charts": _compared("tables", "Margin by stake table", compared, period.currency),
    }


@_report_page("staff_reports_tournaments", "money/reports/tournaments/", "staff/report_tournaments.html")
def by_tournament(request: HttpRequest, period: Period) -> dict[str, Any]:
    singles = _singles(request, period, single_tournaments)
    return {"total": tournament_total(period), **singles}


def _singles(request: HttpRequest, period: Period, singles: Callable[..., list[Place]]) -> dict[str, Any]:
    """Return a page of single games or tournaments, those with the newest transfers first."""
    before = request.GET.get("before", "")
    found = singles(period, after=_place(before), most=ROWS)
    reports: list[SubjectReport] = subject_reports(period, found)
    return {
        "singles": reports,
        "links": subjects.links(report.about for report in reports),
        "older": "_".join(map(str, found[-1])) if len(found) == ROWS else None,
        "paged": bool(before),
    }


def _place(text: str) -> Place | None:
    """Parse a place of the list; None if it is none."""
    day, _, escrow = text.partition("_")
    try:
        return (date.fromisoformat(day), int(escrow)) if escrow.isdecimal() and len(escrow) < 19 else None
    except ValueError:
        return None


def _compared(id: str, title: str, named: list[tuple[str, Figures]], currency: str) -> list[Chart]:
    """Return bar charts of turnover and margin, if there is anything to compare."""
    shown = [(name, each) for name, each in named if each.turnover or each.margin]
    if not shown:
        return []
    series = [
        Series("Stakes less refunds", [each.turnover for _, each in shown]),
        Series("Margin", [each.margin for _, each in shown]),
    ]
    return [Chart(id, title, [name for name, _ in shown], series, lambda pence: figure(pence, currency))]


@dataclass(frozen=True, slots=True)
class DayMoney:
    """The money of a day, without counts of games and players."""

    figures: Figures
    deposits: int
    withdrawals: int


def newest_days(*, currency: str, last: date, count: int) -> list[DayMoney]:
    """Return the money of each of the last days, from the rollups and the transfers after them."""
    first = last - timedelta(days=count - 1)
    found = flows(Period(currency, first, last), Grouping("f.day"))
    days = (found.get(str(first + timedelta(days=number)), []) for number in range(count))
    return [
        DayMoney(figures(flowed), between(flowed, EXTERNAL, PLAYERS), between(flowed, PLAYERS, EXTERNAL))
        for flowed in days
    ]
