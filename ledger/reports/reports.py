"""Reports of the site: by day, game, tournament, and stake table.

All are sums of the same flows (see `ledger.reports.figures`), so their totals agree with each other and with the trial
balance. `first` and `last` are days of the installation's time zone, both inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from core.transactions import one_snapshot
from ledger.models import Account, OwnerKind, Purpose, StakeTable
from ledger.reports import figures as counted
from ledger.reports import player_days, singles
from ledger.reports.figures import ESCROW, Day, Figures, Flow, days, figures
from ledger.reports.flows import STAKE as A_STAKE
from ledger.reports.flows import SUMS, books_of, moved, rows
from ledger.reports.rollups import Grouping, Period, flows, time_zone
from ledger.reports.singles import TOURNAMENTS, Kind, Place
from ledger.stakes.tables import in_force

# --- by day ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DayReport:
    """A day. `changes` and `closing` by side: what accounts gained that day and had at its end; all sides add up to
    zero.
    """

    day: Day
    figures: Figures
    deposits: int
    withdrawals: int
    changes: dict[str, int]
    closing: dict[str, int]

    @property
    def liability(self) -> int:
        """What was at stake at the end of the day."""
        return self.closing.get(ESCROW, 0)


def day_reports(*, currency: str, first: date, last: date) -> list[DayReport]:
    """Return a report for every day, including days without transfers."""
    wanted = days(first, last, time_zone())
    period, by = Period(currency, first, last), Grouping("f.day")
    with one_snapshot():
        flowed = flows(period, by)
        different = player_days.by_day("play", period.span, time_zone(), period.days)
        closing = _closing(currency, first - timedelta(days=1))
    made = []
    for day in wanted:
        key = str(day.date)
        moved = flowed.get(key, [])
        changed = counted.changes(moved)
        closing = _added(closing, changed)
        made.append(
            DayReport(
                day,
                figures(moved, players=different.get(key, 0)),
                between(moved, counted.EXTERNAL, counted.PLAYERS),
                between(moved, counted.PLAYERS, counted.EXTERNAL),
                changed,
                closing,
            )
        )
    return made


def _closing(currency: str, last: date) -> dict[str, int]:
    """Return what each side had at the end of a day: what it has now less what moved later."""
    ever = _changes(Period(currency))
    later = _changes(Period(currency, first=last + timedelta(days=1)))
    return _added(ever, {side: -amount for side, amount in later.items()})


def _changes(period: Period) -> dict[str, int]:
    return counted.changes(flow for each in flows(period, Grouping("'all'")).values() for flow in each)


def _added(some: dict[str, int], more: dict[str, int]) -> dict[str, int]:
    """Return the sum of each side, without sides at zero."""
    sums = {side: some.get(side, 0) + more.get(side, 0) for side in {*some, *more}}
    return {side: amount for side, amount in sums.items() if amount}


def between(moved: Iterable[Flow], payer: str, receiver: str) -> int:
    """Return what one side paid to another."""
    return sum(flow.amount for flow in moved if (flow.payer, flow.receiver) == (payer, receiver))


# --- by game -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameReport:
    """All play of one game: staked games and the bets on them. `rules` is empty without a stake table.

    `open` is at stake now, whatever the period.
    """

    rules: str
    figures: Figures
    open: int


_OF_GAMES = Grouping("coalesce(s.rules, '')", "NOT f.tournament", at_play=True)


def game_reports(period: Period) -> list[GameReport]:
    """Return the reports by game, without tournaments."""
    with one_snapshot():
        return [
            GameReport(rules, found, open_)
            for rules, (found, open_) in _reported(period, _OF_GAMES, "game").items()
        ]


def _reported(period: Period, by: Grouping, kind: str) -> dict[Any, tuple[Figures, int]]:
    """Return the figures of the period and what is at stake now, by key, with the players of groups of this kind."""
    ever, found = flows(Period(period.currency), by), _figures(period, by, kind)
    return {
        key: (found.get(key, Figures()), counted.changes(all_of_it).get(ESCROW, 0))
        for key, all_of_it in ever.items()
    }


def _figures(period: Period, by: Grouping, kind: str) -> dict[Any, Figures]:
    different = player_days.by_key(kind, period.span, time_zone(), period.days)
    return {
        key: figures(found, players=different.get(str(key), 0)) for key, found in flows(period, by).items()
    }


# --- by stake table ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableReport:
    """A stake table. `bank`, `reserved`, and `open` are current: the balance, its held part, the money at stake."""

    table: str
    rules: str
    figures: Figures
    bank: int
    reserved: int
    bank_limit: int | None
    open: int


def table_reports(period: Period) -> list[TableReport]:
    """Return the report of each stake table, including tables without play."""
    by = Grouping("f.stake_table", "f.stake_table <> 0", at_play=True)
    with one_snapshot():
        found = _reported(period, by, "table")
        tables = StakeTable.objects.filter(currency=period.currency).order_by("slug")
        banks = {
            bank.key: bank
            for bank in Account.objects.filter(
                kind=OwnerKind.HOUSE, purpose=Purpose.BANK, currency=period.currency
            )
        }
        limits = {pk: terms.bank_limit for pk, terms in in_force(timezone.now()).items()}
        return [
            _table(
                table,
                banks.get(table.slug),
                limits.get(table.pk),
                *found.get(table.pk, (Figures(), 0)),
            )
            for table in tables
        ]


def _table(
    table: StakeTable, bank: Account | None, limit: int | None, shown: Figures, open_: int
) -> TableReport:
    has, held = (0, 0) if bank is None else (bank.total, bank.held)
    return TableReport(table.slug, table.rules, shown, has, held, limit, open_)


# --- single games and tournaments --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubjectReport:
    """A game, market, or tournament with its escrow. `about`: for a market, what was bet on."""

    subject: str
    about: str
    rules: str
    stake_table: str
    figures: Figures
    open: int


def single_games(period: Period, rules: str, *, after: Place | None = None, most: int) -> list[Place]:
    """Return the escrows of single games of these rules, and of markets on them, with transfers in the period."""
    return _places(period, Kind(tournament=False, rules=rules), after, most)


def single_tournaments(period: Period, *, after: Place | None = None, most: int) -> list[Place]:
    """Return the escrows of tournaments, and of markets on them, with transfers in the period."""
    return _places(period, TOURNAMENTS, after, most)


def _places(period: Period, kind: Kind, after: Place | None, most: int) -> list[Place]:
    with one_snapshot():
        return singles.page(kind, period.span, time_zone(), period.days, after=after, most=most)


def subject_reports(period: Period, page: Sequence[Place]) -> list[SubjectReport]:
    """Return the reports of a page of escrows, in its order."""
    escrows = Account.objects.in_bulk([escrow for _, escrow in page])
    subjects = [escrows[escrow].owner for _, escrow in page]
    source, given = moved(replace(period.span, subjects=subjects))
    flowed: dict[str, list[Flow]] = {}
    with one_snapshot():
        for subject, payer, receiver, refund, *rest in rows(
            f"SELECT m.subject, {SUMS} FROM ({source}) m ORDER BY m.subject",  # noqa: S608
            given,
        ):
            flowed.setdefault(subject, []).append(Flow(payer, receiver, bool(refund), *rest))
        different = dict(
            rows(
                "SELECT m.subject, count(DISTINCT m.payer_key) "  # noqa: S608
                f"FROM ({source}) m WHERE {A_STAKE} GROUP BY m.subject",
                given,
            )
        )
        known = books_of(subjects)
    return [
        SubjectReport(
            subject,
            known[subject].about if subject in known else subject,
            known[subject].rules if subject in known else "",
            known[subject].stake_table if subject in known else "",
            figures(flowed.get(subject, []), players=different.get(subject, 0)),
            escrows[escrow].total,
        )
        for subject, (_, escrow) in zip(subjects, page, strict=True)
    ]


def tournament_total(period: Period) -> Figures:
    """Return the total of all tournaments of the period, and of the markets on them."""
    by = Grouping("''", "f.tournament", at_play=True)
    with one_snapshot():
        return _figures(period, by, "tournaments").get("", Figures())
