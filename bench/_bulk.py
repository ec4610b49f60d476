"""Many finished games with stakes, loaded in bulk as copies of games that the services have played.

A few games of Vegas Solitaire are played by the services, with a stake, a settlement, and the events of both. A copy
has all their rows with another game, player, play session, escrow, and time. Its events have true hashes and seals,
because those are computed again, and its deal is that of the same server seed. The triggers of the database move heads
and balances. An audit and a reconciliation accept the result. Holds of the bank and jobs that have ended are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import orjson
from django.db import connection, transaction
from django.db.models import Max, Model

from accounts.models import Player
from core.commands import Command
from core.sql import stored
from eventstore.chain import GENESIS, event_hash, format_at
from eventstore.models import Epoch, Event, Stream
from eventstore.months import new_stream
from games import services, state
from games.models import GameRecord, GameSecret, Seat
from games.rules import GameKey
from ledger import services as ledger
from ledger.models import Account, GameStake, Transfer
from ledger.selectors import stake_table

AT_ONCE = 10_000
"""The games of one transaction."""

OWNERS_AT_ONCE = 100

FUNDS = 10**9
STAKE = 520
WON, LOST = 2, 1
"""The numbers of played games with a win and without one. Those with a win have three transfers, the others two."""

CURRENCY = "XTS"
CLIENT_SEED = "bench"
POSITIONED = ("position", "xact")
"""Columns that PostgreSQL assigns."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A player with an open play session."""

    player: UUID
    session: UUID
    purse: int
    """The ledger account of the session."""


def owners(number: int, at: datetime, prefix: str = "bulk") -> list[Owner]:
    """Create players with funds and an open play session each."""
    players = Player.objects.bulk_create(
        [Player(username=f"{prefix}-{index:05}") for index in range(number)], batch_size=500
    )
    made: list[Owner] = []
    for start in range(0, number, OWNERS_AT_ONCE):
        with transaction.atomic():
            made += [_owner(player, at) for player in players[start : start + OWNERS_AT_ONCE]]
    return made


def _owner(player: Player, at: datetime) -> Owner:
    outside = ledger.account(owner="house", purpose="external", currency=CURRENCY)
    cash = ledger.account(owner=f"player:{player.pk}", purpose="cash", currency=CURRENCY)
    funds = [ledger.Leg(outside, cash, FUNDS, "funds")]
    ledger.post(key=f"bulk:{player.pk}", legs=funds, actor="bench", at=at)
    session = ledger.open_session(
        player=player.pk, amount=FUNDS, currency=CURRENCY, key=f"bulk:{player.pk}:session", at=at
    )
    purse = Account.objects.get(kind="player", key=str(player.pk), purpose="session", currency=CURRENCY)
    return Owner(player.pk, session.pk, purse.pk)


def played(owner: Owner, at: datetime) -> list[Pattern]:
    """Have the services play the games that are copied."""
    table = stake_table("vegas-classic")
    ledger.fund_bank(stake_table=table, amount=10**10, key="bulk:bank", actor="bench", reason="bank", at=at)
    player = Player.objects.get(pk=owner.player)
    session = ledger_session(owner.session)
    found: dict[bool, list[Pattern]] = {True: [], False: []}
    wanted = {True: WON, False: LOST}
    for number in range(1000):
        game = services.create_game(
            rules="vegas-solitaire",
            config={"draw": 3, "stake": STAKE},
            seats=1,
            creator=player,
            stake_table=table,
            play_session=session,
            server_seed=number.to_bytes(32, "big"),
            now=at,
        )
        services.take_seat(game=game, player=player, client_seed=CLIENT_SEED, now=at)
        services.start_game(game=game, actor=player, now=at)
        moves = state.load(game.pk)[1].legal_moves(0)
        win = next((move for move in moves if str(move.get("to", "")).startswith("foundation")), None)
        for move in filter(None, (win, {"type": "collect"})):
            command = Command(f"{number:063x}{len(move) % 10}", "f" * 64)
            services.play(game_id=game.pk, player=player, move=move, command=command, now=at)
        kind = found[win is not None]
        if len(kind) < wanted[win is not None]:
            kind.append(Pattern(game.pk, owner))
        if all(len(found[key]) == wanted[key] for key in wanted):
            break
    return [*found[True], *found[False]]


def ledger_session(id: UUID) -> Any:
    from ledger.models import PlaySession

    return PlaySession.objects.get(pk=id)


class Pattern:
    """The rows of one game, and what differs in a copy."""

    def __init__(self, game: UUID, owner: Owner) -> None:
        self.game, self.owner = game, owner
        self.events = list(Event.objects.filter(stream=game).order_by("version"))
        self.record = GameRecord.objects.get(pk=game)
        self.seed = bytes(GameSecret.objects.get(game=game).server_seed)
        self.key = GameKey(self.seed, [CLIENT_SEED])
        self.private = {
            event.version: None if event.private is None else orjson.loads(bytes(event.private))
            for event in self.events
        }
        self.escrow = Account.objects.get(kind="game", key=str(game), purpose="escrow")
        self.stake = GameStake.objects.get(pk=game)
        self.transfers = list(Transfer.objects.filter(subject=f"game:{game}").order_by("position"))
        self.bank = next(one.credit_id for one in self.transfers if one.debit_id == self.escrow.pk)
        self.constant = {
            type(row): _prepared(row) for row in (self.record, self.stake, self.escrow, *self.transfers[:1])
        }

    def accounts(self, owner: Owner, escrow: int) -> dict[int, int]:
        return {self.escrow.pk: escrow, self.owner.purse: owner.purse, self.bank: self.bank}


def load(
    patterns: Sequence[Pattern], shares: Iterable[Owner], *, first: datetime, last: datetime, games: int
) -> int:
    """Load copies of the patterns by turns, one for each of the first `games` owners of `shares`.

    The copies are spread evenly over the time. Returns the number of their events.
    """
    if connection.vendor == "sqlite":
        # By default 2 MB, which the indexes of one transaction exceed by far.
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA cache_size = -500000")
    step = (last - first) / max(1, games)
    numbered = enumerate(islice(shares, games))
    events = 0
    while chunk := list(islice(numbered, AT_ONCE)):
        with transaction.atomic():
            escrow = (Account.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
            copies = [
                Copy(
                    patterns[number % len(patterns)],
                    owner,
                    new_stream(last),
                    escrow + index,
                    first + number * step,
                )
                for index, (number, owner) in enumerate(chunk)
            ]
            events += _load(copies)
    _after()
    return events


class Copy:
    """The rows of one copy."""

    def __init__(self, pattern: Pattern, owner: Owner, game: UUID, escrow: int, at: datetime) -> None:
        self.pattern, self.owner, self.game, self.escrow, self.at = pattern, owner, game, escrow, at
        self.moment = connection.ops.adapt_datetimefield_value(at)
        self.written = format_at(at)
        self.links: list[tuple[bytes, str | None, str, str]] = []
        """Of each event: its data, its seal, the hash before it, and its own."""
        hash = GENESIS
        names = str(pattern.owner.player).encode(), str(owner.player).encode()
        for event in pattern.events:
            data, before = bytes(event.data).replace(*names), hash
            private = pattern.private[event.version]
            seal = None if private is None else pattern.key.seal(str(game), event.version, private)
            hash = event_hash(
                stream=str(game),
                version=event.version,
                type=event.type,
                seat=event.seat,
                data=data,
                seal=seal,
                at=self.written,
                prev=before,
            )
            self.links.append((data, seal, before, hash))

    def head(self) -> list[Any]:
        if connection.vendor == "sqlite":  # the events move it
            return [stored(self.game), "game", 0, GENESIS, ""]
        return [self.game, "game", len(self.links), self.links[-1][3], self.written]

    def events(self, epoch: int, xact: int) -> Iterator[list[Any]]:
        for event, (data, seal, before, hash) in zip(self.pattern.events, self.links, strict=True):
            private = None if event.private is None else bytes(event.private)
            yield [
                *(stored(self.game), event.version, event.type, event.schema, event.seat, data, private),
                *(seal, self.written, before, hash, epoch, xact),
            ]

    def row(self, model: type[Model], **changed: Any) -> list[Any]:
        return list((self.pattern.constant[model] | changed).values())

    def record(self) -> list[Any]:
        return self.row(
            GameRecord,
            id=stored(self.game),
            creator_id=stored(self.owner.player),
            play_session_id=stored(self.owner.session),
            **dict.fromkeys(("created_at", "started_at", "ended_at"), self.moment),
        )

    def stake(self) -> list[Any]:
        return self.row(
            GameStake,
            game=stored(self.game),
            session_id=stored(self.owner.session),
            player=stored(self.owner.player),
            reserve_id=None,
            **dict.fromkeys(("staked_at", "ended_at"), self.moment),
        )

    def account(self) -> list[Any]:
        empty = dict.fromkeys(("debits", "credits", "held", "applied"), 0)
        return self.row(Account, id=self.escrow, key=str(self.game), **empty)

    def transfers(self) -> Iterator[list[Any]]:
        accounts = self.pattern.accounts(self.owner, self.escrow)
        postings: dict[UUID, UUID] = {}
        for one in self.pattern.transfers:
            posting = postings.setdefault(one.posting, uuid4())
            what = one.key.rpartition(":")[2]
            yield self.row(
                Transfer,
                uuid=stored(uuid4()),
                posting=stored(posting),
                key=f"game:{self.game}:{what}",
                leg=one.leg,
                debit_id=accounts[one.debit_id],
                credit_id=accounts[one.credit_id],
                amount=one.amount,
                reason=one.reason,
                subject=f"game:{self.game}",
                event=one.event,
                actor=f"player:{self.owner.player}",
                at=self.moment,
            )


_EVENT = (
    *("stream_id", "version", "type", "schema", "seat", "data", "private"),
    *("seal", "at", "prev", "hash", "epoch", "xact"),
)


def _prepared(row: Model) -> dict[str, Any]:
    """Return the columns of a row as the database takes them, without those that it assigns."""
    return {
        field.column: field.get_db_prep_save(getattr(row, field.attname), connection)
        for field in row._meta.concrete_fields
        if not (isinstance(row, Transfer) and field.column in POSITIONED)
    }


def _load(copies: Sequence[Copy]) -> int:
    epoch = Epoch.objects.aggregate(last=Max("number"))["last"] or 0
    insert(Account, copies[0].pattern.constant[Account], (one.account() for one in copies))
    insert(GameRecord, copies[0].pattern.constant[GameRecord], (one.record() for one in copies))
    _load_streams(copies, epoch)
    insert(GameSecret, ("game_id", "server_seed"), ([stored(one.game), one.pattern.seed] for one in copies))
    seats = ([stored(one.game), 0, stored(one.owner.player), "", False, False, one.moment] for one in copies)
    columns = ("game_id", "seat", "player_id", "bot", "forfeited", "running", "created_at")
    insert(Seat, columns, seats)
    insert(GameStake, copies[0].pattern.constant[GameStake], (one.stake() for one in copies))
    columns = copies[0].pattern.constant[Transfer]
    insert(Transfer, columns, (row for one in copies for row in one.transfers()))
    return sum(len(one.links) for one in copies)


def _load_streams(copies: Sequence[Copy], epoch: int) -> None:
    """Insert heads and events. On PostgreSQL this is one statement, because heads are checked with their events."""
    heads = ("id", "kind", "version", "head_hash", "head_at")
    if connection.vendor == "sqlite":
        last = Event.objects.aggregate(last=Max("position"))["last"] or 0
        insert(Stream, heads, (one.head() for one in copies))
        rows = (row for one in copies for row in one.events(epoch, 0))
        insert(Event, (*_EVENT, "position"), ([*row, last + n] for n, row in enumerate(rows, start=1)))
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        [xact] = cursor.fetchone()
        for name, table in (("heads", Stream), ("events", Event)):
            cursor.execute(f"CREATE TEMP TABLE staged_{name} (LIKE {table._meta.db_table}) ON COMMIT DROP")
        # The database assigns positions.
        cursor.execute("ALTER TABLE staged_events DROP COLUMN position")
        _copy(cursor, "staged_heads", heads, (one.head() for one in copies))
        _copy(cursor, "staged_events", _EVENT, (row for one in copies for row in one.events(epoch, xact)))
        given, moved = ", ".join(heads), ", ".join(_EVENT)
        cursor.execute(
            f"WITH heads AS (INSERT INTO eventstore_stream ({given}) SELECT {given} FROM staged_heads) "
            f"INSERT INTO eventstore_event ({moved}) SELECT {moved} FROM staged_events ORDER BY stream_id, version"
        )


def insert(model: type[Model], columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows: by COPY on PostgreSQL, else by one prepared statement."""
    names, table = [connection.ops.quote_name(name) for name in columns], model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, table, names, rows)
        else:
            marks = ", ".join(["%s"] * len(names))
            cursor.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", list(rows))


def _copy(cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _after() -> None:
    """Continue the sequence of accounts, and collect statistics as autovacuum does; nothing does on SQLite."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA cache_size = -2000")
        else:
            table = Account._meta.db_table
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
            )
            cursor.execute("VACUUM ANALYZE")
