"""The schema of a database as text for comparison. The order of columns does not count."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import psycopg

Schema = dict[str, str]
"""The definition of each column, constraint, index, trigger and function, by its kind and name."""

_POSTGRESQL = """
SELECT 'column ' || c.relname || '.' || a.attname,
       format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') || ' identity:' || a.attidentity::text
       || ' collation:' || coalesce((SELECT collname::text FROM pg_collation WHERE oid = a.attcollation), '')
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  AND c.relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'constraint ' || coalesce(c.relname, '') || '.' || conname::text, pg_get_constraintdef(con.oid)
FROM pg_constraint con LEFT JOIN pg_class c ON c.oid = con.conrelid
WHERE con.connamespace = current_schema()::regnamespace
UNION ALL
SELECT 'index ' || tablename || '.' || indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL
SELECT 'trigger ' || c.relname || '.' || tgname, pg_get_triggerdef(t.oid) || ' enabled:' || tgenabled::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'partition ' || relname, pg_get_expr(relpartbound, oid) FROM pg_class
WHERE relispartition AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'function ' || proname, pg_get_functiondef(oid) FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace
"""


def of_postgresql(url: str) -> Schema:
    with psycopg.connect(url) as connection:
        return dict(connection.execute(_POSTGRESQL).fetchall())


def of_sqlite(path: str) -> Schema:
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
    finally:
        connection.close()
    schema: Schema = {}
    for kind, name, table, sql in rows:
        if kind != "table":
            schema[f"{kind} {table}.{name}"] = sql
            continue
        for part in definitions(sql):
            schema[f"table {name}: {part}"] = part
    return schema


def definitions(statement: str) -> Iterator[str]:
    """Yield the columns and constraints of a CREATE TABLE statement, white space and quotes normalised."""
    body = re.sub(r"\s+", " ", statement[statement.index("(") + 1 : statement.rindex(")")])
    depth, start = 0, 0
    quoted = False
    for place, letter in enumerate(body):
        if letter == "'":
            quoted = not quoted
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                yield body[start:place].strip()
                start = place + 1
    yield body[start:].strip()


def differences(before: Schema, after: Schema) -> list[str]:
    """One line for each definition that was removed (-) or added (+)."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        lines += [
            f"{sign} {name}: {side[name]}" for sign, side in (("-", before), ("+", after)) if name in side
        ]
    return lines
