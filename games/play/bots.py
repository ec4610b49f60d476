"""Bots' moves and hints: one move at a time if people play too, several moves together if only bots are to act."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from core.transient import retried
from eventstore import store
from eventstore.months import random_part
from eventstore.store import Head, StoredEvent, WrongVersion
from games import access, bots, context, state
from games.context import GameContext
from games.errors import GameSuspended, HintsOff, NoHintNow, NoHints, NotSeated, NotStarted
from games.models import BotPace, GameRecord
from games.observation import Pending, Read, observe
from games.play import clocks, stream
from games.play.server import Decide, append_server_move, play_overdue
from games.rules import Fact, Refused
from games.rules import table as tables
from games.rules.refusals import ENDED
from games.rules.table import Table

PACES = {
    BotPace.SLOW: timedelta(seconds=3),
    BotPace.NORMAL: timedelta(seconds=1.5),
    BotPace.FAST: timedelta(seconds=0.75),
}
"""Time between two moves of a bot that plays at the same time as people. The normal one is a practised player's."""

TOGETHER = 64
"""The most moves among bots that are appended in one transaction."""
TOGETHER_WITHIN = timedelta(seconds=0.25)
"""The most time spent on such moves, so that spectators see the game progress."""

PAGES = 4
"""Pages of stored events that are read once for all moves of a stretch: the whole of an ordinary game."""

Clock = Callable[[], datetime]


def play_bots(
    *,
    game_id: UUID,
    now: datetime,
    most: int,
    clock: Clock | None = None,
    until: datetime | None = None,
) -> int:
    """Play for the bots until a person is to act, at most `most` moves, each an event. Returns the number of moves.

    `clock` returns the time as it passes (by default `now`), and `until` ends the run. Moves are made at `now`, or by
    the clock if a seat's limit is counted from them. At a table with people each bot moves once. The function can be
    interrupted and called again: its decisions depend only on the game, and are appended after the version they were
    made for.
    """
    read_clock = clock or (lambda: now)
    moved: set[int] = set()
    made = 0
    while made < most:
        moment = read_clock()
        if until is not None and moment >= until:
            return made
        head, table = state.load(game_id)
        if table.status != "active":
            return made
        ctx = context.of(game_id, table)
        assert head.at is not None
        if ctx.clock.is_late(table, head.at, moment) and clocks.current(game_id).is_late(
            table, head.at, moment
        ):
            play_overdue(game_id=game_id, now=moment)
            made += 1
            continue
        at = now if ctx.clock.move_limit is None else moment
        if _person_may_act(table, ctx):
            waiting = ctx.bots.intersection(table.to_act()) - moved
            if not waiting:
                return made
            seat = _next(game_id, table, ctx, waiting)
            moved.add(seat)
            append_server_move(game_id, _move_of_bot(game_id, seat), at, wake_bots=False)
            made += 1
            continue
        if not table.to_act():
            return made
        # With a clock each move needs its own time.
        together = 1 if ctx.clock.runs else min(TOGETHER, most - made)
        stretch = Stretch(game_id, head, table, ctx, at)
        stretch.play(together, read_clock, until=moment + TOGETHER_WITHIN)
        try:
            stretch.append()
        except WrongVersion:
            made += 1  # another event came first; decide again
            continue
        made += len(stretch.moves)
        if not stretch.moves or stretch.table.ended:
            return made
    return made


def bots_due(*, game_id: UUID, now: datetime) -> datetime | None:
    """Return when the bots play next; None if they wait for a person or the game has ended."""
    _, table = state.load(game_id)
    if table.status != "active":
        return None
    ctx = context.of(game_id, table)
    if ctx.bots.isdisjoint(table.to_act()):
        return None
    return now + PACES[ctx.bot_pace] if _person_may_act(table, ctx) else now


def _person_may_act(table: Table, ctx: GameContext) -> bool:
    """Return whether a person may act now too; then a bot must not use its full speed."""
    return not ctx.bots.issuperset(table.to_act())


class Stretch:
    """Moves of bots while only bots are to act, played in memory after a head and appended all or not at all."""

    def __init__(self, game_id: UUID, head: Head, table: Table, ctx: GameContext, at: datetime) -> None:
        self.game_id, self.head, self.ctx, self.at = game_id, head, ctx, at
        self.table = table
        """The table after the moves."""
        self.before = table
        """The table before the last move."""
        self.moves: list[tuple[Fact, ...]] = []
        self._pending: list[StoredEvent] = []
        self._read = lru_cache(maxsize=PAGES)(partial(store.read, game_id))

    def play(self, most: int, clock: Clock, *, until: datetime) -> None:
        """Make at most `most` moves, none after `until`, but at least one if there is one."""
        while len(self.moves) < most and (not self.moves or clock() < until):
            waiting = self.table.to_act()
            if not waiting or not self.ctx.bots.issuperset(waiting):
                return
            seat = _next(self.game_id, self.table, self.ctx, waiting)
            facts = _decided(self.game_id, self.table, self.ctx, seat, self.pending, self._read)
            if not facts:
                return
            self.moves.append(facts)
            self.before, self.table = self.table, stream.after(self.table, facts)

    def pending(self) -> Sequence[StoredEvent]:
        """Return the events that are not appended yet."""
        written = self._pending
        facts = [fact for move in self.moves for fact in move][len(written) :]
        if facts:
            head = written[-1].head() if written else self.head
            written += stream.preview(self.game_id, head, facts, now=self.at, key=self.ctx.key)
        return written

    @retried
    def append(self) -> None:
        """Append the moves. Raises WrongVersion; then nothing is appended."""
        if not self.moves:
            return
        if not self.table.ended:
            self._commit(self.head, [fact for move in self.moves for fact in move])
            return
        # The move that ends the game is committed by itself, because the settlement names its version.
        *earlier, last = self.moves
        with transaction.atomic():
            head = self.head
            if earlier:
                facts = [fact for move in earlier for fact in move]
                stored = stream.append(self.game_id, head, facts, self.before, now=self.at, key=self.ctx.key)
                head = stored[-1].head()
            self._commit(head, last)

    def _commit(self, head: Head, facts: Sequence[Fact]) -> None:
        stream.commit(self.game_id, head, facts, self.table, self.ctx, now=self.at, wake_bots=False)


def _next(game_id: UUID, table: Table, ctx: GameContext, waiting: Sequence[int] | frozenset[int]) -> int:
    """Choose which of several seats acts first, at random."""
    return _chance(game_id, table, ctx).choice(sorted(waiting))


def _decided(
    game_id: UUID,
    table: Table,
    ctx: GameContext,
    seat: int,
    pending: Pending = tuple,
    read: Read | None = None,
) -> tuple[Fact, ...]:
    """Return a bot's move and its facts; empty if it has no move or waits for the people."""
    seen = observe(game_id, table, seat, pending, read)
    if seat not in table.to_act() or not seen.legal_moves:
        return ()
    bot = bots.get(table.game.slug, ctx.strategies[seat])
    if isinstance(bot, bots.Patient) and _person_may_act(table, ctx) and bot.waits(seen):
        return ()
    chosen = bot.choose(seen, _chance(game_id, table, ctx, seat))
    return tables.decide(table, seat, chosen, ctx.key)


def _move_of_bot(game_id: UUID, seat: int) -> Decide:
    return lambda table, ctx, _: _decided(game_id, table, ctx, seat)


def _chance(game_id: UUID, table: Table, ctx: GameContext, seat: int | None = None) -> random.Random:
    """Return a generator that no one can predict before the end, and that is the same when a job is repeated.

    Games with one deal share its key, so the label names the game.
    """
    label = f"bot|{random_part(game_id)}|{'' if seat is None else seat}|{table.version}"
    return random.Random(next(ctx.key.numbers(label)))  # noqa: S311


@dataclass(frozen=True, slots=True)
class Hint:
    version: int
    """The version of the game that was used."""
    move: dict[str, Any]
    """A legal move of the seat at that version."""


def hint_for(*, game: GameRecord, player: Player) -> Hint:
    """Return the hint for the player's seat: the move of the game's strongest bot, from the seat's observation.

    The same position always gives the same hint. Raises NotSeated, NoHints, HintsOff, NotStarted, GameSuspended,
    NoHintNow, Refused (the game has ended).
    """
    head, table = state.load(game.pk)
    seat = access.seat_of(table, player)
    if seat is None:
        raise NotSeated
    bot = bots.hint(table.game.slug)
    if bot is None:
        raise NoHints
    if not game.hints:
        raise HintsOff
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status == "open":
        raise NotStarted
    if game.suspended_at is not None:
        raise GameSuspended
    seen = observe(game.pk, table, seat)
    if not seen.legal_moves:
        raise NoHintNow
    chance = random.Random(f"hint|{game.pk}|{head.version}")  # noqa: S311 - it deals nothing
    return Hint(head.version, bot.choose(seen, chance))
