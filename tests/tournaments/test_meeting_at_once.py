"""Play-money bets that are concurrent with each other and with the start: none is doubled or lost."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction

from ledger.betting.models import Bet
from ledger.errors import InsufficientFunds, MarketClosed
from tests.concurrency import at_once
from tests.tournaments.conftest import Publish
from tests.tournaments.meetings import BANK, MEETING, banks, bet, market, race, run_race
from tests.tournaments.playing import NOW, enter, later, rich, start
from tournaments.models import Tournament
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def running(published: Publish) -> Tournament:
    tournament = published(**MEETING)
    enter(tournament, *[rich(f"p{number}") for number in range(3)])
    start(tournament, now=NOW)
    return tournament


@transaction.atomic
def _off(tournament: Tournament) -> bool:
    """Start the race as its job does."""
    return rounds.close_round(tournament_id=tournament.pk, number=1, now=later(60))


def test_concurrent_bets_do_not_exceed_the_bank(running: Tournament):
    player = running.entries.get(number=1).player
    answers = at_once(*[partial(bet, running, 1, player, suit, 600) for suit in "CDHS"])
    assert sum(isinstance(answer, Bet) for answer in answers) == 1
    assert sum(isinstance(answer, InsufficientFunds) for answer in answers) == 3
    assert banks(running)[1] == BANK - 600


def test_a_bet_at_the_moment_of_the_start_is_accepted_before_it_or_refused(running: Tournament):
    people = [entry.player for entry in running.entries.all()]
    bets = [partial(bet, running, 1, people[n % 3], "CDHS"[n % 4], 100) for n in range(6)]
    off = partial(_off, running)
    answers = at_once(*bets[:3], off, *bets[3:])
    assert answers.pop(3) is False
    assert all(isinstance(answer, Bet | MarketClosed) for answer in answers), answers
    assert market(running, 1).bets_made == sum(isinstance(answer, Bet) for answer in answers)
    assert race(running, 1).dealt_at == later(60)
    run_race(running, 1)
    assert sum(banks(running).values()) == 3 * BANK


def test_concurrent_starts_take_effect_once(running: Tournament):
    off = partial(_off, running)
    assert at_once(off, off, off) == [False] * 3
    run_race(running, 1)
