"""Moves: judged on what this process remembers, appended in one statement, judged again only if that was stale."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Player
from api.errors import Problem
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
from games import access, bots, log, particulars, selectors, state
from games.errors import Contended, NotSeated, NotStarted, StaleVersion
from games.particulars import Particulars
from games.redaction import Eyes, redacted
from games.rules import Fact, Refused
from games.rules import table as tables
from games.rules.table import Table

ATTEMPTS = 20
"""Re-decisions of one move while others get in first."""


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
    now: datetime,
) -> Played:
    """Make a move. Sent again with the same command it answers what it did the first time.

    Raises NotFound, NotSeated, NotStarted, Refused (the rules forbid it; nothing has changed), StaleVersion
    (`if_match` is not the game's version), CommandReused, Contended.
    """
    remembered = state.peek(game_id)
    head, table = remembered or state.load(game_id)
    current = remembered is None
    for _ in range(ATTEMPTS):
        try:
            return _attempt(game_id, player, move, head, table, command, if_match, now)
        except CommandKnown as known:
            return _played_before(game_id, player, known.known)
        except WrongVersion:
            pass
        except (Refused, Problem):
            # What is remembered may be behind the database; only a refusal by the present state counts.
            if current:
                if known_before := _known(game_id, command):
                    return _played_before(game_id, player, known_before)
                raise
        head, table = state.load(game_id)
        current = True
    raise Contended


def _attempt(
    game_id: UUID,
    player: Player,
    move: object,
    head: Head,
    table: Table,
    command: Command | None,
    if_match: int | None,
    now: datetime,
) -> Played:
    seat = _acting_seat(game_id, table, player)
    if if_match is not None and if_match != head.version:
        raise StaleVersion(
            expected=if_match,
            actual=head.version,
            events=selectors.events_for(player, game_id, after=if_match) if if_match < head.version else [],
        )
    if table.status == "open":
        table.game.check_form(move)
        raise NotStarted
    about = particulars.of(game_id, table)
    facts = tables.decide(table, seat, move, about.key)
    result = log.after(table, facts)
    stored = log.commit(game_id, head, facts, result, about, now=now, command=command)
    return _played(stored, result, seat)


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
    events = store.read(game_id, until=known.last)
    table = state.fold(events)
    seat = _acting_seat(game_id, table, player)
    return _played(events[known.first - 1 :], table, seat, replayed=True)


# --- the server's own moves ----------------------------------------------------------------------


def draw(*, game_id: UUID, now: datetime) -> bool:
    """The server makes the next move of a game in which no seat acts. Whether the game goes on."""
    return not _by_server(
        game_id, lambda table, about: tables.decide(table, None, {"type": "draw"}, about.key), now
    )


def expire_active(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """Play for whoever is to act, as for an absent seat; a game in which nobody is to act is played to its end.

    `seen` is the version at which the seat was found absent: if it has moved since, it is not.
    """
    _, table = state.load(game_id)
    waiting = table.to_act()
    if waiting:
        _by_server(
            game_id,
            lambda table, about: (
                _for_absent(table, about, waiting[0]) if seen in (None, table.version) else ()
            ),
            now,
        )
        return
    while not _by_server(game_id, lambda table, about: tables.expire(table, None, about.key), now):
        pass


def _for_absent(table: Table, about: Particulars, seat: int) -> tuple[Fact, ...]:
    return tables.expire(table, seat, about.key) if seat in table.to_act() else ()


def _by_server(
    game_id: UUID,
    decide: Callable[[Table, Particulars], tuple[Fact, ...]],
    now: datetime,
    *,
    wake_bots: bool = True,
) -> bool:
    """Append what the server decides to a dealt game, if anything. Whether the game has ended."""
    for _ in range(ATTEMPTS):
        head, table = state.load(game_id)
        if table.status != "active":
            return True
        about = particulars.of(game_id, table)
        facts = decide(table, about)
        if not facts:
            return False
        result = log.after(table, facts)
        try:
            log.commit(game_id, head, facts, result, about, now=now, wake_bots=wake_bots)
        except WrongVersion:
            continue
        return result.ended
    raise Contended


def play_bots(*, game_id: UUID, now: datetime, most: int) -> int:
    """Play for the bots until a person is to act, one committed event a move, at most `most`; how many were made.

    Stopped anywhere it can be called again: what it decides is appended behind the version it was decided upon.
    """
    for made in range(most):
        _, table = state.load(game_id)
        if table.status != "active" or particulars.of(game_id, table).bots.isdisjoint(table.to_act()):
            return made
        _by_server(game_id, lambda table, about: _bot_move(game_id, table, about), now, wake_bots=False)
    return most


def _bot_move(game_id: UUID, table: Table, about: Particulars) -> tuple[Fact, ...]:
    waiting = about.bots.intersection(table.to_act())
    if not waiting:
        return ()
    seat = min(waiting)
    # Known to nobody before the end, and the same when a job is carried out again. Games that share a deal share its
    # key, so the game is named: their bots are not of one mind.
    chance = random.Random(next(about.key.numbers(f"bot|{game_id}|{seat}|{table.version}")))  # noqa: S311
    move = bots.get(table.game.slug).choose(_sight(game_id, table, seat), chance)
    return tables.decide(table, seat, move, about.key)


def _sight(game_id: UUID, table: Table, seat: int) -> bots.Sight:
    eyes = Eyes(table.game, seat, everything=False)
    return bots.Sight(
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        config=table.game.config_json(table.config),
        seat=seat,
        history=lambda: [redacted(event, eyes) for event in store.read(game_id, until=table.version)],
    )
