"""Reports of the site: by day, game, tournament, and stake table.

All are sums of the same flows (see `ledger.reports.figures`), so their totals agree with each other and with the trial
balance. `first` and `last` are days of the installation's time zone, both inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from operator import itemgetter
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.expressions import RawSQL
from django.utils import timezone

from core.transactions import one_snapshot
from ledger.models import Account, Hold, OwnerKind, Purpose, StakeTable, Transfer
from ledger.reports import figures as counted
from ledger.reports.figures import ESCROW, Day, Figures, Flow, begins, days, figures
from ledger.reports.flows import AT_PLAY, Grouping, Key, Span, Staked, books, books_of, by_day, flows, staked
from ledger.stakes.tables import in_force


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days of a currency, first and last inclusive; None: unbounded."""

    currency: str
    first: date | None = None
    last: date | None = None

    @property
    def span(self) -> Span:
        zone = time_zone()
        return Span(
            self.currency,
            None if self.first is None else begins(self.first, zone),
            None if self.last is None else days(self.last, self.last, zone)[0].ends,
        )


def time_zone() -> ZoneInfo:
    return ZoneInfo(settings.RACECARD_TIME_ZONE)


# --- by day ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DayReport:
    """A day. `changes` and `closing` by side: what accounts gained that day and had at its end; all sides add up to
    zero.

    `reserved` is what was held on banks for possible winnings at the end of the day.
    """

    day: Day
    figures: Figures
    deposits: int
    withdrawals: int
    changes: dict[str, int]
    closing: dict[str, int]
    reserved: int

    @property
    def liability(self) -> int:
        """What was at stake at the end of the day."""
        return self.closing.get(ESCROW, 0)


def day_reports(*, currency: str, first: date, last: date) -> list[DayReport]:
    """Return a report for every day, including days without transfers."""
    wanted = days(first, last, time_zone())
    span = Span(currency, wanted[0].begins, wanted[-1].ends)
    with one_snapshot():
        by = by_day(wanted)
        flowed = _gathered(flows(span, by))
        different = staked(span, by)
        standing = counted.changes(flow for _, flow in flows(Span(currency, ends=span.begins), _ALL))
        reserves = _reserved(currency, wanted)
    made = []
    for number, day in enumerate(wanted):
        key = (number,)
        moved = flowed.get(key, [])
        changed = counted.changes(moved)
        standing = {side: standing.get(side, 0) + changed.get(side, 0) for side in {*standing, *changed}}
        made.append(
            DayReport(
                day,
                _figures(key, flowed, different),
                _between(moved, counted.EXTERNAL, counted.PLAYERS),
                _between(moved, counted.PLAYERS, counted.EXTERNAL),
                changed,
                standing,
                reserves[number],
            )
        )
    return made


_ALL = Grouping(["'all'"])


def _gathered(found: Iterable[tuple[Key, Flow]]) -> dict[Key, list[Flow]]:
    return {key: [flow for _, flow in group] for key, group in groupby(found, key=itemgetter(0))}


def _between(moved: Iterable[Flow], payer: str, receiver: str) -> int:
    return sum(flow.amount for flow in moved if (flow.payer, flow.receiver) == (payer, receiver))


def _reserved(currency: str, wanted: list[Day]) -> list[int]:
    held = Hold.objects.filter(account__purpose=Purpose.BANK, account__currency=currency)
    return [
        held.filter(Q(resolved_at=None) | Q(resolved_at__gte=day.ends), at__lt=day.ends).aggregate(
            sum=Sum("amount", default=0)
        )["sum"]
        for day in wanted
    ]


# --- by game -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameReport:
    """All play of one game: staked games and the bets on them. `rules` is empty without a stake table.

    `open` is at stake now, whatever the period.
    """

    rules: str
    figures: Figures
    open: int


_RULES = "coalesce((SELECT rules FROM ledger_staketable WHERE id = b.stake_table_id), '')"
_ABOUT = "coalesce(b.about, m.subject)"
_OF_TOURNAMENT = f"{_ABOUT} LIKE 'tournament:%%'"


def game_reports(period: Period) -> list[GameReport]:
    """Return the reports by game, without tournaments."""
    by = Grouping([_RULES], f"({AT_PLAY}) AND NOT {_OF_TOURNAMENT}", booked=True)
    with one_snapshot():
        return [GameReport(rules, found, _liability(now)) for (rules,), found, now in _reported(period, by)]


def _reported(period: Period, by: Grouping) -> Iterator[tuple[Key, Figures, list[Flow]]]:
    """Return the figures of the period and all flows so far, by key."""
    ever = _gathered(flows(Span(period.currency), by))
    flowed = ever if period.first is period.last is None else _gathered(flows(period.span, by))
    different = staked(period.span, by)
    for key, all_of_it in ever.items():
        yield key, _figures(key, flowed, different), all_of_it


def _figures(key: Key, flowed: Mapping[Key, list[Flow]], different: Mapping[Key, Staked]) -> Figures:
    found = different.get(key, Staked(0, 0))
    return figures(flowed.get(key, []), games=found.games, players=found.players)


def _liability(ever: Iterable[Flow]) -> int:
    return counted.changes(ever).get(ESCROW, 0)


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
    by = Grouping(["b.stake_table_id"], f"({AT_PLAY}) AND b.stake_table_id IS NOT NULL", booked=True)
    with one_snapshot():
        found = {key[0]: (shown, _liability(ever)) for key, shown, ever in _reported(period, by)}
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


def escrows_of_games(period: Period, *, rules: str) -> QuerySet[Account]:
    """Return the escrows of single games of these rules, and of markets on them, with transfers in the period."""
    return _escrows(period, f"{_RULES_OF_TABLE} = %s AND NOT {_ABOUT_ESCROW} LIKE 'tournament:%%'", [rules])


def escrows_of_tournaments(period: Period) -> QuerySet[Account]:
    """Return the escrows of tournaments, and of markets on them, with transfers in the period."""
    return _escrows(period, f"{_ABOUT_ESCROW} LIKE 'tournament:%%'", [])


def subject_reports(period: Period, page: Sequence[Account]) -> list[SubjectReport]:
    """Return the reports of a page of escrows, in its order."""
    subjects = [escrow.owner for escrow in page]
    span = replace(period.span, subjects=subjects)
    by = Grouping(["m.subject"], AT_PLAY)
    with one_snapshot():
        flowed, different, known = _gathered(flows(span, by)), staked(span, by), books_of(subjects)
    return [
        SubjectReport(
            subject,
            known[subject].about if subject in known else subject,
            known[subject].rules if subject in known else "",
            known[subject].stake_table if subject in known else "",
            _figures((subject,), flowed, different),
            escrow.total,
        )
        for subject, escrow in zip(subjects, page, strict=True)
    ]


def tournament_total(period: Period) -> Figures:
    """Return the total of all tournaments of the period, and of the markets on them."""
    by = Grouping(["'all'"], f"({AT_PLAY}) AND {_OF_TOURNAMENT}", booked=True)
    with one_snapshot():
        return _figures(("all",), _gathered(flows(period.span, by)), staked(period.span, by))


_ABOUT_ESCROW = "coalesce(b.about, a.kind || ':' || a.key)"
_RULES_OF_TABLE = "coalesce(s.rules, '')"


def _escrows(period: Period, condition: str, given: list[str]) -> QuerySet[Account]:
    ids = RawSQL(  # noqa: S611 (values are given apart)
        f"SELECT a.id FROM ledger_account a LEFT JOIN ({books()}) b ON b.subject = a.kind || ':' || a.key "  # noqa: S608
        "LEFT JOIN ledger_staketable s ON s.id = b.stake_table_id "
        f"WHERE a.purpose = 'escrow' AND a.currency = %s AND {condition}",
        [period.currency, *given],
    )
    span = period.span
    moved = Q() if span.begins is None else Q(at__gte=span.begins)
    moved &= Q() if span.ends is None else Q(at__lt=span.ends)
    paid, received = (
        Transfer.objects.filter(moved, **{side: OuterRef("pk")}) for side in ("debit", "credit")
    )
    return Account.objects.filter(Exists(paid) | Exists(received), pk__in=ids)
