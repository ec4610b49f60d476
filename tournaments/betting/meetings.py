"""Meetings: play-money banks, race markets, and scores.

The ledger holds the play money (`ledger.betting.play`), where an account bears the number of an entry.
`tournaments.formats.meeting` has the pure rules. Each function here runs within its caller's transaction.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db.models import Q, Sum

from core.errors import NotFound
from games import services as games
from games import state
from games.models import GameRecord
from games.selectors import market_on as market_on_race
from games.selectors import race_of
from ledger import services as ledger
from ledger.betting import play
from ledger.betting.terms import PLAY_CURRENCY
from ledger.models import ENDED, Account, Bet, BetStatus, Market, MarketStatus
from rest.documents import Uuid, one_of
from tournaments import formats, record
from tournaments.formats import meeting
from tournaments.models import (
    Entry,
    Round,
    RoundState,
    Seat,
    SecretSeed,
    Status,
    Table,
    TableGame,
    Tournament,
)

ACTOR = "tournaments"

DRAW_EVERY = 1
"""Seconds between two draws of a race, so that bettors can follow it."""

BOTS_AT_ONCE = 50


class StillPaid(Exception):
    """The bets of a race are still being paid, and the next step waits for them."""


def bets(tournament: Tournament) -> bool:
    """Return whether the tournament is a meeting."""
    return formats.get(tournament.format).on_bets


def event_of(tournament: Tournament) -> str:
    """Return the ledger's name of the play money."""
    return play.event_of(tournament.pk)


# --- the banks -----------------------------------------------------------------------------------------


def give_banks(tournament: Tournament, entries: Iterable[Entry], *, version: int, now: datetime) -> None:
    """Give every entrant of the start the same bank, once."""
    if bets(tournament):
        players = {entry.number: entry.player_id for entry in entries}
        play.give_out(
            event=event_of(tournament), players=players, amount=tournament.bank, version=version, at=now
        )


def accounts(tournament: Tournament) -> Sequence[Account]:
    """Return the accounts that `take_back` moves play money between, to be locked together with others."""
    return play.accounts(event_of(tournament)) if bets(tournament) else []


def take_back(tournament: Tournament, *, version: int, now: datetime) -> None:
    """Take back the play money at the end, when no bet is open."""
    if bets(tournament):
        play.take_back(event=event_of(tournament), version=version, at=now)


# --- a race --------------------------------------------------------------------------------------------


def take_bets(tournament: Tournament, round: Round, now: datetime) -> None:
    """Open the market of the round's race. The race is dealt when the betting closes."""
    for one in TableGame.objects.of_round(round).select_related("table"):
        market = games.open_play_market(
            game_id=one.game, event=event_of(tournament), opened_by=ACTOR, now=now
        )
        data = {
            "round": round.number,
            "table": one.table.number,
            "game": str(one.game),
            "market": str(market.pk),
        }
        record.append(tournament, ("betting-opened", data), now=now)


def market_on(one: TableGame) -> Market | None:
    return market_on_race(one.game)


def is_settled(one: TableGame) -> bool:
    """Return whether the race is over and every bet on it is paid."""
    market = market_on(one)
    return state.load(one.game)[1].ended and (market is None or market.status in ENDED)


def start_race(tournament: Tournament, one: TableGame, now: datetime) -> None:
    """Close the betting, deal, and draw the first card. Does nothing for a started or cancelled race."""
    if one.dealt_at is not None or state.load(one.game)[1].status != "open":
        return
    games.start_game(game=GameRecord.objects.get(pk=one.game), actor=None, now=now)
    TableGame.objects.filter(pk=one.pk).update(dealt_at=now)
    data = {
        "table": one.table.number,
        "number": one.number,
        "deal": one.deal,
        "game": str(one.game),
        "entries": [seat.entry.number for seat in one.table.seats.select_related("entry")],
    }
    record.append(tournament, ("games-dealt", {"round": one.table.round.number, "games": [data]}), now=now)


def is_running(tournament_id: UUID, number: int, now: datetime) -> bool:
    """Return whether a race of the round is run, so that the round must be checked again."""
    going_on = Round.objects.filter(tournament=tournament_id, number=number, state=RoundState.OPEN)
    return going_on.filter(
        tournament__bank__gt=0, tournament__status=Status.RUNNING, closes_at__lte=now
    ).exists()


def scores(one: TableGame) -> list[tuple[Entry, tuple[int, int]]]:
    """Return what the bets on a race returned and staked, for every entrant present. Raises StillPaid."""
    if not is_settled(one):
        raise StillPaid(f"the bets on race {one.game} are being paid")
    market = market_on(one)
    sums = {} if market is None else _sums(market)
    seats = Seat.objects.filter(table=one.table_id).select_related("entry")
    return [(seat.entry, sums.get(seat.entry.player_id, (0, 0))) for seat in seats]


def require_settled(tournament: Tournament) -> None:
    """Raise StillPaid while bets on a race of the tournament are open."""
    if Market.objects.filter(play=event_of(tournament)).exclude(status__in=ENDED).exists():
        raise StillPaid("the bets on a race are being paid back")


def _sums(market: Market) -> dict[UUID, tuple[int, int]]:
    """Return the amounts returned and staked by player. Cancelled bets do not count."""
    made = market.bets.exclude(status=BetStatus.CANCELLED).order_by()
    summed = made.values_list("player").annotate(Sum("returned"), Sum("stake"))
    return {player: (int(returned), int(staked)) for player, returned, staked in summed}


def counted(tournament: Tournament, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the banks before and after a round, for the event that closes it."""
    if not bets(tournament):
        return {}
    return {"banks": meeting.counted(record.load(tournament.pk).snapshot(), results)}


# --- who may bet, and the bots that do -----------------------------------------------------------------


def entry_in(market: Market, player: UUID) -> Entry | None:
    """Return the entry of a player who is present in the race of the market."""
    game = race_of(market)
    if game is None:
        return None
    table = Table.objects.filter(games__game=game, round__state=RoundState.OPEN).first()
    if table is None:
        return None
    present = Q(withdrawn_at=None, retired_after=None, disqualified_at=None)
    return Entry.objects.filter(present, seats__table=table, player=player).first()


def bots_bet(*, tournament_id: UUID, number: int, now: datetime) -> bool:
    """Place the bets of some bots that have not bet yet. Returns whether more remain."""
    round = Round.objects.filter(tournament=tournament_id, number=number, state=RoundState.OPEN).first()
    one = None if round is None else TableGame.objects.of_round(round).select_related("table").first()
    market = None if one is None else market_on(one)
    if round is None or one is None or market is None or market.status != MarketStatus.OPEN:
        return False
    tournament = round.tournament
    banks = play.balances(market.play)
    have_bet = set(Bet.objects.filter(market=market).values_list("player", flat=True))
    seats = Seat.objects.filter(table=one.table_id, entry__bot=True).select_related("entry__player")
    waiting = [
        seat.entry
        for seat in seats
        if banks[seat.entry.number]
        and seat.entry.player_id not in have_bet
        and seat.entry.retired_after is None
    ]
    strategies = {each.entry: each.strategy for each in record.load(tournament.pk).entrants}
    for entry in waiting[:BOTS_AT_ONCE]:
        punter = meeting.get(strategies[entry.number] or meeting.DEFAULT)
        staked = {runner.name: runner.stakes for runner in market.runners.all()}
        board = meeting.Board(banks[entry.number], staked, tournament.rounds - number + 1)
        for runner, stake in punter.bets(board, _chance(tournament, number, entry)).items():
            ledger.place_bet(
                market=market,
                player=entry.player_id,
                runner=runner,
                stake=stake,
                key=f"{market.owner}:bot:{entry.number}:{runner}",
                at=now,
            )
    return len(waiting) > BOTS_AT_ONCE


def _chance(tournament: Tournament, round: int, entry: Entry) -> Random:
    """Return a generator that is secret while the seed is, and the same on each retry of the job."""
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    label = f"{tournament.pk}|round|{round}|entry|{entry.number}|bets"
    return Random(hmac.digest(seed, label.encode(), "sha256"))  # noqa: S311


# --- what is shown -------------------------------------------------------------------------------------


class RaceOnCardOutput(TypedDict):
    round: int
    game: Uuid
    market: Uuid | None
    status: Annotated[str, one_of(MarketStatus)] | None
    starts_at: Annotated[datetime | None, "when betting ends and the race begins; null before the betting"]
    closed: Annotated[bool, "counted in the standings"]


class OwnBankOutput(TypedDict):
    entry: int
    bank: Annotated[int, "the bank after the last closed race"]
    available: Annotated[int, "available play money; 0 when the meeting is over"]


class MeetingOutput(TypedDict):
    bank: Annotated[int, "each entrant's play money at the start, in pence"]
    currency: str
    races: list[RaceOnCardOutput]
    own: OwnBankOutput | None


def document(tournament: Tournament, player: UUID | None) -> MeetingOutput:
    """Return the card and what the player has to bet with. Raises NotFound if the tournament is no meeting."""
    if not bets(tournament):
        raise NotFound
    known = TableGame.objects.filter(table__round__tournament=tournament, seated_at__isnull=False)
    card = known.select_related("table__round").order_by("table__round__number")
    return {
        "bank": tournament.bank,
        "currency": PLAY_CURRENCY,
        "races": [_race(one) for one in card],
        "own": _own(tournament, player),
    }


def _race(one: TableGame) -> RaceOnCardOutput:
    market, round = market_on(one), one.table.round
    return {
        "round": round.number,
        "game": str(one.game),
        "market": None if market is None else str(market.pk),
        "status": None if market is None else market.status,
        "starts_at": round.closes_at,
        "closed": round.state == RoundState.CLOSED,
    }


def _own(tournament: Tournament, player: UUID | None) -> OwnBankOutput | None:
    entry = tournament.entries.standing().filter(player=player).first()
    available = play.balances(event_of(tournament))
    if entry is None or entry.number not in available:
        return None
    settled = meeting.banks(record.load(tournament.pk).snapshot())
    return {"entry": entry.number, "bank": settled[entry.number], "available": available[entry.number]}
