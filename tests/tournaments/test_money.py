"""The money of a tournament: fees, rake, prizes, ties, and remainders add up exactly."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.models import Account
from ledger.selectors import reconcile, statement, transfers_of, trial_balance
from tests.ledger.locks import in_order, taken_too_early
from tests.money import CURRENCY, available, cash
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    NOW,
    begin,
    close_round,
    enter,
    entrants,
    later,
    play_round,
    rich,
    settle,
    standings,
    start,
    status_of,
)
from tournaments import selectors, services
from tournaments.models import Status
from tournaments.prizes import money, settlement
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_in_a_tie_of_all_remaining_pence_go_in_entry_order(published: Publish):
    tournament = begin(
        published, "cid", "dan", "eva", "flo", rounds=1, fee=101, prizes=(5000, 3000, 2000), rake=333
    )
    players = entrants(tournament)
    for now in (later(600), later(601)):
        rounds.close_round(tournament_id=tournament.pk, number=1, now=now)
    settle(tournament)
    # 404 less 13 of rake is 391: four shares of 97, and three pence remain.
    assert [available(f"player:{each.pk}") - 10_000 + 101 for each in players] == [98, 98, 98, 97]
    assert available("house", "rake") == 13
    assert available(tournament.subject, "escrow") == 0
    assert [each["place"] for each in standings(tournament)] == [1] * 4


def test_the_share_of_a_tied_bot_goes_to_the_bank(published: Publish):
    tournament = begin(published, "cid", rounds=1, fee=100, fill_to=3, prizes=(10_000,), rake=0)
    [cid, *_] = entrants(tournament)
    play_round(tournament, 1)
    assert status_of(tournament) == Status.FINISHED
    won = available(f"player:{cid.pk}") - 9_900
    assert won + available("house", "promotion") == 300


def test_every_transfer_names_its_event(published: Publish):
    tournament = published(rounds=1, rake=500)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    enter(tournament, cid)
    start(tournament)
    play_round(tournament, 1)
    events = {event["version"]: event["type"] for event in selectors.events_for(None, tournament.pk)}
    moved = [(row["reason"], events[row["event"]]) for row in transfers_of(tournament.subject)]
    assert moved == [
        ("entry fee", "entered"), ("entry fee", "entered"), ("withdrawal", "withdrawn"), ("entry fee", "entered"),
        ("prize", "prizes"), ("prize", "prizes"), ("rake", "prizes"),
    ]  # fmt: skip


def test_a_large_field_is_paid_in_several_postings(published: Publish, monkeypatch):
    monkeypatch.setattr(money, "LEGS", 2)
    tournament = begin(
        published, "cid", "dan", "eva", "flo", "gus", rounds=1, prizes=(4000, 3000, 2000, 1000)
    )
    players = entrants(tournament)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert [available(f"player:{each.pk}") for each in players] == [10_000] * 5
    assert available(tournament.subject, "escrow") == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_tournaments_that_pay_in_several_postings_at_the_same_time_do_not_deadlock(
    published: Publish, monkeypatch
):
    monkeypatch.setattr(money, "LEGS", 1)
    tournament = published(rounds=1, rake=500, prizes=(4000, 3000, 2000, 1000))
    enter(tournament, *[rich(name) for name in ("cid", "dan", "eva", "flo")])
    start(tournament)
    close_round(tournament)
    pays = {
        "prizes": lambda: settle(tournament),
        "refunds": lambda: services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW),
    }
    for name, pay in pays.items():
        waited, early = taken_too_early(pay, in_order(Account.objects.all()))
        assert waited >= 5, name
        assert early == [], name


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fee=st.integers(0, 999),
    rake=st.integers(0, 9_999),
    shares=st.sampled_from([(10_000,), (5000, 3000, 2000), (3334, 3333, 3333), (9_999, 1)]),
    moves=st.lists(st.integers(0, 12), min_size=2, max_size=4),
)
def test_all_money_paid_in_is_paid_out(published: Publish, fee, rake, shares, moves):
    from tests.tournaments.playing import games_of, play

    before = trial_balance(CURRENCY)
    tournament = published(rounds=1, fee=fee, rake=rake, prizes=shares)
    players = [rich(f"p{tournament.pk.hex[:8]}{number}") for number in range(len(moves))]
    enter(tournament, *players)
    house = available("house", "rake")
    start(tournament)
    for one, player, count in zip(games_of(tournament, 1), players, moves, strict=True):
        play(one, player, moves=count)
    rounds.close_round(tournament_id=tournament.pk, number=1, now=later(600))
    settlement.finish(tournament_id=tournament.pk, now=later(600))

    pool = fee * len(players)
    taken = available("house", "rake") - house
    assert taken == pool * rake // 10_000
    assert sum(available(f"player:{each.pk}") for each in players) == 10_000 * len(players) - taken
    assert available(tournament.subject, "escrow") == 0
    assert before.total == trial_balance(CURRENCY).total == 0
    assert list(reconcile()) == []


def test_the_wallet_names_the_tournament_and_the_place(published: Publish):
    tournament = begin(published, "cid", "dan", rounds=1, fee=500, prizes=(7000, 3000), rake=0)
    players = entrants(tournament)
    play_round(tournament, 1)
    places = set()
    for player in players:
        prize, fee, _ = statement(cash(player.pk))
        assert [line.purpose for line in (prize, fee)] == ["prize", "entry-fee"]
        assert prize.name == fee.name
        assert (prize.name.title, prize.name.rules) == (tournament.name, tournament.rules)
        places.add(prize.name.place)
    assert places == {1, 2}
