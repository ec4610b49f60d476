"""Moves: judged on what this process remembers, appended in one statement, judged again only if that was stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import Player
from api.claims import Claim
from api.errors import NotFound, Problem
from eventstore import store
from eventstore.store import (
    Command,
    CommandKnown,
    CommandReused,
    Head,
    KnownCommand,
    StoredEvent,
    WrongVersion,
)
from games import access, clocks, limits, log, particulars, selectors, state, turnstile
from games.errors import Contended, GameSuspended, NotSeated, NotStarted, SeatForfeited, StaleVersion
from games.evidence import refused
from games.markets import waits_for_off
from games.models import GameRecord
from games.redaction import Eyes, redacted
from games.rules import Refused
from games.rules import table as tables
from games.rules.table import Table
from games.services_off import off
from games.services_server import expire_late
from ledger.rows import stored

STALE_EVENTS = 50
"""Of those that a client has missed, how many a refused move tells; it pages through the others."""


class Late(Exception):
    """The table's time was up before this move came: the server plays first, and the move is judged after that."""


@dataclass(frozen=True, slots=True)
class Played:
    """What a move did, as its player may see it. Version and hash are the receipt."""

    version: int
    hash: str
    events: list[dict[str, Any]]
    view: dict[str, Any]
    legal_moves: list[dict[str, Any]]
    replayed: bool = False
    """The command was known: this is what it did the first time."""


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
    """Make a move. Sent again with the same command it answers what it did the first time.

    Under a claim the move is appended only if the claim holds, and is proven by it; nothing else that is answered
    proves a claim. What is refused to somebody at the table is kept (`games.evidence.refused`).

    Raises NotFound, NotSeated, NotStarted, SeatForfeited, GameSuspended, Refused (the rules
    forbid it; nothing has changed), StaleVersion (`if_match` is not the game's version), CommandReused,
    ConditionFailed, Contended.
    """
    judged: list[tuple[Head, Table]] = []
    try:
        with turnstile.lane(game_id):
            return _play(game_id, player, move, command, if_match, claim, now, judged)
    except (NotFound, NotSeated):
        raise  # nobody of this table
    except (Refused, Problem) as refusal:
        if judged:
            if claim:
                claim.prove()
            head, table = judged[-1]
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


def _play(
    game_id: UUID,
    player: Player,
    move: object,
    command: Command | None,
    if_match: int | None,
    claim: Claim | None,
    now: datetime,
    judged: list[tuple[Head, Table]],
) -> Played:
    remembered = None if turnstile.is_crowded(game_id) else state.peek(game_id) or state.load(game_id)
    for _ in range(limits.ATTEMPTS):
        try:
            if remembered:
                judged.append(remembered)
                return _attempt(game_id, player, move, *remembered, command, if_match, claim, now)
            with turnstile.alone(game_id) as present:
                judged.append(present)
                return _attempt(game_id, player, move, *present, command, if_match, claim, now)
        except CommandKnown as known:
            return _played_before(game_id, player, known.known)
        except WrongVersion:
            turnstile.was_too_late(game_id)
            remembered = None
        except Late:
            expire_late(game_id=game_id, now=now)
            remembered = state.load(game_id)
        except (Refused, Problem):
            # What is remembered may be behind the database; only a refusal by the present state counts.
            latest = state.load(game_id) if remembered else None
            if not remembered or not latest or latest[0] == remembered[0]:
                if known_before := _known(game_id, command):
                    return _played_before(game_id, player, known_before)
                if store.suspended_at(game_id) is not None:
                    raise GameSuspended from None
                raise
            remembered = latest
    raise Contended


def _attempt(
    game_id: UUID,
    player: Player,
    move: object,
    head: Head,
    table: Table,
    command: Command | None,
    if_match: int | None,
    claim: Claim | None,
    now: datetime,
) -> Played:
    seat = _acting_seat(game_id, table, player)
    if if_match is not None and if_match != head.version:
        tail = selectors.events_for(player, game_id, if_match, limit=STALE_EVENTS)
        raise StaleVersion(game_id, expected=if_match, actual=head.version, events=tail)
    if table.status == "open":
        table.game.check_form(move)
        if seat is None and waits_for_off(GameRecord.objects.get(pk=game_id), table):
            condition = claim.condition(now) if claim else None
            began = off(game_id=game_id, now=now, seen=head.version, command=command, condition=condition)
            return _appended(began.events, began.table, None, claim)
        raise NotStarted
    about = particulars.of(game_id, table)
    if about.tournament is not None and seat is not None and _is_forfeited(game_id, seat):
        raise SeatForfeited
    if about.clock.is_late(table, head.at or now, now) and clocks.standing(game_id).is_late(
        table, head.at or now, now
    ):
        raise Late
    facts = tables.decide(table, seat, move, about.key)
    result = log.after(table, facts)
    condition = claim.condition(now) if claim else None
    stored = log.commit(game_id, head, facts, result, about, now=now, command=command, condition=condition)
    return _appended(stored, result, seat, claim)


def _is_forfeited(game_id: UUID, seat: int) -> bool:
    # Written out: every move of a tournament asks.
    asked = "SELECT 1 FROM games_seat WHERE game_id = %s AND seat = %s AND forfeited"
    with connection.cursor() as cursor:
        cursor.execute(asked, [stored(game_id), seat])
        return cursor.fetchone() is not None


def _appended(stored: Sequence[StoredEvent], table: Table, seat: int | None, claim: Claim | None) -> Played:
    if claim:
        claim.proven = True
    return _played(stored, table, seat)


def _acting_seat(game_id: UUID, table: Table, player: Player) -> int | None:
    """The player's seat; None for the operator of a game in which nobody needs one."""
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
    eyes = Eyes(table.game, seat, everything=False)
    last = stored[-1]
    return Played(
        version=last.version,
        hash=last.hash,
        events=[redacted(event, eyes) for event in stored],
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        replayed=replayed,
    )


def _known(game_id: UUID, command: Command | None) -> KnownCommand | None:
    known = store.find_command(game_id, command.id) if command else None
    if known and command and known.fingerprint != command.fingerprint:
        raise CommandReused
    return known


def _played_before(game_id: UUID, player: Player, known: KnownCommand) -> Played:
    _, table = state.at(game_id, known.last)
    events = store.read(game_id, after=known.first - 1, until=known.last)
    return _played(events, table, _acting_seat(game_id, table, player), replayed=True)
