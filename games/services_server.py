"""What the server plays: for seats that are past their limit, for a race that nobody draws."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from eventstore.store import Head, WrongVersion
from games import clocks, log, particulars, state, turnstile
from games.particulars import Particulars
from games.rules import Fact
from games.rules import table as tables
from games.rules.table import Table

Decide = Callable[[Table, Particulars, datetime], tuple[Fact, ...]]
"""What to append to a table, given the moment at which it is going to be."""


def by_server(game_id: UUID, decide: Decide, now: datetime, *, wake_bots: bool = True) -> Table | None:
    """Append what the server decides to a dealt game; the table after it, None if there was nothing to do."""
    try:
        return _appended(game_id, *state.load(game_id), decide, now, wake_bots)
    except WrongVersion:
        with turnstile.alone(game_id) as (head, table):
            return _appended(game_id, head, table, decide, now, wake_bots)


def _appended(
    game_id: UUID, head: Head, table: Table, decide: Decide, now: datetime, wake_bots: bool
) -> Table | None:
    if table.status != "active":
        return None
    about = particulars.of(game_id, table)
    facts = decide(table, about, max(now, head.at or now))
    if not facts:
        return None
    result = log.after(table, facts)
    log.commit(game_id, head, facts, result, about, now=now, wake_bots=wake_bots)
    return result


def draw(*, game_id: UUID, now: datetime) -> bool:
    """The server makes the next move of a game in which no seat acts. Whether the game goes on."""
    after = by_server(
        game_id, lambda table, about, _: tables.decide(table, None, {"type": "draw"}, about.key), now
    )
    return after is not None and not after.ended


# --- absent seats (RULEBOOK 1) --------------------------------------------------------------------


def expire_active(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """Play for whoever is to act, as for an absent seat; a game in which nobody is to act is played to its end.

    `seen` is the version at which the seat was found absent: if it has moved since, it is not. Where all play at once
    nobody is absent, and only the limit of the rules ends the game.
    """

    def absent(table: Table, about: Particulars, moment: datetime) -> tuple[Fact, ...]:
        return _for_absent(table, about, moment) if seen in (None, table.version) else ()

    after = by_server(game_id, absent, now)
    if after is not None and not after.ended and not after.to_act():
        _play_out(game_id, now)


def expire_late(*, game_id: UUID, now: datetime) -> None:
    """Play for the seat that is past the table's limit of a move, or to the end of a game that is past its own.

    Nothing happens while nobody is late, so whoever comes second changes nothing.
    """
    head, table = state.load(game_id)
    if table.status != "active":
        return
    clock = clocks.standing(game_id)
    assert head.at is not None
    if not clock.is_late(table, head.at, now):
        return
    over_at = clock.over_at()
    if over_at is not None and max(head.at, now) >= over_at:
        _play_out(game_id, now)
    else:
        expire_active(game_id=game_id, now=now, seen=head.version)


def _play_out(game_id: UUID, now: datetime) -> None:
    """For the absent, whoever they are, until the game is over; each of its moves brings the end nearer."""
    while (after := by_server(game_id, _for_absent, now, wake_bots=False)) and not after.ended:
        pass


def _for_absent(table: Table, about: Particulars, moment: datetime) -> tuple[Fact, ...]:
    if about.clock.rules_end is not None and moment >= about.clock.rules_end:
        return tables.expire(table, None, about.key)
    if clocks.everybody_at_once(table.game, table.config):
        return ()
    waiting = table.to_act()
    return tables.expire(table, waiting[0] if waiting else None, about.key)
