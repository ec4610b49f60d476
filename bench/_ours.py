"""Postings of the ledger, made in separate processes like those of a web worker or a task."""

from __future__ import annotations

import os
import random
import sqlite3
from pathlib import Path
from uuid import UUID, uuid4

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench._posters import ACCOUNTS, serve
from ledger import services
from ledger.core import postings
from ledger.models import Account, Transfer

FUNDS = 10**10
CURRENCY = "XTS"


def prepare() -> None:
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    services.account(owner=f"game:{UUID(int=1)}", purpose="escrow", currency=CURRENCY)
    players = [
        services.account(owner=f"player:{uuid4()}", purpose="cash", currency=CURRENCY)
        for _ in range(ACCOUNTS)
    ]
    legs = [services.Leg(outside, player, FUNDS, "funds") for player in players]
    services.post(key="bench:funds", legs=legs, actor="bench", at=timezone.now())


class Poster:
    """Actions that are postings with key, fingerprint, reason, subject, and actor, and a check of the balance."""

    def __init__(self) -> None:
        owned = Account.objects.filter(currency=CURRENCY)
        self.players = list(owned.filter(kind="player").order_by("pk"))
        self.busy = owned.get(kind="game", key=str(UUID(int=1)))
        self.chance = random.Random(os.getpid())
        self._raw: sqlite3.Connection | None = None

    def transfer(self) -> None:
        one, other = self.chance.sample(self.players, 2)
        self._post(one, other)

    def busy_game(self) -> None:
        """Stake from a random player into one escrow, which all processes share."""
        self._post(self.chance.choice(self.players), self.busy)

    def _post(self, debit: Account, credit: Account) -> None:
        services.post(
            key=f"bench:{uuid4()}",
            legs=[services.Leg(debit, credit, 5, "bench")],
            subject=f"game:{UUID(int=1)}",
            event=3,
            actor=debit.owner,
            at=timezone.now(),
        )

    def raw(self) -> None:
        """Run the statements that a posting requires in bare sqlite3: the row, its indexes, and two balances."""
        bare = self._raw or self._open()
        one, other = self.chance.sample(range(1, ACCOUNTS + 1), 2)
        bare.execute("BEGIN IMMEDIATE")
        bare.execute(_RAW_INSERT, _raw_row(one, other))
        bare.execute(
            "UPDATE account SET debits = debits + 5 WHERE id = ? AND credits - debits - held >= 5", [one]
        )
        bare.execute("UPDATE account SET credits = credits + 5 WHERE id = ?", [other])
        bare.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        bare = sqlite3.connect(Path(settings.DATA) / "bench.sqlite3", isolation_level=None, timeout=20)
        bare.execute("PRAGMA journal_mode=WAL")
        bare.execute("PRAGMA synchronous=FULL")
        if not bare.execute("SELECT 1 FROM sqlite_master WHERE name = 'transfer'").fetchone():
            for statement in _RAW_SCHEMA:
                bare.execute(statement)
            bare.executemany(
                "INSERT INTO account VALUES (?, 0, ?, 0)",
                [(number, FUNDS) for number in range(1, ACCOUNTS + 1)],
            )
        self._raw = bare
        return bare


_COLUMNS = [field.column for field in Transfer._meta.concrete_fields if field.name != "xact"]
_RAW_SCHEMA = (
    "CREATE TABLE account (id integer PRIMARY KEY, debits integer, credits integer, held integer)",
    f"CREATE TABLE transfer ({_COLUMNS[0]} integer PRIMARY KEY, {', '.join(_COLUMNS[1:])})",
    "CREATE UNIQUE INDEX transfer_uuid ON transfer (uuid)",
    "CREATE UNIQUE INDEX transfer_key ON transfer (key, leg)",
    "CREATE INDEX transfer_paid ON transfer (debit_id, position, amount)",
    "CREATE INDEX transfer_received ON transfer (credit_id, position, amount)",
    "CREATE INDEX transfer_subject ON transfer (subject)",
)
_RAW_INSERT = f"INSERT INTO transfer VALUES ({', '.join('?' * len(_COLUMNS))})"


def insert_for_pgbench() -> str:
    """Return a script of pgbench with the INSERT of a posting between two random accounts of players."""
    players = list(Account.objects.filter(currency=CURRENCY, kind="player").order_by("pk").values_list("pk"))
    [first], [last] = players[0], players[-1]
    assert last - first == len(players) - 1
    values = {
        "uuid": "gen_random_uuid()",
        "posting": "gen_random_uuid()",
        "key": "'bench:' || gen_random_uuid()",
        "leg": "0",
        "fingerprint": f"'{'f' * 64}'",
        "debit_id": ":debit",
        "credit_id": f"{first} + (:debit - {first} + :distance) % {len(players)}",
        "currency": f"'{CURRENCY}'",
        "amount": "5",
        "reason": "'bench'",
        "subject": f"'game:{UUID(int=1)}'",
        "event": "3",
        "actor": f"'player:{UUID(int=1)}'",
        "at": "now()",
        "epoch": postings.EPOCH,
    }
    return (
        f"\\set debit random({first}, {last})\n\\set distance random(1, {len(players) - 1})\n"
        f"INSERT INTO ledger_transfer ({', '.join(values)}) VALUES ({', '.join(values.values())}) "
        "RETURNING leg, position;\n"
    )


def _raw_row(debit: int, credit: int) -> tuple[object, ...]:
    values = {
        "uuid": uuid4().hex,
        "posting": uuid4().hex,
        "key": f"bench:{uuid4()}",
        "leg": 0,
        "fingerprint": "f" * 64,
        "debit_id": debit,
        "credit_id": credit,
        "currency": CURRENCY,
        "amount": 5,
        "reason": "bench",
        "subject": f"game:{UUID(int=1)}",
        "event": 3,
        "actor": f"player:{UUID(int=debit)}",
        "at": str(timezone.now()),
        "epoch": 0,
    }
    return tuple(values.get(column) for column in _COLUMNS)


if __name__ == "__main__":
    serve(prepare, Poster)
    connection.close()
