"""Checks of the books in SQL: the database does the sums, and only what differs comes out of it."""

# ruff: noqa: S608 (what is put into these statements are names of our own tables and columns)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db import connection

from ledger.reconciliation.report import Checked, Difference, Found

PAGE = 500


@dataclass(frozen=True, slots=True)
class Check:
    """`differing` selects subject, account, currency, what stands and what should; `counted` what was looked at.

    `{game}` in it stands for a game's id as text with hyphens.
    """

    what: str
    of: str
    counted: str
    differing: str

    def run(self) -> Iterator[Found]:
        # SQLite keeps a UUID as 32 hexadecimal digits; accounts name it with hyphens.
        game = "game::text" if connection.vendor == "postgresql" else _HYPHENED
        yield from _named(
            self.what,
            "SELECT subject, account, currency, recorded, derived "
            f"FROM ({self.differing.format(game=game)}) found WHERE recorded <> derived",
        )
        [number] = _one_row(f"SELECT count(*) FROM {self.counted}")
        yield Checked(self.what, self.of, number)


@dataclass(frozen=True, slots=True)
class Condition:
    """Of the rows of a pass that are `among`, those that are `wrong` have `recorded` where `derived` should be."""

    what: str
    recorded: str
    derived: str
    wrong: str
    among: str = "true"


@dataclass(frozen=True, slots=True)
class Pass:
    """Many conditions on the rows of one source, counted in one reading of it.

    Where none is wrong, and that is nearly always, nothing is read twice. `named` selects subject, account and currency
    of what is wrong.
    """

    of: str
    source: str
    named: str
    conditions: tuple[Condition, ...]

    def run(self) -> Iterator[Found]:
        counts = iter(_one_row(f"SELECT {', '.join(self._counts())} FROM {self.source}"))
        for each, number, wrong in zip(self.conditions, counts, counts, strict=True):
            if wrong:
                yield from _named(
                    each.what,
                    f"SELECT {self.named}, {each.recorded}, {each.derived} FROM {self.source} "
                    f"WHERE {each.among} AND ({each.wrong})",
                )
            yield Checked(each.what, self.of, number)

    def _counts(self) -> Iterator[str]:
        for each in self.conditions:
            yield f"count(*) FILTER (WHERE {each.among})"
            yield f"count(*) FILTER (WHERE {each.among} AND ({each.wrong}))"


def _named(what: str, differing: str) -> Iterator[Difference]:
    with connection.cursor() as cursor:
        cursor.execute(differing)
        while rows := cursor.fetchmany(PAGE):
            for subject, account, currency, recorded, derived in rows:
                yield Difference(account, currency, what, _told(recorded), _told(derived), subject)


def _told(value: int | str | Decimal) -> int | str:
    return value if isinstance(value, str) else int(value)


def _one_row(statement: str) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return tuple(cursor.fetchone())


_HYPHENED = (
    "substr(game, 1, 8) || '-' || substr(game, 9, 4) || '-' || substr(game, 13, 4) "
    "|| '-' || substr(game, 17, 4) || '-' || substr(game, 21)"
)
