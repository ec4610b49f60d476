"""Tables: opened, joined, left, started, voided, expired.

The stream decides; the rows beside it follow in its transaction. Moves are in `games.services_play`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from accounts.models import Player
from accounts.services import create_bot
from eventstore.chain import parse_at
from eventstore.store import EMPTY, WrongVersion
from games import access, audit, limits, log, particulars, stakes, state
from games.bots import DEFAULT as DEFAULT_BOT
from games.errors import (
    AlreadySeated,
    Contended,
    InvalidTable,
    NotSeated,
    OwnSessionOnly,
    SeatsOpen,
    SeatsTaken,
)
from games.models import GameRecord, GameSecret, RevealedSeed, Seat, Status
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.fairness import SEED_BYTES, commitment
from games.rules.table import Table
from games.services_play import Played, draw, expire_active, play, play_bots
from jobs import services as jobs
from ledger import services as ledger
from ledger.models import PlaySession, StakeTable

__all__ = [
    "Played",
    "TournamentRef",
    "create_game",
    "draw",
    "expire_game",
    "expire_if_idle",
    "leave_seat",
    "play",
    "play_bots",
    "reveal_tournament_seed",
    "start_game",
    "take_seat",
    "void_game",
]

EXPIRE = "games.expire"
SERVER_DRAWS = "games.draw"
ATTEMPTS = 20
NOT_STARTED = "not-started"
"""Why a table is voided that nobody started within its limit."""


@dataclass(frozen=True, slots=True)
class TournamentRef:
    """The place of a game in a tournament. Games with one `deal_group` share their deal and hide it from each other.

    `commitment` and `entropy` are the tournament's; `ended_job` is the kind of job scheduled, in the transaction that
    ends the game, with {"game", "tournament", "round"}.
    """

    id: UUID
    round: int
    deal: int
    deal_group: str
    commitment: str
    entropy: str
    ended_job: str


def create_game(
    *,
    rules: str,
    config: Mapping[str, Any],
    seats: int,
    creator: Player | None,
    private: bool = False,
    bots: Sequence[int] = (),
    stake_table: StakeTable | None = None,
    play_session: PlaySession | None = None,
    draw_every: int | None = None,
    server_seed: bytes | None = None,
    tournament: TournamentRef | None = None,
    game_id: UUID | None = None,
    now: datetime,
) -> GameRecord:
    """Open a table and publish the commitment to its seed, before anybody contributes one of their own.

    `draw_every`, in seconds, has the server make the moves that belong to no seat. Raises UnknownGame, ConfigError,
    InvalidTable, StakeNeedsSession, StakeNotOffered; WrongVersion if `game_id` is taken.
    """
    game = get_rules(rules)
    parsed = game.parse_config(config, staked=stake_table is not None)
    stakes.require_terms(game, parsed, creator=creator, stake_table=stake_table, play_session=play_session)
    _require_table(game.seats, seats, bots, draw_every, staked=stakes.stake_of(parsed) > 0)
    seed = secrets.token_bytes(SEED_BYTES) if server_seed is None else server_seed
    created = tables.create(game, parsed, commitment=commitment(seed))
    record = GameRecord(
        id=game_id or uuid4(),
        rules=game.slug,
        rules_version=game.version,
        config=game.config_json(parsed),
        seats=seats,
        commitment=created.data["commitment"],
        creator=creator,
        private=private,
        invite=secrets.token_urlsafe(32) if private else "",
        draw_every=draw_every,
        stake=stakes.stake_of(parsed) if stake_table else 0,
        stake_table=stake_table,
        play_session=play_session,
        created_at=now,
        **_place(tournament),
    )
    with transaction.atomic():
        log.append(record.pk, EMPTY, [created], log.after(None, [created]), now=now)
        record.save(force_insert=True)
        GameSecret.objects.create(game=record, server_seed=seed)
        for seat in sorted(set(bots)):
            take_seat(game=record, player=_bot(seat), client_seed=record.entropy, seat=seat, now=now)
        if tournament is None:
            jobs.schedule(
                kind=EXPIRE,
                key=f"{EXPIRE}:{record.pk}",
                payload={"game": str(record.pk)},
                due=now + min(limits.UNSTARTED, limits.idle(game.slug)),
            )
    return record


def _bot(seat: int) -> Player:
    """The server's player for a seat: one account for all the games that need one there."""
    name = f"{DEFAULT_BOT} {seat}"
    known = Player.objects.filter(is_bot=True, display_name=name).order_by("date_joined", "pk").first()
    return known or create_bot(name=name)


def _require_table(
    allowed: Sequence[int], seats: int, bots: Sequence[int], draw_every: int | None, *, staked: bool
) -> None:
    if seats not in allowed:
        raise InvalidTable(f"It is played with {', '.join(map(str, allowed))} seats.", field="seats")
    if len(set(bots)) != len(bots) or any(not 0 <= seat < seats for seat in bots):
        raise InvalidTable(f"Bots sit in different seats from 0 to {seats - 1}.", field="bots")
    if staked and bots:
        raise InvalidTable("A bot has no money to stake.", field="bots")
    if draw_every is not None and 0 not in allowed:
        raise InvalidTable("In this game every move belongs to a seat.", field="draw_every")


def _place(tournament: TournamentRef | None) -> dict[str, Any]:
    if tournament is None:
        return {}
    return {
        "tournament": tournament.id,
        "round": tournament.round,
        "deal": tournament.deal,
        "deal_group": tournament.deal_group,
        "tournament_commitment": tournament.commitment,
        "entropy": tournament.entropy,
        "ended_job": tournament.ended_job,
    }


def take_seat(
    *, game: GameRecord, player: Player, client_seed: str, seat: int | None = None, now: datetime
) -> int:
    """Sit down, in the lowest free seat unless one is named, and contribute to the deal. Returns the seat.

    Raises AlreadySeated, SeatsTaken, OwnSessionOnly, LookedEarly, BadSeed, Refused.
    """
    if game.stake and game.creator_id != player.pk:
        raise OwnSessionOnly
    for _ in range(ATTEMPTS):
        head, table = state.load(game.pk)
        taken = _free_seat(game, table, player, seat)
        seated = tables.seat(table, taken, player=str(player.pk), seed=client_seed)
        try:
            with transaction.atomic():
                audit.lock(game.pk)
                audit.require_unseen(player, game=game.pk, tournament=game.tournament)
                log.append(game.pk, head, [seated], log.after(table, [seated]), now=now)
                Seat.objects.create(game=game, seat=taken, player=player)
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


def leave_seat(*, game: GameRecord, player: Player, now: datetime) -> None:
    """Stand up again before the deal. Raises NotSeated, Refused."""
    for _ in range(ATTEMPTS):
        head, table = state.load(game.pk)
        seat = access.seat_of(table, player)
        if seat is None:
            raise NotSeated
        left = tables.leave(table, seat)
        try:
            with transaction.atomic():
                log.append(game.pk, head, [left], log.after(table, [left]), now=now)
                Seat.objects.filter(game=game, seat=seat).delete()
        except WrongVersion:
            continue
        return
    raise Contended


def start_game(*, game: GameRecord, actor: Player | None, now: datetime) -> GameRecord:
    """Make the deal, and take the stake with it. `actor` None is the server or the tournament.

    Raises NotSeated, SeatsOpen, Refused (it has begun), and what taking a stake raises: then nothing is dealt.
    """
    for _ in range(ATTEMPTS):
        head, table = state.load(game.pk)
        if actor is not None and actor.pk != game.creator_id and access.seat_of(table, actor) is None:
            raise NotSeated
        if table.status == "open" and len(table.seats) < game.seats:
            raise SeatsOpen(f"{len(table.seats)} of {game.seats} seats are taken.")
        key = table.key(particulars.server_seed(game.pk))
        dealt = tables.deal(table, key)
        result = log.after(table, [dealt])
        try:
            with transaction.atomic():
                [event] = log.append(game.pk, head, [dealt], result, now=now, key=key)
                _begin(game, result, version=event.version, at=parse_at(event.at))
        except WrongVersion:
            continue
        game.refresh_from_db()
        return game
    raise Contended


def _begin(game: GameRecord, table: Table, *, version: int, at: datetime) -> None:
    """What comes with the deal: the stake, the record, the first moves of bots and of the server."""
    if game.stake:
        assert game.play_session is not None
        assert game.stake_table is not None
        ledger.take_stake(
            session=game.play_session,
            game=game.pk,
            stake=game.stake,
            max_win=stakes.max_win(table.game, table.config),
            stake_table=game.stake_table,
            event=version,
            at=at,
            summary={"rules": game.rules, "config": game.config},
        )
    GameRecord.objects.filter(pk=game.pk).update(status=Status.ACTIVE, started_at=at)
    if not particulars.of(game.pk, table).bots.isdisjoint(table.to_act()):
        log.schedule_bots(game.pk, version=version, now=at)
    if game.draw_every is not None:
        jobs.schedule(
            kind=SERVER_DRAWS,
            key=f"{SERVER_DRAWS}:{game.pk}",
            payload={"game": str(game.pk)},
            due=at + timedelta(seconds=game.draw_every),
        )


def void_game(*, game_id: UUID, reason: str, now: datetime) -> None:
    """End a game as if it had not been played: a stake goes back. A game that has ended stays as it is."""
    for _ in range(ATTEMPTS):
        head, table = state.load(game_id)
        if table.ended:
            return
        voided = tables.void(table, reason=reason)
        result = log.after(table, [voided])
        record = GameRecord.objects.get(pk=game_id)
        try:
            with transaction.atomic():
                [event] = log.append(game_id, head, [voided], result, now=now)
                log.end(
                    game_id,
                    result,
                    record,
                    version=event.version,
                    staked=record.stake > 0 and table.status == "active",
                    at=parse_at(event.at),
                )
        except WrongVersion:
            continue
        return
    raise Contended


def expire_game(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """The server plays for whoever is absent, without asking how long; a table that was not started is voided.

    With `seen` only if no seat has moved since that version. A game of one seat ends by it; a game that has ended stays
    as it is.
    """
    _, table = state.load(game_id)
    if table.status == "open":
        void_game(game_id=game_id, reason=NOT_STARTED, now=now)
    elif table.status == "active":
        expire_active(game_id=game_id, now=now, seen=seen)


def expire_if_idle(*, game_id: UUID, now: datetime) -> datetime | None:
    """Expire a table that is past its limit; when to ask again, None when the game has ended."""
    head, table = state.load(game_id)
    if table.ended:
        return None
    idle = limits.idle(table.game.slug)
    if table.status == "open":
        due = _opened_at(game_id) + limits.UNSTARTED
    else:
        assert head.at is not None
        due = head.at + idle
    if due > now:
        return min(due, now + idle)
    expire_game(game_id=game_id, now=now, seen=head.version)
    return None if state.load(game_id)[1].ended else now + idle


def _opened_at(game_id: UUID) -> datetime:
    return GameRecord.objects.values_list("created_at", flat=True).get(pk=game_id)


def reveal_tournament_seed(*, tournament: UUID, seed: bytes) -> None:
    """Show the seed of a tournament that has ended in the bundles of its games from now on."""
    RevealedSeed.objects.get_or_create(tournament=tournament, defaults={"seed": seed})
