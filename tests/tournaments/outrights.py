"""Markets on a tournament's winner, as tests need them."""

from __future__ import annotations

from typing import Any

from ledger.betting.models import Bet, Market
from ledger.services import Terms
from tests.ledger.betting.markets import money_of
from tests.tournaments.playing import NOW
from tournaments.betting import outrights
from tournaments.models import Tournament
from tournaments.rounds import selectors as round_selectors


def open_outright(tournament: Tournament, **terms: Any) -> Market:
    return outrights.open_market(
        tournament_id=tournament.pk, terms=Terms(**terms), opened_by="player:adam", now=NOW
    )


def winners_of(tournament: Tournament) -> list[str]:
    standings = round_selectors.standings(tournament, None)["standings"]
    return [outrights.runner_of(each["entry"]) for each in standings if each["place"] == 1]


def gained(bet: Bet) -> int:
    """Return what a player with one bet has gained."""
    return money_of(bet) - 100_000
