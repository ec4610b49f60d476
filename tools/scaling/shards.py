"""Every rule of the database, and whether it holds on a shard: docs/shards.md, from the catalogue of a live PostgreSQL.

The verdicts follow from `shards.toml`, which says by what each table is distributed, and from what a distributed
PostgreSQL such as Citus can check: a unique key has to contain the column of the shard, a foreign key has to stay on
the shard or lead to a table that is copied to each, and a trigger sees the rows of its shard. `python -m tools.scaling
shards` writes the page; a test compares it.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from tools.scaling.figures import HERE

PLACES = HERE / "shards.toml"
VERDICTS = {
    "holds": "holds on a shard as it is",
    "column": "holds with the column of the shard added",
    "two-phase": "crosses shards: needs the two-phase form",
}
KINDS = {
    "p": "primary key",
    "u": "unique",
    "f": "foreign key",
    "c": "check",
    "x": "exclusion",
    "i": "unique index",
    "t": "trigger",
}

CONSTRAINTS = """
SELECT conrelid::regclass::text, contype, conname, coalesce(confrelid::regclass::text, ''),
    ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY k (number, place)
          JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place),
    ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY k (number, place)
          JOIN pg_attribute ON attrelid = confrelid AND attnum = number ORDER BY place)
FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c', 'x') AND NOT relispartition
ORDER BY 1, 2, 3
"""
INDEXES = """
SELECT indrelid::regclass::text, 'i', index.relname, '',
    ARRAY(SELECT coalesce(attname::text, pg_get_indexdef(indexrelid, place::integer, true))
          FROM unnest(indkey::smallint[]) WITH ORDINALITY k (number, place)
          LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number AND number > 0 ORDER BY place),
    ARRAY[]::text[]
FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_class AS owner ON owner.oid = indrelid
WHERE indisunique AND owner.relnamespace = 'public'::regnamespace AND NOT owner.relispartition
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
ORDER BY 1, 3
"""
TRIGGERS = """
SELECT tgrelid::regclass::text, 't', tgname, proname, ARRAY[prosrc], ARRAY[]::text[]
FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace AND NOT relispartition
ORDER BY 1, 3
"""
TABLES = """
SELECT relname::text FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition
    AND relname NOT LIKE 'bench%' ORDER BY 1
"""


class Cursor(Protocol):
    def execute(self, sql: str) -> object: ...

    def fetchall(self) -> Sequence[Any]: ...


class Rule(NamedTuple):
    """A constraint, unique index, or trigger."""

    table: str
    kind: str
    """A letter of KINDS."""
    name: str
    other: str
    """The table to which a foreign key leads, or the function of a trigger."""
    columns: Sequence[str]
    """Its columns; of a trigger the source of its function."""
    others: Sequence[str]
    """The columns to which a foreign key leads."""


class Verdict(NamedTuple):
    verdict: str
    """A key of VERDICTS."""
    why: str


class Unplaced(Exception):
    """A table or a trigger function for which shards.toml says nothing."""


@dataclass(frozen=True)
class Catalogue:
    tables: Sequence[str]
    rules: Sequence[Rule]


def catalogue(cursor: Cursor) -> Catalogue:
    """Read all tables and rules of the database."""

    def rows(sql: str) -> Sequence[Any]:
        cursor.execute(sql)
        return cursor.fetchall()

    rules = [Rule(*row) for sql in (CONSTRAINTS, INDEXES, TRIGGERS) for row in rows(sql)]
    return Catalogue([name for (name,) in rows(TABLES)], rules)


class Places:
    """What shards.toml says."""

    def __init__(self, tables: Sequence[str]) -> None:
        self._tables = tables
        self._read = tomllib.loads(PLACES.read_text(encoding="utf-8"))

    @cached_property
    def _placed(self) -> Mapping[str, tuple[str, str]]:
        placed = {name: (kind, "") for kind in ("reference", "node") for name in self._read[kind]}
        placed |= {
            name: (kind, column) for kind in ("stream", "owner") for name, column in self._read[kind].items()
        }
        return placed

    def of(self, table: str) -> tuple[str, str]:
        """Return how a table is placed, and the column of its shard. Raises Unplaced."""
        if table not in self._placed:
            raise Unplaced(f"{table} is not in {PLACES.name}")
        return self._placed[table]

    def gone(self) -> list[str]:
        """Return the tables of shards.toml that the database does not have."""
        return sorted(self._placed.keys() - set(self._tables))

    def judge(self, rule: Rule) -> Verdict:
        """Return whether a rule holds on a shard. Raises Unplaced."""
        place, column = self.of(rule.table)
        if rule.kind == "c":
            return Verdict("holds", "looks at one row")
        if rule.kind == "t":
            return self._trigger(rule)
        if rule.kind == "f":
            return self._foreign_key(rule, place, column)
        return self._unique(rule, place, column)

    def _trigger(self, rule: Rule) -> Verdict:
        if not any(re.search(rf"\b{table}\b", rule.columns[0]) for table in self._tables):
            return Verdict("holds", "looks at one row")
        if rule.other not in self._read["functions"]:
            raise Unplaced(f"the trigger function {rule.other} is not in {PLACES.name}")
        return Verdict(*self._read["functions"][rule.other])

    def _unique(self, rule: Rule, place: str, column: str) -> Verdict:
        if place == "reference":
            return Verdict("holds", "copied to each shard")
        if place == "node":
            return Verdict("holds", "on one node")
        if column in rule.columns:
            return Verdict("holds", f"contains `{column}`")
        if why := self._read["claimed"].get(rule.name):
            return Verdict("two-phase", f"a claim: {why}")
        return Verdict("column", f"`{column.removeprefix('+')}` becomes part of the key")

    def _foreign_key(self, rule: Rule, place: str, column: str) -> Verdict:
        other, its_column = self.of(rule.other)
        if why := self._read["crossing"].get(rule.name):
            return Verdict("two-phase", why)
        if why := self._read["together"].get(rule.name):
            return Verdict("column", why)
        if other == "reference":
            return Verdict("holds", f"{rule.other} is copied to each shard")
        if place == "node" and other == "node":
            return Verdict("holds", "both on one node")
        if place in ("node", "reference") or other == "node":
            return Verdict("two-phase", f"{rule.other} is not with it: checked by an audit instead")
        if place != other:
            return Verdict("two-phase", f"{rule.other} lies with its {other}: reserved there first")
        if rule.columns == [column] and rule.others == [its_column]:
            return Verdict("holds", f"both lie by `{column}`")
        return Verdict("column", f"`{column.removeprefix('+')}` becomes part of both keys")


def page(found: Catalogue) -> str:
    """Return docs/shards.md. Raises Unplaced if a table or a trigger function is not judged."""
    places = Places(found.tables)
    if gone := places.gone():
        raise Unplaced(f"{', '.join(gone)}: in {PLACES.name}, but not in the database")
    judged = [(rule, places.judge(rule)) for rule in found.rules]
    lines = [*HEAD.splitlines(), "", *_counts(judged), "", "## Tables", "", *_placements(found, places), ""]
    return "\n".join([*lines, "## Rules", "", *_rules(judged), ""])


HEAD = """\
# Constraints on shards

Every constraint, unique index, and trigger of the database, and whether it would hold if the tables were distributed
over shards as [scaling](scaling.md#past-one-primary) describes. **Analysed, not run:** the verdicts follow from the
catalogue of PostgreSQL, from `tools/scaling/shards.toml`, and from what Citus documents about distributed tables.
Written by `python -m tools.scaling shards`; `tests/tools/test_shards.py` compares the page with the migrated database.
"""


def counts(judged: Sequence[tuple[Rule, Verdict]]) -> list[Sequence[object]]:
    """Return a row for each kind of rule: how many there are, and how many have each verdict."""
    found = Counter((rule.kind, verdict.verdict) for rule, verdict in judged)
    kinds = [kind for kind in KINDS if any(key == kind for key, _ in found)]
    return [
        (
            KINDS[kind],
            sum(found[kind, verdict] for verdict in VERDICTS),
            *(found[kind, verdict] for verdict in VERDICTS),
        )
        for kind in kinds
    ]


def _counts(judged: Sequence[tuple[Rule, Verdict]]) -> list[str]:
    rows = counts(judged)
    sums = [sum(int(str(row[place])) for row in rows) for place in range(1, 5)]
    return _table(("Rule", "In all", *VERDICTS.values()), [*rows, ("together", *sums)])


def _placements(found: Catalogue, places: Places) -> list[str]:
    words = {
        "reference": "copied to each shard",
        "node": "on one node",
        "stream": "with its stream",
        "owner": "with its owner",
    }
    rows = []
    for table in found.tables:
        place, column = places.of(table)
        new = " (new)" if column.startswith("+") else ""
        rows.append((f"`{table}`", words[place], f"`{column.removeprefix('+')}`{new}" if column else ""))
    return _table(("Table", "Where a row lies", "Column of the shard"), rows)


def _rules(judged: Sequence[tuple[Rule, Verdict]]) -> list[str]:
    """Return a line for each rule, and one for all checks of a table, which look at one row each."""
    return _table(("Table", "Rule", "Kind", "On a shard", "Why"), list(_rows(judged)))


def _rows(judged: Sequence[tuple[Rule, Verdict]]) -> Iterator[Sequence[str]]:
    checks = Counter(rule.table for rule, _ in judged if rule.kind == "c")
    for rule, verdict in sorted(
        judged, key=lambda each: (each[0].table, list(KINDS).index(each[0].kind), each[0].name)
    ):
        if rule.kind == "c":
            if number := checks.pop(rule.table, 0):
                yield f"`{rule.table}`", f"{number} in all", "check", "holds", "each looks at one row"
            continue
        yield f"`{rule.table}`", f"`{rule.name}`", KINDS[rule.kind], verdict.verdict, verdict.why


def _table(heads: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def summary(text: str) -> str:
    """Return the table of counts of docs/shards.md."""
    return next(part for part in text.split("\n\n") if part.startswith("| Rule |"))
