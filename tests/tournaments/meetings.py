"""A meeting of people and bots: its card, its bets, and races run to their end."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from accounts.models import Player
from games.money import markets as races
from jobs.models import Job
from ledger import services as ledger
from ledger.betting import play
from ledger.betting.models import Bet, Market
from tests.due_jobs import run_due
from tests.money import fresh_key
from tests.tournaments.playing import NOW, games_of
from tournaments.models import TableGame, Tournament

BANK = 1000
MEETING = {
    "name": "Saturday meeting",
    "format": "meeting",
    "rules": "racing-aces",
    "config": {"finish_line": 4},
    "bank": BANK,
    "rounds": 2,
    "round_seconds": 60,
    "gap_seconds": 10,
    "fee": 0,
}


def race(tournament: Tournament, round: int) -> TableGame:
    [one] = games_of(tournament, round)
    return one


def market(tournament: Tournament, round: int) -> Market:
    found = races.market_on(race(tournament, round).game)
    assert found is not None
    return found


def bet(tournament: Tournament, round: int, player: Player, runner: str, stake: int, **more: Any) -> Bet:
    return ledger.place_bet(
        market=market(tournament, round),
        player=player.pk,
        runner=runner,
        stake=stake,
        key=fresh_key(),
        at=NOW,
        **more,
    )


def banks(tournament: Tournament) -> dict[int, int]:
    return play.balances(play.event_of(tournament.pk))


def run_race(tournament: Tournament, round: int) -> datetime:
    """Run a race from its betting to the closed round, and return the time of the close."""
    now = NOW
    while not race(tournament, round).table.round.closed_at:
        due = Job.objects.open().order_by("due").values_list("due", flat=True).first()
        assert due is not None
        run_due(now := max(now, due))
    return now


def open_race(tournament: Tournament, round: int) -> None:
    """Open the betting on the next race of the card."""
    while not games_of(tournament, round):
        due = Job.objects.open().order_by("due").values_list("due", flat=True).first()
        assert due is not None
        run_due(due)
