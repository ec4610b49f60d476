"""Who has a part in a tournament: its entrants, and who bets on its winner (RULEBOOK 8).

They look into none of its games early; who has looked neither enters nor bets. The row of the market, which every bet
locks, decides which of the two came first.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from games.audit import register_part, require_unseen
from games.models import GameRecord
from ledger import participants
from ledger.betting.bets import register_guard
from ledger.betting.markets import locked
from ledger.betting.models import Market, Runner
from ledger.errors import NoPlayMoney
from ledger.limits.checks import foresee_stake
from tournaments import markets, meetings
from tournaments.models import Entry, Tournament
from tournaments.models_roles import Office, TournamentRole
from tournaments.models_waiting import Waiting
from tournaments.problems import BackYourselfAlone, JudgeMayNotBet, OrganizerMayNotBet


def takes_part(tournament_id: UUID, player: UUID) -> bool:
    """Whether the player is entered, waits for a place or has won a prize; what they have bet the ledger knows.

    An entry that was withdrawn before the start does not count; one that ended later, or was disqualified, does.
    """
    return (
        Entry.objects.standing().filter(tournament=tournament_id, player=player).exists()
        or Waiting.objects.in_line().filter(tournament=tournament_id, player=player).exists()
    )


def register() -> None:
    participants.register("tournament", takes_part)


@register_part
def is_entered(player: Player, game: GameRecord) -> bool:
    """Also before being seated in a game."""
    return (
        game.tournament is not None
        and Entry.objects.standing().filter(tournament=game.tournament, player=player).exists()
    )


@register_part
def has_bet_outright(player: Player, game: GameRecord) -> bool:
    market = None if game.tournament is None else markets.market_on(game.tournament)
    if market is None:
        return False
    with transaction.atomic():
        return markets.has_backed(locked(market), player.pk)


@register_guard
def is_at_the_race(market: Market, runner: Runner, player: UUID) -> None:
    """Who has left a meeting, or was never in it, bets nothing. Raises NoPlayMoney."""
    if market.play and meetings.entry_in(market, player) is None:
        raise NoPlayMoney


@register_guard
def may_back(market: Market, runner: Runner, player: UUID) -> None:
    """Who decides about a tournament bets on nobody in it, who plays in it on nobody else.

    Raises OrganizerMayNotBet, JudgeMayNotBet, LookedEarly, BackYourselfAlone.
    """
    tournament_id = markets.tournament_of(market)
    if tournament_id is None:
        return
    check_uninvolved(tournament_id, player)
    alone = backs_alone(tournament_id, player)
    if alone is not None and runner.name != alone:
        raise BackYourselfAlone


def check_uninvolved(tournament_id: UUID, player: UUID) -> None:
    """Raises OrganizerMayNotBet, JudgeMayNotBet, LookedEarly."""
    if Tournament.objects.filter(pk=tournament_id, organizer=player).exists():
        raise OrganizerMayNotBet
    if TournamentRole.objects.filter(tournament=tournament_id, player=player, role=Office.JUDGE).exists():
        raise JudgeMayNotBet
    require_unseen(player, tournament=tournament_id)


def backs_alone(tournament_id: UUID, player: UUID) -> str | None:
    """The one runner that somebody who plays in the tournament may back; None for everybody else."""
    entry = Entry.objects.standing().filter(tournament=tournament_id, player=player).first()
    return None if entry is None else markets.runner_of(entry.number)


def foresee_bet(market: Market, player: UUID, at: datetime) -> None:
    """What the least bet on the winner would be refused with, whomever it backs: nothing is locked, nothing written.

    Raises what `may_back` raises but BackYourselfAlone, and PlayStopped, LimitReached.
    """
    tournament_id = markets.tournament_of(market)
    if tournament_id is not None:
        check_uninvolved(tournament_id, player)
    foresee_stake(player=player, amount=market.minimum, currency=market.currency, at=at)
