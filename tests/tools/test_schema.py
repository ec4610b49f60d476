"""The comparison of two schemas: what counts as a difference and what does not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tools.schema import Schema, differences, of_sqlite

TABLE = "CREATE TABLE t (id integer PRIMARY KEY, name text DEFAULT 'a,(b' NOT NULL, CHECK (id IN (1, 2)))"


def schema(folder: Path, *statements: str) -> Schema:
    path = folder / f"{len(list(folder.iterdir()))}.sqlite3"
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return of_sqlite(str(path))


def test_the_order_of_columns_and_white_space_do_not_count(tmp_path: Path) -> None:
    moved = "CREATE TABLE t (\n  name text DEFAULT 'a,(b' NOT NULL, id integer  PRIMARY KEY, CHECK (id IN (1, 2)))"
    assert differences(schema(tmp_path, TABLE), schema(tmp_path, moved)) == []


@pytest.mark.parametrize(
    "other",
    [
        TABLE.replace("NOT NULL", ""),
        TABLE.replace("(1, 2)", "(1, 2, 3)"),
        TABLE.replace("name", "title"),
    ],
)
def test_a_changed_column_or_constraint_is_one_removed_and_one_added(tmp_path: Path, other: str) -> None:
    found = differences(schema(tmp_path, TABLE), schema(tmp_path, other))
    assert sorted(line[0] for line in found) == ["+", "-"]


def test_a_missing_index_and_trigger_are_named(tmp_path: Path) -> None:
    index = "CREATE INDEX by_name ON t (name)"
    trigger = "CREATE TRIGGER keep BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'no'); END"
    found = differences(schema(tmp_path, TABLE, index, trigger), schema(tmp_path, TABLE))
    assert [line.partition(":")[0] for line in found] == ["- index t.by_name", "- trigger t.keep"]
