"""Staked tables: the buy-in of each seat, and the division of the pot.

Ace Race, Racing Demons, and Racing Aces with chosen suits can be played for a pot. A player pays when taking a seat, in
the same transaction. The buy-in is refunded if the player leaves before the deal or the table is voided. The event that
ends the game divides the pot by places. The pot of a race goes to the seats of the winning suit, or back to all seats
if no seat has it. A match has one pot: its seats are bought at the first deal, and its standings divide it. In the
ledger a match is one game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, TypedDict
from uuid import UUID

from accounts.errors import BotRefused
from accounts.models import Player
from games.context import GameContext
from games.errors import InvalidTable, StakeNotOffered
from games.models import GameRecord, Match, Seat, Status
from games.rules import Game, match_rules
from games.rules.buy_in import LEAST_SEATS, BuyIn, places, takes_buy_ins, without
from games.rules.table import Table
from ledger import services as ledger
from ledger.models import PlaySession, Pot, PotStatus, StakeTable
from ledger.services import PotTerms
from rest.documents import one_of


def terms_for(
    game: Game,
    *,
    config: object,
    seats: int,
    buy_in: int | None,
    stake_table: StakeTable | None,
    play_session: PlaySession | None = None,
    bots: Sequence[object] = (),
    tournament: object = None,
    at: datetime,
) -> BuyIn | None:
    """Return the buy-in of a table by the terms of its stake table at this time; None without a buy-in.

    `config` is the requested one. Raises InvalidTable, StakeNotOffered, and what the ledger's `check_stake` raises.
    """
    if not takes_buy_ins(game, config):
        if buy_in is not None:
            raise InvalidTable(f"{without(game)}.", field="buy_in")
        return None
    if buy_in is None and stake_table is None:
        return None
    if buy_in is None or stake_table is None:
        missing = "buy_in" if buy_in is None else "stake_table"
        raise InvalidTable("A buy-in and a stake table must be given together.", field=missing)
    if play_session is not None:
        raise InvalidTable("A buy-in is paid from cash, not from a play session.", field="play_session")
    if seats < LEAST_SEATS:
        raise InvalidTable(f"A table with a buy-in has at least {LEAST_SEATS} seats.", field="seats")
    if bots:
        raise InvalidTable("Bots cannot buy in.", field="bots")
    if tournament is not None:
        raise InvalidTable("Games of a tournament have no buy-in.", field="buy_in")
    if stake_table.rules != game.slug:
        raise StakeNotOffered(f"{stake_table.slug} is a stake table of {stake_table.rules}.")
    found = ledger.check_stake(stake=buy_in, stake_table=stake_table, at=at)
    terms = PotTerms(stake_table=stake_table.slug, rake=found.rake, split=tuple(found.split))
    return BuyIn(buy_in, stake_table.currency, terms)


def open_pot(staked: BuyIn, *, of: UUID, stake_table: StakeTable, at: datetime) -> None:
    """Open the pot in the transaction that opens the game or match."""
    ledger.open_pot(
        subject=_subject(of),
        amount=staked.amount,
        currency=staked.currency,
        terms=staked.terms,
        stake_table=stake_table,
        at=at,
    )


def take(game: GameRecord, player: Player, *, event: int, at: datetime) -> None:
    """Take the buy-in with the seating. Raises BotRefused, and what the ledger's `take_buy_in` raises."""
    if _bought_here(game):
        if player.is_owned_bot:
            raise BotRefused
        ledger.take_buy_in(subject=subject(game), player=player.pk, event=event, at=at)


def on_same_terms(one: GameRecord, other: GameRecord) -> bool:
    """Return whether the pots of two staked games have the same rake and the same shares."""
    pots = Pot.objects.filter(subject__in=(subject(one), subject(other)))
    return len({(pot.rake, tuple(pot.split)) for pot in pots}) == 1


def refund(game: GameRecord, player: Player, *, event: int, at: datetime) -> None:
    """Refund the buy-in when the player leaves."""
    if _bought_here(game):
        ledger.give_back_buy_in(subject=subject(game), player=player.pk, event=event, at=at)


def end(game_id: UUID, table: Table, ctx: GameContext | GameRecord, *, event: int, at: datetime) -> None:
    """Divide the pot with the event that ends the game. The pot of a match waits for the match."""
    if not ctx.buy_in or ctx.match_id is not None:
        return
    by_place = places(table.outcome)
    if by_place is None:
        ledger.void_pot(subject=_subject(game_id), event=event, at=at)
        return
    seats = {seat: UUID(who.player) for seat, who in table.seats.items()}
    players = [[seats[seat] for seat in place] for place in by_place]
    ledger.settle_pot(subject=_subject(game_id), places=players, event=event, at=at)


def end_match(match: Match, *, at: datetime) -> None:
    """Divide the pot of a match by its standings, or refund it if no deal was finished."""
    if not match.buy_in:
        return
    finished = match.games.filter(status=Status.FINISHED).order_by("match_number")
    played = [game.outcome for game in finished if game.outcome is not None]
    if not played:
        ledger.void_pot(subject=_subject(match.pk), event=None, at=at)
        return
    first = Seat.objects.filter(game__match=match, game__match_number=1)
    players: dict[int, UUID] = dict(first.values_list("seat", "player"))
    standings = [[players[seat] for seat in place] for place in places_of(match, played)]
    ledger.settle_pot(subject=_subject(match.pk), places=standings, event=None, at=at)


def places_of(match: Match, outcomes: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the seats of a match by place, after deals with these outcomes."""
    standings = match_rules(match.rules).standings(outcomes, match.seats)
    return [
        [standing.seat for standing in sharing]
        for _, sharing in groupby(standings, key=lambda standing: standing.place)
    ]


class PaidOutput(TypedDict):
    seat: int
    amount: Annotated[int, "pence"]


class PotOutput(TypedDict):
    """The pot of a staked table. Amounts in pence, `rake` and `split` in basis points of 10,000."""

    status: Annotated[str, one_of(PotStatus)]
    amount: Annotated[int, "what all seats have put in"]
    currency: str
    rake: int
    split: Annotated[list[int], "shares of first place, second place …"]
    paid: Annotated[list[PaidOutput] | None, "what each seat got; null while the pot is open"]


def document(of: GameRecord | Match, seats: Mapping[int, Seat]) -> PotOutput | None:
    if not of.buy_in:
        return None
    pot = Pot.objects.get(subject=subject(of))
    returned = {part.player: part.returned for part in pot.buy_ins.standing()}
    return {
        "status": pot.status,
        "amount": pot.amount * len(returned),
        "currency": pot.currency,
        "rake": pot.rake,
        "split": pot.split,
        "paid": [
            {"seat": seat, "amount": returned.get(seating.player_id, 0)}
            for seat, seating in sorted(seats.items())
        ]
        if pot.division
        else None,
    }


def subject(of: GameRecord | Match) -> str:
    """Return the ledger's subject of a buy-in, which also owns the escrow."""
    if isinstance(of, GameRecord) and of.match_id is not None:
        return _subject(of.match_id)
    return _subject(of.pk)


def _subject(id: UUID) -> str:
    return f"game:{id}"


def _bought_here(game: GameRecord) -> bool:
    return bool(game.buy_in) and game.match_number in (None, 1)
