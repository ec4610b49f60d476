"""A table that is written as JSON and read again is equal, at every version of every game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from games.rules import snapshot
from games.rules import table as tables

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_table_of_a_game_is_restored(path: Path) -> None:
    table = None
    for event in json.loads(path.read_bytes())["events"]:
        table = tables.evolve(table, event["type"], event["seat"], event["data"], event["private"])
        document = json.loads(json.dumps(snapshot.document(table)))
        again = snapshot.restored(document)
        assert again == table
        assert type(again.state) is type(table.state)
        assert repr(again) == repr(table), "1 and true are two values"
