"""Open a table, take and leave seats, and start the game.

The stream of the game is locked; events and rows are committed together.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from accounts.services import create_bot
from core.commands import Command, Condition
from core.errors import Problem
from core.sql import holds, insertion, stored
from eventstore import store
from eventstore.chain import parse_at
from eventstore.months import new_stream
from eventstore.store import EMPTY, ConditionFailed, Head
from games import access, context, early_access, presence, state
from games.errors import (
    AlreadySeated,
    InvalidTable,
    NotSeated,
    OwnSessionOnly,
    SeatRefused,
    SeatsOpen,
    SeatsTaken,
    TooManyTables,
)
from games.models import RUNNING, BotPace, GameRecord, GameSecret, Match, Seat
from games.money import buy_ins, stakes
from games.money.markets import waits_for_first_draw
from games.play import clocks, stream
from games.play.start import Dealt, after_deal, start_race
from games.rules import Fact, Refused
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.fairness import SEED_BYTES, commitment
from games.rules.table import Table
from games.tables import terms
from games.tables.terms import BotSeat, TournamentRef
from jobs import services as jobs
from jobs.services import Planned
from ledger.models import PlaySession, StakeTable
from ledger.services import check_play_allowed, play_allowed
from notifications import watching

EXPIRE = "games.expire"
DEAL = "games.deal"

LOOK_EVERY = timedelta(seconds=1)
"""How often a deal that waits for players looks whether they are back."""


@dataclass(frozen=True, slots=True)
class MatchRef:
    """The place of a game in a match: the number of its deal, from 1, including void deals."""

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
    bot_pace: str = BotPace.NORMAL,
    stake_table: StakeTable | None = None,
    play_session: PlaySession | None = None,
    buy_in: int | None = None,
    draw_every: int | None = None,
    server_seed: bytes | None = None,
    tournament: TournamentRef | None = None,
    match: MatchRef | None = None,
    parent: GameRecord | None = None,
    rematch_of: GameRecord | None = None,
    game_id: UUID | None = None,
    most_open: int | None = None,
    command: Command | None = None,
    now: datetime,
) -> GameRecord:
    """Open a table and publish the commitment to its server seed before any client seed is known.

    `draw_every`, in seconds, lets the server make the moves that belong to no seat. After `move_limit` and
    `game_limit`, in seconds, the server plays for a seat that is late. `hints` None allows hints if the game has them,
    nothing is at stake, and one person plays. `bot_pace` is that of bots where all seats play at once. Without
    `play_session` a stake is paid as `stakes.session_for` says. `buy_in`, in pence, is what each seat pays into the pot
    on the terms of the stake table. `parent` is an ended game whose redeal this is, and `rematch_of` a finished game
    whose players play again; the seats are reserved for the same players. `most_open` is the number of tables that the
    creator may have open at once.

    Raises BotRefused, UnknownGame, ConfigError, InvalidTable, StakeNeedsSession, StakeNotOffered, PlayStopped,
    TooManyTables, and what `stakes.session_for` raises; WrongVersion if `game_id` is taken.
    """
    if stake_table is not None or play_session is not None or buy_in is not None:
        terms.require_person(creator)
    game = get_rules(rules)
    staked = buy_ins.terms_for(
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
        stakes.with_default_stake(config, stake_table, now), staked=stake_table is not None and not in_pot
    )
    stakes.require_mode(game, parsed, stake_table)
    if not in_pot:
        stakes.require_terms(
            game, parsed, creator=creator, stake_table=stake_table, play_session=play_session, at=now
        )
    for_points = stakes.stake_of(parsed) == 0 and not in_pot and tournament is None
    # The bots of a redeal are seated later.
    people = 1 if parent is not None else seats - len(bots)
    terms.require_seats(game, seats)
    tables.require_dealable(game, parsed, seats)
    terms.require_bots(game, seats, bots, staked=stakes.stake_of(parsed) > 0)
    terms.require_bot_pace(game, parsed, bot_pace)
    terms.require_clocks(game, parsed, draw_every=draw_every, move_limit=move_limit, game_limit=game_limit)
    seed = secrets.token_bytes(SEED_BYTES) if server_seed is None else server_seed
    created = tables.create(game, parsed, commitment=commitment(seed), buy_in=staked)
    record = GameRecord(
        id=game_id or new_stream(now),
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
        hints=terms.hints(game, hints, for_points=for_points, people=people),
        bot_pace=bot_pace,
        stake=stakes.stake_of(parsed) if stake_table and not in_pot else 0,
        buy_in=match.match.buy_in if match else buy_in or 0,
        stake_table=match.match.stake_table if match else stake_table,
        play_session=play_session,
        match=match.match if match else None,
        match_number=match.number if match else None,
        parent=parent,
        rematch_of=rematch_of,
        created_at=now,
        **(tournament.columns() if tournament else {}),
    )
    is_public = not (private or bots or tournament or match or parent or rematch_of)
    if is_public and creator is not None and seats > 1:
        record.pairing_key = terms.pairing_key(record, staked)
    with transaction.atomic():
        if record.stake and play_session is None:
            record.play_session = stakes.session_for(record, at=now)
        _store(record, created, seed, most_open, command, now)
        if staked is not None and stake_table is not None:
            buy_ins.open_pot(staked, of=record.pk, stake_table=stake_table, at=now)
        for bot in bots:
            take_seat(
                game=record, player=_bot(bot), client_seed=record.entropy, seat=bot.seat, bot=bot.bot, now=now
            )
    return record


def _store(
    record: GameRecord,
    created: Fact,
    seed: bytes,
    most_open: int | None,
    command: Command | None,
    now: datetime,
) -> None:
    """Append the first event, which inserts the rows of the game if its creator may play."""
    rows = [record, GameSecret(game=record, server_seed=seed)]
    if record.tournament is None:
        rows.append(jobs.row(_expiry(record, now)))
    creator, allowed = record.creator, None
    if creator is not None and record.match_number in (None, 1) and record.tournament is None:
        allowed = play_allowed(player=creator.person_id, at=now)
        if most_open is not None:
            allowed &= _may_open_another(creator, most_open)
    try:
        stream.append(
            record.pk,
            EMPTY,
            [created],
            stream.after(None, [created]),
            now=now,
            command=command,
            condition=allowed,
            insertions=[insertion(row) for row in rows],
        )
    except ConditionFailed:
        assert creator is not None
        check_play_allowed(player=creator.person_id, at=now)
        if most_open is not None:
            raise TooManyTables(f"At most {most_open} at once.", most=most_open) from None
        raise


def _may_open_another(player: Player, most: int) -> Condition:
    """Return the condition that the player has fewer than `most` tables open.

    It locks the player's row, so that concurrent requests are counted one after the other.
    """
    Player.objects.select_for_update(no_key=True).values_list("pk").get(pk=player.pk)
    return Condition(
        "(SELECT count(*) FROM games_gamerecord WHERE creator_id = %s AND status IN (%s, %s)) < %s",
        (stored(player.pk), *RUNNING, most),
    )


def _expiry(record: GameRecord, now: datetime) -> Planned:
    return Planned(
        kind=EXPIRE,
        key=f"{EXPIRE}:{record.pk}",
        payload={"game": str(record.pk)},
        due=now + min(clocks.UNSTARTED, clocks.idle(record.rules)),
    )


def _invite(private: bool, match: MatchRef | None) -> str:
    if match is not None:
        return match.match.invite
    return secrets.token_urlsafe(32) if private else ""


def _bot(bot: BotSeat) -> Player:
    """Return the bot player of a seat: one account for all games that need one there."""
    name = f"{bot.bot} {bot.seat}"
    known = (
        Player.objects.filter(is_bot=True, owner=None, display_name=name)
        .order_by("date_joined", "pk")
        .first()
    )
    return known or create_bot(name=name)


def take_seat(
    *,
    game: GameRecord,
    player: Player,
    client_seed: str,
    seat: int | None = None,
    suit: str | None = None,
    bot: str = "",
    head: Head | None = None,
    command: Command | None = None,
    now: datetime,
) -> Seat:
    """Take a seat, the lowest free one by default, and contribute a client seed.

    `head` is that of the game's stream if the caller has locked stream and row (`access.locked_table`).

    `suit` is required if seats choose suits; a bot takes the first free suit. `bot` names the strategy of a bot and has
    no meaning for a person. At a staked table the buy-in is paid in the same transaction. Raises AlreadySeated,
    SeatsTaken, SeatRefused, OwnSessionOnly, PlayStopped, EarlyAccessUsed, BadSeed, Refused, and what taking a buy-in
    raises.
    """
    if game.stake and game.creator_id != player.pk:
        raise OwnSessionOnly
    reserved = access.reserved_seat(game, player)
    # A player finishes a match or tournament that has begun.
    is_later_deal = reserved is not None and (game.match_number or 1) > 1
    begins = not is_later_deal and game.tournament is None and not bot
    try:
        return _take_seat(game, player, client_seed, seat, reserved, suit, bot, begins, head, command, now)
    except (Problem, Refused):
        if begins:
            check_play_allowed(player=player.person_id, at=now)
        raise


def _take_seat(
    game: GameRecord,
    player: Player,
    client_seed: str,
    seat: int | None,
    reserved: int | None,
    suit: str | None,
    bot: str,
    begins: bool,
    present: Head | None,
    command: Command | None,
    now: datetime,
) -> Seat:
    """Take a seat. The statement that appends the event checks early access and, if `begins`, that the player may
    play.
    """
    if reserved is not None and seat not in (None, reserved):
        raise InvalidTable(f"Seat {reserved} is reserved for you.", field="seat")
    with state.locked(game.pk, store.lock if present is None else lambda _: present) as (head, table):
        if present is None:
            early_access.lock(game.pk)
        if access.seat_of(table, player) is not None:
            raise AlreadySeated
        taken = _free_seat(game, table, seat if reserved is None else reserved)
        chosen = table.first_free_suit(game.seats) if bot and suit is None else suit
        seated = tables.seat(
            table, taken, player=str(player.pk), seed=client_seed, suit=chosen, seats=game.seats
        )
        allowed = early_access.unseen(player.pk, game=game.pk, tournament=game.tournament)
        if begins:
            allowed &= play_allowed(player=player.person_id, at=now)
            allowed &= _unblocked(game, player)
        result = stream.after(table, [seated])
        made = Seat(game=game, seat=taken, player=player, bot=bot, created_at=game.created_at)
        try:
            [event] = stream.append(
                game.pk,
                head,
                [seated],
                result,
                now=now,
                command=command,
                condition=allowed,
                insertions=[insertion(made)],
            )
        except ConditionFailed:
            early_access.require_unseen(player.pk, game=game.pk, tournament=game.tournament)
            if begins and not holds(_unblocked(game, player)):
                raise SeatRefused from None
            raise
        buy_ins.take(game, player, event=event.version, at=parse_at(event.at))
        return made


def _unblocked(game: GameRecord, player: Player) -> Condition:
    """Return the condition that neither who opened the table nor anyone seated there has blocked the player.

    A block of a person, and one by a person, holds for the person's bots too.
    """
    return Condition(
        "NOT EXISTS (SELECT 1 FROM accounts_block b WHERE b.blocked_id IN (%s, %s) AND EXISTS "
        "(SELECT 1 FROM accounts_player p WHERE b.player_id IN (p.id, p.owner_id) "
        "AND (p.id = %s OR p.id IN (SELECT player_id FROM games_seat WHERE game_id = %s))))",
        (stored(player.pk), stored(player.person_id), stored(game.creator_id), stored(game.pk)),
    )


def _free_seat(game: GameRecord, table: Table, wanted: int | None) -> int:
    if wanted is not None:
        if not 0 <= wanted < game.seats:
            raise InvalidTable(f"There are {game.seats} seats, numbered from 0.", field="seat")
        return wanted
    free = (seat for seat in range(game.seats) if seat not in table.seats)
    seat = next(free, None)
    if seat is None:
        # The refusal of a started game is clearer than that of a full one.
        if table.status != "open":
            return 0
        raise SeatsTaken
    return seat


def add_bot(
    *, game: GameRecord, actor: Player, bot: str, command: Command | None = None, now: datetime
) -> Seat:
    """Seat a bot of the server in the lowest free seat of an open table, for its opener or one of its players.

    Raises NotSeated, InvalidTable, SeatsTaken, OwnSessionOnly, Refused.
    """
    with state.locked(game.pk) as (_, table):
        if actor.pk != game.creator_id and access.seat_of(table, actor) is None:
            raise NotSeated
        if game.buy_in:
            raise InvalidTable("Bots cannot buy in.", field="bot")
        chosen = BotSeat(_free_seat(game, table, None), bot)
        terms.require_bots(get_rules(game.rules), game.seats, [chosen], staked=False)
        return take_seat(
            game=game,
            player=_bot(chosen),
            client_seed=game.entropy,
            seat=chosen.seat,
            bot=bot,
            command=command,
            now=now,
        )


def leave_seat(*, game: GameRecord, player: Player, command: Command | None = None, now: datetime) -> None:
    """Leave a seat before the deal and refund its buy-in. Raises NotSeated, Refused."""
    with state.locked(game.pk) as (head, table):
        seat = access.seat_of(table, player)
        if seat is None:
            raise NotSeated
        left = tables.leave(table, seat)
        result = stream.after(table, [left])
        [event] = stream.append(game.pk, head, [left], result, now=now, command=command)
        Seat.objects.filter(game=game, seat=seat).delete()
        GameRecord.objects.filter(pk=game.pk).exclude(starts_at=None).update(starts_at=None)
        watching.delete(player.pk, game.pk)
        buy_ins.refund(game, player, event=event.version, at=parse_at(event.at))


def count_down(*, game: GameRecord, actor: Player, seconds: int, now: datetime) -> GameRecord:
    """Let the server start after `seconds`, where all seats play at once, and in a race with a market.

    A countdown that runs is not changed. It ends without a start if a seat is left. Raises NotSeated, SeatsOpen,
    InvalidTable, Refused (already started).
    """
    with state.locked(game.pk) as (_, table):
        _require_startable(game, table, actor)
        tables.require_open(table)
        if not (longest := _longest_countdown(game, table)):
            raise InvalidTable(
                "Only where all seats play at once, and in a race with a market.", field="countdown"
            )
        if seconds > longest:
            raise InvalidTable(f"At most {longest} seconds in this game.", field="countdown")
        game.refresh_from_db(fields=["starts_at"])
        if game.starts_at is None:
            game.starts_at = now + timedelta(seconds=seconds)
            GameRecord.objects.filter(pk=game.pk).update(starts_at=game.starts_at)
            jobs.schedule(
                kind=DEAL,
                key=f"{DEAL}:{game.pk}:{game.starts_at.isoformat()}",
                payload={"game": str(game.pk)},
                due=game.starts_at,
            )
    return game


def _longest_countdown(game: GameRecord, table: Table) -> int:
    """Return the most seconds of a countdown; 0 where there is none."""
    if clocks.all_seats_at_once(table.game, table.config):
        return clocks.LONGEST_COUNTDOWN
    return clocks.LONGEST_BETTING if waits_for_first_draw(game, table) else 0


def deal_after_countdown(
    *, game_id: UUID, actor: Player | None = None, command: Command | None = None, now: datetime
) -> datetime | None:
    """Start if the countdown of the table has ended and was not stopped; of several requests one starts.

    Where all seats play at once, players who have lost their connection are awaited for a while (`presence.AWAITED`);
    returns when to try again. Raises what `start_game` raises.
    """
    with state.locked(game_id) as (_, table):
        game = GameRecord.objects.get(pk=game_id)
        if table.status != "open" or game.starts_at is None or game.starts_at > now:
            return None
        is_awaited = clocks.all_seats_at_once(table.game, table.config)
        if is_awaited and now < game.starts_at + presence.AWAITED and presence.is_anyone_away(game, now=now):
            return now + LOOK_EVERY
        start_game(game=game, actor=actor, command=command, now=now)
    return None


def start_game(
    *, game: GameRecord, actor: Player | None, command: Command | None = None, now: datetime
) -> GameRecord:
    """Deal the cards and take the stake. `actor` None is the server or the tournament.

    A race with a market starts with its first draw, which closes the market and makes the deal (RULEBOOK 2 (3)). Raises
    NotSeated, SeatsOpen, NotStarted (a countdown runs), Refused (already started), and what taking a stake raises;
    then nothing is dealt.
    """
    with state.locked(game.pk) as (head, table):
        _require_startable(game, table, actor)
        if waits_for_first_draw(game, table):
            start_race(game_id=game.pk, now=now, seen=head.version, command=command)
        else:
            key = table.key(context.server_seed(game.pk))
            dealt = tables.deal(table, key)
            result = stream.after(table, [dealt])
            [event] = stream.append(game.pk, head, [dealt], result, now=now, key=key, command=command)
            after_deal(Dealt(game, result, version=event.version, at=parse_at(event.at)))
    game.refresh_from_db()
    return game


def _require_startable(game: GameRecord, table: Table, actor: Player | None) -> None:
    """Raises NotSeated, SeatsOpen."""
    if actor is not None and actor.pk != game.creator_id and access.seat_of(table, actor) is None:
        raise NotSeated
    if table.status == "open" and len(table.seats) < game.seats:
        raise SeatsOpen(f"{len(table.seats)} of {game.seats} seats are taken.")
