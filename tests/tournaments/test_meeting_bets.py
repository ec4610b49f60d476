"""Misuse of play money: bets above the bank, at the wrong time or by others, and play money elsewhere."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Player
from accounts.roles import Role
from games.errors import NoRaceMarket
from games.models import GameRecord
from games.money.markets import open_market
from ledger import services as ledger
from ledger.apps import check_currency
from ledger.betting import play
from ledger.betting.models import Bet, Market, PlayBank
from ledger.betting.terms import PLAY_CURRENCY, Terms
from ledger.errors import (
    BadMarket,
    BadPosting,
    InsufficientFunds,
    LimitReached,
    MarketClosed,
    NoPlayMoney,
    PlayStopped,
)
from ledger.limits.services import set_limit, take_time_out
from ledger.limits.terms import STAKE
from ledger.models import Account, Transfer
from ledger.services import Leg
from ledger.staff import markets as market_pages
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.money import CURRENCY, available, cash, fresh_key
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.meetings import BANK, MEETING, banks, bet, market, race, run_race
from tests.tournaments.playing import NOW, enter, later, rich, start
from tournaments import services
from tournaments.entries import registration
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> Player:
    return known("ann", new=rich)


@shared
def running() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), **MEETING)
    enter(tournament, known("ann", new=rich), rich("bob"))
    start(tournament)
    return tournament


def bank_of(tournament: Tournament, entry: int) -> Account:
    return PlayBank.objects.get(event=play.event_of(tournament.pk), number=entry).account


def test_a_bet_above_the_bank_is_refused(running: Tournament, ann: Player):
    for stake in (BANK + 1, 10**11):
        with pytest.raises(InsufficientFunds):
            bet(running, 1, ann, "C", stake)
    bet(running, 1, ann, "C", BANK)
    with pytest.raises(InsufficientFunds):
        bet(running, 1, ann, "D", 1)
    assert available(f"player:{ann.pk}") == 10_000, "and not from the wallet either"


def test_a_bet_after_the_start_is_refused(running: Tournament, ann: Player):
    run_due(later(60))
    with pytest.raises(MarketClosed):
        bet(running, 1, ann, "C", 1)
    run_race(running, 1)
    with pytest.raises(MarketClosed):
        bet(running, 1, ann, "C", 1)


def test_play_money_of_one_meeting_cannot_be_bet_in_another(
    running: Tournament, published: Publish, ann: Player
):
    other = published(**MEETING)
    enter(other, rich("eve"), rich("joe"))
    start(other)
    with pytest.raises(NoPlayMoney):
        bet(other, 1, ann, "C", 1)
    assert bet(running, 1, ann, "C", 1).purse == bank_of(running, 1)


def test_only_entrants_who_stay_may_bet(published: Publish, ann: Player, stranger: Player):
    bob = rich("bob")
    tournament = published(**MEETING)
    enter(tournament, ann, bob, rich("eva"))
    start(tournament)
    services.withdraw(tournament_id=tournament.pk, player=ann, now=NOW)
    registration.disqualify(
        tournament_id=tournament.pk, number=2, actor=tournament.organizer, reason="collusion", now=NOW
    )
    for someone in (ann, bob, stranger, tournament.organizer, rich("rich")):
        with pytest.raises(NoPlayMoney):
            bet(tournament, 1, someone, "C", 1)


def test_a_bet_can_be_cancelled_while_betting_is_open(running: Tournament, ann: Player):
    made = bet(running, 1, ann, "C", 300)
    ledger.cancel_bet(bet=made, player=ann.pk, key=fresh_key(), at=NOW)
    assert banks(running)[1] == BANK
    run_race(running, 1)


def test_play_money_counts_towards_no_limit(running: Tournament, ann: Player):
    set_limit(
        player=ann.pk,
        currency=CURRENCY,
        kind=STAKE,
        period="day",
        amount=1,
        key=fresh_key(),
        actor="ann",
        at=NOW,
    )
    bet(running, 1, ann, "C", BANK)
    with pytest.raises(LimitReached):
        ledger.check_stake_allowed(player=ann.pk, amount=2, currency=CURRENCY, at=NOW)
    ledger.check_stake_allowed(player=ann.pk, amount=1, currency=CURRENCY, at=NOW)


def test_a_player_on_a_time_out_cannot_bet_play_money(running: Tournament, ann: Player):
    take_time_out(player=ann.pk, hours=24, key=fresh_key(), actor="ann", at=NOW)
    with pytest.raises(PlayStopped):
        bet(running, 1, ann, "C", 1)


def test_play_money_is_in_no_wallet_statement_or_report(
    running: Tournament, ann: Player, administrator: Player, api
):
    bet(running, 1, ann, "C", 500)
    assert market_pages.totals() == market_pages.under_way() == []
    run_race(running, 1)
    wallet = api(ann).get("/api/v1/wallet/").json()
    assert wallet["currency"] == CURRENCY
    assert [one["total"] for one in wallet["accounts"].values()] == [10_000, 0]
    assert api(ann).get("/api/v1/wallet/history/").json()["results"] == []
    days = api(administrator).get("/api/v1/reports/days/?from=2026-03-01&until=2026-03-01").json()
    assert {days["total"][name] for name in ("stakes", "winnings", "bets", "margin")} == {0}


def test_the_database_keeps_play_money_out_of_wallets(running: Tournament, ann: Player):
    bank = bank_of(running, 1)
    for owner, purpose in ((f"player:{ann.pk}", "cash"), ("house", "takeout"), (running.subject, "escrow")):
        with pytest.raises(IntegrityError, match="account_play_apart"), transaction.atomic():
            ledger.account(owner=owner, purpose=purpose, currency=PLAY_CURRENCY)
    with pytest.raises(IntegrityError, match="account_play_apart"), transaction.atomic():
        ledger.account(owner=f"play:{uuid4()}", purpose="bank", currency=CURRENCY)
    with pytest.raises(BadPosting, match="one currency"):
        ledger.post(key=fresh_key(), legs=[Leg(bank, cash(ann.pk), 1, "out")], actor="ann", at=NOW)


def test_the_database_refuses_a_bet_from_the_bank_of_another_entrant(running: Tournament, ann: Player):
    bet(running, 1, ann, "C", 1)
    forged = Bet.objects.get()
    forged.pk, forged.key, forged.number = uuid4(), fresh_key(), 2
    forged.purse = bank_of(running, 2)
    with pytest.raises(IntegrityError, match="gives back bets"):
        _insert(forged)
    forged.purse = bank_of(running, 1)
    with transaction.atomic():
        _insert(forged)  # only the purse was forged
        transaction.set_rollback(True)


@transaction.atomic
def _insert(bet: Bet) -> None:
    Market.objects.filter(pk=bet.market_id).update(bets_made=bet.number)
    bet.save(force_insert=True)


@pytest.mark.both_databases
def test_the_owner_of_a_bank_never_changes(running: Tournament):
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_playbank SET number = number + 10")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM ledger_playbank")


def test_a_race_has_no_market_for_money_and_is_settled_once(running: Tournament, ann: Player):
    game = GameRecord.objects.get(pk=race(running, 1).game)
    with pytest.raises(NoRaceMarket):
        open_market(game=game, kind="pool", terms=Terms(), opened_by="player:adam", now=NOW)
    bet(running, 1, ann, "C", 10)
    run_race(running, 1)
    with pytest.raises(BadMarket, match="cannot be settled again"):
        ledger.resettle_market(market=market(running, 1), winners=["C"], reason="x", actor="adam", at=NOW)


def test_play_money_is_issued_once(running: Tournament, ann: Player):
    event = play.event_of(running.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        play.give_out(event=event, players={1: ann.pk}, amount=BANK, version=9, at=NOW)
    given = Transfer.objects.filter(subject=event)
    assert sum(given.values_list("amount", flat=True)) == 2 * BANK
    assert {one.currency for one in given} == {PLAY_CURRENCY}


def test_an_installation_cannot_use_play_money_as_its_currency(settings):
    assert check_currency() == []
    settings.RACECARD_CURRENCY = PLAY_CURRENCY
    [error] = check_currency()
    assert error.id == "ledger.E001"
