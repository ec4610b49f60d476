"""Tables: opened, joined, left, started, voided, expired.

The stream decides; the rows beside it follow in its transaction. Moves are in `games.services_play`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from accounts.models import Player
from accounts.services import create_bot
from eventstore import store
from eventstore.chain import parse_at
from eventstore.store import EMPTY, Command, WrongVersion
from games import access, audit, buy_ins, limits, log, particulars, stakes, state, terms
from games.errors import (
    AlreadySeated,
    Contended,
    InvalidTable,
    NotSeated,
    OwnSessionOnly,
    SeatsOpen,
    SeatsTaken,
)
from games.markets import takes_markets, waits_for_off
from games.models import GameRecord, GameSecret, Match, Seat
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.fairness import SEED_BYTES, commitment
from games.rules.table import Table
from games.services_absent import expire_game, expire_if_idle, expire_if_late, forfeit_seats, void_game
from games.services_begin import CLOCK, SERVER_DRAWS, Dealt, begin
from games.services_bots import bots_due, play_bots
from games.services_off import off
from games.services_play import Played, play
from games.services_server import draw
from games.services_tournament import (
    Place,
    Sitter,
    TournamentRef,
    deal_tables,
    reveal_tournament_seed,
    seat_tables,
)
from games.terms import BotSeat
from jobs import services as jobs
from ledger.models import PlaySession, StakeTable
from ledger.services import check_play_allowed

__all__ = [
    "CLOCK",
    "SERVER_DRAWS",
    "BotSeat",
    "MatchRef",
    "Place",
    "Played",
    "Sitter",
    "TournamentRef",
    "bots_due",
    "create_game",
    "deal_tables",
    "draw",
    "expire_game",
    "expire_if_idle",
    "expire_if_late",
    "forfeit_seats",
    "leave_seat",
    "play",
    "play_bots",
    "reveal_tournament_seed",
    "seat_tables",
    "start_game",
    "take_seat",
    "void_game",
]

EXPIRE = "games.expire"


@dataclass(frozen=True, slots=True)
class MatchRef:
    """The place of a game in a match: the number of its deal, from 1, a void one's counted too."""

    match: Match
    number: int


def create_game(
    *,
    rules: str,
    config: Mapping[str, Any],
    seats: int,
    creator: Player | None,
    private: bool = False,
    bots: Sequence[BotSeat] = (),
    move_limit: int | None = None,
    game_limit: int | None = None,
    hints: bool | None = None,
    stake_table: StakeTable | None = None,
    play_session: PlaySession | None = None,
    buy_in: int | None = None,
    draw_every: int | None = None,
    server_seed: bytes | None = None,
    tournament: TournamentRef | None = None,
    match: MatchRef | None = None,
    parent: GameRecord | None = None,
    game_id: UUID | None = None,
    command: Command | None = None,
    now: datetime,
) -> GameRecord:
    """Open a table and publish the commitment to its seed, before anybody contributes one of their own.

    `draw_every`, in seconds, has the server make the moves that belong to no seat; `move_limit` and `game_limit`,
    in seconds, have it play for who is past them. `hints` None allows them where the game has them and nothing is at
    stake. `buy_in`, in pence, is what every seat pays into the pot, on the terms of the stake table. `parent` has
    ended, and this is a new deal for it: the seats are kept for those who sat there.

    Raises UnknownGame, ConfigError, InvalidTable, StakeNeedsSession, StakeNotOffered, PlayStopped; WrongVersion if
    `game_id` is taken.
    """
    game = get_rules(rules)
    staked = buy_ins.offered(
        game,
        config=config,
        seats=seats,
        buy_in=buy_in,
        stake_table=stake_table,
        play_session=play_session,
        bots=bots,
        tournament=tournament,
        at=now,
    )
    in_pot = staked is not None or (match is not None and match.match.buy_in > 0)
    parsed = game.parse_config(
        stakes.completed(config, stake_table, now), staked=stake_table is not None and not in_pot
    )
    stakes.require_mode(game, parsed, stake_table)
    if not in_pot:
        stakes.require_terms(
            game, parsed, creator=creator, stake_table=stake_table, play_session=play_session, at=now
        )
    for_points = stakes.stake_of(parsed) == 0 and not in_pot and tournament is None
    terms.require_seats(game, seats)
    tables.require_dealable(game, parsed, seats)
    terms.require_bots(game, seats, bots, staked=stakes.stake_of(parsed) > 0)
    terms.require_clocks(game, parsed, draw_every=draw_every, move_limit=move_limit, game_limit=game_limit)
    seed = secrets.token_bytes(SEED_BYTES) if server_seed is None else server_seed
    created = tables.create(game, parsed, commitment=commitment(seed), buy_in=staked)
    record = GameRecord(
        id=game_id or uuid4(),
        rules=game.slug,
        rules_version=game.version,
        config=game.config_json(parsed),
        seats=seats,
        commitment=created.data["commitment"],
        creator=creator,
        private=private,
        invite=_invite(private, match),
        draw_every=draw_every,
        move_limit=move_limit,
        game_limit=game_limit,
        hints=terms.hints(game, hints, for_points=for_points),
        stake=stakes.stake_of(parsed) if stake_table and not in_pot else 0,
        buy_in=match.match.buy_in if match else buy_in or 0,
        stake_table=match.match.stake_table if match else stake_table,
        play_session=play_session,
        match=match.match if match else None,
        match_number=match.number if match else None,
        parent=parent,
        created_at=now,
        **(tournament.columns() if tournament else {}),
    )
    with transaction.atomic():
        if creator is not None and record.match_number in (None, 1) and tournament is None:
            check_play_allowed(player=creator.pk, at=now)
        log.append(record.pk, EMPTY, [created], log.after(None, [created]), now=now, command=command)
        record.save(force_insert=True)
        GameSecret.objects.create(game=record, server_seed=seed)
        if staked is not None and stake_table is not None:
            buy_ins.open_pot(staked, of=record.pk, stake_table=stake_table, at=now)
        for bot in bots:
            take_seat(
                game=record, player=_bot(bot), client_seed=record.entropy, seat=bot.seat, bot=bot.bot, now=now
            )
        if tournament is None:
            jobs.schedule(
                kind=EXPIRE,
                key=f"{EXPIRE}:{record.pk}",
                payload={"game": str(record.pk)},
                due=now + min(limits.UNSTARTED, limits.idle(game.slug)),
            )
    return record


def _invite(private: bool, match: MatchRef | None) -> str:
    if match is not None:
        return match.match.invite
    return secrets.token_urlsafe(32) if private else ""


def _bot(bot: BotSeat) -> Player:
    """The server's player for a seat: one account for all the games that need one there."""
    name = f"{bot.bot} {bot.seat}"
    known = Player.objects.filter(is_bot=True, display_name=name).order_by("date_joined", "pk").first()
    return known or create_bot(name=name)


def take_seat(
    *,
    game: GameRecord,
    player: Player,
    client_seed: str,
    seat: int | None = None,
    suit: str | None = None,
    bot: str = "",
    command: Command | None = None,
    now: datetime,
) -> int:
    """Sit down, in the lowest free seat unless one is named, and contribute to the deal. Returns the seat.

    `suit` is required where seats choose suits; a bot takes the first that is free. Of two who take the last of a suit
    at once, the version of the game's stream decides who is first. `bot` is the strategy of a player that the server
    plays; of no meaning for a person.
    At a staked table the buy-in is paid with it, or nobody sits down. Raises AlreadySeated, SeatsTaken, OwnSessionOnly,
    PlayStopped, LookedEarly, BadSeed, Refused, and what taking a buy-in raises.
    """
    if game.stake and game.creator_id != player.pk:
        raise OwnSessionOnly
    kept = access.kept_seat(game, player)
    if (kept is None or game.match_id is None) and game.tournament is None and not bot:
        # A match or tournament that one plays already goes on.
        check_play_allowed(player=player.pk, at=now)
    if kept is not None and seat not in (None, kept):
        raise InvalidTable(f"Seat {kept} is kept for you.", field="seat")
    for _ in range(limits.ATTEMPTS):
        head, table = state.load(game.pk)
        taken = _free_seat(game, table, player, seat if kept is None else kept)
        chosen = table.first_free_suit(game.seats) if bot and suit is None else suit
        seated = tables.seat(
            table, taken, player=str(player.pk), seed=client_seed, suit=chosen, seats=game.seats
        )
        try:
            with transaction.atomic():
                store.lock(game.pk)
                audit.lock(game.pk)
                audit.require_unseen(player, game=game.pk, tournament=game.tournament)
                result = log.after(table, [seated])
                [event] = log.append(game.pk, head, [seated], result, now=now, command=command)
                Seat.objects.create(game=game, seat=taken, player=player, bot=bot)
                buy_ins.take(game, player, event=event.version, at=parse_at(event.at))
        except WrongVersion:
            continue
        return taken
    raise Contended


def _free_seat(game: GameRecord, table: Table, player: Player, wanted: int | None) -> int:
    if access.seat_of(table, player) is not None:
        raise AlreadySeated
    if wanted is not None:
        if not 0 <= wanted < game.seats:
            raise InvalidTable(f"There are {game.seats} seats, numbered from 0.", field="seat")
        return wanted
    free = (seat for seat in range(game.seats) if seat not in table.seats)
    seat = next(free, None)
    if seat is None:
        # A game that has begun refuses more plainly than one that is full.
        if table.status != "open":
            return 0
        raise SeatsTaken
    return seat


def leave_seat(*, game: GameRecord, player: Player, command: Command | None = None, now: datetime) -> None:
    """Stand up again before the deal, and have a buy-in back. Raises NotSeated, Refused."""
    for _ in range(limits.ATTEMPTS):
        head, table = state.load(game.pk)
        seat = access.seat_of(table, player)
        if seat is None:
            raise NotSeated
        left = tables.leave(table, seat)
        try:
            with transaction.atomic():
                result = log.after(table, [left])
                [event] = log.append(game.pk, head, [left], result, now=now, command=command)
                Seat.objects.filter(game=game, seat=seat).delete()
                buy_ins.give_back(game, player, event=event.version, at=parse_at(event.at))
        except WrongVersion:
            continue
        return
    raise Contended


def start_game(
    *, game: GameRecord, actor: Player | None, command: Command | None = None, now: datetime
) -> GameRecord:
    """Make the deal, and take the stake with it. `actor` None is the server or the tournament.

    A race with a market starts with its first draw, which closes the market and makes the deal (RULEBOOK 2 (3)).
    Raises NotSeated, SeatsOpen, Refused (it has begun), and what taking a stake raises: then nothing is dealt.
    """
    for _ in range(limits.ATTEMPTS):
        head, table = state.load(game.pk)
        if actor is not None and actor.pk != game.creator_id and access.seat_of(table, actor) is None:
            raise NotSeated
        if table.status == "open" and len(table.seats) < game.seats:
            raise SeatsOpen(f"{len(table.seats)} of {game.seats} seats are taken.")
        if waits_for_off(game, table):
            try:
                off(game_id=game.pk, now=now, seen=head.version, command=command)
            except WrongVersion:
                continue
            game.refresh_from_db()
            return game
        key = table.key(particulars.server_seed(game.pk))
        dealt = tables.deal(table, key)
        result = log.after(table, [dealt])
        try:
            with transaction.atomic():
                if takes_markets(game.rules):
                    store.lock(game.pk)
                    if waits_for_off(game, table):
                        continue
                [event] = log.append(game.pk, head, [dealt], result, now=now, key=key, command=command)
                begin(Dealt(game, result, version=event.version, at=parse_at(event.at)))
        except WrongVersion:
            continue
        game.refresh_from_db()
        return game
    raise Contended
