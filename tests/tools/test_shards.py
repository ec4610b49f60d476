"""docs/shards.md has every constraint, unique index, and trigger of the migrated database."""

from __future__ import annotations

import pytest
from django.db import connection

from tools.scaling.__main__ import RULES
from tools.scaling.shards import Catalogue, Places, Rule, Unplaced, catalogue, page

TABLES = ["eventstore_event", "eventstore_stream", "games_seat", "accounts_player", "ledger_transfer"]


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_page_is_that_of_the_migrated_database() -> None:
    with connection.cursor() as cursor:
        found = catalogue(cursor)
    assert page(found) == RULES.read_text(encoding="utf-8"), "run `.venv/bin/python -m tools.scaling shards`"


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (Rule("eventstore_event", "p", "key", "", ["stream_id", "version"], []), "holds"),
        (Rule("games_seat", "p", "key", "", ["id"], []), "column"),
        (Rule("eventstore_event", "f", "key", "eventstore_stream", ["stream_id"], ["id"]), "holds"),
        (Rule("games_seat", "f", "key", "accounts_player", ["player_id"], ["id"]), "holds"),
        (
            Rule("ledger_transfer", "f", "transfer_debit_currency", "ledger_account", ["debit_id"], ["id"]),
            "two-phase",
        ),
        (Rule("ledger_transfer", "t", "rule", "ledger_refuse_xact", ["RAISE"], []), "holds"),
        (Rule("ledger_transfer", "c", "positive", "", ["amount"], []), "holds"),
    ],
)
def test_a_rule_holds_if_a_shard_has_all_that_it_looks_at(rule: Rule, verdict: str) -> None:
    assert Places(TABLES).judge(rule).verdict == verdict


def test_a_table_or_a_trigger_that_is_not_judged_is_named() -> None:
    places = Places(TABLES)
    with pytest.raises(Unplaced, match="games_new"):
        places.of("games_new")
    with pytest.raises(Unplaced, match="guard_new"):
        places.judge(Rule("games_seat", "t", "rule", "guard_new", ["SELECT 1 FROM eventstore_event"], []))
    with pytest.raises(Unplaced, match="not in the database"):
        page(Catalogue(TABLES, []))
