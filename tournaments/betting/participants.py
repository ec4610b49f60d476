"""Participants of a tournament: its entrants, and those who bet on its winner (RULEBOOK 8).

Participants have no early access to its games, and a person who has had early access neither enters nor bets. The
row of the market, which every bet locks, decides which came first.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from games.early_access import require_unseen
from games.hooks import register_interest
from games.models import GameRecord
from ledger import hooks
from ledger.errors import NoPlayMoney
from ledger.models import Market, Runner
from ledger.services import locked_market, precheck_stake
from tournaments import access
from tournaments.betting import meetings, outrights
from tournaments.errors import BetsOnOthersForbidden, JudgeMayNotBet, OrganizerMayNotBet
from tournaments.models import Entry, StaffRole, Tournament, TournamentRole


def register() -> None:
    hooks.register_participants("tournament", access.takes_part)


@register_interest
def is_entered(player: Player, game: GameRecord) -> bool:
    """Return whether the player has entered the game's tournament, even before they are seated."""
    return (
        game.tournament is not None
        and Entry.objects.standing().filter(tournament=game.tournament, player=player).exists()
    )


@register_interest
def has_bet_outright(player: Player, game: GameRecord) -> bool:
    market = None if game.tournament is None else outrights.market_on(game.tournament)
    if market is None:
        return False
    with transaction.atomic():
        return outrights.has_backed(locked_market(market), player.pk)


@hooks.register_bet_guard("play")
def is_at_the_race(market: Market, runner: Runner, player: UUID) -> None:
    """Refuse bets of players who are not in the meeting. Raises NoPlayMoney."""
    if meetings.entry_in(market, player) is None:
        raise NoPlayMoney


@hooks.register_bet_guard("tournament")
def may_back(market: Market, runner: Runner, player: UUID) -> None:
    """Refuse bets of the tournament's staff, and of entrants on others.

    Raises OrganizerMayNotBet, JudgeMayNotBet, EarlyAccessUsed, BetsOnOthersForbidden.
    """
    tournament_id = outrights.tournament_of(market)
    if tournament_id is None:
        return
    check_uninvolved(tournament_id, player)
    alone = backs_alone(tournament_id, player)
    if alone is not None and runner.name != alone:
        raise BetsOnOthersForbidden


def check_uninvolved(tournament_id: UUID, player: UUID) -> None:
    """Raise OrganizerMayNotBet, JudgeMayNotBet, or EarlyAccessUsed for a person who may not bet."""
    if Tournament.objects.filter(pk=tournament_id, organizer=player).exists():
        raise OrganizerMayNotBet
    if TournamentRole.objects.filter(tournament=tournament_id, player=player, role=StaffRole.JUDGE).exists():
        raise JudgeMayNotBet
    require_unseen(player, tournament=tournament_id)


def backs_alone(tournament_id: UUID, player: UUID) -> str | None:
    """Return the only runner that an entrant may back; None for other players."""
    entry = Entry.objects.standing().filter(tournament=tournament_id, player=player).first()
    return None if entry is None else outrights.runner_of(entry.number)


def precheck_bet(market: Market, player: UUID, at: datetime) -> None:
    """Raise the error that the smallest bet on the winner would raise. Locks and writes nothing.

    Raises the errors of `may_back` except BetsOnOthersForbidden, and PlayStopped, LimitReached.
    """
    tournament_id = outrights.tournament_of(market)
    if tournament_id is not None:
        check_uninvolved(tournament_id, player)
    precheck_stake(player=player, amount=market.minimum, currency=market.currency, at=at)
