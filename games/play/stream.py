"""Appending to a game's stream: facts become sealed events, and the end of a game settles its money."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db import transaction

from core.commands import Command, Condition
from core.metrics import Counter
from core.sql import Statement
from eventstore import feed, store
from eventstore.chain import parse_at
from eventstore.store import EMPTY, Head, NewEvent, StoredEvent
from games import hooks, state
from games.context import GameContext
from games.errors import GameSuspended
from games.models import GameRecord, Seat, Status
from games.money import buy_ins, markets
from games.rules import Fact, GameKey
from games.rules import table as tables
from games.rules.table import Table
from jobs import services as jobs
from jobs.services import Planned
from ledger import services as ledger

BOTS_PLAY = "games.play_bot"
NEXT_DEAL = "games.next_deal"

SCORED_WITHIN = timedelta(seconds=0.25)
"""Games of tournaments that end within the same quarter of a second are scored together."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def after(table: Table | None, facts: Sequence[Fact]) -> Table:
    """Return the table after these facts."""
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
    insertions: Sequence[Statement] = (),
) -> list[StoredEvent]:
    """Append the facts after `head`. `result` is the table after them, cached once they are committed.

    `insertions` insert further rows with the events. Raises what `eventstore.store.append` raises, and GameSuspended.
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
            insertions=insertions,
        )
    except store.StreamSuspended:
        raise GameSuspended from None
    last = stored[-1]
    state.cache.put_uncommitted(game_id, last.head(), result)

    def committed() -> None:
        state.cache.appended(game_id, head, last.head(), result)
        count_moves(result.game.slug, facts, commanded=command is not None)

    transaction.on_commit(committed)
    feed.announce(game_id, last.version)
    return stored


def copy_events(
    game_id: UUID, facts: Sequence[tuple[Fact, datetime]], result: Table, *, key: GameKey
) -> list[StoredEvent]:
    """Begin the stream of a game with the events of another, each at its time, sealed for this stream.

    Runs in the caller's transaction. `result` is the table after the facts.
    """
    head, stored = EMPTY, list[StoredEvent]()
    for at, group in groupby(facts, key=itemgetter(1)):
        events = _events(game_id, head, [fact for fact, _ in group], key)
        stored += store.append(game_id, events, kind=state.KIND, expected=head, at=at)
        head = stored[-1].head()
    transaction.on_commit(lambda: state.cache.appended(game_id, EMPTY, head, result))
    feed.announce(game_id, head.version)
    return stored


def preview(
    game_id: UUID, head: Head, facts: Sequence[Fact], *, now: datetime, key: GameKey | None
) -> list[StoredEvent]:
    """Return the events that `append` would store after `head`. Nothing is stored."""
    return store.chained(game_id, _events(game_id, head, facts, key), expected=head, at=now)


def commit(
    game_id: UUID,
    head: Head,
    facts: Sequence[Fact],
    result: Table,
    ctx: GameContext,
    *,
    now: datetime,
    command: Command | None = None,
    condition: Condition | None = None,
    wake_bots: bool = True,
) -> list[StoredEvent]:
    """Append to a dealt game with everything that follows: money, record, and next jobs.

    A move that only changes the game is one statement; other moves open a transaction.
    """
    bots_are_due = wake_bots and _waits_for_bot(result, ctx)
    if not result.ended and not bots_are_due and result.bet_seeds is None:
        return append(
            game_id, head, facts, result, now=now, key=ctx.key, command=command, condition=condition
        )
    with transaction.atomic():
        stored = append(
            game_id, head, facts, result, now=now, key=ctx.key, command=command, condition=condition
        )
        if result.ended:
            move, finished = stored[0], stored[-1]
            end_game(
                game_id,
                result,
                ctx,
                version=move.version,
                staked=ctx.stake > 0,
                at=parse_at(finished.at),
            )
        elif bots_are_due:
            schedule_bots(game_id, version=stored[-1].version, now=now)
        else:
            markets.reprice_in_running(game_id, result, event=stored[-1].version, at=parse_at(stored[-1].at))
    return stored


def _waits_for_bot(table: Table, ctx: GameContext) -> bool:
    """Return whether a bot is to act alone. If all seats play at once, one job plays the bots from deal to end."""
    waiting = table.to_act()
    return bool(ctx.bots) and len(waiting) == 1 and waiting[0] in ctx.bots


def schedule_bots(game_id: UUID, *, version: int, now: datetime) -> None:
    """Schedule the bots that are to act after this version."""
    jobs.schedule_all([bots_job(game_id, version=version, now=now)])


def bots_job(game_id: UUID, *, version: int, now: datetime, again: str = "") -> Planned:
    """`again` distinguishes it from an earlier job at this version."""
    key = f"{BOTS_PLAY}:{game_id}:{version}{again}"
    return Planned(kind=BOTS_PLAY, key=key, payload={"game": str(game_id)}, due=now)


def end_game(
    game_id: UUID, table: Table, ctx: GameContext | GameRecord, *, version: int, staked: bool, at: datetime
) -> None:
    """Update the record, settle stake, buy-ins, and market, and schedule the job that waits for the end.

    Runs in the caller's transaction. Many bets are paid by a job. `version` is the event of the settlement; `staked`
    says whether a stake was taken.
    """
    status = Status.FINISHED if table.status == "finished" else Status.VOID
    GameRecord.objects.filter(pk=game_id).update(status=status, outcome=table.outcome, ended_at=at)
    Seat.objects.filter(game=game_id).update(running=False)
    if staked and status is Status.VOID:
        ledger.refund_stake(game=game_id, event=version, at=at)
    elif staked:
        [gain] = table.game.gains(table.state) or ()
        ledger.settle_stake(
            game=game_id,
            winnings=ctx.stake + gain,
            event=version,
            at=at,
            summary={"outcome": table.outcome},
        )
    buy_ins.end(game_id, table, ctx, event=version, at=at)
    if markets.takes_markets(table.game.slug):
        markets.end_market(game_id, table, event=version, at=at)
    if ctx.match_id is not None:
        jobs.schedule(kind=NEXT_DEAL, key=f"{NEXT_DEAL}:{game_id}", payload={"game": str(game_id)}, due=at)
    if ctx.ended_job:
        jobs.schedule(
            kind=ctx.ended_job,
            key=f"ended:{game_id}",
            payload={
                "game": str(game_id),
                "moves": table.moves,
                "tournament": str(ctx.tournament),
                "round": ctx.round,
            },
            due=at + (EPOCH - at) % SCORED_WITHIN,
        )
    if ctx.tournament is None:
        hooks.game_ended(game_id, at)


def _events(game_id: UUID, head: Head, facts: Sequence[Fact], key: GameKey | None) -> list[NewEvent]:
    return [_event(game_id, version, fact, key) for version, fact in enumerate(facts, head.version + 1)]


def _event(game_id: UUID, version: int, fact: Fact, key: GameKey | None) -> NewEvent:
    if fact.private is None:
        return NewEvent(fact.type, fact.data, fact.seat)
    assert key is not None, "private data is sealed with the game's key"
    seal = key.seal(str(game_id), version, fact.private)
    return NewEvent(fact.type, fact.data, fact.seat, fact.private, seal)


MOVES = Counter("racecard_moves", "Moves that were accepted", ["rules", "by"])


def count_moves(rules: str, facts: Iterable[Fact], *, commanded: bool) -> None:
    """Count the moves among the facts; `commanded` if a client requested them."""
    for fact in facts:
        if "move" in fact.data:
            MOVES.labels(rules, _by(fact, commanded)).inc()


def _by(fact: Fact, commanded: bool) -> str:
    if fact.type == "expired" or (fact.seat is None and not commanded):
        return "server"
    return "player" if commanded else "bot"
