"""The server plays for bots: one after the other beside people, in stretches of several moves among themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from api.transient import retried
from eventstore.store import Head, StoredEvent, WrongVersion
from games import bots, clocks, log, particulars, state
from games.particulars import Particulars
from games.rules import Fact
from games.rules import table as tables
from games.rules.table import Table
from games.services_server import Decide, by_server, expire_late
from games.sights import Unstored, sight

BOT_PACE = timedelta(seconds=1.5)
"""Between two moves of a bot that plays at the same time as people: as quick as a practised hand."""

TOGETHER = 64
"""Moves that bots among themselves make before these are appended, in one transaction."""
TOGETHER_WITHIN = timedelta(seconds=0.25)
"""How long they may have thought about them: who looks on sees the game go on."""

Clock = Callable[[], datetime]


def play_bots(
    *,
    game_id: UUID,
    now: datetime,
    most: int,
    clock: Clock | None = None,
    until: datetime | None = None,
) -> int:
    """Play for the bots until a person is to act, each move an event of its own, at most `most`; how many were made.

    `clock` tells the time as it goes by (`now` unless given), `until` when to stop; moves are made at `now`, or by the
    clock where somebody's limit is counted from them. Where people and bots play at the same time each bot moves once.
    Stopped anywhere it can be called again: what it decides follows from the game alone, and is appended behind the
    version it was decided upon.
    """
    tell = clock or (lambda: now)
    moved: set[int] = set()
    made = 0
    while made < most:
        moment = tell()
        if until is not None and moment >= until:
            return made
        head, table = state.load(game_id)
        if table.status != "active":
            return made
        about = particulars.of(game_id, table)
        assert head.at is not None
        if about.clock.is_late(table, head.at, moment) and clocks.standing(game_id).is_late(
            table, head.at, moment
        ):
            expire_late(game_id=game_id, now=moment)
            made += 1
            continue
        at = now if about.clock.move_limit is None else moment
        if _beside_people(table, about):
            waiting = about.bots.intersection(table.to_act()) - moved
            if not waiting:
                return made
            seat = _next(game_id, table, about, waiting)
            moved.add(seat)
            by_server(game_id, _move_of_bot(game_id, seat), at, wake_bots=False)
            made += 1
        elif not table.to_act():
            return made
        else:
            # Each move is made at its own time where time counts.
            together = 1 if about.clock.runs else min(TOGETHER, most - made)
            stretch = Stretch(game_id, head, table, about, at)
            stretch.play(together, tell, until=moment + TOGETHER_WITHIN)
            try:
                stretch.append()
            except WrongVersion:
                made += 1  # somebody was first: what they did is looked at
            else:
                if not stretch.moves:
                    return made
                made += len(stretch.moves)
    return made


def bots_due(*, game_id: UUID, now: datetime) -> datetime | None:
    """When the bots are to play again; None when they wait for a person, or the game is over."""
    _, table = state.load(game_id)
    if table.status != "active":
        return None
    about = particulars.of(game_id, table)
    if about.bots.isdisjoint(table.to_act()):
        return None
    return now + BOT_PACE if _beside_people(table, about) else now


def _beside_people(table: Table, about: Particulars) -> bool:
    """Whether somebody else may act now too: then a bot that is as quick as the machine leaves them nothing."""
    return not about.bots.issuperset(table.to_act())


class Stretch:
    """What bots do while nobody else is to act: played in memory behind a head, then appended whole or not at all."""

    def __init__(self, game_id: UUID, head: Head, table: Table, about: Particulars, at: datetime) -> None:
        self.game_id, self.head, self.about, self.at = game_id, head, about, at
        self.table = table
        """As it stands after the moves."""
        self.before = table
        """As it stood before the last of them."""
        self.moves: list[tuple[Fact, ...]] = []
        self._unstored: list[StoredEvent] = []

    def play(self, most: int, clock: Clock, *, until: datetime) -> None:
        """Make at most so many moves, and none after `until`, but one at least where there is one to make."""
        while len(self.moves) < most and (not self.moves or clock() < until):
            waiting = self.table.to_act()
            if not waiting or not self.about.bots.issuperset(waiting):
                return
            seat = _next(self.game_id, self.table, self.about, waiting)
            facts = _decided(self.game_id, self.table, self.about, seat, self.unstored)
            if not facts:
                return
            self.moves.append(facts)
            self.before, self.table = self.table, log.after(self.table, facts)

    def unstored(self) -> Sequence[StoredEvent]:
        """The events that are still to be appended."""
        written = self._unstored
        facts = [fact for move in self.moves for fact in move][len(written) :]
        if facts:
            head = written[-1].head() if written else self.head
            written += log.written(self.game_id, head, facts, now=self.at, key=self.about.key)
        return written

    @retried
    def append(self) -> None:
        """Raises WrongVersion: then nothing is appended."""
        if not self.moves:
            return
        if not self.table.ended:
            self._commit(self.head, [fact for move in self.moves for fact in move])
            return
        # What comes with the end of a game, its money above all, is told by the move that ended it.
        *earlier, last = self.moves
        with transaction.atomic():
            head = self.head
            if earlier:
                facts = [fact for move in earlier for fact in move]
                stored = log.append(self.game_id, head, facts, self.before, now=self.at, key=self.about.key)
                head = stored[-1].head()
            self._commit(head, last)

    def _commit(self, head: Head, facts: Sequence[Fact]) -> None:
        log.commit(self.game_id, head, facts, self.table, self.about, now=self.at, wake_bots=False)


def _next(game_id: UUID, table: Table, about: Particulars, waiting: Sequence[int] | frozenset[int]) -> int:
    """Where several may act, chance says who is quickest."""
    return _chance(game_id, table, about).choice(sorted(waiting))


def _decided(
    game_id: UUID, table: Table, about: Particulars, seat: int, unstored: Unstored = tuple
) -> tuple[Fact, ...]:
    """A bot's move and what comes of it; nothing where it has none, or waits for the people beside it."""
    seen = sight(game_id, table, seat, unstored)
    if seat not in table.to_act() or not seen.legal_moves:
        return ()
    bot = bots.get(table.game.slug, about.strategies[seat])
    if isinstance(bot, bots.Patient) and _beside_people(table, about) and bot.waits(seen):
        return ()
    chosen = bot.choose(seen, _chance(game_id, table, about, seat))
    return tables.decide(table, seat, chosen, about.key)


def _move_of_bot(game_id: UUID, seat: int) -> Decide:
    return lambda table, about, _: _decided(game_id, table, about, seat)


def _chance(game_id: UUID, table: Table, about: Particulars, seat: int | None = None) -> random.Random:
    """Known to nobody before the end, and the same when a job is carried out again.

    Games that share a deal share its key, so the game is named: their bots are not of one mind.
    """
    label = f"bot|{game_id}|{'' if seat is None else seat}|{table.version}"
    return random.Random(next(about.key.numbers(label)))  # noqa: S311
