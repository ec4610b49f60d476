"""Concurrent bets, entries, start, and end have the effect of some serial order."""

from __future__ import annotations

from functools import partial

import pytest

from jobs.models import Job
from ledger.betting import settlements
from ledger.betting.models import Bet, Settlement
from ledger.errors import MarketClosed, MarketEnded
from ledger.models import Transfer
from ledger.selectors import reconcile
from ledger.services import void_market
from ledger.tasks import pay_bets
from tests.concurrency import at_once
from tests.ledger.betting.markets import bet, bettor, escrow
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.outrights import open_outright
from tests.tournaments.playing import NOW, close_round, enter, later, rich, settle, start, status_of
from tournaments import services
from tournaments.errors import BetsOnOthersForbidden, BetsOnRivals, OutrightExists, WrongStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.parametrize("place", [3, *(pytest.param(n, marks=pytest.mark.nightly) for n in (0, 6))])
def test_a_bet_at_the_moment_of_the_start_is_accepted_before_it_or_refused(
    published: Publish, place: int
) -> None:
    tournament = published(rounds=1)
    market = open_outright(tournament)
    enter(tournament, rich("cid"), rich("dan"))
    people = [bettor() for _ in range(6)]
    bets = [partial(bet, market, f"entry {1 + n % 2}", 100, person) for n, person in enumerate(people)]
    off = partial(services.start, tournament_id=tournament.pk, actor=None, now=NOW)
    answers = at_once(*bets[:place], off, *bets[place:])
    assert not isinstance(answers.pop(place), Exception)
    accepted = [answer for answer in answers if isinstance(answer, Bet)]
    assert all(isinstance(answer, Bet | MarketClosed) for answer in answers), answers
    assert (status_of(market), escrow(market)) == ("closed", 100 * len(accepted))
    assert market.bets_made == len(accepted)


def test_of_a_concurrent_entry_and_bet_on_a_rival_one_is_refused(published: Publish) -> None:
    for number in range(2):
        tournament = published()
        market = open_outright(tournament)
        cid, dan = rich(f"cid{number}"), rich(f"dan{number}")
        enter(tournament, dan)
        entered, placed = at_once(
            partial(enter, tournament, cid), partial(bet, market, "entry 1", 100, cid.pk)
        )
        assert [isinstance(entered, BetsOnRivals), isinstance(placed, BetsOnOthersForbidden)].count(True) == 1
        assert [isinstance(entered, Exception), isinstance(placed, Exception)].count(True) == 1


def test_two_concurrent_requests_open_one_market(published: Publish) -> None:
    tournament = published()
    answers = at_once(*[partial(open_outright, tournament, takeout=number) for number in (1, 2, 3)])
    assert [isinstance(answer, OutrightExists) for answer in answers].count(True) == 2


@pytest.mark.parametrize("at_most", [0, 500])
def test_a_market_ended_cancelled_and_voided_concurrently_is_settled_once(
    published: Publish, monkeypatch: pytest.MonkeyPatch, at_most: int
) -> None:
    """With `at_most` 0 the bets are paid by a job, which two workers run concurrently."""
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", at_most)
    tournament = published(rounds=1)
    market = open_outright(tournament, takeout=500)
    players = [rich("cid"), rich("dan")]
    enter(tournament, *players)
    bets = [bet(market, f"entry {1 + n % 2}", 100) for n in range(6)]
    start(tournament)
    close_round(tournament)

    def finish() -> None:
        settle(tournament)

    answers = at_once(
        finish,
        partial(services.cancel, tournament_id=tournament.pk, actor=None, reason="fog", now=later(601)),
        finish,
        partial(void_market, market=market, reason="suspicion", at=later(601), actor="player:adam"),
    )
    errors = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(error, WrongStatus | MarketEnded) for error in errors), errors
    job = Job.objects.filter(kind=settlements.SETTLE).first()
    assert (job is None) == bool(at_most)
    if job is not None:
        assert at_once(*[partial(pay_bets, job.payload, now=later(602))] * 2) == [None, None]
    assert status_of(market) in ("settled", "void")
    assert (escrow(market), Settlement.objects.count()) == (0, 1)
    payouts = Transfer.objects.filter(subject=market.owner, key__contains=":pay:")
    assert payouts.values("credit").distinct().count() == payouts.count()
    # No one has moved, so both have won, or all is void: every stake is refunded.
    assert [available(f"player:{each.player}") for each in bets] == [100_000] * 6
    assert sum(available(f"player:{each.pk}") for each in players) == 20_000
    assert list(reconcile()) == []
