"""Reconciling a million transfers: in SQL alone, and derived again from the events of their games.

A third of a million collected games of Vegas Solitaire with three transfers each are loaded in bulk: by COPY on
PostgreSQL, by statements for many rows on SQLite. The services are bypassed, and the hashes are not real, but triggers
update the balances.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import orjson
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Player
from bench._common import size
from games.rules.registry import get
from ledger import services
from ledger.models import Account
from ledger.reconciliation.services import reconcile_all
from ledger.selectors import stake_table, terms_at

TRANSFERS = int(os.environ.get("BENCH_TRANSFERS", size(1_000_000, 60)))
PLAYERS = size(500, 5)
AT_ONCE = 20_000
STAKE, CARDS = 520, 5
AT = timezone.now()

IN_SQL = 3.0
FROM_EVENTS = 60.0
"""The targets in seconds on PostgreSQL."""

TARGETS = {"target_to_sql_seconds_ratio": 1.0, "target_to_events_seconds_ratio": 1.0}


def measure() -> dict[str, Any]:
    """Return the seconds of both. Needs a separate database, because loaded rows remain."""
    began = time.perf_counter()
    _load_games(TRANSFERS // 3)
    loading = time.perf_counter() - began
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as autovacuum does while a million transfers are made
    began = time.perf_counter()
    books = reconcile_all(books_only=True)
    in_sql = time.perf_counter() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    whole = reconcile_all()
    from_events = time.perf_counter() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    counted = {each.what: each.number for each in whole.checked}
    figures = {
        "database": connection.vendor,
        "transfers": counted["the currency of both sides"],
        "games": counted["the money of staked games"],
        "differences": books.count + whole.count,
        "load_seconds": round(loading, 1),
        "in_sql_seconds": round(in_sql, 2),
        "from_events_seconds": round(from_events, 1),
        "memory_grown_mib": round(grown / 1024, 1),
        "target_to_sql_seconds_ratio": round(IN_SQL / in_sql, 2),
        "target_to_events_seconds_ratio": round(FROM_EVENTS / from_events, 2),
    }
    print(
        f"reconciliation on {connection.vendor}: {figures['transfers']:,} transfers of {figures['games']:,} games"
    )
    print(f"load               {loading:>7.1f} s")
    print(f"  in SQL             {in_sql:>7.2f} s")
    print(f"  all, from events   {from_events:>7.1f} s, {figures['memory_grown_mib']} MiB more memory")
    print(
        f"  differences        {figures['differences']:>5}; the first: {[str(each) for each in whole.differences[:2]]}"
    )
    assert figures["differences"] == 0
    return figures


def _load_games(games: int) -> None:
    table = stake_table("vegas-classic")
    services.fund_bank(
        stake_table=table, amount=10**10, key="bench:bank", actor="bench", reason="bank", at=AT
    )
    terms = terms_at(table, AT)
    players = [Player.objects.create(username=f"bench{number}") for number in range(PLAYERS)]
    sessions = [_session(player.pk) for player in players]
    bank = Account.objects.get(kind="house", key=table.slug, purpose="bank")
    purses = dict(Account.objects.filter(purpose="session").values_list("key", "pk"))
    first = (Account.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    numbered = iter(range(games))
    while chunk := [(number, uuid4()) for number in islice(numbered, AT_ONCE)]:
        with transaction.atomic():
            _load(
                "ledger_account",
                _ACCOUNT,
                ([first + n, "game", str(id), "escrow", "XTS", 0] for n, id in chunk),
            )
            config, xact = _config(), _xact()
            made = [(id, sessions[n % PLAYERS], players[n % PLAYERS].pk, n) for n, id in chunk]
            _load("games_gamerecord", _GAME, (_game(row, config, table.pk) for row in made))
            _load_streams(
                ([_id(id), "game", *_head()] for _, id in chunk),
                (event for row in made for event in _events(row, config, xact)),
            )
            _load("ledger_gamestake", _GAMESTAKE, (_gamestake(row, table.pk, terms.pk) for row in made))
            rows = ((id, purses[str(player)], first + n, bank.pk) for id, _, player, n in made)
            _load("ledger_transfer", _TRANSFER, (leg for row in rows for leg in _transfers(*row)))


def _load_streams(heads: Iterator[list[Any]], events: Iterator[list[Any]]) -> None:
    """Insert heads and events. On PostgreSQL this is one statement, because heads are checked with their events."""
    if connection.vendor == "sqlite":
        _load("eventstore_stream", _STREAM, heads)
        _load("eventstore_event", _EVENT, events)
        return
    into = {"eventstore_stream": (_STREAM, heads), "eventstore_event": (_EVENT, events)}
    with connection.cursor() as cursor:
        for table, (columns, rows) in into.items():
            cursor.execute(
                f"CREATE TEMP TABLE staged_{table} (LIKE {table} INCLUDING DEFAULTS) ON COMMIT DROP"
            )
            _load(f"staged_{table}", columns, rows)
        heads_, events_ = (
            f"INSERT INTO {table} ({', '.join(given)}) SELECT {', '.join(given)} FROM staged_{table}"
            for table, (columns, _) in into.items()
            # The database assigns positions.
            for given in [[column for column in columns if column != "position"]]
        )
        cursor.execute(f"WITH heads AS ({heads_}) {events_}")


def _session(player: UUID) -> UUID:
    funds = services.account(owner="house", purpose="external", currency="XTS")
    purse = services.account(owner=f"player:{player}", purpose="cash", currency="XTS")
    services.post(
        key=f"bench:{player}", legs=[services.Leg(funds, purse, 10**9, "funds")], actor="bench", at=AT
    )
    made = services.open_session(player=player, amount=10**9, currency="XTS", key=f"bench:s:{player}", at=AT)
    return made.pk


# --- rows ----------------------------------------------------------------------------------------------

_TIME = "2026-03-01T12:00:00.000000Z"
_WON = STAKE // 13 * CARDS
_OUTCOME = {"result": "collected", "cards": CARDS, "winnings": _WON, "complete": False}

_ACCOUNT = ("id", "kind", "key", "purpose", "currency", "min_balance", "debits", "credits", "held", "applied")
_GAME = (
    "id", "rules", "rules_version", "config", "seats", "status", "commitment", "outcome", "private", "invite",
    "hints", "deal_group", "tournament_commitment", "entropy", "ended_job", "buy_in", "stake", "stake_table_id",
    "play_session_id", "creator_id", "created_at", "started_at", "ended_at", "given_back",
)  # fmt: skip
_STREAM = ("id", "kind", "version", "head_hash", "head_at")
_EVENT = (
    "stream_id",
    "version",
    "type",
    "schema",
    "seat",
    "data",
    "at",
    "prev",
    "hash",
    "epoch",
    "xact",
    "position",
)
_GAMESTAKE = (
    "game", "session_id", "player", "stake_table_id", "terms_id", "stake", "max_win", "status", "winnings", "summary",
    "staked_at", "ended_at",
)  # fmt: skip
_TRANSFER = (
    "uuid", "posting", "key", "leg", "fingerprint", "debit_id", "credit_id", "currency", "amount", "reason", "subject",
    "event", "actor", "at", "epoch",
)  # fmt: skip

Made = tuple[UUID, UUID, UUID, int]


def _config() -> dict[str, Any]:
    vegas = get("vegas-solitaire", 1)
    return dict(vegas.config_json(vegas.parse_config({"draw": 3, "stake": STAKE})))


def _game(row: Made, config: dict[str, Any], table: int) -> list[Any]:
    id, session, player, _ = row
    return [
        _id(id), "vegas-solitaire", 1, json.dumps(config), 1, "finished", "c" * 64, json.dumps(_OUTCOME), False, "",
        False, "", "", "", "", 0, STAKE, table, _id(session), _id(player), _moment(), _moment(), _moment(), 0,
    ]  # fmt: skip


def _events(row: Made, config: dict[str, Any], xact: int) -> Iterator[list[Any]]:
    id, _, player, number = row
    events = (
        (
            "created",
            {"rules": "vegas-solitaire", "rules_version": 1, "config": config, "commitment": "c" * 64},
        ),
        ("seated", {"seat": 0, "player": str(player), "client_seed": "bench"}),
        ("dealt", {"commitment": "d" * 64}),
        ("collected", {"move": {"type": "collect"}}),
        ("finished", {"outcome": _OUTCOME}),
    )
    for version, (type, data) in enumerate(events, start=1):
        yield [
            _id(id),
            version,
            type,
            1,
            None,
            orjson.dumps(data),
            _TIME,
            _hash(version - 1),
            _hash(version),
            0,
            xact,
            5 * number + version,
        ]


def _hash(version: int) -> str:
    """Return a fake hash that chains the events of a stream."""
    return f"{version:064x}"


def _xact() -> int:
    """Return the id of the transaction, which every event contains; 0 on SQLite, which has one writer."""
    if connection.vendor == "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        return int(cursor.fetchone()[0])


def _head() -> tuple[int, str, str]:
    """Return the head of a new stream: on PostgreSQL the last, on SQLite an empty one, which events move."""
    return (5, _hash(5), _TIME) if connection.vendor == "postgresql" else (0, _hash(0), "")


def _gamestake(row: Made, table: int, terms: int) -> list[Any]:
    id, session, player, _ = row
    return [
        _id(id), _id(session), _id(player), table, terms, STAKE, 52 * 40, "settled", _WON, "{}", _moment(), _moment()
    ]  # fmt: skip


def _transfers(id: UUID, purse: int, escrow: int, bank: int) -> Iterator[list[Any]]:
    taken, settled = _id(uuid4()), _id(uuid4())
    for posting, what, leg, debit, credit, amount, reason, event in (
        (taken, "stake", 0, purse, escrow, STAKE, "stake", 3),
        (settled, "settlement", 0, escrow, bank, STAKE, "stake", 4),
        (settled, "settlement", 1, bank, purse, _WON, "winnings", 4),
    ):
        subject = f"game:{id}"
        yield [
            _id(uuid4()), posting, f"{subject}:{what}", leg, "f" * 64, debit, credit, "XTS", amount, reason, subject,
            event, "bench", _moment(), 0,
        ]  # fmt: skip


def _id(id: UUID) -> str:
    return str(id) if connection.vendor == "postgresql" else id.hex


def _moment() -> str:
    return AT.isoformat(" ") if connection.vendor == "postgresql" else AT.replace(tzinfo=None).isoformat(" ")


def _load(table: str, columns: Sequence[str], rows: Iterable[list[Any]]) -> None:
    padded = ([*row, *[0] * (len(columns) - len(row))] for row in rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in padded:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", padded)
