"""Quick pairing: a player joins the oldest public table on the same terms, or opens one.

Tables on the same terms share a key, by which an index finds them. Requests with the same key wait for each other, so
players who ask at the same time meet at one table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q

from accounts.errors import AccountNeeded, BotRefused
from accounts.models import Block, Player
from core.commands import Command
from games import state
from games.errors import EarlyAccessUsed, InvalidTable, SeatRefused, SeatsTaken
from games.models import GameQuerySet, GameRecord, Status
from games.money import buy_ins
from games.money.markets import waits_for_first_draw
from games.rules import Refused
from games.rules import get as get_rules
from games.tables.services import create_game, start_game, take_seat
from games.tables.terms import hints, pairing_key
from ledger.models import StakeTable

RECENT = timedelta(hours=1)
"""The age up to which a table is joined: at an older one its players have probably left."""

SEARCHED = 200
"""Tables with a free seat that a request looks at, the oldest first."""

TRIED = 20
"""Of these, tables at which a request tries to sit down."""

_LOCKS = 0x7061
"""The class of the advisory locks of PostgreSQL that order the requests with one key."""


def pair(
    *,
    player: Player,
    client_seed: str = "",
    suit: str | None = None,
    most_open: int | None = None,
    command: Command | None = None,
    now: datetime,
    **terms: Any,
) -> GameRecord:
    """Return the table at which the player now sits: one with people only and on exactly these terms, or a new one.

    A player who sits at such a table already returns to it. The player who takes the last seat starts the game, unless
    bets are taken on it. `terms` are those of `create_game`: rules, config, seats, time limits, stake table, and
    buy-in; nothing but this buy-in is paid. `suit` None takes the first free suit. Raises AccountNeeded, BotRefused,
    InvalidTable, and what opening a table and taking a seat raise.
    """
    if player.is_bot:
        raise BotRefused("Bots are not paired. They open tables and accept challenges.")
    if terms.get("buy_in") is not None and player.is_guest:
        raise AccountNeeded
    if terms["seats"] < 2:
        raise InvalidTable("A table with opponents has at least 2 seats.", field="seats")
    key = _key(now, **terms)
    seating: dict[str, Any] = {"player": player, "client_seed": client_seed, "suit": suit, "now": now}
    with transaction.atomic():
        _wait_for_turn(key)
        recent = GameRecord.objects.filter(pairing_key=key, status=Status.OPEN, created_at__gte=now - RECENT)
        oldest = recent.order_by("created_at", "id")
        if own := oldest.filter(seatings__player=player).first():
            return own
        for table in _joinable(player, oldest):
            with suppress(EarlyAccessUsed, Refused, SeatRefused, SeatsTaken), transaction.atomic():
                return _sit_down(table, command=command, **seating)
        opened = create_game(creator=player, most_open=most_open, command=command, now=now, **terms)
        return _sit_down(opened, **seating)


def _key(
    now: datetime,
    *,
    rules: str,
    config: Mapping[str, Any],
    stake_table: StakeTable | None = None,
    buy_in: int | None = None,
    **terms: Any,
) -> str:
    """Return the key of the table that `create_game` would open."""
    game = get_rules(rules)
    pot = buy_ins.terms_for(
        game, config=config, seats=terms["seats"], buy_in=buy_in, stake_table=stake_table, at=now
    )
    planned = GameRecord(
        rules=game.slug,
        rules_version=game.version,
        config=game.config_json(game.parse_config(config)),
        hints=hints(game, None, for_points=pot is None, people=terms["seats"]),
        **terms,
    )
    return pairing_key(planned, pot)


def _wait_for_turn(key: str) -> None:
    """Wait for other requests with this key, until the transaction ends. SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            number = int.from_bytes(bytes.fromhex(key[:8]), signed=True)
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCKS, number])


def _joinable(player: Player, oldest: GameQuerySet) -> list[GameRecord]:
    """Return those of the first tables at which people have left a free seat, and no one is blocked."""
    fit = (
        oldest.filter(creator__is_active=True, creator__is_bot=False)
        .exclude(seatings__player__is_active=False)
        .exclude(seatings__player__is_bot=True)
    )
    free = fit.with_free_seats().prefetch_related("seatings")[:SEARCHED]
    people = {
        table.pk: {table.creator_id, *(seat.player_id for seat in table.seatings.all())} for table in free
    }
    blocked = _blocked(player, set().union(*people.values()))
    return [table for table in free if blocked.isdisjoint(people[table.pk])][:TRIED]


def _blocked(player: Player, others: Collection[UUID | None]) -> set[UUID]:
    """Return those of the others whom the player has blocked, or who have blocked the player."""
    pairs = Block.objects.filter(
        Q(player=player, blocked__in=others) | Q(player__in=others, blocked=player)
    ).values_list("player", "blocked")
    return {id for pair in pairs for id in pair} - {player.pk}


def _sit_down(table: GameRecord, *, suit: str | None, now: datetime, **seating: Any) -> GameRecord:
    """Take a seat, and deal if it was the last one."""
    with state.locked(table.pk) as (_, present):
        chosen = suit or present.first_free_suit(table.seats)
        take_seat(game=table, suit=chosen, now=now, **seating)
        if len(present.seats) + 1 == table.seats and not waits_for_first_draw(table, present):
            start_game(game=table, actor=None, now=now)
    return table
