"""Matches: several deals at one table, each a game with its own commitment and client seeds.

When a deal has ended the next is opened with the same players in their seats. Its commitment is public at once. Each
person has the match's pause to send a new client seed by taking their seat; others are seated with an empty seed. So no
one waits for absent players, and the site cannot choose the deal of a player who sends a seed.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import state
from games.errors import InvalidTable
from games.models import SERVER_PLAYS, GameRecord, Match, MatchStatus, Seat, Status
from games.money import buy_ins
from games.rules import Refused, match_rules
from games.rules import get as get_rules
from games.tables import services, terms
from games.tables.services import MatchRef
from games.tables.terms import BotSeat
from jobs import services as jobs
from ledger.models import StakeTable

DEAL_ON = "games.deal_on"
MOST_DEALS = 100
SHORTEST_PAUSE, PAUSE, LONGEST_PAUSE = 5, 30, 600
"""Seconds. Without a pause no player could send a seed, and the site could choose the deal."""


def open_match(
    *,
    rules: str,
    config: Mapping[str, Any],
    seats: int,
    deals: int,
    creator: Player | None,
    pause: int = PAUSE,
    private: bool = False,
    bots: Sequence[BotSeat] = (),
    move_limit: int | None = None,
    game_limit: int | None = None,
    stake_table: StakeTable | None = None,
    buy_in: int | None = None,
    rematch_of: GameRecord | None = None,
    most_open: int | None = None,
    command: Command | None = None,
    now: datetime,
) -> Match:
    """Open a match and the table of its first deal.

    `buy_in`, in pence, is what each seat pays at the first deal for all deals; `rematch_of` and `most_open` as in
    `create_game`. Raises UnknownGame, ConfigError, InvalidTable, StakeNotOffered, TooManyTables.
    """
    game = get_rules(rules)
    if game.match_rules is None:
        raise InvalidTable(f"{game.name} is not played in matches.", field="rules")
    parsed = game.parse_config(config)
    staked = buy_ins.terms_for(
        game, config=config, seats=seats, buy_in=buy_in, stake_table=stake_table, bots=bots, at=now
    )
    match = Match(
        rules=game.slug,
        config=game.config_json(parsed),
        seats=seats,
        deals=deals,
        pause=pause,
        creator=creator,
        private=private,
        invite=secrets.token_urlsafe(32) if private else "",
        move_limit=move_limit,
        game_limit=game_limit,
        buy_in=buy_in or 0,
        stake_table=stake_table,
        created_at=now,
    )
    if staked is not None:
        terms.require_person(creator)
    with transaction.atomic():
        match.save(force_insert=True)
        if staked is not None and stake_table is not None:
            buy_ins.open_pot(staked, of=match.pk, stake_table=stake_table, at=now)
        _open_deal(
            match,
            number=1,
            config=match.config,
            bots=bots,
            rematch_of=rematch_of,
            most_open=most_open,
            command=command,
            now=now,
        )
    return match


def _open_deal(
    match: Match,
    *,
    number: int,
    config: Mapping[str, Any],
    bots: Sequence[BotSeat] = (),
    rematch_of: GameRecord | None = None,
    most_open: int | None = None,
    command: Command | None = None,
    now: datetime,
) -> GameRecord:
    return services.create_game(
        rules=match.rules,
        config=config,
        seats=match.seats,
        creator=match.creator,
        private=match.private,
        bots=bots,
        move_limit=match.move_limit,
        game_limit=match.game_limit,
        match=MatchRef(match, number),
        rematch_of=rematch_of,
        most_open=most_open,
        command=command,
        now=now,
    )


def open_next_deal(*, game_id: UUID, now: datetime) -> None:
    """Open the next deal of a match after one has ended, or end the match. Safe to repeat.

    A deal that was voided after it was dealt is played again by the same dealer and does not count. A match ends early
    if a table is not started, or if no person made a move in a deal.
    """
    with transaction.atomic():
        ended = GameRecord.objects.get(pk=game_id)
        match = Match.objects.select_for_update(of=("self",)).get(games=ended)
        number = (ended.match_number or 0) + 1
        if match.status != MatchStatus.RUNNING or match.games.filter(match_number=number).exists():
            return
        played = match.games.filter(status=Status.FINISHED).count()
        if played >= match.deals or ended.started_at is None or _all_absent(ended):
            _end(match, MatchStatus.FINISHED if played else MatchStatus.VOID, now)
            return
        config = match_rules(match.rules).config_after(ended.config, ended.outcome)
        game = _open_deal(match, number=number, config=config, now=now)
        _seat(game, Seat.objects.filter(SERVER_PLAYS, game=ended), now)
        if game.seatings.count() == game.seats:
            services.start_game(game=game, actor=None, now=now)
            return
        jobs.schedule(
            kind=DEAL_ON,
            key=f"{DEAL_ON}:{game.pk}",
            payload={"game": str(game.pk)},
            due=now + timedelta(seconds=match.pause),
        )


def _all_absent(game: GameRecord) -> bool:
    """Return whether the server played every person's moves in this deal."""
    if game.status != Status.FINISHED:
        return False
    people = set(game.seatings.exclude(SERVER_PLAYS).values_list("seat", flat=True))
    return bool(people) and not any(
        event.seat in people for event in store.read(game.pk) if event.seat is not None
    )


def _end(match: Match, status: MatchStatus, now: datetime) -> None:
    match.status, match.ended_at = status, now
    match.save(update_fields=["status", "ended_at"])
    buy_ins.end_match(match, at=now)


def _seat(game: GameRecord, seats: Any, now: datetime) -> None:
    """Seat the players of the previous deal with empty seeds."""
    for before in seats.select_related("player"):
        services.take_seat(
            game=game, player=before.player, client_seed="", seat=before.seat, bot=before.bot, now=now
        )


def deal_when_seated(*, game: GameRecord, now: datetime) -> None:
    """Deal a later game of a match as soon as all seats are taken."""
    if game.match_number in (None, 1):
        return
    _, table = state.load(game.pk)
    if table.status == "open" and len(table.seats) == game.seats:
        # A concurrent request or the end of the pause may have dealt already.
        with suppress(Refused):
            services.start_game(game=game, actor=None, now=now)


def deal_after_pause(*, game_id: UUID, now: datetime) -> None:
    """Seat the players who have not taken their seats, and deal."""
    game = GameRecord.objects.get(pk=game_id)
    _, table = state.load(game_id)
    if table.status != "open":
        return
    before = Seat.objects.filter(game__match=game.match_id, game__match_number=1)
    _seat(game, before.exclude(seat__in=table.seats), now)
    services.start_game(game=game, actor=None, now=now)
