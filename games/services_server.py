"""What the server plays: for seats that are past their limit, for bots, for a race that nobody draws."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.store import Head, WrongVersion
from games import bots, clocks, log, particulars, state, turnstile
from games.particulars import Particulars
from games.rules import Fact
from games.rules import table as tables
from games.rules.table import Table
from games.sights import sight

BOT_PACE = timedelta(seconds=1.5)
"""Between two moves of a bot that plays at the same time as people: as quick as a practised hand."""

Decide = Callable[[Table, Particulars, datetime], tuple[Fact, ...]]
"""What to append to a table, given the moment at which it is going to be."""


def _by_server(game_id: UUID, decide: Decide, now: datetime, *, wake_bots: bool = True) -> Table | None:
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
    after = _by_server(
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

    after = _by_server(game_id, absent, now)
    if after is not None and not after.ended and not after.to_act():
        _play_out(game_id, now)


def expire_late(*, game_id: UUID, now: datetime) -> None:
    """Play for the seat that is past the table's limit of a move, or to the end of a game that is past its own.

    Nothing happens while nobody is late, so whoever comes second changes nothing.
    """
    head, table = state.load(game_id)
    if table.status != "active":
        return
    clock = particulars.of(game_id, table).clock
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
    while (after := _by_server(game_id, _for_absent, now, wake_bots=False)) and not after.ended:
        pass


def _for_absent(table: Table, about: Particulars, moment: datetime) -> tuple[Fact, ...]:
    if about.clock.rules_end is not None and moment >= about.clock.rules_end:
        return tables.expire(table, None, about.key)
    if clocks.everybody_at_once(table.game, table.config):
        return ()
    waiting = table.to_act()
    return tables.expire(table, waiting[0] if waiting else None, about.key)


# --- bots -----------------------------------------------------------------------------------------


def play_bots(
    *,
    game_id: UUID,
    now: datetime,
    most: int,
    clock: Callable[[], datetime] | None = None,
    until: datetime | None = None,
) -> int:
    """Play for the bots until a person is to act, one committed event a move, at most `most`; how many were made.

    `clock` tells the time as it goes by (`now` unless given), `until` when to stop; moves are made at `now`, or by the
    clock where somebody's limit is counted from them. Where people and bots play at the same time each bot moves once.
    Stopped anywhere it can be called again: what it decides is appended behind the version it was decided upon.
    """
    tell = clock or (lambda: now)
    moved: set[int] = set()
    for made in range(most):
        moment = tell()
        if until is not None and moment >= until:
            return made
        head, table = state.load(game_id)
        if table.status != "active":
            return made
        about = particulars.of(game_id, table)
        assert head.at is not None
        if about.clock.is_late(table, head.at, moment):
            expire_late(game_id=game_id, now=moment)
            continue
        waiting = about.bots.intersection(table.to_act())
        if _beside_people(table, about):
            waiting -= moved
        if not waiting:
            return made
        chance = _chance(game_id, table, about)
        seat = chance.choice(sorted(waiting))
        moved.add(seat)
        counted = about.clock.move_limit is not None
        _by_server(game_id, _move_of_bot(game_id, seat), moment if counted else now, wake_bots=False)
    return most


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


def _move_of_bot(game_id: UUID, seat: int) -> Decide:
    def move(table: Table, about: Particulars, moment: datetime) -> tuple[Fact, ...]:
        seen = sight(game_id, table, seat)
        if seat not in table.to_act() or not seen.legal_moves:
            return ()
        bot = bots.get(table.game.slug, about.strategies[seat])
        if isinstance(bot, bots.Patient) and _beside_people(table, about) and bot.waits(seen):
            return ()
        chosen = bot.choose(seen, _chance(game_id, table, about, seat))
        return tables.decide(table, seat, chosen, about.key)

    return move


def _chance(game_id: UUID, table: Table, about: Particulars, seat: int | None = None) -> random.Random:
    """Known to nobody before the end, and the same when a job is carried out again.

    Games that share a deal share its key, so the game is named: their bots are not of one mind.
    """
    label = f"bot|{game_id}|{'' if seat is None else seat}|{table.version}"
    return random.Random(next(about.key.numbers(label)))  # noqa: S311
