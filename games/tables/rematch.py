"""Rematches: the players of a finished game play again at one table, which the first of them to ask opens.

The lock of the finished game's stream orders the requests, and a unique constraint permits one table. The other players
are notified unless they are seated already, or have blocked the player who asked. At a staked table each player pays by
a request of their own that names the amount. The rematch of a match is another match, asked for at its last deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.models import Block, Player
from core.commands import Command
from core.errors import InvalidInput
from eventstore.store import StoredEvent
from games import rules, state
from games.errors import NoRematch, NotSeated
from games.matches.services import open_match
from games.models import SERVER_PLAYS, GameRecord, MatchStatus, Seat, Status
from games.money import buy_ins
from games.play import clocks
from games.rules.table import Table
from games.tables.services import count_down, create_game, start_game, take_seat
from games.tables.terms import BotSeat
from ledger.money import money
from notifications import follower, kinds
from notifications.kinds import Channel, Kind, Values, texts
from notifications.services import Announcement

REMATCH = "rematch"

COUNTDOWN = 4
"""Seconds; the first one is for the pages of the players to hear of it."""


def rematch(
    *,
    ended: GameRecord,
    player: Player,
    client_seed: str = "",
    buy_in: int | None = None,
    command: Command | None = None,
    now: datetime,
) -> GameRecord:
    """Return the table of the rematch, at which the player now sits. The first to ask opens it, the last starts it.

    The table has the terms and the seats of the finished game, which are reserved for its players. `buy_in`, in pence,
    is what the player agrees to pay: that of the finished game. Raises NotSeated, NoRematch, InvalidInput, and what
    opening a table, taking a seat, and starting raise.
    """
    with transaction.atomic(), state.locked(ended.pk) as (_, before):
        own = ended.seatings.filter(player=player).first()
        if own is None:
            raise NotSeated
        ended.refresh_from_db()
        _require_possible(ended)
        game = _present(ended) or _open(ended, player, now)
        if not game.seatings.filter(player=player).exists():
            _require_agreement(ended, game, buy_in)
            suit = before.seats[own.seat].suit
            take_seat(game=game, player=player, client_seed=client_seed, suit=suit, command=command, now=now)
        if game.status == Status.OPEN and game.seatings.count() == game.seats:
            _start(game, player, before, now)
    return GameRecord.objects.get(pk=game.pk)


def _start(game: GameRecord, player: Player, before: Table, now: datetime) -> None:
    """Deal; where all seats play at once, after a countdown."""
    if clocks.all_seats_at_once(before.game, before.config):
        count_down(game=game, actor=player, seconds=COUNTDOWN, now=now)
    else:
        start_game(game=game, actor=None, now=now)


def table_of_rematch(ended: GameRecord) -> UUID | None:
    """Return the game that is the rematch of this one."""
    game = _present(ended) if ended.status == Status.FINISHED else None
    return None if game is None else game.pk


def _present(ended: GameRecord) -> GameRecord | None:
    return GameRecord.objects.filter(rematch_of=ended).exclude(status=Status.VOID).first()


def _require_possible(ended: GameRecord) -> None:
    """Raises NoRematch."""
    if ended.status != Status.FINISHED:
        raise NoRematch("The game is not finished.")
    if ended.tournament is not None:
        raise NoRematch("Its tournament decides what is played next.")
    if ended.stake:
        raise NoRematch("It was played from a play session. A new table asks for the stake.")
    match = ended.match
    if match is None:
        return
    if match.status != MatchStatus.FINISHED:
        raise NoRematch("Its match is not over.")
    if match.games.filter(status=Status.FINISHED, match_number__gt=ended.match_number).exists():
        raise NoRematch("It was not the last deal of its match.")


def _require_agreement(ended: GameRecord, game: GameRecord, buy_in: int | None) -> None:
    """Check that the player pays what they have agreed to, for what they know. Raises InvalidInput, NoRematch."""
    if (buy_in or 0) != ended.buy_in:
        needed = "It is not played for money"
        if ended.currency:
            needed = f"{ended.buy_in} is needed: you pay {money(ended.buy_in, ended.currency)}"
        raise InvalidInput(f"buy_in: {needed}.", field="buy_in")
    if ended.buy_in and not buy_ins.on_same_terms(ended, game):
        raise NoRematch("The rake or the shares of its stake table have changed. A new table shows them.")


def _open(ended: GameRecord, player: Player, now: datetime) -> GameRecord:
    # A table at which nobody played does not prevent another rematch.
    GameRecord.objects.filter(rematch_of=ended, status=Status.VOID).update(rematch_of=None)
    seated = ended.seatings.filter(SERVER_PLAYS).order_by("seat").values_list("seat", "bot")
    terms: dict[str, Any] = {
        "rules": ended.rules,
        "seats": ended.seats,
        "creator": player,
        "private": ended.private,
        "bots": [BotSeat(seat, bot) if bot else BotSeat(seat) for seat, bot in seated],
        "move_limit": ended.move_limit,
        "game_limit": ended.game_limit,
        "rematch_of": ended,
        "most_open": settings.OPEN_TABLES_PER_PLAYER,
        "now": now,
    }
    if ended.buy_in:
        terms |= {"stake_table": ended.stake_table, "buy_in": ended.buy_in}
    match = ended.match
    if match is not None:
        return open_match(config=match.config, deals=match.deals, pause=match.pause, **terms).games.get()
    return create_game(
        config=ended.config,
        hints=ended.hints,
        bot_pace=ended.bot_pace,
        draw_every=ended.draw_every,
        **terms,
    )


# --- the notification ------------------------------------------------------------------------------------


def note(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    """Announce new tables of rematches to the players who have not opened them."""
    opened = GameRecord.objects.filter(pk__in={event.stream for event in events}, rematch_of__isnull=False)
    by_ended = {game.rematch_of_id: game for game in opened.select_related("creator")}
    found = Seat.objects.filter(game__in=by_ended, player__is_bot=False).order_by("game", "seat")
    seats = list(found.values_list("game", "player"))
    # A block of a person holds for the person's bots too.
    openers = {
        id for game in by_ended.values() if (asking := game.creator) for id in (asking.pk, asking.person_id)
    }
    players = {player for _, player in seats}
    blocks = set(
        Block.objects.filter(player__in=players, blocked__in=openers).values_list("player", "blocked")
    )
    for ended, player in seats:
        game = by_ended[ended]
        asking = game.creator
        if asking and player != asking.pk and not {(player, asking.pk), (player, asking.person_id)} & blocks:
            values = {"game": str(ended), "rules": game.rules, "name": rules.title(game.rules)}
            yield Announcement(REMATCH, player, f"game:{ended}", str(game.pk), values)


def _is_awaited(player: UUID, values: Values) -> bool:
    """Return whether the table of the rematch still waits for the player."""
    waiting = GameRecord.objects.filter(rematch_of=values["game"], status=Status.OPEN)
    return waiting.exists() and not waiting.filter(seatings__player=player).exists()


KIND = Kind(
    name=REMATCH,
    label={
        "en": "A player offers you a rematch",
        "de": "Dir wird eine Revanche angeboten",
        "pl": "Propozycja rewanżu",
    },
    title=texts(en="Rematch: {name}", de="Revanche: {name}", pl="Rewanż: {name}"),
    text=texts(
        en="A player of your last game wants to play again.",
        de="Jemand aus deinem letzten Spiel will noch einmal spielen.",
        pl="Ktoś z twojej ostatniej partii chce zagrać jeszcze raz.",
    ),
    path=kinds.always("/games/{game}/"),
    tag="rematch:{game}",
    channels=(Channel.PAGE, Channel.PUSH, Channel.WEBHOOK),
    is_current=_is_awaited,
    urgent=True,
)


def register() -> None:
    kinds.register(KIND)
    follower.on_events({"created"}, note)
