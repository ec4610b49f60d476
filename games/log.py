"""Appending to a game's stream: facts become sealed events, and what follows from the end of a game happens with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db import transaction

from api.claims import Condition
from api.transient import retried
from eventstore import feed, store
from eventstore.chain import parse_at
from eventstore.store import EMPTY, Command, Head, NewEvent, StoredEvent
from games import buy_ins, markets, state
from games.counts import count_moves
from games.errors import GameSuspended
from games.models import GameRecord, Status
from games.particulars import Particulars
from games.rules import Fact, GameKey
from games.rules import table as tables
from games.rules.table import Table
from jobs import services as jobs
from jobs.services import Planned
from ledger import services as ledger

BOTS_PLAY = "games.play_bot"
NEXT_DEAL = "games.next_deal"

Ended = Callable[[UUID, datetime], None]
_when_ended: list[Ended] = []


def register_end(tell: Ended) -> None:
    """Let a layer above follow the ends of games that are not of a tournament, each in the transaction of its end."""
    _when_ended.append(tell)


def after(table: Table | None, facts: Sequence[Fact]) -> Table:
    """The table when these facts have been appended."""
    for fact in facts:
        table = tables.evolve(table, fact.type, fact.seat, fact.data, fact.private)
    assert table is not None
    return table


def append(
    game_id: UUID,
    head: Head,
    facts: Sequence[Fact],
    result: Table,
    *,
    now: datetime,
    key: GameKey | None = None,
    command: Command | None = None,
    condition: Condition | None = None,
) -> list[StoredEvent]:
    """Append the facts behind `head`; `result` is the table after them, remembered once they are committed.

    Raises what `eventstore.store.append` raises, and GameSuspended.
    """
    try:
        stored = store.append(
            game_id,
            _events(game_id, head, facts, key),
            kind=state.KIND,
            expected=head,
            at=now,
            command=command,
            condition=condition,
        )
    except store.StreamSuspended:
        raise GameSuspended from None
    last = stored[-1]

    def committed() -> None:
        state.cache.appended(game_id, head, last.head(), result)
        count_moves(result.game.slug, facts, commanded=command is not None)

    transaction.on_commit(committed)
    feed.announce(game_id, last.version)
    return stored


def repeat(
    game_id: UUID, facts: Sequence[tuple[Fact, datetime]], result: Table, *, key: GameKey
) -> list[StoredEvent]:
    """Begin the stream of a game with what happened in another, each fact at its moment; sealed for this stream.

    In the caller's transaction. `result` is the table after the facts.
    """
    head, stored = EMPTY, list[StoredEvent]()
    for at, group in groupby(facts, key=itemgetter(1)):
        events = _events(game_id, head, [fact for fact, _ in group], key)
        stored += store.append(game_id, events, kind=state.KIND, expected=head, at=at)
        head = stored[-1].head()
    transaction.on_commit(lambda: state.cache.appended(game_id, EMPTY, head, result))
    feed.announce(game_id, head.version)
    return stored


def written(
    game_id: UUID, head: Head, facts: Sequence[Fact], *, now: datetime, key: GameKey | None
) -> list[StoredEvent]:
    """The facts as `append` would store them behind `head`; nothing is stored."""
    return store.chained(game_id, _events(game_id, head, facts, key), expected=head, at=now)


@retried
def commit(
    game_id: UUID,
    head: Head,
    facts: Sequence[Fact],
    result: Table,
    particulars: Particulars,
    *,
    now: datetime,
    command: Command | None = None,
    condition: Condition | None = None,
    wake_bots: bool = True,
) -> list[StoredEvent]:
    """Append to a dealt game, together with all that must happen with it: the money, the record, the next jobs.

    A move that only changes the game itself is one statement of its own; a transaction is opened for the others. What
    the database rolled back for no fault of the move is done again behind the same head.
    """
    bots_are_due = wake_bots and _waits_for_bot(result, particulars)
    if not result.ended and not bots_are_due and result.bet_seeds is None:
        return append(
            game_id, head, facts, result, now=now, key=particulars.key, command=command, condition=condition
        )
    with transaction.atomic():
        stored = append(
            game_id, head, facts, result, now=now, key=particulars.key, command=command, condition=condition
        )
        if result.ended:
            move, finished = stored[0], stored[-1]
            end(
                game_id,
                result,
                particulars,
                version=move.version,
                staked=particulars.stake > 0,
                at=parse_at(finished.at),
            )
        elif bots_are_due:
            schedule_bots(game_id, version=stored[-1].version, now=now)
        else:
            markets.follow_draw(game_id, result, event=stored[-1].version, at=parse_at(stored[-1].at))
    return stored


def _waits_for_bot(table: Table, about: Particulars) -> bool:
    """Where all play at once the bots' one job goes on by itself from the deal to the end."""
    waiting = table.to_act()
    return bool(about.bots) and len(waiting) == 1 and waiting[0] in about.bots


def schedule_bots(game_id: UUID, *, version: int, now: datetime) -> None:
    """Let the server play for the bots whose turn it is after this version."""
    jobs.schedule_all([bots_play(game_id, version=version, now=now)])


def bots_play(game_id: UUID, *, version: int, now: datetime, again: str = "") -> Planned:
    """`again` tells it from a job that was done at this version before."""
    key = f"{BOTS_PLAY}:{game_id}:{version}{again}"
    return Planned(kind=BOTS_PLAY, key=key, payload={"game": str(game_id)}, due=now)


def end(
    game_id: UUID, table: Table, about: Particulars | GameRecord, *, version: int, staked: bool, at: datetime
) -> None:
    """What the end of a game brings, in the caller's transaction: its record, its money, the job that waits for it.

    The money of its stake, of its buy-ins, and of the market on it, whose bets are paid at once or by a job where they
    are many.

    `version` is the event that the money is paid for; `staked` whether a stake was taken.
    """
    status = Status.FINISHED if table.status == "finished" else Status.VOID
    GameRecord.objects.filter(pk=game_id).update(status=status, outcome=table.outcome, ended_at=at)
    if staked and status is Status.VOID:
        ledger.refund_stake(game=game_id, event=version, at=at)
    elif staked:
        [gain] = table.game.gains(table.state) or ()
        ledger.settle_stake(
            game=game_id,
            winnings=about.stake + gain,
            event=version,
            at=at,
            summary={"outcome": table.outcome},
        )
    buy_ins.end(game_id, table, about, event=version, at=at)
    if markets.takes_markets(table.game.slug):
        markets.end_market(game_id, table, event=version, at=at)
    if about.match_id is not None:
        jobs.schedule(kind=NEXT_DEAL, key=f"{NEXT_DEAL}:{game_id}", payload={"game": str(game_id)}, due=at)
    if about.ended_job:
        jobs.schedule(
            kind=about.ended_job,
            key=f"ended:{game_id}",
            payload={"game": str(game_id), "tournament": str(about.tournament), "round": about.round},
            due=at,
        )
    if about.tournament is None:
        for tell in _when_ended:
            tell(game_id, at)


def _events(game_id: UUID, head: Head, facts: Sequence[Fact], key: GameKey | None) -> list[NewEvent]:
    return [_event(game_id, version, fact, key) for version, fact in enumerate(facts, head.version + 1)]


def _event(game_id: UUID, version: int, fact: Fact, key: GameKey | None) -> NewEvent:
    if fact.private is None:
        return NewEvent(fact.type, fact.data, fact.seat)
    assert key is not None, "what only some may see is sealed with the game's key"
    seal = key.seal(str(game_id), version, fact.private)
    return NewEvent(fact.type, fact.data, fact.seat, fact.private, seal)
