"""Moves of players, and the record of their refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import Player
from core.commands import Claim, Command, Condition
from core.errors import KeyReused, NotFound, Problem
from core.sql import stored
from eventstore import store
from eventstore.store import CommandKnown, EventOutput, Head, KnownCommand, StoredEvent
from games import access, context, selectors, state
from games.context import GameContext
from games.errors import GameSuspended, NotSeated, NotStarted, SeatForfeited, StaleVersion
from games.evidence import refused
from games.models import GameRecord
from games.money.markets import waits_for_first_draw
from games.observation import ViewScope, redacted
from games.play import clocks, stream
from games.play.server import play_overdue
from games.play.start import start_race
from games.rules import Refused
from games.rules import table as tables
from games.rules.table import Table

STALE_EVENTS = 50
"""Events that the refusal of a stale move contains; the client pages through the rest."""


class Late(Exception):
    """A clock ran out before this move. The server plays first, then the move is decided."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a move as its player may see it. Version and hash are the receipt."""

    version: int
    hash: str
    events: list[EventOutput]
    view: dict[str, Any]
    legal_moves: list[dict[str, Any]]
    replayed: bool = False
    """The command was known; this is its first result."""


def play(
    *,
    game_id: UUID,
    player: Player,
    move: object,
    command: Command | None = None,
    if_match: int | None = None,
    claim: Claim | None = None,
    now: datetime,
) -> Played:
    """Make a move. The same command returns its first result again.

    With a claim the move is appended only if the claim holds, which proves it. Refusals to players of the game are
    stored (`games.evidence.refused`).

    Raises NotFound, NotSeated, NotStarted, SeatForfeited, GameSuspended, Refused (by the rules; nothing has changed),
    StaleVersion (`if_match` is not the game's version), KeyReused, ConditionFailed.
    """
    request = _Request(game_id, player, move, command, if_match, claim, now)
    try:
        return _execute(request)
    except (NotFound, NotSeated):
        raise  # not a player of this game
    except (Refused, Problem) as refusal:
        if request.judged:
            if claim:
                claim.prove()
            head, table = request.judged
            refused.keep(
                refused.refused_command(
                    game_id=game_id,
                    player=player.pk,
                    seat=access.seat_of(table, player),
                    version=head.version,
                    move=move,
                    refusal=refusal,
                    command=command,
                    at=now,
                )
            )
        raise


@dataclass(slots=True)
class _Request:
    game_id: UUID
    player: Player
    move: object
    command: Command | None
    if_match: int | None
    claim: Claim | None
    now: datetime
    judged: tuple[Head, Table] | None = None
    """The last state on which the move was decided."""
    is_server_done: bool = False
    """Whether the server has played for the seats that were late."""

    def decide(self, head: Head, table: Table) -> Played:
        """Append the move after `head`. Raises Late, and what `play` raises."""
        self.judged = head, table
        seat = _acting_seat(self.game_id, table, self.player)
        if self.if_match is not None and self.if_match != head.version:
            tail = selectors.events_for(self.player, self.game_id, self.if_match, limit=STALE_EVENTS)
            raise StaleVersion(self.game_id, expected=self.if_match, actual=head.version, events=tail)
        condition = self.claim.condition(self.now) if self.claim else None
        if table.status == "open":
            return self._start(head, table, seat, condition)
        ctx = context.of(self.game_id, table)
        if ctx.tournament is not None and seat is not None and _is_forfeited(self.game_id, seat):
            raise SeatForfeited
        if not self.is_server_done and self._is_late(head, table, ctx):
            raise Late
        facts = tables.decide(table, seat, self.move, ctx.key)
        result = stream.after(table, facts)
        stored = stream.commit(
            self.game_id,
            head,
            facts,
            result,
            ctx,
            now=self.now,
            command=self.command,
            condition=condition,
        )
        return self._appended(stored, result, seat)

    def _start(self, head: Head, table: Table, seat: int | None, condition: Condition | None) -> Played:
        """The first draw starts a race with a market. Raises NotStarted."""
        table.game.check_form(self.move)
        if seat is not None or not waits_for_first_draw(GameRecord.objects.get(pk=self.game_id), table):
            raise NotStarted
        began = start_race(
            game_id=self.game_id, now=self.now, seen=head.version, command=self.command, condition=condition
        )
        return self._appended(began.events, began.table, None)

    def _is_late(self, head: Head, table: Table, ctx: GameContext) -> bool:
        since = head.at or self.now
        return ctx.clock.is_late(table, since, self.now) and clocks.current(self.game_id).is_late(
            table, since, self.now
        )

    def _appended(self, stored: Sequence[StoredEvent], table: Table, seat: int | None) -> Played:
        if self.claim:
            self.claim.proven = True
        return _played(stored, table, seat)


def _execute(request: _Request) -> Played:
    try:
        try:
            return state.execute(request.game_id, request.decide)
        except Late:
            play_overdue(game_id=request.game_id, now=request.now)
            request.is_server_done = True
            return state.execute(request.game_id, request.decide)
    except CommandKnown as known:
        return _played_before(request.game_id, request.player, known.known)
    except (NotFound, NotSeated):
        raise
    except (Refused, Problem):
        if known_before := _known(request.game_id, request.command):
            return _played_before(request.game_id, request.player, known_before)
        if store.suspended_at(request.game_id) is not None:
            raise GameSuspended from None
        raise


def _is_forfeited(game_id: UUID, seat: int) -> bool:
    # Plain SQL: every move of a tournament runs it.
    query = "SELECT 1 FROM games_seat WHERE game_id = %s AND seat = %s AND forfeited"
    with connection.cursor() as cursor:
        cursor.execute(query, [stored(game_id), seat])
        return cursor.fetchone() is not None


def _acting_seat(game_id: UUID, table: Table, player: Player) -> int | None:
    """Return the player's seat; None for the operator of a game without seats."""
    me = str(player.pk)
    operated = 0 in table.game.seats
    if not operated:
        for seat, who in table.seats.items():
            if who.player == me:
                return seat
    record = access.visible_game(player, game_id)
    if operated and record.creator_id == player.pk:
        return None
    return _seat_without_turn(table, me)


def _seat_without_turn(table: Table, me: str) -> int:
    for seat, who in table.seats.items():
        if who.player == me:
            return seat
    raise NotSeated


def _played(
    stored: Sequence[StoredEvent], table: Table, seat: int | None, *, replayed: bool = False
) -> Played:
    scope = ViewScope(table.game, seat, everything=False)
    last = stored[-1]
    return Played(
        version=last.version,
        hash=last.hash,
        events=[redacted(event, scope) for event in stored],
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        replayed=replayed,
    )


def _known(game_id: UUID, command: Command | None) -> KnownCommand | None:
    known = store.find_command(game_id, command.id) if command else None
    if known and command and known.fingerprint != command.fingerprint:
        raise KeyReused
    return known


def _played_before(game_id: UUID, player: Player, known: KnownCommand) -> Played:
    _, table = state.at(game_id, known.last)
    events = store.read(game_id, after=known.first - 1, until=known.last)
    return _played(events, table, _acting_seat(game_id, table, player), replayed=True)
