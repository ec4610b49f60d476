"""Moves of the server: for absent and late seats, for races without an operator; and voiding a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from accounts.models import Player
from eventstore.chain import parse_at
from games import context, state
from games.challenges import records as challenges
from games.context import GameContext
from games.models import ChallengeStatus, GameRecord, Lifted, Seat
from games.play import clocks, stream
from games.rules import Fact
from games.rules import table as tables
from games.rules.table import Table
from games.suspensions import records
from ledger import services as ledger

Decide = Callable[[Table, GameContext, datetime], tuple[Fact, ...]]
"""Returns the facts to append to a table, given the time of the append."""


def append_server_move(
    game_id: UUID, decide: Decide, now: datetime, *, wake_bots: bool = True
) -> Table | None:
    """Append what the server decides for a dealt game. Returns the table after it, or None if nothing was due."""
    with state.locked(game_id) as (head, table):
        if table.status != "active":
            return None
        ctx = context.of(game_id, table)
        facts = decide(table, ctx, max(now, head.at or now))
        if not facts:
            return None
        result = stream.after(table, facts)
        stream.commit(game_id, head, facts, result, ctx, now=now, wake_bots=wake_bots)
        return result


def draw(*, game_id: UUID, now: datetime) -> bool:
    """Make the next move of a game in which no seat acts. Returns whether the game continues."""
    after = append_server_move(
        game_id, lambda table, ctx, _: tables.decide(table, None, {"type": "draw"}, ctx.key), now
    )
    return after is not None and not after.ended


# --- absent seats (RULEBOOK 1) --------------------------------------------------------------------


def play_absent(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """Play for the seats to act as absent; play a game in which no seat is to act to its end.

    `seen` is the version at which the seat was found absent: if a seat has moved since, nothing happens. If all seats
    play at once no seat is absent, and only the limit of the rules ends the game.
    """

    def absent(table: Table, ctx: GameContext, moment: datetime) -> tuple[Fact, ...]:
        return _for_absent(table, ctx, moment) if seen in (None, table.version) else ()

    after = append_server_move(game_id, absent, now)
    if after is not None and not after.ended and not after.to_act():
        _play_out(game_id, now)


def play_overdue(*, game_id: UUID, now: datetime) -> None:
    """Play for the seat that exceeded the move limit, or play a game past its own limit to its end.

    If no one is late nothing happens, so concurrent calls are safe.
    """
    head, table = state.load(game_id)
    if table.status != "active":
        return
    clock = clocks.current(game_id)
    assert head.at is not None
    if not clock.is_late(table, head.at, now):
        return
    ends_at = clock.ends_at()
    if ends_at is not None and max(head.at, now) >= ends_at:
        _play_out(game_id, now)
    else:
        play_absent(game_id=game_id, now=now, seen=head.version)


def _play_out(game_id: UUID, now: datetime) -> None:
    """Play for the absent seats until the game ends; each move brings the end nearer."""
    while (after := append_server_move(game_id, _for_absent, now, wake_bots=False)) and not after.ended:
        pass


def _for_absent(table: Table, ctx: GameContext, moment: datetime) -> tuple[Fact, ...]:
    if ctx.clock.rules_end is not None and moment >= ctx.clock.rules_end:
        return tables.expire(table, None, ctx.key)
    if clocks.all_seats_at_once(table.game, table.config):
        return ()
    waiting = table.to_act()
    return tables.expire(table, waiting[0] if waiting else None, ctx.key)


NOT_STARTED = "not-started"
"""The reason for voiding a table that was not started in time."""


def void_game(*, game_id: UUID, reason: str, now: datetime, by: Player | None = None) -> None:
    """End a game without a result and refund its stakes. Lifts a suspension; an ended game is unchanged."""
    with state.locked(game_id) as (head, table):
        if table.ended:
            return
        if table.status == "open":
            challenges.close(game_id, ChallengeStatus.EXPIRED, now=now)
        voided = tables.void(table, reason=reason)
        result = stream.after(table, [voided])
        record = GameRecord.objects.get(pk=game_id)
        records.lift(game_id, how=Lifted.VOID, by=by, reason=reason, now=now)
        [event] = stream.append(game_id, head, [voided], result, now=now)
        stream.end_game(
            game_id,
            result,
            record,
            version=event.version,
            staked=record.stake > 0 and table.status == "active",
            at=parse_at(event.at),
        )
        if record.play_session is not None:
            ledger.leave_session(record.play_session, at=parse_at(event.at))


def expire_game(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """Play for absent seats regardless of time, or void a table that was not started.

    With `seen`, only if no seat has moved since that version. Raises GameSuspended.
    """
    _, table = state.load(game_id)
    if table.status == "open":
        void_game(game_id=game_id, reason=NOT_STARTED, now=now)
    elif table.status == "active":
        play_absent(game_id=game_id, now=now, seen=seen)


def forfeit_seats(*, game_ids: Iterable[UUID], seats: Iterable[int]) -> None:
    """Refuse moves from these seats, as their tournament has ruled; the server plays for them."""
    Seat.objects.filter(game__in=list(game_ids), seat__in=list(seats)).update(forfeited=True)


def expire_if_idle(*, game_id: UUID, now: datetime) -> datetime | None:
    """Expire a table past the site's limit. Returns when to check again, or None."""
    head, table = state.load(game_id)
    if table.ended:
        return None
    idle = clocks.idle(table.game.slug)
    game = GameRecord.objects.get(pk=game_id)
    if table.status == "open":
        due = game.created_at + clocks.UNSTARTED
    elif game.move_limit is not None:
        return None
    elif game.suspended_at is not None:
        return now + idle
    else:
        assert head.at is not None
        due = clocks.waiting_since(head.at, game.resumed_at) + idle
    if due > now:
        return min(due, now + idle)
    expire_game(game_id=game_id, now=now, seen=head.version)
    return None if state.load(game_id)[1].ended else now + idle


def expire_if_late(*, game_id: UUID, now: datetime) -> datetime | None:
    """Play for a seat past the table's own limits. Returns when to check again, or None if the game has ended.

    One job per game does this: it runs when the present limit would end, and usually finds that a seat has moved.
    """
    play_overdue(game_id=game_id, now=now)
    head, table = state.load(game_id)
    if table.status != "active":
        return None
    assert head.at is not None
    next_alarm = clocks.current(game_id).next_alarm(table, head.at)
    return None if next_alarm is None else max(next_alarm, now)
